#!/usr/bin/env python3
"""The support matrix in server/compiler/README.md is what the tables in the code say.

Usage: support.py ROOT [--write]. Run by ctest as lint.support. Rows come from
server/chip/operations.def, from the table `expansions` of server/compiler/expand.c, and
from the table `refused` of server/compiler/verify.c. With --write the matrix in the
README is made anew.
"""
import pathlib
import re
import sys

README = "server/compiler/README.md"
BEGIN = "<!-- Support matrix: written by tests/lint/support.py --write -->"
END = "<!-- End of the support matrix -->"


def table(text, name):
    """The rows of a C table, as the text of each one."""
    start = re.search(rf"\b{name}\[\] = \{{\n", text)
    if start is None:
        raise SystemExit(f"no table '{name}'")
    body = text[start.end():text.index("\n};", start.end())]
    return re.findall(r'\{\s*("(?:[^"\\]|\\.|"\s+")*"[^{}]*)\}', body)


def operations(text):
    """(section, name, syntax, factors, kernel) of each row, in order."""
    section = ""
    for line in text.splitlines():
        if line.startswith("// ") and "clang-format" not in line:
            section = line[3:]
        elif match := re.match(r"OPERATION\((.*)\)$", line):
            cells = [cell.strip() for cell in match[1].split(",")]
            yield section, cells[1].strip('"'), cells[2], cells[4], cells[5]


def sharding(factors):
    """What the column `factors` says to a reader."""
    return {"none": "", "replicated": "whole on every chip", "leaf": "any"}.get(
        factors, f"`{factors}`")


def matrix(root):
    lines = [BEGIN, ""]
    section = None
    for group, name, syntax, factors, kernel in operations(
            (root / "server/chip/operations.def").read_text()):
        if group != section:
            section = group
            lines += ["" if len(lines) > 2 else None, f"**{section}**", "",
                      "| operation | pretty form | sharding rule | computed by |",
                      "| --- | --- | --- | --- |"]
        kernel = "the executor" if kernel == "executor" else f"kernel `{kernel}`"
        lines.append(f"| `{name}` | {'' if syntax == 'none' else 'yes'} | "
                     f"{sharding(factors)} | {kernel} |")
    lines += ["", "**Made of the operations above by the pass `expand`**", ""]
    names = [re.match(r'"([^"]*)"', row)[1] for row in table(
        (root / "server/compiler/expand.c").read_text(), "expansions")]
    lines.append(", ".join(f"`{name}`" for name in names))
    lines += ["", "**Refused, with the reason**", "", "| operation | reason |", "| --- | --- |"]
    for row in table((root / "server/compiler/verify.c").read_text(), "refused"):
        name, reason = row.split(",", 1)
        reason = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', reason)).replace('\\"', '"')
        lines.append(f"| `{name.strip(chr(34))}` | {reason} |")
    lines += ["", END]
    return "\n".join(line for line in lines if line is not None)


def split(readme):
    """What stands before the matrix, the matrix, and what stands behind it."""
    start, end = readme.find(BEGIN), readme.find(END)
    if start < 0 or end < start:
        raise SystemExit(f"{README}: no support matrix: it stands between\n{BEGIN}\n{END}")
    return readme[:start], readme[start:end + len(END)], readme[end + len(END):]


def main(root, write):
    path = root / README
    before, found, after = split(path.read_text())
    wanted = matrix(root)
    if write:
        path.write_text(before + wanted + after)
        return 0
    if found == wanted:
        return 0
    for line in sorted(set(wanted.splitlines()) ^ set(found.splitlines())):
        print(f"{'missing' if line in wanted else 'not in the code'}: {line}")
    print(f"{README}: the support matrix is not what the tables in the code say; run "
          "tests/lint/support.py ROOT --write")
    return 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), "--write" in sys.argv[2:]))
