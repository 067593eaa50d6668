#!/usr/bin/env python3
"""What our partitioner makes of Shardy's own tests, function by function.

    tests/shardy/compare.py CHECKOUT [--tool build/bin/golden.partition] [--list] [--only TEXT]

CHECKOUT is a checkout of github.com/openxla/shardy, or a git directory with one; nothing of it is part of this project, and
without it there is nothing to compare: the script says so and ends with status 77. Three comparisons, a table each:

    propagation   shardings of arguments, results and operations as the CHECK lines have them (axes of every dimension)
    reshards      bytes that a chip receives for what reshard_to_collectives.mlir makes of a reshard
    products      the same for insert_explicit_reshards: collectives there are and reshards, at what a reshard costs us

Bytes a chip receives, of n chips with b bytes each before: all_gather b (n-1), all_reduce 2 b (n-1)/n, reduce_scatter and
all_to_all b (n-1)/n, collective_permute b; slices are free. --list names every function that is not the same or cheaper.
"""

import argparse
import collections
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile

TRANSFORMS = "shardy/dialect/sdy/transforms"
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


def axis_size(mesh, axis):
    sub = re.match(r'"([^"]+)"(?::\((\d+)\)(\d+))?', axis)
    return int(sub.group(3)) if sub.group(3) else mesh[sub.group(1)]


class Sharding:
    """Mesh, and axes by dimension; what is open and what has priority is left out."""

    def __init__(self, text):
        match = SHARDING.match(text)
        if not match:
            raise Unknown("a sharding I cannot read: " + text[:60])
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
    return [Module(part) for part in re.split(r"\n// -----[^\n]*\n", text)]


# --- Modules for our tool ---


def sharding_of(declared):
    found = shardings_in(declared)
    return found[0] if found else None


def main_mesh(function):
    for sharding in shardings_in(function.text):
        if function.module.meshes.get(sharding.mesh) or sharding.mesh.startswith("mesh<"):
            return sharding.mesh
    return next((m for m, axes in function.module.meshes.items() if axes), None)


def device_count(module, mesh):
    sizes = module.meshes.get(mesh)
    if sizes is None:
        sizes = {n: int(s) for n, s in re.findall(r'"([^"]+)" *= *(\d+)', mesh or "")}
    count = 1
    for size in sizes.values():
        count *= size
    return count


def close(declared, mesh, is_argument):
    """Without a sharding: replicated, as it counts in passes behind propagation."""
    if "sdy.sharding" in declared or mesh is None:
        return declared
    tensor = tensor_of(declared.split(":", 1)[1] if is_argument else declared)
    if tensor is None:
        return declared
    closed = "sdy.sharding = #sdy.sharding<%s, [%s]>" % (mesh, ", ".join(["{}"] * len(tensor[0])))
    if declared.rstrip().endswith("}"):
        return declared.rstrip()[:-1] + ", " + closed + "}"
    return declared + " {" + closed + "}"


def called_by(function, names):
    found, work = [], [function.text]
    while work:
        text = work.pop()
        listed = " ".join(re.findall(r"called_computations = \[([^]]*)\]", text))
        for name in re.findall(r"call @(\w+)", text) + re.findall(r"@(\w+)", listed):
            if name in names and name not in found:
                found.append(name)
                work.append(names[name].text)
    return found


def write_module(function, closed, more=()):
    """`closed`: "arguments" or "all" (results too) are replicated where nothing is said. `more`: (name, type) of values that are
    returned as well."""
    module = function.module
    mesh = main_mesh(function)
    arguments, results = function.arguments, function.results
    if closed:
        arguments = [close(a, mesh, True) for a in arguments]
    if closed == "all":
        results = [close(r, mesh, False) for r in results]
    body = function.body
    if more:
        last = body.rindex("return")
        returned = body[last + len("return"):].strip()
        values = split_list(returned.rsplit(":", 1)[0]) if returned else []
        types = split_list(returned.rsplit(":", 1)[1]) if returned else []
        values += [m[0] for m in more]
        types += [m[1] for m in more]
        results = results + [m[1] for m in more]
        body = body[:last] + "return %s : %s\n" % (", ".join(values), ", ".join(types))
    names = {f.name: f for f in module.functions}
    others = "".join(names[n].text.replace("func.func @", "func.func private @") + "\n"
                     for n in called_by(function, names) if n != function.name)
    return "// devices: %d\nmodule @m {\n%sfunc.func public @main(%s) -> (%s) {%s}\n%s}\n" % (
        device_count(module, mesh), module.mesh_text, ", ".join(arguments), ", ".join(results), body, others)


