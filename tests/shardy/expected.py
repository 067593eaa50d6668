"""What Shardy's passes make of a test's function, as far as its CHECK lines say, and what that has chips receive."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import moves  # noqa: E402
from checks import (Sharding, Unknown, axis_size, joined_checks, result_types, shardings_in, split_list,  # noqa: E402
                    tensor_of)
from tool import called_by, cost_of_reshard, main_mesh, sharding_of, step_bytes  # noqa: E402

EXPECTED = re.compile(
    r"(?:%(\w+|\[\[\w+)(?::[^\]]*)?(?:\]\])?(?::\d+)? = )?"
    r"sdy\.(all_gather|all_slice|all_to_all|collective_permute|all_reduce|reduce_scatter|reshard|sharded_to_unreduced|"
    r"replicated_to_unreduced)\b(.*)")
MADE = re.compile(r"%(\w+(?:, %\w+)*|\[\[\w+)(?::[^\]]*)?(?:\]\])?(?::(\d+))? = \"?([\w.]+)\"?(.*)|\"?(stablehlo\.\w+)\"?(.*)")
REFERENCE = re.compile(r"%\{\{\.\*\}\}|%\[\[\w+(?::[^\]]*)?\]\](?:#\d+)?|%\w+(?:#\d+)?")


class Values:
    """What the CHECK lines let one know of the values of Shardy's program, by the names that they have there: dimensions and
    bytes of an element, and the sharding. Values that the lines do not name are those of the source, in its order."""

    def __init__(self, function):
        self.known, self.printed, self.mesh, self.function = {}, [], main_mesh(function), function
        self.moved = 0  # Bytes that operations move themselves as they lie.
        self.sources, self.pointer = list(all_values(function.body)), 0
        for argument in function.arguments:
            self.declare(argument)
        self.before = {name: value for name, value in self.known.items()}
        for names, types, _, _, line in self.sources:
            given = shardings_in(line) if "sdy.sharding" in line or "out_sharding" in line else []
            for i, (name, tensor) in enumerate(zip(names, map(tensor_of, types))):
                if tensor and len(given) >= len(types):
                    self.before[name] = (tensor, given[len(given) - len(types) + i])
                elif tensor:
                    self.before[name] = (tensor, self.replicated(tensor))
            self.enter(types, given, line)

    def enter(self, types, given, line):
        """What the blocks of a loop and of a manual computation have as arguments."""
        manual = re.search(r"manual_axes=\{([^}]*)\}\s*\(([^)]*)\)", line)
        if manual:
            entering = shardings_in(line[:line.index("out_shardings")])
            for argument, sharding in zip(split_list(manual.group(2)), entering):
                name, kind = argument.split(":", 1)
                if tensor_of(kind):
                    inside = Sharding(sharding.text)
                    inside.dims = [[a for a in dim if a not in manual.group(1)] for dim in inside.dims]
                    self.before[name.strip()] = (tensor_of(kind), inside)
        carried = re.findall(r"(%\w+) = %", line.split("\n", 1)[0].split("while", 1)[-1]) if "while" in line else []
        for i, (name, tensor) in enumerate(zip(carried, map(tensor_of, types))):
            if tensor:
                self.before[name] = (tensor, given[i] if len(given) >= len(types) else self.replicated(tensor))

    def replicated(self, tensor):
        return Sharding("<%s, [%s]>" % (self.mesh, ", ".join(["{}"] * len(tensor[0]))))

    def declare(self, argument):
        name, rest = argument.split(":", 1)
        tensor = tensor_of(rest)
        if tensor:
            self.known[name.strip()] = (tensor, sharding_of(rest) or self.replicated(tensor))

    def name_arguments(self, line):
        """%[[ARG0:.*]]: tensor<...> in what is checked of the head."""
        for i, name in enumerate(re.findall(r"%(\[\[\w+):[^\]]*\]\]: ", line)):
            arguments = [k for k in self.known if not k.startswith("%[[")]
            if i < len(arguments):
                self.known["%%%s]]" % name] = self.known[arguments[i]]

    def spelled(self, name, number=None):
        name = "%%%s" % name + ("]]" if name.startswith("[[") else "")
        return name if number is None else "%s#%d" % (name, number)

    def define(self, name, values):
        names = name.split(", %") if name else []
        for i, value in enumerate(values):
            if value is not None:
                if len(names) > 1:
                    self.known["%" + names[i]] = value
                elif name:
                    self.known[self.spelled(name, i if len(values) > 1 else None)] = value
                self.known["%%%d" % len(self.printed) + ("#%d" % i if len(values) > 1 else "")] = value
        self.printed.append(name)

    def find(self, reference):
        """None: nobody says what it is."""
        reference = re.sub(r":[^\]]*\]\]", "]]", reference)
        if reference.startswith("%{{"):
            returned = next((s for s in self.sources[self.pointer:] if s[3] == "return"), None)
            return self.before.get(returned[0][0]) if returned else None
        found = next((s for s in self.sources[self.pointer:] if reference in s[0] and s[3] != "return"), None)
        if reference not in self.known and found and not found[3].startswith("sdy."):
            self.meet(None, found[3], found[4].split("=", 1)[1].split("sdy.sharding")[0], found)
        return self.known.get(reference) or self.before.get(reference)

    def meet(self, name, kind, rest, source=None):
        """An operation of the source: those before it that are not checked are there all the same."""
        found = next((k for k in range(self.pointer, len(self.sources)) if self.sources[k][3] == kind and (
            source is None or self.sources[k] is source)), None)
        if found is None:
            return
        for k in range(self.pointer, found):
            if self.sources[k][3] not in ("return", "stablehlo.constant", "sdy.constant"):
                made = [self.before.get(n) for n in self.sources[k][0]]
                self.moved += moves.bytes_within(self.function.module, *self.sources[k][3:], [
                    self.before.get(o) for o in self.sources[k][2]], made)
                self.define(None, made)
        names, types, _, _, shown = self.sources[found]
        self.pointer = found + 1
        given = shardings_in(rest) if "sdy.sharding" in rest else []
        values, operands = [], [self.find(r) for r in REFERENCE.findall(re.split(r"\(\{|reducer\(", rest)[0])]
        for i, (source, tensor) in enumerate(zip(names, map(tensor_of, types))):
            like = next((o for o in operands[i:] if o and tensor and len(o[0][0]) == len(tensor[0])), None)
            if tensor and len(given) >= len(types):
                values.append((tensor, given[len(given) - len(types) + i]))
            elif tensor and like and kind not in ("stablehlo.dot", "stablehlo.dot_general", "stablehlo.convolution"):
                values.append((tensor, like[1]))
            else:
                values.append(self.before.get(source))
        self.moved += moves.bytes_within(self.function.module, kind, shown, operands, values)
        if kind not in ("stablehlo.constant", "sdy.constant"):
            self.define(name, values)

    def finish(self):
        """The operations of which no line says anything."""
        for _, _, operands, kind, shown in self.sources[self.pointer:]:
            made = [self.before.get(n) for n in self.sources[self.pointer][0]]
            self.moved += moves.bytes_within(self.function.module, kind, shown, [self.before.get(o) for o in operands], made)
            self.pointer += 1


def all_values(body):
    """(names of results, their types, operands, operation, text) of all statements, and what is returned, those of regions
    too, in their order."""
    starts = list(re.finditer(r"^ *(?:(%\w+)(?::(\d+))?((?:, %\w+)*) += )?\"?(?:(?:stablehlo|func|sdy)\.)?(return)\b|"
                              r"^ *(%\w+)(?::(\d+))?((?:, %\w+)*) += \"?([\w.]+)\"?", body, re.M))
    for k, match in enumerate(starts):
        text = body[match.start():starts[k + 1].start() if k + 1 < len(starts) else len(body)]
        operands = re.findall(r"%\w+(?:#\d+)?", text.split("=", 1)[-1])
        if match.group(4):
            yield operands, [], operands, "return", text
            continue
        count = int(match.group(6) or 1)
        names = ["%s#%d" % (match.group(5), i) for i in range(count)] if match.group(6) else [match.group(5)]
        names += re.findall(r"%\w+", match.group(7))
        whole = body[match.start():]
        try:
            types = result_types(statement_text(whole, 0), len(names))
        except Unknown:
            types = None
        shown = statement_text(whole, 0) if "({" in text.split("\n")[0] or "while" in match.group(8) else text
        yield names, types or [], operands, match.group(8), shown


def statement_text(text, at):
    """A statement with its regions: until a line ends with as many brackets closed as opened."""
    depth, quoted = 0, False
    for i in range(at, len(text)):
        c = text[i]
        if c == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] != "-"):
            depth -= 1
        elif c == "\n" and depth == 0 and not re.match(r"\s*(?::|->|\(|\{|attributes|cond|do|reducer|dim_numbers|window|in_shardings)",
                                                       text[i:]):
            return text[:i]
    return text


def shards_of(module, sharding, d):
    return moves.count_of(module.meshes[sharding.mesh], sharding.dims[d] if d < len(sharding.dims) else [])


def padded(module, dims, lines):
    """The size that an array keeps on its way through the shardings of some lines: axes that do not divide a dimension pad it, and
    what a chip has is a part of that."""
    found = list(dims)
    for sharding in (s for line in lines for s in shardings_in(line)):
        for d, extent in enumerate(dims if len(sharding.dims) == len(dims) else []):
            shards = shards_of(module, sharding, d)
            found[d] = max(found[d], -(-extent // shards) * shards)
    return found


def bytes_of(module, value):
    """What a chip has."""
    (dims, element), sharding = value
    size = element
    for d, extent in enumerate(dims):
        size *= -(-extent // shards_of(module, sharding, d))
    return size


def bytes_of_step(tool, module, kind, rest, before, after, lines):
    """Bytes that one of Shardy's operations has a chip receive."""
    if kind == "reshard":
        return cost_of_reshard(tool, module, before[0][0], before[0][1], before[1], after[1])
    before, after = (((padded(module, v[0][0], lines), v[0][1]), v[1]) for v in (before, after))
    held = bytes_of(module, before)
    if kind == "all_gather":
        return bytes_of(module, after) - held
    if kind in ("all_to_all", "all_reduce", "reduce_scatter"):
        n = 1
        for axis in re.findall(r'"[^"]+"(?::\(\d+\)\d+)?', rest[:rest.index("%")]):
            n *= axis_size(module.meshes[after[1].mesh], axis)
        return step_bytes(kind, max(held, bytes_of(module, after)) if kind == "all_to_all" else held, n)
    return held if kind == "collective_permute" else 0


