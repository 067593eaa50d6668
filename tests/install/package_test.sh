#!/usr/bin/env bash
# The Debian package builds, names the libraries it needs, and holds everything.
#
# usage: package_test.sh BUILD
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! (cd "$1" && cpack -G DEB -B "$folder") >"$folder/log" 2>&1; then
  cat "$folder/log" >&2
  exit 1
fi
package=$(ls "$folder"/podium_*.deb)
contents=$(dpkg-deb --contents "$package")
failed=0
while read -r file; do
  if ! grep -qE " \./usr/$file( ->.*)?\$" <<<"$contents"; then
    echo "the package does not hold $file" >&2
    failed=1
  fi
done <<'FILES'
bin/podium
bin/podium-coordinator
bin/podium-host
bin/podium-job
bin/podium-worker
lib/.*libpodium\.so
lib/.*libpodium\.so\.0
lib/.*pkgconfig/podium\.pc
lib/.*cmake/Podium/PodiumConfig\.cmake
include/podium\.h
share/podium/proto/podium/v1/podium\.proto
share/podium/proto/podium/v1/worker\.proto
share/doc/podium/example/example\.c
share/doc/podium/copyright
share/man/man1/podium\.1
share/man/man1/podium-run\.1
share/man/man8/podium-host\.8
share/man/man8/podium-worker\.8
share/bash-completion/completions/podium
lib/systemd/system/podium-coordinator\.service
lib/systemd/system/podium-host@\.service
share/doc/podium/deploy\.md
FILES
needs=$(dpkg-deb --field "$package" Depends)
for library in libc6 libuv1 libnghttp2 libnng1 libprotobuf-c1 libdnnl2 liblapacke libsqlite3-0; do
  if [[ $needs != *$library* ]]; then
    echo "the package does not depend on $library but on: $needs" >&2
    failed=1
  fi
done
exit $failed
