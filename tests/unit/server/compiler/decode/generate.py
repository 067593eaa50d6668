#!/usr/bin/env python3
"""Writes the modules of decode_test.c: a layer of a decoder of 8 billion parameters that adds one token to its cache.

Usage: JAX_PLATFORMS=cpu generate.py FOLDER        layer.mlir, layers.mlir and scanned.mlir
"""
import pathlib
import sys

import jax
import jax.numpy as jnp

BATCH, LENGTH, WIDTH, HEADS, KV_HEADS, HIDDEN, LAYERS = 32, 4096, 4096, 32, 8, 14336, 2
SIZE = WIDTH // HEADS


def norm(x, scale):
    wide = x.astype(jnp.float32)
    return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-5)).astype(x.dtype) * scale


def rotate(x, position):
    half = SIZE // 2
    angle = position.astype(jnp.float32) * 500000.0 ** (-jnp.arange(half, dtype=jnp.float32) / half)
    a, b = jnp.split(x.astype(jnp.float32), 2, -1)
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), b * jnp.cos(angle) + a * jnp.sin(angle)], -1).astype(x.dtype)


def project(x, position, w):
    h = norm(x, w["norm1"])
    return (rotate((h @ w["q"]).reshape(BATCH, HEADS, SIZE), position), rotate((h @ w["k"]).reshape(BATCH, KV_HEADS, SIZE), position),
            (h @ w["v"]).reshape(BATCH, KV_HEADS, SIZE))


def attend(x, q, keys, values, position, w):
    q = q.reshape(BATCH, KV_HEADS, HEADS // KV_HEADS, SIZE)
    scores = jnp.einsum("bkgd,bksd->bkgs", q, keys, preferred_element_type=jnp.float32) * SIZE ** -0.5
    scores = jnp.where(jnp.arange(LENGTH)[None, None, None, :] <= position, scores, -1e30)
    weights = jax.nn.softmax(scores, -1).astype(x.dtype)
    x = x + jnp.einsum("bkgs,bksd->bkgd", weights, values).reshape(BATCH, WIDTH) @ w["o"]
    h = norm(x, w["norm2"])
    return x + (jax.nn.silu(h @ w["gate"]) * (h @ w["up"])) @ w["down"]


def layer(x, keys, values, position, w):
    q, k, v = project(x, position, w)
    keys = jax.lax.dynamic_update_slice(keys, k[:, :, None, :], (0, 0, position, 0))
    values = jax.lax.dynamic_update_slice(values, v[:, :, None, :], (0, 0, position, 0))
    return attend(x, q, keys, values, position, w), keys, values


def layers(x, caches, position, weights):
    new = []
    for (keys, values), w in zip(caches, weights):
        x, keys, values = layer(x, keys, values, position, w)
        new.append((keys, values))
    return x, new


def scanned(x, keys, values, position, weights):
    def turn(carry, index_and_weights):
        (x, keys, values), (i, w) = carry, index_and_weights
        q, k, v = project(x, position, w)
        keys = jax.lax.dynamic_update_slice(keys, k[None, :, :, None, :], (i, 0, 0, position, 0))
        values = jax.lax.dynamic_update_slice(values, v[None, :, :, None, :], (i, 0, 0, position, 0))
        own = (jax.lax.dynamic_index_in_dim(cache, i, 0, False) for cache in (keys, values))
        return (attend(x, q, *own, position, w), keys, values), None

    return jax.lax.scan(turn, (x, keys, values), (jnp.arange(LAYERS), weights))[0]


def array(*dims):
    return jax.ShapeDtypeStruct(dims, jnp.bfloat16)


def stack(one):
    return jax.ShapeDtypeStruct((LAYERS, *one.shape), one.dtype)


def main():
    w = {"norm1": array(WIDTH), "norm2": array(WIDTH), "q": array(WIDTH, WIDTH), "k": array(WIDTH, KV_HEADS * SIZE),
         "v": array(WIDTH, KV_HEADS * SIZE), "o": array(WIDTH, WIDTH), "gate": array(WIDTH, HIDDEN), "up": array(WIDTH, HIDDEN),
         "down": array(HIDDEN, WIDTH)}
    x, cache, position = array(BATCH, WIDTH), array(BATCH, KV_HEADS, LENGTH, SIZE), jax.ShapeDtypeStruct((), jnp.int32)
    modules = {
        "layer": jax.jit(layer, donate_argnums=(1, 2)).lower(x, cache, cache, position, w),
        "layers": jax.jit(layers, donate_argnums=1).lower(x, [(cache, cache)] * LAYERS, position, [w] * LAYERS),
        "scanned": jax.jit(scanned, donate_argnums=(1, 2)).lower(x, stack(cache), stack(cache), position, jax.tree.map(stack, w)),
    }
    for name, lowered in modules.items():
        (pathlib.Path(sys.argv[1]) / f"{name}.mlir").write_text(lowered.as_text())


if __name__ == "__main__":
    main()
