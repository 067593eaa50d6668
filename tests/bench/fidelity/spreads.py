#!/usr/bin/env python3
"""How far predictions may be off, by class of operation and kind of chip: makes server/chip/spreads.def of the calibration rows.

usage: spreads.py FIDELITY_BENCH PROGRAMS CSV DEF [--write]

Without --write it fails when DEF is not what comes out. By row: `residual`, what the clock is off by, and `reached`, what part of the
roofline the chip reached. By class and kind: how far a kind's mean of `reached` lies from that of the others, which is what a constant
borrowed from them may be off by; UNMEASURED where fewer than two kinds have rows. A kind without rows may be off by as much as
the worst of those; one with n rows by the largest of its residuals, of what their grades are good for, and of the median of those
over 1 + n, since constants come from these rows, and one row says little of the next shape."""

import pathlib
import re
import statistics
import subprocess
import sys

KINDS = ("v2", "v3", "v4", "v5e", "v5p", "v6e", "v7x")
CLASSES = ("MXU", "VPU", "HBM", "ICI", "FIXED")
GRADES = {"A": 1, "B": 3, "C": 5, "D": 10}  # Percent: exact, read off a picture, timed on a host, ambiguous.
UNMEASURED = 50  # Percent. guess: nothing was measured that could say.
HOST_CALL_US = 105
ROW = re.compile(r"^(\S+)\s+(v\w+)\s+\S+\s+(\S+)\s+([\d.]+)\s+([\d.]+)\s+([+-][\d.]+) %\s+([+-][\d.]+) %\s+(.*)$")


def class_of(program):
    if "128^3" in program or "Pallas" in program:
        return "FIXED"  # It takes nothing but its start, or that of the steps of its grid.
    if re.search(r"AG|permute|reduce-scatter", program):
        return "ICI"
    return "HBM" if re.search(r"matvec|copy", program) else "MXU"


def rows_of(text):
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            _, chip, grade, measured, _, residual, roofline, program = match.groups()
            measured, host = float(measured), HOST_CALL_US if "host" in program else 0
            roofline_us = measured * (1 + float(roofline) / 100)
            kind = next(kind for kind in KINDS if chip == kind or chip == kind[:2] + "c")
            yield {"kind": kind, "class": class_of(program), "residual": abs(float(residual)), "grade": GRADES.get(grade, GRADES["B"]),
                   "reached": roofline_us / (measured - host)}


def between(rows):
    kinds = {}
    for row in rows:
        kinds.setdefault(row["kind"], []).append(row["reached"])
    means = {kind: statistics.mean(reached) for kind, reached in kinds.items()}
    if len(means) < 2:
        return [UNMEASURED]
    return sorted(100 * abs(mean / statistics.mean(other for name, other in means.items() if name != kind) - 1)
                  for kind, mean in means.items())


def spread(rows, borrowed):
    own = [max(row["residual"], row["grade"]) for row in rows]
    return max(own + [statistics.median(borrowed) / (1 + len(rows))]) if rows else borrowed[-1]


def table(rows):
    lines = ["// Made by tests/bench/fidelity/spreads.py of the calibration rows: not to be edited.", "//",
             "// SPREAD(kind, class, rows of the kind, percent)", ""]
    for name in CLASSES:
        of_class = [row for row in rows if row["class"] == name]
        # A roofline says nothing of what takes its time whatever its size.
        borrowed = [UNMEASURED] if name == "FIXED" else between(of_class)
        for kind in KINDS:
            own = [row for row in of_class if row["kind"] == kind]
            lines.append(f'SPREAD("{kind}", {name}, {len(own)}, {spread(own, borrowed):.0f})')
    return "\n".join(lines) + "\n"


def main(bench, programs, csv, path, *options):
    text = subprocess.run([bench, programs, csv], stdout=subprocess.PIPE, text=True, check=True).stdout
    made = table(list(rows_of(text)))
    if "--write" in options:
        pathlib.Path(path).write_text(made)
    elif pathlib.Path(path).read_text() != made:
        sys.exit(f"{path} is not what {csv} gives: run spreads.py … --write\n{made}")


main(*sys.argv[1:])
