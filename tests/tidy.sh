#!/usr/bin/env bash
# Runs clang-tidy over the product's sources. What is checked stands in .clang-tidy.
#
# usage: tests/tidy.sh [--build DIR] [FILE...]     without files all of common, server and client
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
if [ "${1:-}" = --build ]; then
  build=$2
  shift 2
fi
cd "$root"
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  mapfile -t files < <(git ls-files 'common/*.c' 'server/*.c' 'client/*.c')
fi
[ -f "$build/build.ninja" ] || cmake -S "$root" -B "$build" --preset default >/dev/null
# The generated headers have to be there.
cmake --build "$build" --target proto >/dev/null
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" >"$log" 2>/dev/null || failed=1
if [ "$failed" -ne 0 ]; then
  sort -u "$log" | grep -E ' (error|warning): ' || cat "$log"
  exit 1
fi
echo "clang-tidy: nothing found in ${#files[@]} files"
