"""Runs a JAX program that checks itself on a pod of several slices.

Usage: slices_test.py [--topology SIZES] [--timeout SECONDS] PROGRAM.py
"""
import argparse
import os
import pathlib
import sys
import tempfile

import backend


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topology", default="2*2x2")
    parser.add_argument("--timeout", type=float, default=240)
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    os.environ["PODIUM_TOPOLOGY"] = options.topology
    with tempfile.TemporaryDirectory() as folder:
        error = backend.Run([options.program], "pod", pathlib.Path(folder) / "log").end(options.timeout)
    if error:
        print(error)
    return 1 if error else 0


sys.exit(main())
