#!/usr/bin/env python3
"""Writes the manual pages from what the programs say of themselves by --help and --version.

usage: make_man.py BIN FOLDER     BIN has podium and the daemons; FOLDER gets NAME.1 and NAME.8
"""
import pathlib
import re
import subprocess
import sys

DESCRIPTION_COLUMN = 29  # Where argp lets descriptions begin.
DAEMONS = {
    "podium-coordinator": "the daemon of a pod that compiles programs and leads its chips",
    "podium-host": "a machine's part of a pod: runs its daemons, and starts them again",
    "podium-job": "one attempt at a job; podium-coordinator starts it",
    "podium-worker": "the daemon that hosts one simulated TPU chip",
}
SEE_ALSO = [("podium", 1), ("podium-coordinator", 8), ("podium-host", 8), ("podium-job", 8), ("podium-worker", 8)]


def ask(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def commands(text):
    """(name, summary) of each command that `podium --help` lists."""
    return re.findall(r"^  ([a-z]+) +([A-Z].*)$", text, re.M)


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def split_option(line):
    """An option's line as (option, description), which may be empty; None when it is another line."""
    if not re.match(r" {1,6}-", line) and not re.match(r" {7,}--[a-z]", line):
        return None
    if len(line) > DESCRIPTION_COLUMN and line[DESCRIPTION_COLUMN - 1] == " " != line[DESCRIPTION_COLUMN] \
            and line[:DESCRIPTION_COLUMN].strip():
        return line[:DESCRIPTION_COLUMN].strip(), line[DESCRIPTION_COLUMN:].strip()
    parts = re.split(r" {3,}", line.strip(), maxsplit=1)
    return parts[0], parts[1] if len(parts) > 1 else ""


def body(lines):
    """The lines after the usage as roff: options as tagged paragraphs, indented lines as they stand, the rest as text."""
    out, is_option = [], False
    for line in lines:
        option = split_option(line)
        if option is not None:
            out += [".TP", f"\\fB{escaped(option[0])}\\fR", escaped(option[1])]
            is_option = True
        elif not line.strip():
            out.append(".PP")
            is_option = False
        elif is_option and re.match(r" {2,}", line):
            out.append(escaped(line.strip()))
        elif re.match(r" ?[A-Z][A-Za-z ]*:$", line):
            out.append(f".SS {escaped(line.strip()[:-1])}")
            is_option = False
        elif line.startswith(" "):
            out += [".nf", escaped(line), ".fi"]
        else:
            out.append(escaped(line))
            is_option = False
    return [line for line in out if line]


def page(name, section, summary, version, text):
    usage, *rest = text.splitlines()
    usage = re.sub(r"^Usage: ", "", usage)
    while rest and re.match(r" +or: ", rest[0]):
        usage += "\n.br\n" + re.sub(r"^ +or: ", "", rest.pop(0))
    see = [f"\\fB{escaped(other)}\\fR({number})" for other, number in SEE_ALSO if other != name]
    return "\n".join([
        f'.TH {escaped(name.upper())} {section} "" "Podium {version}" Podium',
        ".SH NAME", f"{escaped(name)} \\- {escaped(summary)}",
        ".SH SYNOPSIS", escaped(usage).replace("\\&.br", ".br"),
        ".SH DESCRIPTION", *body(rest),
        ".SH SEE ALSO", ",\n".join(see), ""])


def main(binaries, folder):
    folder.mkdir(parents=True, exist_ok=True)
    podium = binaries / "podium"
    version = ask(podium, "--version").split()[-1]
    text = ask(podium, "--help")
    listed = commands(text)
    if not listed:
        sys.exit("make_man.py: `podium --help` lists no commands")
    pages = [("podium", 1, "run sharded StableHLO programs on a pod of simulated TPU chips", text)]
    for command, summary in listed:
        pages.append((f"podium-{command}", 1, summary[0].lower() + summary[1:], ask(podium, command, "--help")))
    for daemon, summary in DAEMONS.items():
        pages.append((daemon, 8, summary, ask(binaries / daemon, "--help")))
    for name, section, summary, said in pages:
        (folder / f"{name}.{section}").write_text(page(name, section, summary, version, said))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
