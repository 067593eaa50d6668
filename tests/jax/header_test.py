#!/usr/bin/env python3
"""Our declarations of the PJRT C API against the official header: sizes of structs, offsets of fields, values of enumerators.

Usage: header_test.py OFFICIAL_FOLDER OUR_HEADER... [--root FOLDER] [--cc COMPILER]

OFFICIAL_FOLDER holds xla/pjrt/c/*.h. Both sides are run through the preprocessor, which expands the macros that make up
PJRT_Api; what it leaves is read for structs and enums, and a C program that prints sizeof and offsetof of each is generated for
each side and compiled against that side alone. So the compiler says where things lie, and nothing here does.

PJRT grows by fields at the end of structs, and the two headers may be of different minor versions. Therefore: what both have must
lie at the same place; what the official one has of a struct that we declare we must have; what we have beyond it must come behind
it. A struct that only one side has is of another version, or of an extension that we do not serve, and is only told.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

# Official headers that are C; the others are C++.
OFFICIAL = ("pjrt_c_api.h", "pjrt_c_api_layouts_extension.h", "pjrt_c_api_memory_descriptions_extension.h",
            "pjrt_c_api_profiler_extension.h", "pjrt_c_api_stream_extension.h", "pjrt_c_api_ffi_extension.h",
            "pjrt_c_api_phase_compile_extension.h", "pjrt_c_api_tpu_topology_extension.h")
INDISPENSABLE = ("PJRT_Api", "PJRT_Client_Create_Args", "PJRT_Executable_NumOutputs_Args", "PJRT_Buffer_ToHostBuffer_Args")
PREFIXES = ("PJRT_", "PLUGIN_")  # What else a header brings is libc's.
TIMEOUT_S = 120


class Header:
    """What one side declares: fields by struct, enumerators, and the #include lines that bring it."""

    def __init__(self, includes, folders, compiler):
        self.includes = "".join(f'#include "{path}"\n' for path in includes)
        self.command = [compiler, "-std=gnu11", *(f"-I{folder}" for folder in folders)]
        self.structs, self.enumerators = declarations(self.compile("-E", "-P", self.includes))
        self.layout = self.measure()

    def compile(self, *arguments):
        *options, source = arguments
        done = subprocess.run([*self.command, *options, "-x", "c", "-"], input=source, text=True, timeout=TIMEOUT_S, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"{' '.join(self.command)} refused:\n{done.stderr}")
        return done.stdout

    def measure(self):
        """{"struct S": (size,), "S.field": (offset, size), "enumerator": (value,)}, by a program of this side alone."""
        lines = []
        for struct, (tag, fields) in self.structs.items():
            lines.append(f'printf("struct {struct} %zu\\n", sizeof({tag}));')
            lines += [f'printf("{struct}.{field} %zu %zu\\n", offsetof({tag}, {field}), sizeof((({tag}*)0)->{field}));'
                      for field in fields]
        lines += [f'printf("{name} %lld\\n", (long long){name});' for name in self.enumerators]
        body = "\n".join(lines)
        source = f"#include <stddef.h>\n#include <stdio.h>\n{self.includes}int main(void) {{\n{body}\nreturn 0;\n}}\n"
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "layout"
            self.compile("-o", str(program), source)
            printed = subprocess.run([program], text=True, timeout=TIMEOUT_S, check=True, stdout=subprocess.PIPE).stdout
        layout = {}
        for line in printed.splitlines():
            name, *numbers = re.match(r"(struct \S+|\S+) (.*)", line).groups()
            layout[name] = tuple(map(int, numbers[0].split()))
        return layout


