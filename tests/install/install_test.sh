#!/usr/bin/env bash
# What is installed is enough, wherever it is installed: the binaries run, a program builds against libpodium by
# pkg-config alone and by CMake's find_package, only podium_* is visible in the library, the example runs on a pod of the
# installed daemons, manual pages and completion name every option.
#
# usage: install_test.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
prefix=$(mktemp -d)
export XDG_RUNTIME_DIR=$prefix/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
stop() {
  "$prefix/bin/podium" down 2>/dev/null || true
  rm -rf "$prefix"
}
trap stop EXIT
cmake --install "$build" --prefix "$prefix" >"$prefix/install.log"
export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name podium.pc)")
flags=$(pkg-config --cflags --libs podium)
library=$(pkg-config --variable=libdir podium)
if [ -n "${POD_SANITIZE:-}" ]; then
  flags="$flags -fsanitize=$POD_SANITIZE"
fi
# shellcheck disable=SC2086
cc -Wall -Wextra -Werror "$source/tests/install/example/example.c" $flags -o "$prefix/example"
if [ -z "${POD_SANITIZE:-}" ]; then
  {
    cmake -S "$prefix/share/doc/podium/example" -B "$prefix/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" &&
      cmake --build "$prefix/by-cmake"
  } >"$prefix/by-cmake.log" 2>&1 || { cat "$prefix/by-cmake.log" >&2; exit 1; }
  said=$("$prefix/by-cmake/example" 2>&1 || true)
  [[ $said == usage:* ]]
fi
protoc --proto_path="$prefix/share/podium/proto" --descriptor_set_out="$prefix/services" podium/v1/podium.proto
visible=$(nm --dynamic --defined-only "$library/libpodium.so" | awk '$2 ~ /[TDBRVW]/ {print $3}' | grep -v '^podium_' || true)
if [ -z "${POD_SANITIZE:-}" ] && [ -n "$visible" ]; then
  echo "libpodium.so shows more than podium_*: $visible" >&2
  exit 1
fi
[ "$("$prefix/bin/podium" --version)" = "podium $(pkg-config --modversion podium)" ]
"$source/tests/install/documented_test.sh" "$prefix"
address=$("$prefix/bin/podium" up --topology 2x1)
"$prefix/bin/podium" devices
"$prefix/bin/podium" status
LD_LIBRARY_PATH=$library "$prefix/example" "$address" 2
"$prefix/bin/podium" down
if "$prefix/bin/podium" status 2>"$prefix/err"; then
  echo "the pod is still there after podium down" >&2
  exit 1
fi
grep -q "no local pod 'local' is up" "$prefix/err"
