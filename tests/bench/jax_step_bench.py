#!/usr/bin/env python3
"""A GPT's training step on a pod beside JAX's CPU backend: seconds a step, and seconds to compile it.

Usage: tests/jax/environment.py run build/jax tests/bench/jax_step_bench.py [--sizes S,…] [--layouts L,…] [--dtypes D,…]
           [--steps N] [--only pod|cpu]

The model is that of the tests (tests/jax/training/gpt.py), in their size (`small`) and in one whose time is computation
(`medium`: 256 wide, 2 layers, 8 sequences of 256); the step is theirs too, AdamW and donation included. Both sides have as many devices
(PODIUM_TOPOLOGY) on the cores of this machine, each in a process of its own that waits while the other computes: steps alternate, so
that a machine that is busy with something else slows both. Printed are medians of the steps' times after two that warm up, the
medians of the CPU time that all processes of a side took for a step (of a busy machine the better measure), the time of
lower().compile(), without JAX's tracing, and the ratios of all three. A step ends when the loss and all parameters are there.

Targets: a step in f32 at most 1.3, in bf16 at most 1.0 of the CPU backend's; compilation at most 1.0.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
JAX_TESTS = HERE.parent / "jax"
sys.path[:0] = [str(JAX_TESTS), str(JAX_TESTS / "training")]
SIZES = {"small": {},
         "medium": dict(VOCABULARY=512, LENGTH=256, WIDTH=256, HEADS=8, HIDDEN=1024, LAYERS=2, BATCH=8)}
TARGETS = {"float32": 1.3, "bfloat16": 1.0}
WARM_UP = 2


def serve():
    """One side: answers the lines of commands, JSON each, that come on standard input."""
    import jax
    import jax.numpy as jnp
    import gpt
    import train
    original = {name: getattr(gpt, name) for name in SIZES["medium"]}
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What libraries print does not disturb the answers.
    compiled = params = state = next_batch = batch = None
    for line in sys.stdin:
        command = json.loads(line)
        answer = {}
        if command["do"] == "prepare":
            for name, value in {**original, **SIZES[command["size"]]}.items():
                setattr(gpt, name, value)
            compiled = params = state = None  # Memory of the last case goes first.
            step, params, state, next_batch = train.prepared(gpt, command["layout"], jnp.dtype(command["dtype"]))
            traced = step.trace(params, state, next_batch())
            began = time.monotonic()
            compiled = traced.lower().compile()
            answer["seconds"] = time.monotonic() - began
        elif command["do"] == "batch":
            batch = jax.block_until_ready(next_batch())
        else:
            began = time.monotonic()
            params, state, loss = compiled(params, state, batch)
            jax.block_until_ready((params, state, loss))
            answer["seconds"] = time.monotonic() - began
            answer["loss"] = float(loss)
        print(json.dumps(answer), file=answers, flush=True)


class Side:
    """A process that serves, and those that it starts, which inherit a mark in their environment."""

    def __init__(self, where):
        import backend
        self.mark = f"JAX_STEP_BENCH={where}.{os.getpid()}"
        self.process = subprocess.Popen([sys.executable, "-B", __file__, "--serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True,
                                        env=backend.environment(where, **dict([self.mark.split("=")])))
        self.processes = []

    def ask(self, **command):
        print(json.dumps(command), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"a side ended with {self.process.wait()} instead of answering {command}")
        return json.loads(line)

    def find_processes(self):
        """Finds those that the side consists of by now."""
        self.processes = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    self.processes.append(folder)
            except OSError:  # It is another user's, or has ended.
                continue

    def cpu_seconds(self):
        """Taken until now by the threads that are there."""
        total_ns = 0
        for folder in self.processes:
            for thread in folder.glob("task/*/schedstat"):
                try:
                    total_ns += int(thread.read_text().split()[0])
                except OSError:
                    continue
        return total_ns / 1e9

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def measure(sides, size, layout, dtype, steps):
    """By side: (seconds of a step, its CPU seconds, seconds of compilation, last loss)."""
    compile_s = {name: side.ask(do="prepare", size=size, layout=layout, dtype=dtype)["seconds"] for name, side in sides.items()}
    wall = {name: [] for name in sides}
    busy = {name: [] for name in sides}
    last = {}
    for side in sides.values():
        side.find_processes()
    for _ in range(WARM_UP + steps):
        for name, side in sides.items():
            side.ask(do="batch")
            before = side.cpu_seconds()
            answer = side.ask(do="step")
            busy[name].append(side.cpu_seconds() - before)
            wall[name].append(answer["seconds"])
            last[name] = answer["loss"]
    middle = lambda values: statistics.median(values[WARM_UP:])
    return {name: (middle(wall[name]), middle(busy[name]), compile_s[name], last[name]) for name in sides}


def text_of(row, dtype):
    text = "".join(f"{wall * 1e3:8.1f} ms{busy * 1e3:8.1f} ms{compiled:7.2f} s{loss:9.4f}" for wall, busy, compiled, loss in row.values())
    if len(row) == 2:
        wall, busy, compiled = (row["pod"][i] / row["cpu"][i] for i in range(3))
        text += f"   {wall:5.2f}{busy:9.2f}{compiled:12.2f}   ({TARGETS[dtype]})"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    parser.add_argument("--sizes", type=words, default=list(SIZES))
    parser.add_argument("--layouts", type=words, default=["data", "fsdp", "tensor", "2d"])
    parser.add_argument("--dtypes", type=words, default=list(TARGETS))
    parser.add_argument("--steps", type=int, default=9)
    parser.add_argument("--only", choices=("pod", "cpu"))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    sides = {name: Side(name) for name in ([options.only] if options.only else ("pod", "cpu"))}
    print(f"{'':26}" + "".join(f"{name + ' step':>11}{'CPU time':>11}{'compile':>9}{'loss':>9}" for name in sides)
          + ("   ratio CPU time compilation (target)" if len(sides) == 2 else ""), flush=True)
    for size in options.sizes:
        for layout in options.layouts:
            for dtype in options.dtypes:
                row = measure(sides, size, layout, dtype, options.steps)
                print(f"{size:8}{layout:8}{dtype:10}{text_of(row, dtype)}", flush=True)
    for side in sides.values():
        side.end()


if __name__ == "__main__":
    main()
