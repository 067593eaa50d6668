#!/usr/bin/env python3
"""Searches a Promela model exhaustively with spin, and each variant of it that must be found wrong.

Usage: check.py MODEL.pml [VARIANT...]. The model itself must hold; with -DVARIANT it must not: a model that cannot
fail shows nothing.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

DEPTH = 1_000_000
MEMORY_MIB = 2048


def search(model, folder, variant):
    """The verifier's report, when it has searched everything or found an error."""
    define = [f"-D{variant}"] if variant else []
    subprocess.run(["spin", *define, "-a", str(model)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cc", "-O2", "-w", "-DSAFETY", f"-DMEMLIM={MEMORY_MIB}", "-o", "pan", "pan.c"],
                   cwd=folder, check=True)
    report = subprocess.run(["./pan", f"-m{DEPTH}"], cwd=folder, check=True, capture_output=True, text=True).stdout
    if "error: max search depth" in report or "out of memory" in report:
        sys.exit(f"{model.name} {variant}: not searched to its end\n{report}")
    return report


def main():
    model = pathlib.Path(sys.argv[1]).resolve()
    for variant in ["", *sys.argv[2:]]:
        with tempfile.TemporaryDirectory() as folder:
            report = search(model, folder, variant)
        errors = int(re.search(r"errors: (\d+)", report).group(1))
        states = re.search(r"(\S+) states, stored", report).group(1)
        is_right = errors == 0
        print(f"{model.name} {variant or 'as it is'}: {states} states, {'holds' if is_right else 'found wrong'}")
        if is_right != (variant == ""):
            sys.exit(f"{model.name} {variant}: unexpected\n{report}")


if __name__ == "__main__":
    main()
