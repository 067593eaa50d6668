#!/usr/bin/env python3
"""The check of the support matrix is itself checked: a row too many, a row too few, and a
changed reason must fail, and --write must mend them.

Usage: support_test.py ROOT. Run by ctest as lint.support_test.
"""
import contextlib
import io
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import support

FILES = [support.README, "server/program/operations.def", "server/compiler/dialect/kinds.def"]
CHANGES = {
    "a row of the table": ("server/program/operations.def", '"stablehlo.sine"', '"stablehlo.sinus"'),
    "an expansion": ("server/compiler/dialect/kinds.def", '"chlo.square"', '"chlo.squared"'),
    "a refusal": ("server/compiler/dialect/kinds.def", '"a program takes what', '"a program wants what'),
    "a line of the README": (support.README, "| `stablehlo.add` ", "| `stablehlo.plus` "),
}


def fails(root):
    with contextlib.redirect_stdout(io.StringIO()):
        return support.main(root, False) != 0


def run(source):
    wrong = []
    for what, (path, old, new) in CHANGES.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file in FILES:
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source / file, root / file)
            text = (root / path).read_text()
            if old not in text:
                wrong.append(f"nothing to change: {what}")
            (root / path).write_text(text.replace(old, new))
            if not fails(root):
                wrong.append(f"not caught: {what}")
            support.main(root, True)
            if fails(root):
                wrong.append(f"not mended: {what}")
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(run(pathlib.Path(sys.argv[1])))
