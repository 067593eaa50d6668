#!/usr/bin/env python3
"""Exports the training steps of search_test.py, as JAX lowers them for one device: no mesh, no shardings.

Usage: make.py FOLDER
"""
import pathlib
import sys

import jax
import jax.numpy as jnp

FOLDER = pathlib.Path(sys.argv[1])
LAYERS, BATCH, LENGTH, EMBED, HIDDEN, HEADS, HEAD = 4, 16, 512, 1024, 4096, 8, 128


def mlp(weights, x):
    return jax.nn.relu(x @ weights["in"]) @ weights["out"]


def block(x, weights):
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, weights[name]) for name in ("query", "key", "value"))
    scores = jnp.einsum("bthk,bshk->bhts", q, k).astype(jnp.float32) / HEAD**0.5
    mixed = jnp.einsum("bhts,bshk->bthk", jax.nn.softmax(scores).astype(x.dtype), v)
    x = x + jnp.einsum("bthk,hkd->btd", mixed, weights["project"])
    return x + mlp(weights, x), None


def step_of(model):
    def step(weights, x, y):
        loss, gradients = jax.value_and_grad(lambda w: jnp.mean((model(w, x) - y).astype(jnp.float32) ** 2))(weights)
        return jax.tree.map(lambda w, g: w - 0.01 * g.astype(w.dtype), weights, gradients), loss
    return jax.jit(step, donate_argnums=0)


def export(name, model, weights, data):
    def array(shape):
        return jax.ShapeDtypeStruct(shape, jnp.bfloat16)
    text = step_of(model).lower({key: array(shape) for key, shape in weights.items()}, array(data), array(data)).as_text()
    (FOLDER / name).write_text(text)


export("mlp.mlir", mlp, {"in": (2048, 8192), "out": (8192, 2048)}, (8192, 2048))
export("blocks.mlir", lambda weights, x: jax.lax.scan(block, x, weights)[0],
       {"query": (LAYERS, EMBED, HEADS, HEAD), "key": (LAYERS, EMBED, HEADS, HEAD), "value": (LAYERS, EMBED, HEADS, HEAD),
        "project": (LAYERS, HEADS, HEAD, EMBED), "in": (LAYERS, EMBED, HIDDEN), "out": (LAYERS, HIDDEN, EMBED)},
       (BATCH, LENGTH, EMBED))
