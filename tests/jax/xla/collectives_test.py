#!/usr/bin/env python3
"""The bytes that this partitioner moves for random sharded programs, against XLA's own partitioner.

    python collectives_test.py BIN [--seeds 0-99] [--family NAME] [--list] [--keep FOLDER]

JAX lowers a program with its shardings (cases.py) for eight CPU devices. XLA's partitioner compiles it, and its HLO says which
collectives it needs; `podium explain --json` says ours. Counted is what a chip receives, of n chips with b bytes each before:
all_gather b (n-1), all_reduce 2 b (n-1)/n, reduce_scatter and all_to_all b (n-1)/n, collective_permute b, in loops by turn. XLA's
backend for the CPU makes no reduce_scatter: an all_reduce of which each device cuts its part counts as one.

Prints a table by family and, with --list, the programs for which ours moves more. Fails when ours moves more in all, or for
more programs than it should (MORE).
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases  # noqa: E402

MORE = 0.1  # Of the programs may move more, as a collective less may be worth some bytes.
BYTES = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8}
KINDS = {"all-gather": "all_gather", "all-reduce": "all_reduce", "reduce-scatter": "reduce_scatter", "all-to-all": "all_to_all",
         "collective-permute": "collective_permute"}


def step_bytes(kind, size, n):
    return {"all_gather": size * (n - 1), "all_reduce": 2 * size * (n - 1) / n, "reduce_scatter": size * (n - 1) / n,
            "all_to_all": size * (n - 1) / n, "collective_permute": size}[kind]


# --- XLA's program ---


def size_of(text):
    """Bytes of the arrays that a type has."""
    total = 0
    for dtype, dims in re.findall(r"(\w+)\[([\d,]*)\]", text):
        size = BYTES[dtype]
        for dim in dims.split(",") if dims else []:
            size *= int(dim)
        total += size
    return total


def group_size(line):
    listed = re.search(r"replica_groups=\[\d+,(\d+)\]<=", line)
    if listed:
        return int(listed.group(1))
    listed = re.search(r"replica_groups=\{\{([\d,]*)\}", line)
    if listed:
        return len(listed.group(1).split(","))
    mesh = re.search(r"replica_groups=mesh\[([^]]*)\].*? \{([^}]*)\}", line)
    if mesh:
        sizes, count = dict(re.findall(r"'(\w+)'=(\d+)", mesh.group(1))), 1
        for axis, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", mesh.group(2)):
            count *= int(part or sizes[axis])
        return count
    return 8


class Hlo:
    """The instructions of XLA's program by computation, each name with its type, operation and the rest of its line."""

    def __init__(self, text):
        self.computations, self.entry = {}, None
        name = None
        for line in re.sub(r"/\*index=\d+\*/", "", text).split("\n"):
            head = re.match(r"(ENTRY )?%?([\w.-]+) (?:\(.*)?\{$", line)
            if head and "=" not in line.split("(")[0]:
                name = head.group(2)
                self.computations[name] = []
                self.entry = name if head.group(1) else self.entry
            made = re.match(r"\s+(?:ROOT )?%?([\w.-]+) = (\([^=]*?\)|\S+) ([\w-]+)\((.*)", line)
            if made and name:
                self.computations[name].append(made.groups())

    def users(self, computation, name):
        return [i for i in self.computations[computation] if re.search(r"%%%s\b(?![.-])" % re.escape(name), i[3])]

    def is_cut(self, computation, name, size, n):
        users = self.users(computation, name)
        return bool(users) and all("dynamic-slice" in u[0] and size_of(u[1]) * n == size for u in users)

    def collectives(self, computation=None, turns=1):
        """(kind, bytes) of every one."""
        found, computation = [], computation or self.entry
        for name, kind, operation, rest in self.computations[computation]:
            called = re.search(r"body=%?([\w.-]+)", rest)
            if operation == "while" and called:
                trips = re.search(r'"known_trip_count":\{"n":"(\d+)"\}', rest)
                found += self.collectives(called.group(1), turns * int(trips.group(1) if trips else 1))
            for listed in re.findall(r"(?:branch_computations=\{([^}]*)\}|to_apply=%?([\w.-]+))", rest if operation in (
                    "conditional", "call") else ""):
                for branch in re.findall(r"[\w.-]+", listed[0] or listed[1]):
                    found += self.collectives(branch, turns)
            operation = operation.removesuffix("-start")
            if operation not in KINDS:
                continue
            n, made = group_size(rest), size_of(kind)
            held = {"all-gather": made / n, "reduce-scatter": made * n}.get(operation, made)
            our_kind = KINDS[operation]
            if operation == "all-reduce" and self.is_cut(computation, name, made, n):
                our_kind = "reduce_scatter"
            found.append((our_kind, turns * step_bytes(our_kind, held, n)))
        return found


