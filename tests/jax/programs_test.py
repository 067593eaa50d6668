"""Runs JAX programs on a pod and on JAX's CPU backend, each as it stands, and compares all that they return.

Usage: programs_test.py [--against cpu|pod] [--timeout SECONDS] [--keep FOLDER] PROGRAM.py…

A program writes its results by np.savez to the file that RESULTS names. It runs twice, in processes of its own that differ by
their environment (backend.py), at the same time. `--against cpu` runs both on the CPU, which tries the program alone.
"""
import argparse
import pathlib
import sys
import tempfile

import backend
import compare


def check(program, on, timeout_s, folder):
    """The errors of one program, and how long each side took."""
    runs = {}
    for side, where in (("pod", on), ("cpu", "cpu")):
        results = folder / f"{program.stem}.{side}.npz"
        runs[side] = backend.Run([program], where, results.with_suffix(".log"), RESULTS=str(results))
    found = [f"{side}: {error}" for side, run in runs.items() if (error := run.end(timeout_s))]
    if not found:
        found = compare.errors(*(folder / f"{program.stem}.{side}.npz" for side in ("pod", "cpu")))
    times = ", ".join(f"{side} {run.seconds:.1f} s" for side, run in runs.items() if hasattr(run, "seconds"))
    return found, times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", choices=backend.BACKENDS, default="pod", help="where the first run is")
    parser.add_argument("--timeout", type=float, default=240)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for results and logs, which stay")
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for program in options.programs:
            errors, times = check(program, options.against, options.timeout, folder)
            failed += bool(errors)
            print(f"{program.stem}: {'FAILED' if errors else 'ok'} ({times})", *errors, sep="\n  ", flush=True)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
