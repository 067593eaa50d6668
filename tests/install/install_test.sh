#!/usr/bin/env bash
# What is installed is enough: the binaries run, a program builds against libpodium by pkg-config alone, only
# podium_* is visible in the library, and the example runs on a pod of the installed daemons.
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
# The .pc file names the prefix it was configured for; the test installs elsewhere.
flags=$(pkg-config --define-variable=prefix="$prefix" --cflags --libs podium)
library=$(pkg-config --define-variable=prefix="$prefix" --variable=libdir podium)
if [ -n "${POD_SANITIZE:-}" ]; then
  flags="$flags -fsanitize=$POD_SANITIZE"
fi
# shellcheck disable=SC2086
cc -Wall -Wextra -Werror "$source/tests/install/example/example.c" $flags -o "$prefix/example"
visible=$(nm --dynamic --defined-only "$library/libpodium.so" | awk '$2 ~ /[TDBRVW]/ {print $3}' | grep -v '^podium_' || true)
if [ -z "${POD_SANITIZE:-}" ] && [ -n "$visible" ]; then
  echo "libpodium.so shows more than podium_*: $visible" >&2
  exit 1
fi
[ "$("$prefix/bin/podium" --version)" = "podium $(pkg-config --modversion podium)" ]
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
