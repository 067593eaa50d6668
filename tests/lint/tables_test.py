#!/usr/bin/env python3
"""The check of the tables of operations is itself checked: each of these changes must fail.

Usage: tables_test.py ROOT. Run by ctest as lint.tables_test.
"""
import contextlib
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tables

OPERATIONS, KINDS = tables.TABLES
CHANGES = {  # what is wrong: the file, what stands there, and what stands there instead
    "a column that nothing takes": (OPERATIONS, "float_ops, whole_ops)\n//\n", "float_ops, whole_ops, colour)\n//\n"),
    "a column of the second table": (KINDS, "syntax, reason)\n//  ", "syntax, reason, colour)\n//  "),
    "the spelling of a column": ("server/compiler/lower/attrs.c", "= attrs_##attrs,", "= find(#attrs),"),
    "a word that no row has": ("server/compiler/verify/shape_elementwise.c", "TYPES_none = 0,",
                               "TYPES_none = 0, TYPES_small = 1,"),
    "a trait that nobody asks for": ("server/compiler/simplify/fold.c", "CHIP_TRAIT_MOVES", "CHIP_TRAIT_CONTROL"),
    "cases that are a trait": ("server/compiler/simplify/fold.c", "const mlir_attr_t *simplify_fold(",
                               "case CHIP_OP_WHILE:\n case CHIP_OP_IF:\n case CHIP_OP_CASE:\n"),
    "comparisons that are a trait": ("server/compiler/simplify/fold.c", "const mlir_attr_t *simplify_fold(",
                                     "op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE ||\n op->kind == CHIP_OP_SCATTER\n"),
    "a name that is compared": ("server/compiler/simplify/fold.c", "const mlir_attr_t *simplify_fold(",
                                "strcmp(value->op->name, \"func.call\") == 0\n"),
    "most operations of a trait": ("server/compiler/simplify/fold.c", "const mlir_attr_t *simplify_fold(",
                                   "= {CHIP_OP_TANH, CHIP_OP_LOG, CHIP_OP_SINE, CHIP_OP_COSINE, CHIP_OP_TAN,\n"
                                   " CHIP_OP_SQRT, CHIP_OP_RSQRT, CHIP_OP_CBRT};"),
}


def fails(texts):
    with contextlib.redirect_stdout(io.StringIO()):
        return tables.check(tables.told(texts)) != 0


def run(source):
    wrong = []
    texts = tables.sources(source)
    for what, (path, old, new) in CHANGES.items():
        if old not in texts.get(path, ""):
            wrong.append(f"nothing to change: {what}")
        elif not fails(texts | {path: texts[path].replace(old, new, 1)}):
            wrong.append(f"not caught: {what}")
    if fails(texts):
        wrong.append("the check fails without a change")
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(run(pathlib.Path(sys.argv[1])))
