#!/usr/bin/env bash
# Installs what a Debian 12 machine needs to build and run Podium, and to test it. Does nothing, and needs no root, when all
# of it is there.
#
# usage: install-deps.sh [--run|--release]
#   --run      without what only tests need (a second compiler, another architecture, linters)
#   --release  also what the tests of releases need (ctest -C release -L release): Slurm, a bare Debian that is booted
set -euo pipefail

packages=(
  # To build
  build-essential cmake ninja-build pkg-config ccache
  protobuf-c-compiler protobuf-compiler python3
  # To run
  libuv1-dev libnghttp2-dev libnng-dev libprotobuf-c-dev libdnnl-dev liblapacke-dev libcjson-dev libssl-dev zlib1g-dev libsqlite3-dev
  # To try it: the quickstart's inputs, and what a build folder that has tests is configured with
  python3-numpy libcmocka-dev protobuf-compiler-grpc
)
if [ "${1:-}" != --run ]; then
  packages+=(
    # A linker for hundreds of tests
    mold
    # Network namespaces, stock gRPC peers
    iproute2 python3-grpcio python3-protobuf
    # An environment for JAX, which comes from PyPI
    python3-venv
    # Models of protocols
    spin
    # Who reads the metrics
    prometheus
    # A second compiler, fuzzers, formatting, lint
    clang libclang-rt-14-dev clang-format clang-tidy
    # 64-bit ARM
    gcc-aarch64-linux-gnu qemu-user
    # The Debian package
    dpkg-dev file
    # The image
    umoci
    # The wheel
    patchelf
    # The units
    systemd
    # Hosts that are reached by ssh
    openssh-client openssh-server
    # A browser that looks at reports; Playwright, which leads it, comes from npm
    chromium nodejs
  )
  # Node of others than Debian brings npm along, and does not bear Debian's beside it.
  command -v npm >/dev/null || packages+=(npm)
fi
if [ "${1:-}" = --release ]; then
  packages+=(
    # A bare Debian, and its boot
    debootstrap systemd-container
    # Slurm
    slurm-wlm munge
  )
fi

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