class Tool:
    def __init__(self, path, folder):
        self.path, self.folder, self.costs = path, folder, {}

    def run(self, text, mode="--print"):
        name = os.path.join(self.folder, "case.mlir")
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([self.path, mode, name], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            return "CRASH: status %d" % done.returncode
        return done.stdout

    def cost(self, text):
        if text not in self.costs:
            self.costs[text] = measure(self.run(text))
        return self.costs[text]


def refusal(out):
    """The reason, without the place; None when there is a program."""
    match = re.match(r"([A-Z_]+): (.*)", out)
    if not match or match.group(1) == "module":
        return None
    reason = re.sub(r"^case\.mlir:\d+:\d+: ", "", match.group(2))
    return match.group(1) + ": " + reason


COLLECTIVE = re.compile(r'"?stablehlo\.(all_gather|all_reduce|reduce_scatter|all_to_all|collective_permute)"?\(')


def step_bytes(kind, size, n):
    return {"all_gather": size * (n - 1), "all_reduce": 2 * size * (n - 1) / n, "reduce_scatter": size * (n - 1) / n,
            "all_to_all": size * (n - 1) / n, "collective_permute": size, "all_slice": 0}[kind]


def measure(out):
    """(bytes, reason): what each chip receives in our program."""
    reason = refusal(out)
    if reason:
        return None, reason
    total, lines = 0.0, out.split("\n")
    for i, line in enumerate(lines):
        match = COLLECTIVE.search(line)
        if not match:
            continue
        groups = re.search(r"replica_groups = dense<.*?> : tensor<\d+x(\d+)xi64>", line)
        n = int(groups.group(1)) if groups else 1
        # The types of one with a region are where the region ends.
        kept = line
        if line.rstrip().endswith("{"):
            kept = next(l for l in lines[i:] if l.strip().startswith("})"))
        types = re.search(r": \((.*)\) -> ", kept).group(1)
        size = 0
        for text in split_list(types):
            dims, size_of = tensor_of(text)
            for d in dims:
                size_of *= d
            size += size_of
        total += step_bytes(match.group(1), size, n)
    return total, None


# --- What Shardy's tests expect ---


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


def statements(body):
    """(operation, names of its results, their types) of those that stand at the top."""
    found = []
    for match in re.finditer(r"^ *(%\w+)(?::(\d+))? = \"?([\w.]+)\"?|^ *(return|func\.return|sdy\.return)\b", body, re.M):
        before = re.sub(r'"[^"]*"', '""', body[:match.start()])
        if before.count("{") != before.count("}") or before.count("(") != before.count(")"):
            continue
        found.append((match.start(), match))
    for k, (start, match) in enumerate(found):
        if match.group(4):
            continue
        end = found[k + 1][0] if k + 1 < len(found) else len(body)
        text = body[start:end]
        count = int(match.group(2) or 1)
        names = [match.group(1)] if not match.group(2) else ["%s#%d" % (match.group(1), i) for i in range(count)]
        types = result_types(text, count)
        yield match.group(3), names, types, text


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
    types = [re.match(r"tensor<[^>]*>+", t).group(0) if re.match(r"tensor<[^>]*>", t) else None for t in types]
    return types if len(types) == count and all(types) else None


def cost_of_reshard(tool, module, dims, element, before, after):
    if before is not None and before.key() == after.key() and before.mesh == after.mesh:
        return 0.0
    if before is None:
        return 0.0
    shape = "x".join(str(d) for d in dims) + ("x" if dims else "")
    name = {1: "i8", 2: "bf16", 4: "f32", 8: "f64", 16: "complex<f64>"}[int(element)]
    mesh = before.mesh if module.meshes.get(before.mesh) else after.mesh
    text = ("// devices: %d\nmodule @m {\n%sfunc.func public @main(%%a: tensor<%s%s> {sdy.sharding = #sdy.sharding%s}) -> "
            "(tensor<%s%s> {sdy.sharding = #sdy.sharding%s}) {\n return %%a : tensor<%s%s>\n}\n}\n") % (
                device_count(module, mesh), module.mesh_text, shape, name, before.text, shape, name, after.text, shape, name)
    size, reason = tool.cost(text)
    if reason:
        raise Unknown("its reshard: " + reason)
    return size


EXPECTED = re.compile(
    r"(?:%(\w+|\[\[\w+)(?::[^\]]*)?(?:\]\])?(?::\d+)? = )?"
    r"sdy\.(all_gather|all_slice|all_to_all|collective_permute|all_reduce|reduce_scatter|reshard|sharded_to_unreduced|"
    r"replicated_to_unreduced)\b(.*)")


def expected_bytes(tool, function):
    """Bytes that what Shardy makes of the function has each chip receive."""
    module, known, total = function.module, {}, 0.0
    mesh = main_mesh(function)
    for argument in function.arguments:
        name, rest = argument.split(":", 1)
        tensor = tensor_of(rest)
        if tensor:
            sharding = sharding_of(rest) or Sharding("<%s, [%s]>" % (mesh, ", ".join(["{}"] * len(tensor[0]))))
            known[name.strip()] = (tensor, sharding)
    sources = list(statements(function.body))
    pointer = 0
    for line in joined_checks(function.checks):
        match = EXPECTED.match(line)
        if not match:
            made = re.match(r"%(\w+|\[\[\w+)(?::[^\]]*)?(?:\]\])?(?::(\d+))? = \"?([\w.]+)\"?", line)
            if made:
                found = next((k for k in range(pointer, len(sources)) if sources[k][0] == made.group(3)), None)
                if found is not None:
                    pointer = found + 1
                    given = shardings_in(line) if "sdy.sharding" in line else []
                    types = sources[found][2] or []
                    for i, t in enumerate(types):
                        tensor = tensor_of(t)
                        name = "%%%s" % made.group(1) + ("]]" if made.group(1).startswith("[[") else "")
                        name += "#%d" % i if made.group(2) else ""
                        if tensor and len(given) == len(types):
                            known[name] = (tensor, given[i])
            continue
        name, kind, rest = match.groups()
        operand = re.search(r"(%\[\[\w+\]\](?:#\d+)?|%arg\d+|%\w+)", rest)
        given = shardings_in(rest)
        if operand is None or operand.group(1) not in known or not given:
            raise Unknown("where the operand of its sdy.%s comes from" % kind)
        (dims, element), before = known[operand.group(1)]
        after = given[-1]
        size = element
        for d in dims:
            size *= d
        local = size / before.shards(module.meshes)
        if kind == "reshard":
            total += cost_of_reshard(tool, module, dims, element, before, after)
        elif kind == "all_gather":
            total += size / after.shards(module.meshes) - local
        elif kind in ("all_to_all", "all_reduce", "reduce_scatter"):
            n = 1
            for axis in re.findall(r'"[^"]+"(?::\(\d+\)\d+)?', rest[:rest.index("%")]):
                n *= axis_size(module.meshes[after.mesh], axis)
            total += step_bytes(kind, local, n)
        elif kind == "collective_permute":
            total += local
        if name:
            known["%%%s" % name + ("]]" if name.startswith("[[") else "")] = ((dims, element), after)
    return total


# --- Comparisons ---


def is_loose(function):
    """Whether the expectation leaves operations out, so that nobody knows what there is."""
    lines = [re.match(r"// *CHECK(-[A-Z]+)?: *(.*)", check) for check in function.checks]
    lines = [m for m in lines if m and m.group(1) not in ("-LABEL", "-SAME")]
    return any(m.group(1) != "-NEXT" and not (m.group(1) is None and (i == 0 or "return" in m.group(2)))
               for i, m in enumerate(lines))


def compare_bytes(tool, function, closed):
    try:
        theirs = expected_bytes(tool, function)
    except (Unknown, KeyError, ValueError, StopIteration) as unknown:
        return "not read", repr(unknown)
    ours, reason = tool.cost(write_module(function, closed))
    if reason:
        return "refused", reason
    note = "%g bytes, there %g" % (ours, theirs)
    if abs(ours - theirs) < 1:
        return "same", note
    if ours < theirs:
        return "cheaper", note
    return ("loose", note + " as far as the CHECK lines say") if is_loose(function) else ("dearer", note)


# Of these no value stays behind that could be looked at.
GONE = ("sdy.manual_computation", "sdy.sharding_constraint", "sdy.func_data_flow_edge")


def expected_shardings(function):
    """(what, number, expected sharding) of arguments, results, and values by line and result."""
    lines = joined_checks(function.checks)
    if not lines:
        return []
    found = []
    head = re.sub(r"%\[\[(\w+):[^\]]*\]\]", r"%\1", lines[0])
    where = head.find("(")
    if where >= 0 and ("-> " in head or "%arg0" in head):
        end = head.find("-> ")
        arguments = re.split(r"(?=%arg\d+: )", head[where:end] if end >= 0 else head[where:])
        for part in arguments:
            number = re.match(r"%arg(\d+): ", part)
            if number:
                found.append(("argument", int(number.group(1)), sharding_of(part)))
        if end >= 0:
            rest = head[end + 3:].strip()
            if rest.startswith("("):
                try:
                    rest = rest[1:closing(rest, 0) - 1]
                except Unknown:  # The CHECK line ends before its bracket.
                    rest = rest[1:]
            results = split_list(rest)
            for i, part in enumerate(results):
                if part.startswith("tensor"):
                    found.append(("result", i, sharding_of(part)))
    sources = list(all_statements(function.body))
    pointer = 0
    for line in lines[1:]:
        made = re.match(r"(?:%\[\[\w+(?::[^\]]*)?\]\](?::\d+)? = |%\w+(?::\d+)? = )?\"?((?:stablehlo|sdy)\.\w+)\"?", line)
        if not made:
            continue
        of_type, rank = last_type(line), rank_in(line)
        at = next((k for k in range(pointer, len(sources)) if sources[k][0] == made.group(1) and (
            sources[k][3] is None or of_type in (None, sources[k][3]) and
            rank in (None, len((tensor_of(sources[k][3]) or ([],))[0])))), None)
        if at is None or made.group(1) in GONE:
            continue
        pointer = at + 1
        given = re.search(r"#sdy\.sharding_per_value<", line)
        _, at_line, count, _ = sources[at]
        if given is None:
            continue
        end = closing(line, given.end() - 1)
        listed = shardings_in(line[given.end():end])
        if len(listed) == count:
            found += [("value", (at_line, k), s) for k, s in enumerate(listed)]
    return found


CALL = re.compile(r"(stablehlo\.custom_call @\w+\([^)]*\)) *(\{)?((?:[^\n\"]|\"[^\"]*\")*?) : (\([^\n]*?\)) -> ([^\n]*)")


def with_rules(text):
    """Gives calls that stand for any operation a rule through which nothing spreads."""
    def rule(match):
        call, brace, attributes, operands, results = match.groups()
        if "sdy.sharding_rule" in attributes or not re.search("@(sdy_testonly|foo|xla_python_cpu_callback)", call):
            return match.group(0)
        sizes, sides = [], []
        for listed in (operands if "%" in call else "()", results):
            end = closing(listed, 0) if listed.startswith("(") else len(listed)
            types = split_list(listed[1:end - 1]) if listed.startswith("(") else [listed]
            types = [t for t in types if "token" not in t]
            tensors = []
            for dims in ((tensor_of(t) or ([], 0))[0] for t in types):
                names = ["z_%d" % (len(sizes) + k + 1) for k in range(len(dims))]
                sizes += dims
                tensors.append("[%s]" % ", ".join(names))
            sides.append("(%s)" % ", ".join(tensors))
        named = ", ".join("z_%d=%d" % (i + 1, size) for i, size in enumerate(sizes))
        text = "sdy.sharding_rule = #sdy.op_sharding_rule<%s->%s%s, custom>" % (
            sides[0], sides[1], " {%s}" % named if named else "")
        inner = "{%s, %s" % (text, attributes) if brace else " {%s}" % text
        return "%s %s : %s -> %s" % (call, inner, operands, results)
    return CALL.sub(rule, text)


def words_of(path):
    """How golden.partition is to propagate what the file's RUN line gives to a pass of Shardy's."""
    with open(path, encoding="utf-8") as file:
        run = file.readline()
    words = "shardy"
    if "-priority-propagate" in run:
        words += ",priorities"
    if "-sdy-basic-propagate" in run:
        words += ",basic"
    if "-sdy-aggressive-propagate" in run:
        words += ",aggressive"
    return words + (",conservative" if "conservative-propagation=true" in run else "")


def compare_shardings(tool, function, words):
    try:
        expected = expected_shardings(function)
    except (Unknown, KeyError, ValueError, AttributeError) as unknown:
        return "not read", repr(unknown)
    if not any(s for _, _, s in expected):
        return None, None
    module = with_rules(write_module(function, None))
    out = tool.run(module, "--shardings=" + words)
    reason = refusal(out)
    if reason:
        return "refused", reason
    found = {}
    for kind, number, text in re.findall(r"^// (argument|result) (\d+): (.*)", out, re.M):
        found[(kind, int(number))] = text
    first = module[:module.index("@main")].count("\n") + 1
    for line, result, text in re.findall(r"^// value (\d+) %[^:]*#(\d+): (.*)", out, re.M):
        found[("value", (int(line) - first, int(result)))] = text
    for kind, what, sharding in expected:
        if "[[" in (sharding.text if sharding else ""):
            continue  # Whatever it is.
        ours = found.get((kind, what))
        if ours is None and sharding and not any(sharding.dims) and not sharding.tail:
            continue  # A scalar.
        text = "%s %s: %s, there %s" % (kind, what, ours, sharding.text if sharding else "none")
        ours_key = Sharding(ours).key() if ours and SHARDING.match(ours) else None
        if sharding is None:
            if ours_key is not None and any(ours_key[0]):
                return "differs", text
        elif ours_key != sharding.key() and (ours_key is None or any(ours_key[0]) or any(sharding.dims)):
            return "differs", text
    return "same", ""


def table(title, rows, listed):
    counts = collections.Counter(kind for _, kind, _ in rows)
    total = sum(counts.values())
    print("%s: %d functions: %s" % (title, total, ", ".join("%d %s" % (counts[k], k) for k in (
        "same", "cheaper", "dearer", "loose", "differs", "refused", "not read") if counts[k])))
    reasons = collections.Counter(re.sub(r"\d+", "n", note)[:110] for _, kind, note in rows if kind == "refused")
    for reason, count in reasons.most_common(30):
        print("    refused %3d  %s" % (count, reason))
    if listed:
        for name, kind, note in rows:
            if kind not in ("same", "cheaper"):
                print("    %-8s %s: %s" % (kind, name, note))


def files_of(folder, comparison):
    root = os.path.join(folder, TRANSFORMS)
    if comparison == "propagation":
        under = os.path.join(root, "propagation/test")
        names = [n for n in sorted(os.listdir(under)) if n.endswith(".mlir") and "op_sharding_rule" not in n]
        return [os.path.join(under, n) for n in names]
    under = os.path.join(root, "export/test")
    if comparison == "reshards":
        return [os.path.join(under, "reshard_to_collectives.mlir")]
    inner = os.path.join(under, "insert_explicit_reshards")
    skipped = ("errors", "enable_full_version_false")
    return [
        os.path.join(inner, n) for n in sorted(os.listdir(inner))
        if n.endswith(".mlir") and not any(s in n for s in skipped)]


def run(folder, tool, arguments):
    for comparison in ("propagation", "reshards", "products"):
        if arguments.comparison not in (None, comparison):
            continue
        rows = []
        for path in files_of(folder, comparison):
            for module in read_modules(path):
                called = {n for f in module.functions for n in re.findall(r"call @(\w+)", f.text)}
                for function in module.functions:
                    name = "%s:%s" % (os.path.basename(path)[:-5], function.name)
                    if function.name in called or (arguments.only and arguments.only not in name):
                        continue
                    closed = {"propagation": None, "reshards": "arguments", "products": "all"}[comparison]
                    if closed is None:
                        kind, note = compare_shardings(tool, function, words_of(path))
                    else:
                        kind, note = compare_bytes(tool, function, closed)
                    if arguments.only:
                        print(write_module(function, closed))
                    if kind:
                        rows.append((name, kind, note))
        table(comparison, rows, arguments.list or arguments.only)


def unpack(checkout, folder):
    """The checkout's tests; out of the git directory where there is no work tree."""
    if os.path.isdir(os.path.join(checkout, TRANSFORMS)):
        return checkout
    done = subprocess.run(["git", "-C", checkout, "archive", "HEAD", TRANSFORMS], capture_output=True, check=False)
    if done.returncode != 0:
        return None
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def main():
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("--tool", default=os.path.join(top, "build/bin/golden.partition"))
    parser.add_argument("--comparison", choices=["propagation", "reshards", "products"])
    parser.add_argument("--list", action="store_true", help="name what is not the same or cheaper")
    parser.add_argument("--only", help="functions with this in their name, with the module that is compiled")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = unpack(arguments.checkout, scratch) if os.path.isdir(arguments.checkout) else None
        if folder is None:
            print("%s: no checkout of github.com/openxla/shardy here, nothing is compared" % arguments.checkout)
            return 77
        if not os.access(arguments.tool, os.X_OK):
            print("%s: not built (ninja -C build golden.partition)" % arguments.tool)
            return 2
        run(folder, Tool(arguments.tool, scratch), arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
