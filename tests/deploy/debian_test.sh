#!/usr/bin/env bash
# The Debian package installs on a bare Debian 12 and runs a program there; booted by systemd, the units of the package are a pod with
# TLS, whose daemons come back when they are killed and end in order.
#
# usage: debian_test.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "a chroot needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed (apt-get install debootstrap)"
unshare --mount --pid --fork true 2>/dev/null || skip "namespaces cannot be made here"
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
debian=$folder/bookworm
if ! debootstrap --variant=minbase bookworm "$debian" >"$folder/log" 2>&1; then
  tail -3 "$folder/log"
  skip "debootstrap had no Debian 12 (no network?)"
fi
if ! (cd "$build" && cpack -G DEB -B "$folder/package") >"$folder/log" 2>&1; then
  cat "$folder/log"
  exit 1
fi
package=$(ls "$folder"/package/podium_*.deb)
cp "$source/tests/programs/square_matmul.2x2.small.mlir" "$debian/program.mlir"
"$source/deploy/debian.sh" "$debian" "$package" podium run /program.mlir --topology 2x2 | tee "$folder/out" | head -5
grep -q 'result0 = bf16\[8,32\]' "$folder/out"
echo "installed by apt on a bare Debian 12, and run there"

command -v systemd-nspawn >/dev/null || skip "the boot: systemd-nspawn is not installed (apt-get install systemd-container)"
chroot "$debian" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
  apt-get install --yes --no-install-recommends systemd-sysv >"$folder/log" 2>&1 || skip "the boot: no systemd to install"
mkdir -p "$debian/etc/podium"
chroot "$debian" podium certificates /etc/podium >/dev/null
printf 'PODIUM_LISTEN=127.0.0.1:7400\nPODIUM_TOPOLOGY=2x2\n' >"$debian/etc/podium/coordinator.conf"
printf 'PODIUM_COORDINATOR=localhost:7400\nPODIUM_CHIPS=4\n' >"$debian/etc/podium/host-pod.conf"
cat >"$debian/etc/systemd/system/check.service" <<'UNIT'
[Unit]
After=podium-coordinator.service podium-host@pod.service
[Service]
Type=oneshot
ExecStart=/check.sh
StandardOutput=append:/check.out
StandardError=inherit
TimeoutStartSec=90
ExecStopPost=systemctl poweroff --no-block
[Install]
WantedBy=multi-user.target
UNIT
cat >"$debian/check.sh" <<'CHECK'
#!/bin/bash
export PODIUM_TLS_CA=/etc/podium/ca.crt PODIUM_TLS_CERTIFICATE=/etc/podium/run.crt PODIUM_TLS_KEY=/etc/podium/run.key
ready() { timeout 5 podium status localhost:7400 2>/dev/null | grep -q ' ready, '; }
until_is() { # WORD COMMAND…: told as WORD once it holds; gives up after 20 s
  for _ in $(seq 200); do "${@:2}" && break; sleep 0.1; done
  "${@:2}" && echo "ok: $1"
}
another() { local now; now=$(systemctl show --value -p MainPID podium-coordinator); [ "$now" != 0 ] && [ "$now" != "$old" ]; }
fresh_worker() { ! kill -0 "$worker" 2>/dev/null && ready; }
until_is ready ready
podium run /program.mlir --pod localhost:7400 -q && echo "ok: run"
worker=$(pidof podium-worker | cut -d' ' -f1)
kill -9 "$worker"
until_is "another worker" fresh_worker
old=$(systemctl show --value -p MainPID podium-coordinator)
kill -9 "$old"
until_is "another coordinator" another
until_is "ready again" ready
podium run /program.mlir --pod localhost:7400 -q && echo "ok: run again"
[ "$(stat -c %u /proc/"$(pidof podium-host)")" -ge 61184 ] && echo "ok: a dynamic user"
podium certificates /etc/podium --force >/dev/null # Another authority, for everybody.
timeout 5 podium status localhost:7400 2>&1 | grep -q 'no authority of' && echo "ok: not known before the reload"
systemctl reload podium-host@pod podium-coordinator
until_is "reloaded" ready
systemctl stop podium-host@pod podium-coordinator
for unit in podium-host@pod podium-coordinator; do
  [ "$(systemctl show --value -p Result $unit)" = success ] && echo "ok: $unit stopped"
done
journalctl --no-pager --unit 'podium*'
CHECK
chmod +x "$debian/check.sh"
chroot "$debian" systemctl enable podium-coordinator podium-host@pod check >/dev/null 2>&1
if ! timeout --kill-after=10 150 systemd-nspawn --directory="$debian" --register=no --keep-unit --private-network --boot \
  </dev/null >"$folder/boot" 2>&1 && [ ! -e "$debian/check.out" ]; then
  tail -5 "$folder/boot"
  skip "the boot: systemd-nspawn does not boot a system here"
fi
grep '^ok: ' "$debian/check.out" || true
if [ "$(grep -c '^ok: ' "$debian/check.out")" -ne 11 ]; then
  cat "$debian/check.out"
  exit 1
fi
