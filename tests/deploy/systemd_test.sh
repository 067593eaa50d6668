#!/usr/bin/env bash
# systemd takes the units as they are, knows every setting in them, and finds little that they could still do.
#
# usage: systemd_test.sh BUILD
set -euo pipefail
build=$1
most=3.0 # of 10: what `systemd-analyze security` calls OK

if ! command -v systemd-analyze >/dev/null; then
  echo "skipped: systemd-analyze is not installed (apt-get install systemd)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for unit in podium-coordinator.service podium-host@.service; do
  # The programs need not be installed: those of the build stand in.
  sed "s|^ExecStart=[^ ]*/|ExecStart=$build/bin/|; s|@CMAKE_INSTALL_PREFIX@|/usr|" \
    "$build/deploy/systemd/$unit" >"$folder/$unit"
  checked=$folder/${unit/@/@pod}
  if [ "$checked" != "$folder/$unit" ]; then
    cp "$folder/$unit" "$checked"
  fi
  # It has warnings of other units too, and status 0 with settings that it does not know.
  SYSTEMD_LOG_COLOR=0 systemd-analyze verify --man=no --recursive-errors=no "$checked" >"$folder/verified" 2>&1 || true
  if grep -E "$(basename "$checked")|Failed" "$folder/verified"; then
    failed=1
  fi
  if ! systemd-analyze security --offline=true --no-pager --threshold="${most/./}" "$checked" >"$folder/security" 2>&1; then
    cat "$folder/security"
    failed=1
  fi
  grep -h "Overall exposure" "$folder/security"
done
exit $failed
