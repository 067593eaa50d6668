#!/usr/bin/env bash
# An image of the installed programs, the libraries that they need and nothing else: no shell, no package manager. Made by umoci from
# files, without a daemon and without root.
#
# usage: image.sh BUILD FOLDER     an OCI layout in FOLDER, tag podium; skopeo copy oci:FOLDER:podium docker://… takes it further
set -euo pipefail
if [ $# -ne 2 ]; then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
build=$(realpath "$1") layout=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
DESTDIR=$root cmake --install "$build" --prefix /usr --strip >/dev/null
rm -rf "$root/usr/share" "$root/usr/include" "$root/usr/lib/systemd" "$root"/usr/lib/*/{cmake,pkgconfig} "$root"/usr/lib/{cmake,pkgconfig}
mkdir -p "$root"/{etc,tmp,run,proc,dev,lib64} "$root/usr/share/doc/podium"
chmod 1777 "$root/tmp"
cp "$(dirname "$0")/../../LICENSE" "$root/usr/share/doc/podium/copyright"
ln -s usr/lib "$root/lib"
# Libraries stand where the loader looked for them; those of libc that only names of users and hosts need too.
libraries() {
  ldd "$@" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/lib64\/[^ ]*\) .*/\1/p' | grep -v "^$root/" | sort -u
}
mapfile -t programs < <(find "$root/usr/bin" "$root/usr/lib" -type f \( -perm -100 -o -name '*.so*' \))
for library in $(LD_LIBRARY_PATH=$root/usr/lib:$root/usr/lib/x86_64-linux-gnu libraries "${programs[@]}"); do
  case $library in
    /lib64/*) target=$root$library ;;
    /usr/*) target=$root$library ;;
    *) target=$root/usr$library ;;
  esac
  mkdir -p "$(dirname "$target")"
  cp -L "$library" "$target"
done
printf 'podium:x:65532:65532:podium:/tmp:/sbin/nologin\n' >"$root/etc/passwd"
printf 'podium:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"

umoci init --layout "$layout"
umoci new --image "$layout:podium"
umoci insert --rootless --image "$layout:podium" --history.created_by "deploy/container/image.sh" "$root" /
umoci config --image "$layout:podium" --config.user 65532:65532 --config.env PATH=/usr/bin --config.env XDG_RUNTIME_DIR=/tmp \
  --config.workingdir /tmp --config.entrypoint /usr/bin/podium --config.cmd help --config.stopsignal SIGTERM \
  --config.label org.opencontainers.image.title=podium
umoci gc --layout "$layout"
