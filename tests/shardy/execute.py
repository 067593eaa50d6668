#!/usr/bin/env python3
"""Runs Shardy's own executable tests with this partitioner, and compares the values that they expect.

    tests/shardy/execute.py CHECKOUT [--build build] [--only TEXT]

CHECKOUT is a checkout of github.com/openxla/shardy, or a git directory with one; without it the script says so and ends with
status 77. A test has functions over whole arrays, with shardings, and a @main that runs them on several devices
(interpreter.run_parallel) and checks what each of them has. Here each function is partitioned by this compiler instead of
Shardy's passes, which gives the program of one device; @main then runs that on a pod of as many chips. Prints a line for
every test that does not give what it expects, and their number. Floats that shall be equal may differ in the last bit, and a line
says so: a product here adds what it multiplies without rounding in between, and a sum of two products cannot do so.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import checks  # noqa: E402
import compare  # noqa: E402
import tool as tools  # noqa: E402

FOLDERS = ("export/test/executable_partitioner_pipeline", "export/test/executable_convert_global_to_local",
           "import/test/executable_explicit_gather_scatter_batching")
# Of what moves a value to another sharding nothing stays in the function over whole arrays.
MOVES = re.compile(r"(%\w+) = sdy\.(?:reshard|all_gather|all_slice|all_to_all|collective_permute|sharding_constraint)\b[^%]*"
                   r"(%\w+)\b[^\n]*?: (tensor<[^\n]*>)")
ATTRIBUTE = re.compile(r"(?:,\s*)?(?:mhlo\.)?sdy\.sharding = (?:#sdy\.sharding(?:_per_value)?<)")


class Failed(Exception):
    """Why a test did not give what it expects."""


def without_shardings(text):
    text = re.sub(r"//[^\n]*", "", text)
    while True:
        match = ATTRIBUTE.search(text)
        if not match:
            break
        text = text[:match.start()] + text[checks.closing(text, match.end() - 1):]
    text = re.sub(r"\{\s*,", "{", re.sub(r"\{\s*(?:,\s*)?\}", "", text))
    return MOVES.sub(r"\1 = stablehlo.optimization_barrier \2 : \3", text)


def functions_of(text):
    """(name, text) in their order; what stands between them is left out."""
    found = []
    for match in re.finditer(r"^(func\.)?func ", text, re.M):
        end = re.search(r"^\}", text[match.start():], re.M)
        body = text[match.start():match.start() + end.end()]
        found.append((re.search(r"@(\w+)", body).group(1), body))
    return found


def partitioned(tool, scratch, meshes, name, text, devices):
    """The function for one device."""
    path = os.path.join(scratch, "function.mlir")
    with open(path, "w", encoding="utf-8") as file:
        main = re.sub(r"^(?:func\.)?func (?:public )?@%s\b" % name, "func.func public @main", text)
        file.write("// devices: %d\n%s\n%s\n" % (devices, meshes, main))
    done = subprocess.run([tool, "--print", path], capture_output=True, text=True, timeout=60, check=False)
    reason = tools.refusal(done.stdout)
    if done.returncode != 0 or reason:
        raise Failed("@%s: %s" % (name, reason or "status %d" % done.returncode))
    start = done.stdout.index("func.func public @main")
    end = re.search(r"^  \}", done.stdout[start:], re.M).end()
    return done.stdout[start:start + end].replace("func.func public @main", "func.func @" + name, 1)


EXACT = re.compile(r'"check\.expect_eq"(\([^)]*\)) : (\(tensor<[^>]*f(?:16|32|64)>)')


def run_test(path, tool, podium, scratch, within=0):
    """`within`: units in the last place by which floats may differ."""
    with open(path, encoding="utf-8") as file:
        source = file.read()
    parts = dict(re.findall(r"^//--- (part\d)\.mlir\n(.*?)(?=^//--- |\Z)", source, re.M | re.S))
    meshes = "".join(m + "\n" for m in re.findall(r"^sdy\.mesh .*", parts["part1"], re.M))
    grids = re.findall(r"programs = (\[.*?\]\s*\])", parts["part2"], re.S)
    run_on = {name: len(re.findall(r"@\w+", grid)) for grid in grids for name in re.findall(r"@(\w+)", grid)}
    functions = functions_of(parts["part1"])
    # Some tests give one function to different passes, under different names.
    for old, new in re.findall(r"^// RUN: .*sed 's/(\w+)/(\w+)/g' >", source, re.M):
        functions += [(new, text.replace("@" + old, "@" + new)) for name, text in functions if name == old]
    names = [name for name, _ in functions]
    combined = ""
    for name, text in functions:
        combined += (partitioned(tool, scratch, meshes, name, text, run_on[name]) if name in run_on else text) + "\n"
        if name.startswith("parallel_") and not any(n.startswith("sequential_") for n in names):
            combined += without_shardings(text).replace("@parallel_", "@sequential_") + "\n"
        if name.startswith("transformed_"):
            combined += text.replace("@transformed_", "@original_") + "\n"
    text = parts["part2"]
    if within > 0:
        text, count = EXACT.subn(r'"check.expect_close"\1 {max_ulp_difference = %d : i64} : \2' % within, text)
        if count == 0:
            raise Failed("none of its values are floats")
    run_main(podium, scratch, combined, text)


def execute(podium, scratch, text, chips, options):
    program = os.path.join(scratch, "test.mlir")
    with open(program, "w", encoding="utf-8") as file:
        file.write(text)
    topology = {1: "1x1", 2: "2x1", 4: "2x2", 8: "4x2"}.get(chips, "%dx1" % chips)
    done = subprocess.run([podium, "run", program, "-t", topology, *options], capture_output=True, text=True, timeout=120,
                          check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.split("\n") if line and not line.startswith("pod of ")]
        raise Failed((lines or ["status %d" % done.returncode])[0].replace(program + ":", ""))


PARALLEL = re.compile(r'^ *(%\w+)(?::(\d+))? = "interpreter\.run_parallel"\(.*?\) *(?:<?\{)\s*programs = (\[.*?\]\s*\])\s*\}>? *'
                      r":.*?->\s*(\([^)]*\)|tensor<[^\n]*>)", re.M | re.S)


def run_main(podium, scratch, functions, text):
    """What runs on several devices by itself, one after the other, then what is done with the results on one."""
    main = re.sub(r"//[^\n]*", "", text)
    arguments, options = [], []
    while True:
        match = PARALLEL.search(main)
        if not match:
            break
        name, count, grid, listed = match.groups()
        types = checks.split_list(listed[1:-1]) if listed.startswith("(") else [listed]
        values = ["%s#%d" % (name, i) for i in range(int(count))] if count else [name]
        programs = re.findall(r"@\w+", grid)
        body = main[:match.end()].replace(grid, "[[%s]]" % ", ".join(programs))
        body = re.sub(r'^ *"?check\.[^\n]*\n', "", body, flags=re.M)
        body += "\n  return %s : %s\n}\n" % (", ".join(values), ", ".join(types))
        body = body.replace("func.func @main()", "func.func @main(%s) -> (%s)" % (", ".join(arguments), ", ".join(types)))
        files = [os.path.join(scratch, "%s.%d.npy" % (name[1:], i)) for i in range(len(values))]
        written = [word for i, file in enumerate(files) for word in ("-o", "%d=%s" % (i, file))]
        execute(podium, scratch, functions + body, len(programs), options + written)
        for i, (file, value, kind) in enumerate(zip(files, values, types)):
            argument = "%%%s_of_%d" % (name[1:], i)
            main = re.sub(re.escape(value) + (r"(?!\w)" if count else r"(?![\w#])"), argument, main)
            arguments.append("%s: %s" % (argument, kind))
            options += ["-i", "%d=%s" % (len(arguments) - 1, file)]
        match = re.search(r'^ *%\w+(?::\d+)? = "interpreter\.run_parallel".*?->\s*(\([^)]*\)|tensor<[^\n]*>)', main, re.M | re.S)
        main = main[:match.start()] + main[match.end():]
    main = main.replace("func.func @main()", "func.func @main(%s)" % ", ".join(arguments))
    execute(podium, scratch, functions + main, 1, options)


def main():
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("--build", default=os.path.join(top, "build"))
    parser.add_argument("--only", default="", help="tests with this in their name")
    arguments = parser.parse_args()
    tool, podium = (os.path.join(arguments.build, "bin", name) for name in ("golden.partition", "podium"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = compare.unpack(arguments.checkout, scratch) if os.path.isdir(arguments.checkout) else None
        if folder is None:
            print("%s: no checkout of github.com/openxla/shardy here, nothing is run" % arguments.checkout)
            return 77
        good = rounded = count = 0
        for group in FOLDERS:
            under = os.path.join(folder, compare.TRANSFORMS, group)
            for name in sorted(n for n in os.listdir(under) if n.endswith(".mlir") and arguments.only in n):
                count += 1
                try:
                    run_test(os.path.join(under, name), tool, podium, scratch)
                    good += 1
                except Failed as failed:
                    title = "%s/%s" % (os.path.basename(group), name[:-5])
                    try:
                        run_test(os.path.join(under, name), tool, podium, scratch, within=1)
                        good, rounded = good + 1, rounded + 1
                        print("%s: but for the last bit of floats" % title)
                    except Failed:
                        print("%s: %s" % (title, failed))
        print("%d of %d tests give the values that they expect, %d of them but for the last bit of floats" % (good, count, rounded))
    return 0 if good == count else 1


if __name__ == "__main__":
    sys.exit(main())
