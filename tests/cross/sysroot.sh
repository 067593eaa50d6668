#!/usr/bin/env bash
# Makes FOLDER a root file system with the libraries that Podium needs, for another architecture of Debian. Nothing is
# installed on this machine, and no root is needed: apt only downloads, with lists and a state of its own in FOLDER.apt.
# Does nothing when FOLDER holds them already.
#
# usage: sysroot.sh ARCHITECTURE FOLDER      e.g. sysroot.sh arm64 build-aarch64/sysroot
set -euo pipefail
architecture=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
packages=(
  libc6-dev libuv1-dev libnghttp2-dev libnng-dev libprotobuf-c-dev libdnnl-dev liblapacke-dev libcjson-dev libssl-dev zlib1g-dev libsqlite3-dev
  libcmocka-dev
)
stamp=$folder/.packages
if [ "$(cat "$stamp" 2>/dev/null)" = "$architecture ${packages[*]}" ]; then
  exit 0
fi
state=$folder.apt
mkdir -p "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
fetch() {
  if ! apt-get -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" \
    -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none -o Debug::NoLocking=1 \
    -o "Dir::State::status=$state/status" -o "Dir::State::lists=$state/lists" \
    -o "Dir::Cache=$state" -o "Dir::Cache::archives=$state/archives" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
}
fetch update
fetch install --yes --download-only --no-install-recommends "${packages[@]}"
for package in "$state"/archives/*.deb; do
  dpkg-deb --extract "$package" "$folder"
done
# What update-alternatives would link when packages are set up: which BLAS there is.
for place in "$folder"/usr/lib/*-linux-gnu; do
  for library in blas lapack; do
    for file in "$place/$library/lib$library".so*; do
      [ -e "$file" ] && ln -sfn "$library/$(basename "$file")" "$place/$(basename "$file")"
    done
  done
done
for header in "$folder"/usr/include/*-linux-gnu/cblas-netlib.h; do
  [ -e "$header" ] && ln -sfn cblas-netlib.h "$(dirname "$header")/cblas.h"
done
# Links that name a place from the root, which is this folder.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -sfn "$folder$(readlink "$link")" "$link"
done
rm -rf "$state"
echo "$architecture ${packages[*]}" >"$stamp"
