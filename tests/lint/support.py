#!/usr/bin/env python3
"""The support matrix in server/compiler/README.md is what the tables in the code say.

Usage: support.py ROOT [--write]. Run by ctest as lint.support. Rows come from
server/program/operations.def and from server/compiler/dialect/kinds.def. With --write the matrix in
the README is made anew.
"""
import pathlib
import re
import sys

README = "server/compiler/README.md"
BEGIN = "<!-- Support matrix: written by tests/lint/support.py --write -->"
END = "<!-- End of the support matrix -->"


def kinds(text, *macros):
    """(name, last column) of each row of kinds.def by one of these macros, in order."""
    for match in re.finditer(r'^(\w+)\(\w+,\s*"([^"]*)",.*?("(?:[^"\\]|\\.)*"|\w+)\)$', text, re.M):
        if match[1] in macros:
            yield match[2], match[3].strip('"')


def operations(text):
    """(section, cells by column) of each row of operations.def, in order."""
    columns = re.search(r"^//   OPERATION\((.*)\)$", text, re.M)[1].split(", ")
    section = ""
    for line in text.splitlines():
        if line.startswith("// ") and "clang-format" not in line:
            section = line[3:]
        elif match := re.match(r"OPERATION\((.*)\)$", line):
            yield section, dict(zip(columns, (cell.strip() for cell in match[1].split(","))))


def sharding(factors):
    """What the column `factors` says to a reader."""
    return {"none": "", "replicated": "whole on every chip", "leaf": "any"}.get(
        factors, f"`{factors}`")


def matrix(root):
    lines = [BEGIN, ""]
    section = None
    for group, row in operations(
            (root / "server/program/operations.def").read_text()):
        if group != section:
            section = group
            lines += ["" if len(lines) > 2 else None, f"**{section}**", "",
                      "| operation | pretty form | sharding rule | computed by |",
                      "| --- | --- | --- | --- |"]
        kernel = "the executor" if row["kernel"] == "executor" else f"kernel `{row['kernel']}`"
        name = row["name"].strip('"')
        lines.append(f"| `{name}` | {'' if row['syntax'] == 'none' else 'yes'} | "
                     f"{sharding(row['factors'])} | {kernel} |")
    lines += ["", "**Made of the operations above by the pass `expand`**", ""]
    others = (root / "server/compiler/dialect/kinds.def").read_text()
    lines.append(", ".join(f"`{name}`" for name, _ in kinds(others, "EXPANDED", "BROADCASTING")))
    lines += ["", "**Refused, with the reason**", "", "| operation | reason |", "| --- | --- |"]
    lines += [f"| `{name}` | {reason} |" for name, reason in kinds(others, "REFUSED")]
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
