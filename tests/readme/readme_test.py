#!/usr/bin/env python3
"""Runs every command that a README shows and compares what it prints with what the README says.

Usage: readme_test.py BUILD README...   Commands are the lines that start with "$ " in ```console blocks; what
follows is their output. Numbers and their units may differ, and a line of "…" stands for any lines; every other line shown
must be printed. `tests/run.sh` is what runs this test, so it is not run again.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NOT_RUN = {"tests/run.sh", ".ci/run"}
TIMEOUT_S = 300


def blocks(text):
    return re.findall(r"^```console\n(.*?)^```", text, re.S | re.M)


def commands(block):
    """Yields (command, [lines shown])."""
    command, shown = None, []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            if command is not None:
                yield command, shown
            command, shown = line[2:], []
            while command.endswith("\\"):
                command = command[:-1] + next(lines).strip()
        elif command is not None:
            shown.append(line)
    if command is not None:
        yield command, shown


def normal(line):
    line = re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "#", line)
    line = re.sub(r"# ?(ps|ns|us|ms|s|B|KiB|MiB|GiB)\b", "#u", line)
    line = re.sub(r"/tmp/\S+", "TMP", line)
    return re.sub(r"\s+", " ", line).strip()


def check(root, readme, environment, folder):
    for block in blocks(readme.read_text()):
        for command, shown in commands(block):
            if command in NOT_RUN:
                continue
            print(f"$ {command}", flush=True)
            done = subprocess.run(["bash", "-c", command], cwd=root, env=environment, text=True, timeout=TIMEOUT_S,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            expects_failure = any(line.startswith("podium: ") for line in shown)
            if (done.returncode != 0) != expects_failure:
                yield f"{readme.name}: '{command}' ended with {done.returncode}:\n{done.stdout}"
                continue
            printed = {normal(line) for line in done.stdout.splitlines()}
            for line in shown:
                if normal(line) and line.strip() != "…" and normal(line) not in printed:
                    yield f"{readme.name}: '{command}' did not print:\n  {line}\nbut:\n{done.stdout}"


def main(build, readmes):
    root = pathlib.Path(__file__).resolve().parents[2]
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, PATH=f"{build}/bin:{os.environ['PATH']}", PODIUM_BUILD=build,
                           XDG_RUNTIME_DIR=folder, TMPDIR=folder)
        for readme in map(pathlib.Path, readmes):
            found += sum(len(list(commands(block))) for block in blocks(readme.read_text()))
            for error in check(root, readme, environment, folder):
                print(error)
                return 1
    print(f"{found} commands: ok")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
