#!/usr/bin/env python3
"""Runs every command that a README shows and compares what it prints with what the README says.

Usage: readme_test.py BUILD README...   Commands are the lines that start with "$ " in ```console blocks; what
follows is their output. Numbers and their units may differ, and a line of "…" stands for any lines; every other line shown
must be printed. What needs JAX runs by the Python that tests/jax has made in BUILD, or not at all. In ```console close blocks, of predicted figures, every decimal must be near the one that is printed: within 5 %, or
1.5. `tests/run.sh` is what runs this test, so it is not run again. Links to files and headings must lead there.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NOT_RUN = {"tests/run.sh", ".ci/run"}
TIMEOUT_S = 300


def jax_python(environment):
    return pathlib.Path(environment["PODIUM_BUILD"], "jax/venv/bin/python")


NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
DECIMAL = r"(?<![\w.])[-+]?\d+\.\d+"


def blocks(text):
    """Yields (whether numbers count, block)."""
    for kind, block in re.findall(r"^```console( close)?\n(.*?)^```", text, re.S | re.M):
        yield bool(kind), block


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


def broken_links(root, text):
    headings = {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
                for heading in re.findall(r"^#+ (.*)$", text, re.M)}
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, heading = link.partition("#")
        if "://" not in link and not ((root / path).exists() if path else heading in headings):
            yield link


def normal(line):
    line = re.sub(NUMBER, "#", line)
    line = re.sub(r"# ?(ps|ns|us|ms|s|B|KiB|MiB|GiB)\b", "#u", line)
    line = re.sub(r"/tmp/\S+", "TMP", line)
    return re.sub(r"\s+", " ", line).strip()


def are_near(shown, printed):
    return all(abs(a - b) <= max(1.5, 0.05 * abs(b)) for a, b in
               zip(*([float(number) for number in re.findall(DECIMAL, line)] for line in (shown, printed))))


def is_printed(line, printed, is_close):
    return any(normal(line) == normal(other) and (not is_close or are_near(line, other)) for other in printed)


def check(root, readme, environment, folder):
    for link in broken_links(readme.parent, readme.read_text()):
        yield f"{readme.name}: nothing is at {link}"
    for is_close, block in blocks(readme.read_text()):
        for command, shown in commands(block):
            if command in NOT_RUN:
                continue
            if " python " in command and not jax_python(environment).exists():
                print(f"skipped: no JAX: {command}")
                continue
            print(f"$ {command}", flush=True)
            done = subprocess.run(["bash", "-c", command], cwd=root, env=environment, text=True, timeout=TIMEOUT_S,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            expects_failure = any(line.startswith("podium: ") for line in shown)
            if (done.returncode != 0) != expects_failure:
                yield f"{readme.name}: '{command}' ended with {done.returncode}:\n{done.stdout}"
                continue
            printed = done.stdout.splitlines()
            for line in shown:
                if normal(line) and line.strip() != "…" and not is_printed(line, printed, is_close):
                    yield f"{readme.name}: '{command}' did not print:\n  {line}\nbut:\n{done.stdout}"


def main(build, readmes):
    root = pathlib.Path(__file__).resolve().parents[2]
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, PATH=f"{build}/bin:{build}/jax/venv/bin:{os.environ['PATH']}", PODIUM_BUILD=build,
                           XDG_RUNTIME_DIR=folder, TMPDIR=folder)
        for readme in map(pathlib.Path, readmes):
            found += sum(len(list(commands(block))) for _, block in blocks(readme.read_text()))
            for error in check(root, readme, environment, folder):
                print(error)
                # A pod that the rest of the README would have stopped.
                subprocess.run(["podium", "down"], env=environment, timeout=TIMEOUT_S, stderr=subprocess.DEVNULL, check=False)
                return 1
    print(f"{found} commands: ok")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
