#!/usr/bin/env python3
"""The two tables of operations are what the code reads, and stand once.

Usage: tables.py ROOT. Run by ctest as lint.tables. Of server/program/operations.def and
server/compiler/dialect/kinds.def it holds that
  - every column is taken by C code, and as what it names, not by its spelling;
  - every word of a column is known to the C code that takes it, and every word that this
    code knows is in a row;
  - every trait is asked for;
  - no list in the code says again what a trait says;
  - what an operation is, its kind says: no C file of the compiler compares its name.
"""
import pathlib
import re
import sys

TABLES = ["server/program/operations.def", "server/compiler/dialect/kinds.def"]
TRAITS = ["server/program/operations.h", "server/program/operations.c"]
# Enumerators that are the words of a column, by their prefix: the compiler finds a word that they lack, not one too many.
PREFIXES = {"types": "TYPES_", "fuse": "AS_", "cost": "COST_"}
LONG = 8  # So many operations of one trait are a list of it, even when some are missing.


def sources(root):
    """The text of the tables and of each C file of the server that says something of operations, by its path."""
    files = sorted((root / "server").rglob("*.[ch]")) + [root / table for table in TABLES]
    return told({str(path.relative_to(root)): path.read_text() for path in files})


def told(texts):
    """Those that say something of operations."""
    return {path: text for path, text in texts.items() if "CHIP_" in text or ".def" in text or "strcmp(" in text}


def signatures(text):
    """The columns of each macro that a table's head comment declares."""
    return {name: columns.split(", ")
            for name, columns in re.findall(r"^//   ([A-Z]+)\((.*)\)$", text, re.M)}


def rows(text, signatures_of):
    """(macro, cells by column) of each row."""
    for line in text.splitlines():
        match = re.match(r"([A-Z]+)\((.*)\)$", line)
        if match and match[1] in signatures_of:
            cells = re.findall(r'"(?:[^"\\]|\\.)*"|[^,\s][^,]*', match[2])
            yield match[1], dict(zip(signatures_of[match[1]], (cell.strip() for cell in cells)))


def bodies(texts, macro):
    """What the code makes of a row: (path, expansion) of each definition of the macro."""
    for path, text in texts.items():
        if f"#define {macro}(" not in text:
            continue
        for body in re.findall(rf"^#define {macro}\([^)]*\)((?:.*\\\n)*.*)", text, re.M):
            yield path, body


def check_columns(texts, macro, columns):
    taken = set()
    for path, body in bodies(texts, macro):
        for column in columns:
            if re.search(rf"\b{column}\b", body):
                taken.add(column)
            if column != "name" and re.search(rf"(?<!#)#\s*{column}\b", body):
                yield f"{path}: takes the spelling of the column '{column}'"
    for column in columns:
        if column not in taken:
            yield f"{macro}: no C file takes the column '{column}'"


def check_words(texts, found_rows):
    """Words that a column's enumerators have and no row names, and traits that nobody asks for."""
    code = "\n".join(texts.values())
    for column, prefix in PREFIXES.items():
        named = {row[column] for _, row in found_rows if column in row}
        for word in sorted(set(re.findall(rf"\b{prefix}([a-z]\w*)\b", code)) - named):
            yield f"no row has the word '{word}' in the column '{column}' ({prefix}{word})"
    asked = "\n".join(text for path, text in texts.items() if path not in TRAITS)
    for trait in sorted(set(re.findall(r"\bCHIP_TRAIT_([A-Z_]+)", texts[TRAITS[0]]))):
        if f"CHIP_TRAIT_{trait}" not in asked + "".join(re.findall(r"chip_op_has\([^;]*;", texts[TRAITS[0]])):
            yield f"no C file asks for CHIP_TRAIT_{trait}"


def traits(texts, found_rows):
    """The operations of each trait, those included that follow from the cost."""
    follows = re.findall(r"\bCOST_(\w+) = CHIP_TRAIT_(\w+)", texts[TRAITS[1]])
    found = {}
    for _, row in found_rows:
        words = set(re.findall(r"[A-Z_]+", row.get("traits", "")))
        words |= {trait for cost, trait in follows if row.get("cost") == cost}
        for word in words:
            found.setdefault(word, set()).add(row["id"])
    return found


def lists(text):
    """Operations that are one list: cases of one arm, or comparisons joined by || or &&."""
    if text.count("CHIP_OP_") < 2:
        return
    for arm in re.findall(r"(?:\bcase CHIP_OP_\w+:\s*(?://[^\n]*)?\s*){2,}", text):
        yield set(re.findall(r"CHIP_OP_(\w+)", arm))
    for chain in re.findall(r"(?:[\w>.()-]+ [!=]= CHIP_OP_\w+\)?\s*(?:\|\||&&)\s*)+[\w>.()-]+ [!=]= CHIP_OP_\w+", text):
        yield set(re.findall(r"CHIP_OP_(\w+)", chain))
    for array in re.findall(r"= \{((?:\s*CHIP_OP_\w+,?)+)\s*\}", text):
        yield set(re.findall(r"CHIP_OP_(\w+)", array))


def check_lists(texts, found_rows):
    by_trait = traits(texts, found_rows)
    for path, text in texts.items():
        for names in lists(text):
            for trait, members in by_trait.items():
                if len(names) > 1 and (names == members or (len(names) >= LONG and names < members)):
                    yield f"{path}: a list of what has the trait {trait}: {', '.join(sorted(names))}"


def check_names(texts, found_rows):
    names = {row["name"].strip('"') for _, row in found_rows}
    for path, text in texts.items():
        for name in re.findall(r'\bstrcmp\(\s*[^,;]*\bname,\s*"([^"]*)"\)', text):
            if name in names:
                yield f"{path}: compares a name with \"{name}\" instead of the kind"


def main(root):
    return check(sources(root))


def check(texts):
    found_rows, wrong = [], []
    for table in TABLES:
        text = texts[table]
        declared = signatures(text)
        found_rows += rows(text, declared)
        for macro, columns in declared.items():
            wrong += check_columns(texts, macro, columns)
    wrong += check_words(texts, found_rows)
    wrong += check_lists(texts, found_rows)
    wrong += check_names(texts, found_rows)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1])))