# --- Ours ---


def ours(podium, text, scratch):
    path = os.path.join(scratch, "program.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([podium, "explain", path, "-t", "4x2", "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip().split("\n")[0]
    said = json.loads(done.stdout)
    # What goes over links counts hops; what a chip receives follows from the operand. Turns are told by group.
    turns = {(e["op"], e["axes"], e["source"], e["because"]): e["runs"] / e["count"] for e in said["explained"]}
    found = []
    for one in said["program"]["collectives"]:
        times = turns.get((one["op"], one["axes"], one["source"], one.get("because", "")), 1)
        found.append((one["op"], times * step_bytes(one["op"], size_of(one["operand"]), one["group_size"])))
    return found, None


def compare(seed, podium, scratch):
    import jax
    import numpy
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    family, draw, function = cases.draw_case(seed)
    mesh = Mesh(numpy.array(jax.devices()).reshape(list(draw.mesh.values())), tuple(draw.mesh))

    def named(spec):
        return NamedSharding(mesh, PartitionSpec(*[dim or None for dim in spec]))
    arguments = [jax.ShapeDtypeStruct(s, d) for s, d in zip(draw.shapes, draw.dtypes)]
    results = jax.eval_shape(function, *arguments)
    wanted = jax.tree.map(lambda r: named(draw.spec(r.shape)), results)
    lowered = jax.jit(function, in_shardings=tuple(map(named, draw.specs)), out_shardings=wanted).lower(*arguments)
    text = lowered.as_text()
    theirs = Hlo(lowered.compile().as_text()).collectives()
    mine, refused = ours(podium, text, scratch)
    return family, mine, theirs, refused, text


def told(collectives):
    counts = collections.Counter()
    for kind, size in collectives:
        counts[kind] += size
    return ", ".join("%s %g" % pair for pair in sorted(counts.items())) or "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="the folder of podium")
    parser.add_argument("--seeds", default="0-99")
    parser.add_argument("--family", help="only this one")
    parser.add_argument("--list", action="store_true", help="the programs for which ours moves more")
    parser.add_argument("--keep", help="where the programs that are listed are written to")
    arguments = parser.parse_args()
    first, last = (arguments.seeds.split("-") * 2)[:2]
    podium, rows, failures = os.path.join(arguments.bin, "podium"), collections.defaultdict(list), 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(int(first), int(last) + 1):
            if arguments.family and cases.draw_case(seed)[0] != arguments.family:
                continue
            family, mine, theirs, refused, text = compare(seed, podium, scratch)
            if refused:
                print("seed %d, %s: refused: %s" % (seed, family, refused))
                failures += 1
                continue
            a, b = sum(s for _, s in mine), sum(s for _, s in theirs)
            rows[family].append((a, b))
            if arguments.list and a > b + 0.5:
                print("seed %d, %s: %g bytes (%s), XLA %g (%s)" % (seed, family, a, told(mine), b, told(theirs)))
                if arguments.keep:
                    os.makedirs(arguments.keep, exist_ok=True)
                    with open(os.path.join(arguments.keep, "%d.mlir" % seed), "w", encoding="utf-8") as file:
                        file.write(text)
    print("%-12s %8s %6s %6s %6s %12s %12s" % ("family", "programs", "fewer", "same", "more", "bytes", "XLA's"))
    everything = [pair for pairs in rows.values() for pair in pairs]
    for family, pairs in [*sorted(rows.items()), ("all", everything)]:
        fewer, more = (sum(sign * (a - b) > 0.5 for a, b in pairs) for sign in (-1, 1))
        print("%-12s %8d %6d %6d %6d %12.0f %12.0f" % (family, len(pairs), fewer, len(pairs) - fewer - more, more, sum(
            a for a, _ in pairs), sum(b for _, b in pairs)))
    more = sum(a > b + 0.5 for a, b in everything)
    if failures or sum(a for a, _ in everything) > sum(b for _, b in everything) or more > MORE * len(everything):
        print("failed: %d refused, ours moves more for %d of %d programs" % (failures, more, len(everything)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