def body_at(text, start):
    """The text between the brace that opens at `start` and the one that closes it, and where it ends."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1:at], at + 1
    raise ValueError("a brace is not closed")


def split(text, separator):
    """The pieces of `text` between separators that stand in no brace and no parenthesis."""
    pieces, depth, piece = [], 0, ""
    for letter in text:
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(letter, 0)
        if letter == separator and depth == 0:
            pieces.append(piece.strip())
            piece = ""
        else:
            piece += letter
    return [piece for piece in (*pieces, piece.strip()) if piece]


def fields_of(body, prefix=""):
    for declaration in split(body, ";"):
        nested = re.match(r"(?:struct|union)\s*\w*\s*\{", declaration)
        if nested:
            inner, end = body_at(declaration, nested.end() - 1)
            name = re.match(r"\s*(\w*)", declaration[end:])[1]
            yield from fields_of(inner, f"{prefix}{name}." if name else prefix)
            if name:
                yield prefix + name
            continue
        function = re.search(r"\(\s*\*\s*(\w+)\s*(?:\[[^\]]*\])?\s*\)\s*\(", declaration)
        for one in [declaration] if function else split(declaration, ","):
            name = function or re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?::\s*\d+)?$", one)
            yield prefix + name[1]


def declarations(text):
    """({struct: (how C names it, [field])}, [enumerator]) of preprocessed text, of what is PJRT's."""
    structs, enumerators = {}, []
    at = 0
    for match in re.finditer(r"(typedef\s+)?\b(struct|enum)\s+(\w*)\s*(?::\s*\w+\s*)?\{", text):
        if match.start() < at:
            continue  # It stands within the one before.
        body, at = body_at(text, match.end() - 1)
        alias = re.match(r"\s*(\w+)?\s*;", text[at:])
        alias = alias[1] if match[1] and alias else None
        name = alias or match[3]
        if match[2] == "enum":
            names = [re.match(r"\w+", one)[0] for one in split(body, ",")]
            enumerators += [one for one in names if one.startswith(PREFIXES)]
        elif name.startswith(PREFIXES):
            structs[name] = (alias or f"struct {name}", list(fields_of(body)))
    return structs, enumerators


def struct_errors(struct, official, ours):
    """What is wrong with a struct that both declare."""
    theirs, own = official.structs[struct][1], ours.structs[struct][1]
    for field in theirs:
        name = f"{struct}.{field}"
        if field not in own:
            yield f"{name} is missing from our header"
        elif official.layout[name] != ours.layout[name]:
            yield (f"{name}: offset {ours.layout[name][0]}, size {ours.layout[name][1]}; the official header has offset "
                   f"{official.layout[name][0]}, size {official.layout[name][1]}")
    end = max((sum(official.layout[f"{struct}.{field}"]) for field in theirs), default=0)
    added = [field for field in own if field not in theirs]
    for field in added:
        if ours.layout[f"{struct}.{field}"][0] < end:
            yield f"{struct}.{field} is not in the official header, and does not come behind what is"
    sizes = [side.layout[f"struct {struct}"][0] for side in (official, ours)]
    if not added and sizes[0] != sizes[1]:
        yield f"{struct} has {sizes[1]} bytes; the official header has {sizes[0]}"


def is_of_version(enumerator):
    """Whether a newer minor version may have another value: sizes of structs, and how many of something there are."""
    return enumerator.endswith("_STRUCT_SIZE") or enumerator.endswith("_MINOR")


def compare(official, ours):
    common = [struct for struct in official.structs if struct in ours.structs]
    for struct in INDISPENSABLE:
        if struct not in common:
            yield f"{struct} is not declared by both headers"
    for struct in common:
        yield from struct_errors(struct, official, ours)
    for name in official.enumerators:
        if name in ours.enumerators and not is_of_version(name) and official.layout[name] != ours.layout[name]:
            yield f"{name} is {ours.layout[name][0]}; the official header has {official.layout[name][0]}"


def tell(official, ours):
    structs = [struct for struct in official.structs if struct in ours.structs]
    print(f"{len(structs)} structs with {sum(len(official.structs[struct][1]) for struct in structs)} fields, and "
          f"{sum(name in ours.enumerators for name in official.enumerators)} enumerators are compared")
    for what, one, other in (("only official", official, ours), ("only ours", ours, official)):
        print(f"structs {what}: {', '.join(name for name in one.structs if name not in other.structs) or 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("official", type=pathlib.Path)
    parser.add_argument("ours", type=pathlib.Path, nargs="+")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    folder = options.official / "xla/pjrt/c"
    includes = [folder / name for name in OFFICIAL if (folder / name).exists()]
    official = Header(includes, [options.official], options.cc)
    ours = Header([path.resolve() for path in options.ours], [options.root], options.cc)
    tell(official, ours)
    errors = list(compare(official, ours))
    print("\n".join(errors) or "the headers agree")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
