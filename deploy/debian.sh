#!/usr/bin/env bash
# A bare Debian 12 with a package of Podium in it, made by debootstrap; with a command, runs that in it. Needs root, since it mounts
# and changes roots; what it mounts is seen by the command alone.
#
# usage: debian.sh FOLDER PACKAGE.deb [COMMAND…]     a FOLDER that has a Debian already is used again
set -euo pipefail
if [ $# -lt 2 ]; then
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
fi
folder=$1 package=$2
shift 2
mkdir -p "$folder"
log=$folder.log
quietly() {
  if ! "$@" >"$log" 2>&1; then
    tail -30 "$log" >&2
    echo "debian.sh: failed: $* (whole output in $log)" >&2
    exit 1
  fi
}
if [ ! -x "$folder/usr/bin/dpkg" ]; then
  quietly debootstrap --variant=minbase bookworm "$folder"
fi
cp "$package" "$folder/tmp/podium.deb"
quietly chroot "$folder" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 bash -c \
  'apt-get update && apt-get install --yes --no-install-recommends /tmp/podium.deb'
rm -f "$log" "$folder/tmp/podium.deb"
if [ $# -eq 0 ]; then
  exit 0
fi
exec unshare --mount --pid --fork --kill-child bash -euc '
  mount -t proc proc "$0/proc"
  mount -t tmpfs tmpfs "$0/dev/shm"
  exec chroot "$0" "$@"' "$folder" "$@"
