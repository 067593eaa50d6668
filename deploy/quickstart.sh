#!/usr/bin/env bash
# Installs what is missing, builds Podium, and runs a sharded matmul on four chip daemons: a pod of 2x2 v5e
# starts, runs square(In) @ W with In[8,2048] sharded over both mesh axes, checks the result against
# NumPy's, shows the collectives and the profile, and stops.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${PODIUM_BUILD:-$root/build}
"$root/deploy/install-deps.sh" --run
log=$(mktemp)
folder=$(mktemp -d)
trap 'rm -rf "$log" "$folder"' EXIT
echo "building in $build"
if ! { cmake -S "$root" -B "$build" --preset default &&
  cmake --build "$build" --target product; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
/usr/bin/python3 "$root/tests/programs/reference.py" "$folder" 8 2048 8192
echo "$ podium run tests/programs/square_matmul.2x2.mlir --chip v5e --topology 2x2 -i 0=in.npy -i 1=w.npy --expect 0=expected.npy"
cd "$root"
"$build/bin/podium" run tests/programs/square_matmul.2x2.mlir --chip v5e --topology 2x2 \
  --input "0=$folder/in.npy" --input "1=$folder/w.npy" --expect "0=$folder/expected.npy"
