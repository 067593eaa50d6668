#!/usr/bin/env bash
# Mixed clients in several languages on one pod, every value checked, memory and descriptors watched (tests/soak/soak.py).
#
# usage: tests/soak.sh [SECONDS] [--build DIR]      ten minutes unless said otherwise; builds what it needs
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
seconds=600
build=$root/build
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$2; shift 2 ;;
    *) seconds=$1; shift ;;
  esac
done
cmake -S "$root" -B "$build" --preset default >/dev/null
cmake --build "$build" --target soak.client podium-cli podium_pjrt >/dev/null
python3 -B "$root/tests/jax/environment.py" make "$build/jax" || true
exec /usr/bin/python3 -B "$root/tests/soak/soak.py" "$build/bin" "$root/proto" --seconds "$seconds" --jax "$build/jax"
