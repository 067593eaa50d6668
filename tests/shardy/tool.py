"""Modules for our partitioner, and what its programs have chips receive."""

import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import Unknown, shardings_in, split_list, tensor_of  # noqa: E402

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


def as_returned(function, index, declared):
    """A result without a sharding has that of the reshard that is returned: nothing else comes behind it there."""
    values = re.search(r"^ *(?:func\.)?return ([^:]*) :", function.body, re.M)
    name = values and split_list(values.group(1))[index]
    made = name and re.search(r"^ *%s = sdy\.reshard [^<]*(<.*>) :" % re.escape(name), function.body, re.M)
    if "sdy.sharding" in declared or not made:
        return declared
    return declared + " {sdy.sharding = #sdy.sharding%s}" % made.group(1)


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
    elif closed:
        results = [as_returned(function, i, r) for i, r in enumerate(results)]
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


def numbers_within(line, name):
    listed = re.search(name + r" = dense<(.*?)> : tensor<(\d+)x(\d+)xi64>", line)
    if not listed:
        return []
    numbers, width = [int(n) for n in re.findall(r"-?\d+", listed.group(1))], int(listed.group(3))
    return [numbers[i:i + width] for i in range(0, len(numbers), width)]


def measure(out):
    """(bytes, reason): what the chip receives that receives the most in our program."""
    reason = refusal(out)
    if reason:
        return None, reason
    received, lines = collections.Counter(), out.split("\n")
    for i, line in enumerate(lines):
        match = COLLECTIVE.search(line)
        if not match:
            continue
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
        for source, target in numbers_within(line, "source_target_pairs"):
            received[target] += size if source != target else 0
        for group in numbers_within(line, "replica_groups"):
            for chip in group:
                received[chip] += step_bytes(match.group(1), size, len(group))
    return max(received.values(), default=0.0), None


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