def whole_lines(checks):
    """CHECK lines; where one begins in the middle of an operation, it belongs to the one before."""
    lines = []
    for line in joined_checks(checks):
        if lines and re.match(r"\{?sdy\.sharding|\} : |\(%arg", line):
            lines[-1] += " " + line
        else:
            lines.append(line)
    return lines


def unchecked_sums(values, module, lines):
    """A product over sharded dimensions is summed, though a test may only say that nothing is resharded."""
    total = 0
    for names, _, operands, kind, _ in values.sources:
        if kind != "stablehlo.dot":
            continue
        made, given = values.before.get(names[0]), [values.before.get(o) for o in operands[:2]]
        if any("all_reduce" in line for line in lines) or None in (made, *given):
            continue
        axes = [axis for axis in given[0][1].dims[-1] if axis in given[1][1].dims[0]]
        total += step_bytes("all_reduce", bytes_of(module, made), moves.count_of(module.meshes[made[1].mesh], axes))
    return total


def expected_bytes(tool, function, seen=()):
    """Bytes that what Shardy makes of the function has each chip receive."""
    module, total, values = function.module, 0.0, Values(function)
    lines = whole_lines(function.checks)
    values.name_arguments(lines[0] if lines else "")
    for line in lines[1:]:
        match = EXPECTED.match(line)
        if not match:
            values.name_arguments(line) if "func" in line else None
            made = MADE.match(line)
            if made and made.group(3):
                values.meet(made.group(1), made.group(3), made.group(4))
            elif made:
                values.meet(None, made.group(5), made.group(6))
            continue
        name, kind, rest = match.groups()
        given, operand = shardings_in(rest), REFERENCE.search(rest)
        before = values.find(operand.group(0)) if operand else None
        if before is None or not given:
            raise Unknown("where the operand of its sdy.%s comes from" % kind)
        after = (before[0], given[-1])
        same = [l for l in lines if EXPECTED.match(l)] + function.arguments
        total += bytes_of_step(tool, module, kind, rest, (before[0], after[1]) if kind == "all_reduce" else before, after, same)
        values.define(name, [after])
    values.finish()
    total += values.moved + unchecked_sums(values, module, lines)
    names = {f.name: f for f in module.functions}
    for called in called_by(function, names):
        if called != function.name and called not in seen:
            total += expected_bytes(tool, names[called], (*seen, function.name, called))
    return total
