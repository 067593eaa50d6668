"""Runs a JAX program for several hosts as so many processes on one pod, and compares what each returns with what one alone does.

Usage: processes_test.py [--processes N…] [--timeout SECONDS] PROGRAM.py

The program is told by PROCESSES, PROCESS and COORDINATOR (one: nothing), and writes its results by np.savez to the file that RESULTS
names. Everything is computed by the same chips, so that results are equal to the last bit.
"""
import argparse
import pathlib
import socket
import sys
import tempfile

import numpy as np

import backend


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def run(program, count, timeout_s, folder):
    """The results of each process, and what went wrong."""
    coordinator = f"127.0.0.1:{free_port()}"
    runs = []
    for process in range(count):
        several = {"PROCESSES": str(count), "PROCESS": str(process), "COORDINATOR": coordinator} if count > 1 else {}
        results = folder / f"{count}.{process}.npz"
        runs.append((results, backend.Run([program], "pod", results.with_suffix(".log"), RESULTS=str(results), **several)))
    found = [f"process {p} of {count}: {error}" for p, (_, each) in enumerate(runs) if (error := each.end(timeout_s))]
    if found:
        return None, found
    return [dict(np.load(results)) for results, _ in runs], []


def differences(reference, others):
    for process, results in enumerate(others):
        if results.keys() != reference.keys():
            yield f"process {process} of {len(others)} has {sorted(results)}, one alone {sorted(reference)}"
        for name, values in reference.items():
            if name in results and not np.array_equal(values, results[name]):
                yield f"{name} of process {process} of {len(others)}: {results[name]}\none alone has {values}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--timeout", type=float, default=240)
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        alone, errors = run(options.program, 1, options.timeout, pathlib.Path(temporary))
        for count in options.processes if alone else []:
            results, found = run(options.program, count, options.timeout, pathlib.Path(temporary))
            errors += found or differences(alone[0], results)
            print(f"{count} processes: {'FAILED' if errors else 'ok'}", flush=True)
    print(*errors, sep="\n")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
