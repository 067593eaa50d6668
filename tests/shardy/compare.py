#!/usr/bin/env python3
"""What our partitioner makes of Shardy's own tests, function by function.

    tests/shardy/compare.py CHECKOUT [--tool build/bin/golden.partition] [--list] [--only TEXT]

CHECKOUT is a checkout of github.com/openxla/shardy, or a git directory with one; nothing of it is part of this project, and
without it there is nothing to compare: the script says so and ends with status 77. Three comparisons, a table each:

    propagation   shardings of arguments, results and operations as the CHECK lines have them (axes of every dimension)
    reshards      bytes that a chip receives for what reshard_to_collectives.mlir makes of a reshard
    products      the same for insert_explicit_reshards: collectives there are and reshards, at what a reshard costs us, and
                  what operations exchange themselves as they lie there (moves.py), which those passes leave to others

Bytes that the chip receives which receives the most, of n chips with b bytes each before: all_gather b (n-1), all_reduce
2 b (n-1)/n, reduce_scatter and all_to_all b (n-1)/n, collective_permute b; slices are free. An array that axes do not divide has
its padding there as here. --list names every function that is not the same or cheaper; "loose" is dearer where the CHECK lines
leave operations out.

checks.py reads the tests, expected.py what their CHECK lines say, tool.py has our side.
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

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import (Sharding, Unknown, SHARDING, all_statements, closing, joined_checks, last_type, rank_in,  # noqa: E402
                    read_modules, shardings_in, split_list, tensor_of)
from expected import expected_bytes  # noqa: E402
from tool import Tool, refusal, sharding_of, write_module  # noqa: E402

TRANSFORMS = "shardy/dialect/sdy/transforms"


# --- Comparisons ---


def is_loose(function):
    """Whether the expectation leaves operations out, so that nobody knows what there is."""
    lines = [re.match(r"// *CHECK(-[A-Z]+)?: *(.*)", check) for check in function.checks]
    lines = [m for m in lines if m and m.group(1) not in ("-LABEL", "-SAME")]
    ends = not lines or "return" in lines[-1].group(2)
    return not ends or any(m.group(1) != "-NEXT" and not (m.group(1) is None and (i == 0 or "return" in m.group(2)))
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
