#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests.
#
# usage: tests/run.sh [--sanitize | --fuzz] [--build DIR] [ctest arguments, e.g. -R unit]
#
# --sanitize  all tests under AddressSanitizer and UndefinedBehaviorSanitizer
# --fuzz      only the fuzz targets, with libFuzzer (clang), some seconds each
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=
targets=()
selection=()
configure=(-DCMAKE_BUILD_TYPE=RelWithDebInfo)
while [ $# -gt 0 ]; do
  case $1 in
    --sanitize)
      # -O1 keeps the instrumented kernels fast enough for the programs of tests/programs.
      configure=(-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g" "-DPOD_SANITIZE=address,undefined")
      build=${build:-$root/build-sanitize}
      shift ;;
    --fuzz)
      configure=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang "-DCMAKE_C_FLAGS_DEBUG=-O1 -g"
        "-DPOD_SANITIZE=address,undefined" -DPOD_FUZZ=ON)
      build=${build:-$root/build-fuzz}
      targets=(--target fuzzers)
      selection=(-L fuzz)
      shift ;;
    --build) build=$2; shift 2 ;;
    *) break ;;
  esac
done
build=${build:-$root/build}
"$root/deploy/install-deps.sh"
if command -v ccache >/dev/null; then
  configure+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
fi
# A log that is shown only when something is wrong.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}
quietly cmake -S "$root" -B "$build" -G Ninja "${configure[@]}"
quietly cmake --build "$build" "${targets[@]}"
export LSAN_OPTIONS=suppressions=$root/tests/lsan.supp:print_suppressions=0
cd "$build"
exec ctest --output-on-failure --no-tests=error -j "$(nproc)" "${selection[@]}" "$@"
