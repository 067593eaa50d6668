"""Trains a model on all devices, in each layout and dtype, and writes the curves of its losses to the file that RESULTS names.

Usage: train.py MODEL [--steps N] [--layouts L,…] [--dtypes D,…]     MODEL: gpt, convnet or mixture

A model is a file here with init(key), loss(params, batch, dtype), batch(random), specs(layout) and LAYOUTS. Layouts are meshes
of the axes `data`, over which batches are split, and `model`. Parameters and AdamW's state are f32, products in the dtype. The
step is compiled once and gives its memory on (donation).
"""
import argparse
import importlib
import os
import pathlib
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def mesh_of(layout):
    """(data, model) of a layout."""
    count = jax.device_count()
    shape = {"data": (count, 1), "fsdp": (count, 1), "tensor": (1, count), "2d": (count // 2, 2), "experts": (1, count),
             "experts_and_data": (2, count // 2)}[layout]
    return jax.make_mesh(shape, ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def spread(tree, specs, mesh):
    """The tree with each array sharded as the spec says that stands at its place, or above it."""
    is_spec = lambda x: isinstance(x, P)
    shardings = jax.tree.map(lambda spec, part: jax.tree.map(lambda _: NamedSharding(mesh, spec), part), specs, tree, is_leaf=is_spec)
    return jax.device_put(tree, shardings)


def prepared(model, layout, dtype):
    """The step, not compiled yet, with what it starts from and what gives it batches: (step, params, state, next_batch)."""
    mesh = mesh_of(layout)
    params = spread(model.init(jax.random.key(0)), model.specs(layout), mesh)
    optimizer = optax.adamw(optax.warmup_cosine_decay_schedule(0, 5e-3, 5, 60), weight_decay=0.01)
    # The moments lie where their parameters do; what counts steps, everywhere.
    state = jax.tree.map(lambda x: jax.device_put(x, x.sharding if x.ndim else NamedSharding(mesh, P())), optimizer.init(params))
    placed = jax.tree.map(lambda x: x.sharding, (params, state))

    def step(params, state, batch):
        value, gradients = jax.value_and_grad(model.loss)(params, batch, dtype)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value

    step = jax.jit(step, donate_argnums=(0, 1), out_shardings=(*placed, NamedSharding(mesh, P())))
    random = np.random.default_rng(0)
    return step, params, state, lambda: jax.device_put(model.batch(random), NamedSharding(mesh, P("data")))


def train(model, layout, dtype, steps):
    step, params, state, next_batch = prepared(model, layout, dtype)
    losses = []
    for _ in range(steps):
        params, state, value = step(params, state, next_batch())
        # One step at a time: XLA's CPU backend has fewer threads than devices, and collectives of several steps wait for each other.
        losses.append(float(value))
    return np.array(losses, np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--layouts", type=lambda text: text.split(","))
    parser.add_argument("--dtypes", type=lambda text: text.split(","), default=["float32", "bfloat16"])
    options = parser.parse_args()
    model = importlib.import_module(options.model)
    curves = {}
    for layout in options.layouts or model.LAYOUTS:
        for dtype in options.dtypes:
            began = time.monotonic()
            losses = train(model, layout, jnp.dtype(dtype), options.steps)
            print(f"{options.model} {layout} {dtype}: {losses[0]:.4f} … {losses[-1]:.4f}, {time.monotonic() - began:.1f} s", flush=True)
            curves[f"{layout}_{dtype}"] = losses
    np.savez(os.environ["RESULTS"], **curves)


if __name__ == "__main__":
    main()
