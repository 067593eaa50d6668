#!/usr/bin/env python3
"""Start of a local 2x2 pod to ready, and the resident memory of an idle worker.

Usage: pod_bench.py BIN [RUNS]. Prints medians. Time is from the start of `podium up` until it has a session with the pod
ready; memory is VmRSS of the workers, and its private part (the rest is shared with other processes).
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def field(path, name):
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


def main(binaries, runs):
    seconds, resident, private = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, XDG_RUNTIME_DIR=folder)
        podium = f"{binaries}/podium"
        for _ in range(runs):
            start = time.monotonic()
            subprocess.run([podium, "up", "--topology", "2x2"], env=environment, check=True, capture_output=True)
            seconds.append(time.monotonic() - start)
            state = json.loads(pathlib.Path(folder, "podium/pod-local/pod.json").read_text())
            host = state["processes"][1]["pid"]
            for worker in pathlib.Path(f"/proc/{host}/task/{host}/children").read_text().split():
                resident.append(field(f"/proc/{worker}/status", "VmRSS"))
                rollup = f"/proc/{worker}/smaps_rollup"
                private.append(field(rollup, "Private_Dirty") + field(rollup, "Private_Clean"))
            subprocess.run([podium, "down"], env=environment, check=True)
    print(f"2x2 pod ready: median {statistics.median(seconds):.3f} s of {runs} (min {min(seconds):.3f}, max "
          f"{max(seconds):.3f}), target 0.3")
    print(f"idle worker: resident {statistics.median(resident) / 1024:.1f} MiB, private "
          f"{statistics.median(private) / 1024:.1f} MiB, target 16")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 11)
