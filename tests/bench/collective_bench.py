#!/usr/bin/env python3
"""Our collectives on four workers of one host beside Open MPI's, in one run.

Usage: collective_bench.py OURS MPI_SOURCE. Needs mpicc and mpirun (Debian: libopenmpi-dev, openmpi-bin). Prints
microseconds and how many times faster we are than MPI over TCP and over shared memory.
"""
import os
import shutil
import subprocess
import sys
import tempfile


def parse(text):
    rows = (line.split() for line in text.splitlines() if line.startswith(("all", "reducescatter")))
    return {(row[0], int(row[1])): float(row[2]) for row in rows}


def run(command):
    return parse(subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout)


def main(ours, source):
    if not (shutil.which("mpicc") and shutil.which("mpirun")):
        sys.exit("mpicc or mpirun is missing: apt-get install libopenmpi-dev openmpi-bin")
    with tempfile.TemporaryDirectory() as folder:
        rival = os.path.join(folder, "mpi")
        subprocess.run(["mpicc", "-O2", source, "-o", rival], check=True)
        mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "4"]
        us = run([ours])
        tcp = run([*mpirun, "--mca", "btl", "tcp,self", rival])
        shm = run([*mpirun, rival])
    print(f"{'':13} {'bytes':>9} {'ours us':>10} {'MPI tcp':>10} {'ratio':>6} {'MPI shm':>10} {'ratio':>6}")
    for key, mine in us.items():
        print(f"{key[0]:13} {key[1]:>9} {mine:>10.1f} {tcp[key]:>10.1f} {tcp[key] / mine:>6.2f} {shm[key]:>10.1f} "
              f"{shm[key] / mine:>6.2f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
