"""The text of Shardy's tests: brackets, types, shardings, functions and their CHECK lines."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import moves  # noqa: E402

BITS = {"i1": 8, "pred": 8, "index": 64}
SHARDING = re.compile(r"<(@\w*|mesh<\[[^\]]*\](?:, *device_ids=\[[^\]]*\])?>), *\[")


class Unknown(Exception):
    """An expectation that this script cannot read."""


# --- Text ---


def closing(text, start):
    """The index behind the bracket that closes the one at `start`; arrows are no brackets."""
    depth, i, quoted = 0, start, False
    while i < len(text):
        c = text[i]
        if c == '"':
            quoted = not quoted
        elif quoted:
            pass
        elif c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
            if depth == 0:
                return i + 1
        elif c == "/" and text[i:i + 2] == "//":
            i = text.find("\n", i) if "\n" in text[i:] else len(text)
        i += 1
    raise Unknown("brackets do not close")


def split_list(text):
    """What commas outside of brackets divide."""
    parts, depth, last, quoted = [], 0, 0, False
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    if text[last:].strip():
        parts.append(text[last:].strip())
    return parts


def tensor_of(type_text):
    """(dimensions, bytes of an element), or None for what is no ranked tensor."""
    match = re.match(r"tensor<((?:\d+x)*)([a-z]\w*|complex<f\d+>)>", type_text.strip())
    if not match:
        return None
    dims = [int(d) for d in match.group(1).split("x") if d]
    name = match.group(2)
    bits = BITS.get(name) or int((re.findall(r"\d+", name) or ["32"])[0])
    if name.startswith("complex"):
        bits *= 2
    return dims, bits / 8


# --- Shardings ---


axis_size = moves.axis_size


class Sharding:
    """Mesh, and axes by dimension; what is open and what has priority is left out."""

    def __init__(self, text):
        match = SHARDING.match(text)
        if not match:
            raise Unknown("a sharding I cannot read: " + text[:60])
        if text.endswith("]") and text.count("<") > text.count(">"):
            text += ">"  # A CHECK line that ends early.
        self.mesh = match.group(1)
        end = closing(text, match.end() - 1)
        self.end = closing(text, 0)
        self.dims = []
        for dim in split_list(text[match.end():end - 1]):
            self.dims.append([a for a in re.findall(r'"[^"]+"(?::\(\d+\)\d+)?', dim)])
        self.tail = re.sub(r"replicated=\{[^}]*\}", "", text[end:self.end - 1]).strip(", ")
        self.text = text[:self.end]

    def key(self):
        dims = list(self.dims)
        return (tuple(tuple(d) for d in dims), self.tail)

    def shards(self, meshes):
        count = 1
        for dim in self.dims:
            for axis in dim:
                count *= axis_size(meshes[self.mesh], axis)
        return count


def shardings_in(text):
    found, at = [], 0
    while True:
        match = SHARDING.search(text, at)
        if not match:
            return found
        sharding = Sharding(text[match.start():])
        found.append(sharding)
        at = match.start() + sharding.end


# --- A test file ---


class Function:
    def __init__(self, name, module, signature, body, checks):
        self.name, self.module, self.body, self.checks = name, module, body, checks
        start = signature.index("(")
        end = closing(signature, start)
        self.arguments = split_list(signature[start + 1:end - 1])
        rest = signature[end:].strip()
        self.results = []
        if rest.startswith("->"):
            rest = rest[2:].strip()
            if rest.startswith("("):
                self.results = split_list(rest[1:closing(rest, 0) - 1])
            else:
                self.results = [rest[:rest.index(">") + 1] if "{" not in rest else rest]
        self.text = ""


class Module:
    """A part of a file between `// -----`."""

    def __init__(self, text):
        self.meshes, self.mesh_text = {}, ""
        self.functions, self.raw = [], {}
        checks, lines, i = [], text.split("\n"), 0
        while i < len(lines):
            line = lines[i].strip()
            if line.startswith("//"):
                checks.append(line)
            elif line.startswith("sdy.mesh"):
                self.mesh(line)
            elif re.match(r"(func\.)?func ", line):
                try:
                    i = self.function(lines, i, checks)
                except ValueError:
                    pass  # It goes on to what looks like a function.
                checks = []
            i += 1

    def mesh(self, line):
        match = re.match(r"sdy\.mesh (@\w+) = <\[(.*?)\]", line)
        if match:
            sizes = re.findall(r'"([^"]+)" *= *(\d+)', match.group(2))
            self.meshes[match.group(1)] = {n: int(s) for n, s in sizes}
            self.mesh_text += line + "\n"

    def function(self, lines, i, before):
        text, code = [], ""
        while i < len(lines):
            text.append(lines[i])
            code += lines[i].split("//")[0] + "\n"
            if lines[i].startswith("}") or (re.search(r"\}\s*$", lines[i]) and len(text) == 1):
                break
            i += 1
        inner = [l.strip() for l in text if l.strip().startswith("//")]
        match = re.search(r"@(\w+)", code)
        head = code.index("(", match.end())
        # The body's brace is the first at depth 0 behind the signature.
        at = closing(code, head)
        while code[at] != "{":
            if code[at] in "(<":
                at = closing(code, at)
            elif code.startswith("attributes", at):
                at = closing(code, code.index("{", at))
            else:
                at += 1
        body = code[at + 1:code.rindex("}")]
        label = next((k for k in range(len(before) - 1, -1, -1) if "CHECK-LABEL" in before[k]), len(before))
        function = Function(match.group(1), self, code[match.end():at], body, before[label:] + inner)
        function.text = code
        self.functions.append(function)
        return i


def read_modules(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    modules = [Module(part) for part in re.split(r"\n// -----[^\n]*\n", text)]
    for before, module in zip(modules, modules[1:]):
        if not module.meshes:  # Its shardings name those of the one before.
            module.meshes, module.mesh_text = before.meshes, before.mesh_text
    return modules


def joined_checks(checks):
    lines = []
    for check in checks:
        match = re.match(r"// *CHECK(-[A-Z]+)?: *(.*)", check)
        if not match or match.group(1) in ("-NOT", "-DAG", "-COUNT"):
            continue
        if match.group(1) == "-SAME" and lines:
            lines[-1] += " " + match.group(2)
        else:
            lines.append(match.group(2))
    return lines


def all_statements(body):
    """(operation, line, number of results, last type on the line) of those within regions too."""
    for match in re.finditer(r"^ *(?:%\w+(?::(\d+))? = )?\"?([\w.]+)\"?(.*)", body, re.M):
        yield match.group(2), body.count("\n", 0, match.start(2)), int(match.group(1) or 1), last_type(match.group(3))


def rank_in(line):
    """The rank of the last value that a CHECK line gives shardings for."""
    given = None if "[[[" in line else re.search(r"#sdy\.sharding_per_value<", line)
    listed = shardings_in(line[given.end():closing(line, given.end() - 1)]) if given else []
    return len(listed[-1].dims) if listed else None


def last_type(line):
    types = re.findall(r"tensor<(?:complex<)?[^>]*>+", line)
    return types[-1] if types else None


def result_types(text, count):
    # Regions may hold arrows of their own: the types that count are outside of braces.
    flat, depth = "", 0
    for c in text:
        depth += c == "{"
        if depth == 0:
            flat += c
        depth -= c == "}"
    flat = " ".join(flat.split())
    arrows = [m.end() for m in re.finditer(r"\) -> ", flat)]
    if arrows:
        rest = flat[arrows[-1]:]
        listed = rest[1:closing(rest, 0) - 1] if rest.startswith("(") else rest
        types = split_list(listed)[:count]
    elif " : " in flat:
        types = split_list(flat.rsplit(" : ", 1)[1])
        types = types[-count:]
    else:
        return None
    types = [(re.match(r"tensor<[^>]*>+|!stablehlo\.token", t) or [None])[0] for t in types]
    return types if len(types) == count and all(types) else None
