#!/usr/bin/env bash
# Installs what a Debian 12 machine needs to build, run and test Podium. Does nothing, and
# needs no root, when all of it is there.
set -euo pipefail

packages=(
  # To build
  build-essential cmake ninja-build pkg-config ccache
  protobuf-c-compiler protobuf-compiler
  # To run
  libuv1-dev libnghttp2-dev libnng-dev libprotobuf-c-dev libdnnl-dev libcjson-dev libssl-dev zlib1g-dev
  # To test: unit tests, network namespaces, stock gRPC peers, fuzzers, formatting
  libcmocka-dev iproute2 python3 python3-numpy python3-grpcio python3-protobuf protobuf-compiler-grpc
  clang libclang-rt-14-dev clang-format
)

missing=()
for package in "${packages[@]}"; do
  if [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
echo "installing: ${missing[*]}"
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  sudo=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
  if ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
}
run apt-get update
run apt-get install --yes --no-install-recommends "${missing[@]}"
