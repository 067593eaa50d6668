#!/usr/bin/env bash
# The image holds all that its programs need: unpacked, it runs a program as the user that it names, with nothing else around it.
#
# usage: image_test.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "a chroot needs root"
command -v umoci >/dev/null || skip "umoci is not installed (apt-get install umoci)"
unshare --mount --pid --fork true 2>/dev/null || skip "namespaces cannot be made here"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
chmod 755 "$folder"
if ! "$source/deploy/container/image.sh" "$build" "$folder/image" >"$folder/log" 2>&1; then
  cat "$folder/log" >&2
  exit 1
fi
umoci unpack --image "$folder/image:podium" "$folder/bundle" >/dev/null 2>&1
root=$folder/bundle/rootfs
chmod 755 "$folder/bundle"
cp "$source/tests/programs/psum.2x2.small.mlir" "$root/tmp/program.mlir"
inside() {
  env -i PATH=/usr/bin:/usr/sbin:/bin XDG_RUNTIME_DIR=/tmp unshare --mount --pid --fork --kill-child bash -euc '
    mount -t proc proc "$0/proc"
    mount --bind /dev "$0/dev"
    exec chroot --userspec=65532:65532 "$0" "$@"' "$root" "$@"
}
for program in podium podium-coordinator podium-worker podium-host; do
  inside $program --version
done
inside podium run /tmp/program.mlir --topology 2x2 >"$folder/out"
grep 'result0 = ' "$folder/out"
if [ -e "$root/usr/bin/sh" ] || [ -e "$root/bin" ]; then
  echo "the image has a shell" >&2
  exit 1
fi
echo "$(du -sh "$root" | cut -f1) unpacked, $(du -sh "$folder/image" | cut -f1) as an image, $(find "$root/usr/bin" -type f | wc -l) programs"
