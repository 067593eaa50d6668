"""Writes the StableHLO of a decoder's training step as MaxText shards it: parameters over all chips (FSDP), a scan over the
layers whose activations are computed again in the backward pass, AdamW. No array is made, so that any mesh will do.

Usage: answer_step.py FILE DEVICES [LAYERS [unrolled]]
"""
import os
import pathlib
import sys

DEVICES = int(sys.argv[2])
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

LAYERS = int(sys.argv[3]) if len(sys.argv) > 3 else 80
UNROLLED = sys.argv[4:] == ["unrolled"]
WIDTH = 8192 if 8192 % DEVICES == 0 else DEVICES
HIDDEN, HEADS, HEAD, VOCABULARY, SEQUENCE = 32768, 64, 128, 32768, 2048
BF16 = jnp.bfloat16

mesh = Mesh(np.array(jax.devices()), ("fsdp",))


def sharded(*axes):
    return NamedSharding(mesh, PartitionSpec(*axes))


def normalized(x, weight):
    y = x.astype(jnp.float32)
    return (y * jax.lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-6) * weight).astype(BF16)


def rotated(x):
    places = jnp.arange(SEQUENCE, dtype=jnp.float32)[:, None]
    angles = places / 10000 ** (jnp.arange(0, HEAD // 2, dtype=jnp.float32) / (HEAD // 2))
    cosine, sine = jnp.cos(angles)[:, None, :], jnp.sin(angles)[:, None, :]
    a, b = jnp.split(x.astype(jnp.float32), 2, -1)
    return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1).astype(BF16)


def layer(x, weights):
    w = {name: value.astype(BF16) for name, value in weights.items()}
    h = normalized(x, weights["norm1"])
    q = rotated(jnp.einsum("bsd,dhk->bshk", h, w["q"]))
    k = rotated(jnp.einsum("bsd,dhk->bshk", h, w["k"]))
    v = jnp.einsum("bsd,dhk->bshk", h, w["v"])
    scores = jnp.einsum("bshk,bthk->bhst", q, k).astype(jnp.float32) / np.sqrt(HEAD)
    scores = jnp.where(jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool)), scores, -1e30)
    attended = jnp.einsum("bhst,bthk->bshk", jax.nn.softmax(scores, -1).astype(BF16), v)
    out = jnp.einsum("bshk,hkd->bsd", attended, w["o"])
    x = x + jax.lax.with_sharding_constraint(out, sharded("fsdp", None, None))
    h = normalized(x, weights["norm2"])
    gated = jax.nn.silu(jnp.einsum("bsd,df->bsf", h, w["gate"])) * jnp.einsum("bsd,df->bsf", h, w["up"])
    return jax.lax.with_sharding_constraint(x + jnp.einsum("bsf,fd->bsd", gated, w["down"]), sharded("fsdp", None, None))


def loss(parameters, tokens, targets):
    x = parameters["embedding"].astype(BF16)[tokens]
    x = jax.lax.with_sharding_constraint(x, sharded("fsdp", None, None))
    again = jax.checkpoint(layer)
    if UNROLLED:
        for i in range(LAYERS):
            x = again(x, jax.tree.map(lambda a: a[i], parameters["layers"]))
    else:
        x, _ = jax.lax.scan(lambda carry, weights: (again(carry, weights), None), x, parameters["layers"])
    logits = jnp.einsum("bsd,dv->bsv", normalized(x, parameters["norm"]), parameters["head"].astype(BF16))
    likely = jax.nn.log_softmax(logits.astype(jnp.float32), -1)
    return -jnp.mean(jnp.take_along_axis(likely, targets[..., None], -1))


def step(parameters, first, second, count, tokens, targets):
    value, gradients = jax.value_and_grad(loss)(parameters, tokens, targets)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradients)))
    gradients = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / norm), gradients)
    count = count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.95 * v + 0.05 * g * g, second, gradients)
    a, b = 1 - 0.9 ** count.astype(jnp.float32), 1 - 0.95 ** count.astype(jnp.float32)
    parameters = jax.tree.map(lambda p, m, v: p - 1e-4 * (m / a / (jnp.sqrt(v / b) + 1e-8) + 0.1 * p),
                              parameters, first, second)
    return parameters, first, second, count, value


def array(shape, *axes):
    return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=sharded(*axes))


def of_layers(shape, *axes):
    return array((LAYERS, *shape), None, *axes)


PARAMETERS = {
    "embedding": array((VOCABULARY, WIDTH), None, "fsdp"),
    "head": array((WIDTH, VOCABULARY), "fsdp", None),
    "norm": array((WIDTH,), None),
    "layers": {
        "norm1": of_layers((WIDTH,), None),
        "norm2": of_layers((WIDTH,), None),
        "q": of_layers((WIDTH, HEADS, HEAD), "fsdp", None, None),
        "k": of_layers((WIDTH, HEADS, HEAD), "fsdp", None, None),
        "v": of_layers((WIDTH, HEADS, HEAD), "fsdp", None, None),
        "o": of_layers((HEADS, HEAD, WIDTH), None, None, "fsdp"),
        "gate": of_layers((WIDTH, HIDDEN), "fsdp", None),
        "up": of_layers((WIDTH, HIDDEN), "fsdp", None),
        "down": of_layers((HIDDEN, WIDTH), None, "fsdp"),
    },
}
TOKENS = jax.ShapeDtypeStruct((DEVICES, SEQUENCE), jnp.int32, sharding=sharded("fsdp", None))
COUNT = jax.ShapeDtypeStruct((), jnp.int32)

shardings = jax.tree.map(lambda a: a.sharding, PARAMETERS)
jitted = jax.jit(step, donate_argnums=(0, 1, 2), out_shardings=(shardings, shardings, shardings, sharded(), sharded()))
traced = jitted.trace(PARAMETERS, PARAMETERS, PARAMETERS, COUNT, TOKENS, TOKENS)
pathlib.Path(sys.argv[1]).write_text(traced.lower(lowering_platforms=("tpu",)).as_text())
