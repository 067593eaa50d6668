#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests.
#
# usage: tests/run.sh [--sanitize | --fuzz | --clang | --tsan | --aarch64] [--build DIR] [--again] [ctest arguments, e.g. -R unit]
#
# --sanitize  all tests under AddressSanitizer and UndefinedBehaviorSanitizer
# --fuzz      only the fuzz targets, with libFuzzer (clang), some seconds each
# --clang     everything built by the second compiler, and the unit tests
# --tsan      what has threads of its own, under ThreadSanitizer
# --aarch64   everything built for 64-bit ARM, and the unit tests of what does no I/O, run by qemu
# --again     what failed is run once more, alone; what passes then is listed as unsteady, with what it said, and is no failure
#
# What is built how stands in CMakePresets.json. PODIUM_STABLEHLO_TESTDATA=FOLDER adds StableHLO's exported test modules, which
# are not part of the project. What did not run, and why, is listed at the end.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
preset=default
build=
again=
targets=()
selection=()
while [ $# -gt 0 ]; do
  case $1 in
    --sanitize | --fuzz | --clang | --tsan | --aarch64) preset=${1#--}; shift ;;
    --build) build=$2; shift 2 ;;
    --again) again=1; shift ;;
    *) break ;;
  esac
done
if [ -z "$build" ]; then
  build=$root/build
  if [ "$preset" != default ]; then
    build+=-$preset
  fi
fi
"$root/deploy/install-deps.sh"
case $preset in
  fuzz)
    targets=(--target fuzzers)
    selection=(-L fuzz) ;;
  clang) selection=(-L unit) ;;
  tsan)
    targets=(--target threaded)
    selection=(-L threads) ;;
  aarch64)
    "$root/tests/cross/sysroot.sh" arm64 "$build/sysroot"
    # Without those that take minutes in an emulator, whose peer is a process of this machine, or that need vfork, which is a fork there.
    selection=(-R '^unit\.(common\.(base|digest|tensor|mlir)|server\.(program|chip|simulator\.(queue|simulator)|compiler|wire|coordinator\.core|worker\.(hbm|collective_layout)))\.'
      -E '^unit\.(server\.compiler\.(hostile|pallas\.pallas)|common\.base\.child)$') ;;
esac
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
configure=()
if [ "$preset" = aarch64 ]; then
  configure=("-DPOD_SYSROOT=$build/sysroot")
fi
quietly cmake -S "$root" -B "$build" --preset "$preset" "${configure[@]}"
quietly cmake --build "$build" "${targets[@]}"
export LSAN_OPTIONS=suppressions=$root/tests/lsan.supp:print_suppressions=0
# What a test says of what it did not run ("skipped: why", at the head of a line), by its name.
tell_skipped() {
  awk '/^[0-9]+\/[0-9]+ Test: / {name = $3}
    /^skipped: / && !seen[name $0]++ {if (count++ == 0) print "not run:"; sub(/^skipped: /, ""); print "  " name ": " $0}' \
    "$build/Testing/Temporary/LastTest.log"
}
# A daemon that has a race ends, so that its test fails.
export TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 suppressions=$root/tests/tsan.supp"
failed=0
# Half of the tests wait for others most of the time: daemons, timeouts, ssh.
jobs=$((2 * $(nproc)))
(cd "$build" && ctest --output-on-failure --no-tests=error -j "$jobs" "${selection[@]}" "$@") || failed=$?
tell_skipped
# More than a few have a cause in common, which a second try must not hide.
unsteady_max=3
tests_failed=$build/Testing/Temporary/LastTestsFailed.log
if [ $failed != 0 ] && [ -n "$again" ] && [ "$(wc -l <"$tests_failed")" -le $unsteady_max ]; then
  unsteady=$(cut -d: -f2 "$tests_failed")
  failed=0
  (cd "$build" && ctest --output-on-failure --rerun-failed) || failed=$?
  if [ $failed = 0 ]; then
    echo "unsteady, each a defect to be found (it passed when run again, alone):" $unsteady
  fi
fi
exit $failed
