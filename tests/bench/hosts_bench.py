#!/usr/bin/env python3
"""A pod over many hosts on one machine: network namespaces on a bridge, a podium-host in each.

Usage: hosts_bench.py BIN [--topology 16x16] [--chip v5e] [--hosts 16] [--limit SECONDS]. Prints how long it takes from the start of
the first podium-host until the pod is ready, the memory of all idle workers together, and how long `podium run` takes for an
all_reduce over all of them, whose result is checked. Needs root (unshare, ip, nsenter); everything ends with this process.
"""
import argparse
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from namespaces import Host, expected, program  # noqa: E402



def field(path, name):
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


def children(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def memory(hosts):
    workers = [worker for host in hosts for worker in children(host.pid)]
    resident = sum(field(f"/proc/{worker}/status", "VmRSS") for worker in workers)
    shares = sum(field(f"/proc/{worker}/smaps_rollup", "Pss") for worker in workers)
    return len(workers), resident, shares


def measure(flags, folder, daemons, networks):
    port_file = folder + "/address"
    secret = folder + "/secret"
    pathlib.Path(secret).touch(mode=0o600)
    pathlib.Path(secret).write_text("ab" * 32 + "\n")
    security = ["--insecure", "--secret-file", secret]
    middle = networks[0]
    daemons.append(subprocess.Popen(
        middle.command(f"{flags.binaries}/podium-coordinator", "--listen", f"{middle.address}:0", "--port-file", port_file,
                       "--topology", flags.topology, "--chip", flags.chip, "--log-level", "warning", *security),
        stderr=open(folder + "/c.log", "w")))
    while not pathlib.Path(port_file).exists() or not (address := pathlib.Path(port_file).read_text().strip()):
        if daemons[0].poll() is not None:
            raise SystemExit(pathlib.Path(folder, "c.log").read_text())
        time.sleep(0.01)
    chips = math.prod(int(size) for size in flags.topology.split("x")) // flags.hosts
    start = time.monotonic()
    machines = []
    for rank, network in enumerate(networks[1:]):
        logs = f"{folder}/host-{rank}"
        os.mkdir(logs)
        machines.append(subprocess.Popen(
            network.command(f"{flags.binaries}/podium-host", "--coordinator", address, "--chips", str(chips), "--rank", str(rank),
                            "--log-folder", logs, "--", "--log-level", "warning", *security),
            stderr=open(logs + "/host.log", "w")))
    daemons.extend(machines)
    status = middle.command(f"{flags.binaries}/podium", "status", address)
    text = ""
    while not re.search(r", ready", text.split("\n")[0]):
        if time.monotonic() - start > flags.limit:
            raise SystemExit(f"not ready within {flags.limit} s:\n{text[-2000:]}")
        text = subprocess.run(status, capture_output=True, text=True).stdout
        time.sleep(0.05)
    print(f"{flags.topology}: {chips * flags.hosts} workers on {flags.hosts} hosts ready after "
          f"{time.monotonic() - start:.2f} s", flush=True)
    count, resident, shares = memory(machines)
    print(f"{count} idle workers: {shares / 1024:.0f} MiB together (PSS), {resident / 1024:.0f} MiB with what they share counted "
          f"for each (RSS), {shares / 1024 / count:.1f} MiB each", flush=True)
    pathlib.Path(folder, "count.mlir").write_text(program(count))
    pathlib.Path(folder, "count.npy").write_bytes(expected(count))
    start = time.monotonic()
    subprocess.run(middle.command(f"{flags.binaries}/podium", "run", f"{folder}/count.mlir", "--pod", address, "--quiet",
                                  "--expect", f"0={folder}/count.npy"), check=True)
    print(f"podium run of an all_reduce over {count} chips: {time.monotonic() - start:.2f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries")
    parser.add_argument("--topology", default="16x16")
    parser.add_argument("--chip", default="v5e")
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--limit", type=float, default=120)
    flags = parser.parse_args()
    daemons, networks = [], []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        try:
            for number in range(flags.hosts + 1):
                networks.append(Host(number, networks[0] if networks else None))
            measure(flags, folder, daemons, networks)
        finally:
            for daemon in reversed(daemons):
                daemon.send_signal(signal.SIGTERM)
            for daemon in daemons:
                daemon.wait()
            for network in networks:
                network.stop()


if __name__ == "__main__":
    main()
