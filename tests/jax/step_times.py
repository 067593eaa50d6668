#!/usr/bin/env python3
"""The README's table of predicted step times: what `podium exec` tells of the programs in tests/jax/programs, on 4x2 chips of v5e.

Usage: step_times.py BIN README [--write] PROGRAM.py…

Each program runs as its user starts it. Of each the table has its two dearest functions, of several of a name the dearest, without
those that JAX compiles of its own (jit__…, but for lambdas).

Without --write the table is compared with the one that stands in README: the same rows, and figures that differ by no more than a
twentieth. (Predicted times are the same in every run; a better schedule need not touch the README.)
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CHIP, TOPOLOGY = "v5e", "4x2"
ROWS = 2  # Of a program.
TIMEOUT_S = 300
BEGIN, END = "<!-- tests/jax/step_times.py makes this table -->\n", "<!-- -->\n"
HEAD = ("| program | function | time of a call | waits for | collectives | HBM peak |\n"
        "| --- | --- | ---: | --- | ---: | ---: |\n")
# What decides where JAX runs, or what it computes with; none of it comes from the caller.
OURS = ("JAX_", "XLA_", "PJRT_", "TPU_", "PODIUM_")


def executables(binaries, program, folder):
    """What `podium exec --json` tells of a program, in the order in which it tells it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    environment.update(RESULTS=str(folder / f"{program.stem}.npz"), XDG_RUNTIME_DIR=str(folder))
    done = subprocess.run([binaries / "podium", "exec", "--json", "--chip", CHIP, "--topology", TOPOLOGY, "--",
                           sys.executable, "-B", program], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0:
        sys.exit(f"{program.name} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)["executables"]


def in_unit(value, units):
    """A number with three digits and the largest of the units that it has one of."""
    size, unit = next(((size, unit) for size, unit in units if value >= size), units[-1])
    return f"{value / size:#.3g} {unit}".replace(". ", " ")


def time_of(ps):
    return in_unit(ps, ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns")))


def size_of(count):
    return in_unit(count, ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")))


def waits_of(executable):
    """The two things that took most of its time: "ICI 71%, HBM 20%"."""
    waits = sorted(executable["waited_for"], key=lambda wait: -wait["duration_ps"])
    shares = [(wait["name"], 100 * wait["duration_ps"] / executable["predicted_ps"]) for wait in waits[:2]]
    return ", ".join(f"{name} {share:.0f}%" for name, share in shares if share >= 0.5)


def rows(binaries, program, folder):
    own = {}
    for executable in executables(binaries, program, folder):
        name = executable["name"]
        if not re.match(r"jit__(?!lambda)", name) and executable.get("predicted_ps", 0) > 0:
            own[name] = max(executable, own.get(name, executable), key=lambda one: one["predicted_ps"])
    for executable in sorted(own.values(), key=lambda one: (-one["predicted_ps"], one["name"]))[:ROWS]:
        yield (f"| `{program.stem}` | `{executable['name'].removeprefix('jit_')}` | {time_of(executable['predicted_ps'])} | "
               f"{waits_of(executable)} | {executable['collectives']} | {size_of(executable['hbm_peak_bytes'])} |\n")


def is_near(shown, made):
    """Whether two tables say the same: words are equal, figures nearly."""
    number = r"\d+(?:\.\d+)?"
    pairs = zip(*([float(figure) for figure in re.findall(number, table)] for table in (shown, made)))
    return re.sub(number, "#", shown) == re.sub(number, "#", made) and all(abs(a - b) <= max(1, 0.05 * b) for a, b in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("readme", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    parser.add_argument("--write", action="store_true", help="put the table into README in place of the one that is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = HEAD + "".join(row for program in options.programs
                               for row in rows(options.binaries, program, pathlib.Path(folder)))
    text = options.readme.read_text()
    before, rest = text.split(BEGIN)
    shown, after = rest.split(END, 1)
    print(table)
    if options.write:
        options.readme.write_text(before + BEGIN + table + END + after)
    elif not is_near(shown, table):
        print(f"{options.readme} shows another table; --write puts this one there. It shows:\n{shown}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
