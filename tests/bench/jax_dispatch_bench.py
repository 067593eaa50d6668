#!/usr/bin/env python3
"""What a call of a jitted function costs from JAX, on one chip of a pod and on JAX's own CPU backend, side by side.

    latency     x + 1 on 8 floats, from the call to the result being there (block_until_ready)
    throughput  1,000 calls of which each takes the result of the one before, waited for at the end

Usage: jax_dispatch_bench.py [ROUNDS [CALLS]]     (20 200)

A round measures CALLS calls of the one, then of the other, so that a machine whose speed changes changes both; what is printed is
the median of all calls, and the median over the rounds of the ratio of the two. The Python is the one of tests/jax/environment.py
(tests/jax/README.md); PODIUM_PJRT_PLUGIN is the plugin's file, as there.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import time

CHAIN_CALLS = 1000
TARGET_US, TARGET_CALLS = 120, 30000


def latencies_us(function, argument, calls):
    function(argument).block_until_ready()
    taken = []
    for _ in range(calls):
        start = time.perf_counter_ns()
        function(argument).block_until_ready()
        taken.append((time.perf_counter_ns() - start) / 1e3)
    return taken


def chain_calls_per_s(function, argument):
    start = time.perf_counter()
    for _ in range(CHAIN_CALLS):
        argument = function(argument)
    argument.block_until_ready()
    return CHAIN_CALLS / (time.perf_counter() - start)


def measure(rounds, calls):
    import jax
    import numpy

    increment = jax.jit(lambda x: x + 1)
    arguments = {name: jax.device_put(numpy.zeros(8, numpy.float32), jax.devices(name)[0]) for name in ("tpu", "cpu")}
    latency = {name: [] for name in arguments}
    chain = {name: [] for name in arguments}
    for argument in arguments.values():
        latencies_us(increment, argument, calls)  # Compiles, and warms up.
    for _ in range(rounds):
        for name, argument in arguments.items():
            latency[name].append(latencies_us(increment, argument, calls))
    for _ in range(rounds):
        for name, argument in arguments.items():
            chain[name].append(chain_calls_per_s(increment, argument))
    report(latency, chain)


def report(latency, chain):
    middle = {name: [statistics.median(taken) for taken in rounds] for name, rounds in latency.items()}
    for name, shown in (("tpu", "pod"), ("cpu", "CPU")):
        taken = sorted(sum(latency[name], []))
        print(f"x + 1 on the {shown}: p50 {statistics.median(taken):7.1f} us   p99 {taken[len(taken) * 99 // 100]:8.1f} us   "
              f"best round {min(middle[name]):7.1f} us")
    ratios = [pod / cpu for pod, cpu in zip(middle["tpu"], middle["cpu"])]
    print(f"pod / CPU: {statistics.median(ratios):.1f} times (target: {TARGET_US} us)")
    for name, shown in (("tpu", "pod"), ("cpu", "CPU")):
        print(f"{CHAIN_CALLS} dependent calls on the {shown}: {statistics.median(chain[name]):8.0f} calls/s   "
              f"best round {max(chain[name]):8.0f} calls/s")
    ratios = [pod / cpu for pod, cpu in zip(chain["tpu"], chain["cpu"])]
    print(f"pod / CPU: {statistics.median(ratios):.2f} of its calls/s (target: {TARGET_CALLS} calls/s)")


def main(words):
    if os.environ.get("JAX_DISPATCH_BENCH") == "child":
        measure(*map(int, words))
        return
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "jax"))
    import backend

    os.environ.setdefault("PODIUM_TOPOLOGY", "1x1")
    rounds, calls = (words + ["20", "200"][len(words):])[:2]
    environment = backend.environment("pod", JAX_DISPATCH_BENCH="child")
    sys.exit(subprocess.run([sys.executable, __file__, rounds, calls], env=environment, check=False).returncode)


if __name__ == "__main__":
    main(sys.argv[1:])
