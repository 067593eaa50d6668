"""A sharded training that traces itself, and what the pod says of it by JAX's other ways.

Usage: profiled.py FOLDER: the trace, and FOLDER/figures.json.

Trained are two layers, the batch over one axis of the mesh and the hidden units over the other. Beside the training there is a
loop that turns as often as an argument says, so that each call takes a time of its own, and a function on one chip.
"""
import json
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

STEPS = 4
TURNS = (3, 30)
folder = pathlib.Path(sys.argv[1])
mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
random = np.random.default_rng(0)


def array(shape, *spec):
    return jax.device_put(random.normal(size=shape).astype(np.float32) * 0.05, NamedSharding(mesh, P(*spec)))


def loss(weights, batch):
    return jnp.mean((jax.nn.relu(batch @ weights["up"]) @ weights["down"] - batch) ** 2)


def train_step(weights, batch):
    value, gradients = jax.value_and_grad(loss)(weights, batch)
    return jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, weights, gradients), value


def turned(turns, values):
    return jax.lax.fori_loop(0, turns, lambda _, at: jnp.tanh(at @ at.T) @ at, values)


weights = {"up": array((512, 2048), None, "model"), "down": array((2048, 512), "model", None)}
batch, values = array((256, 512), "data", None), array((64, 64))
step = jax.jit(train_step, donate_argnums=0).lower(weights, batch).compile()
turning = jax.jit(turned)
weights, value = step(weights, batch)
for turns in TURNS:
    turning(np.int32(turns), values).block_until_ready()
value.block_until_ready()

jax.profiler.start_trace(folder / "steps")
for number in range(STEPS):
    with jax.profiler.StepTraceAnnotation("train", step_num=number):
        weights, value = step(weights, batch)
print("loss", float(value))
jax.profiler.stop_trace()

with jax.profiler.trace(folder / "loops"):
    for turns in TURNS:
        turning(np.int32(turns), values).block_until_ready()
    jax.jit(jnp.sum)(jax.device_put(np.ones((128, 128), np.float32), jax.devices()[3])).block_until_ready()

cost, memory = step.cost_analysis(), step.memory_analysis()
(folder / "figures.json").write_text(json.dumps({
    "step_us": cost["optimal_seconds"] * 1e6,
    "flops": cost["flops"],
    "bytes": cost["bytes accessed"],
    "peak_bytes": memory.peak_memory_in_bytes,
    "argument_bytes": memory.argument_size_in_bytes,
    "steps": STEPS,
    "turns": TURNS,
    "chips": len(jax.devices()),
}))
