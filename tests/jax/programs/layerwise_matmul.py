"""Layers of matrix products with activations sharded by batch and weights sharded over all chips, each gathered for its layer.

After "Multi chip performance in JAX" (HighPerfLLMs2024): what `jit` makes of the shardings is FSDP.
"""
import os

import jax
import numpy as np

BATCH_PER_CHIP = 16
MATRIX_SIZE = 128
N_LAYERS = 4

mesh = jax.sharding.Mesh(jax.devices(), ("axis"))
sharding_a = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("axis", None))
sharding_w = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(None, "axis"))
replicated = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(None))


@jax.jit
def matmul(activation, weights):
    for w in weights:
        activation = activation @ w
    return activation


@jax.jit
def loss_and_gradients(activation, weights):
    def loss(weights):
        hidden = activation
        for w in weights:
            hidden = jax.nn.relu(hidden @ w)
        return (hidden.astype(jax.numpy.float32) ** 2).mean()

    return jax.value_and_grad(loss)(weights)


results = {}

# The sizes and values of the article, but smaller: what comes out is a power of MATRIX_SIZE, which bf16 holds.
activation = jax.numpy.ones((BATCH_PER_CHIP * jax.device_count(), MATRIX_SIZE), dtype=jax.numpy.bfloat16)
weights = [jax.numpy.ones((MATRIX_SIZE, MATRIX_SIZE), dtype=jax.numpy.bfloat16) for _ in range(N_LAYERS)]
for name, sharding in (("fully_sharded", sharding_w), ("replicated", replicated)):
    a = jax.device_put(activation, sharding_a)
    ws = [jax.device_put(w, sharding) for w in weights]
    out = matmul(a, ws)
    print(f"{name}: {out.shape=}, {out.addressable_shards[0].data.shape=}, {out.sharding=}")
    results[f"ones_{name}"] = out

# Numbers that differ, forwards and backwards.
keys = jax.random.split(jax.random.key(0), N_LAYERS + 1)
for dtype in (jax.numpy.float32, jax.numpy.bfloat16):
    activation = jax.random.normal(keys[0], activation.shape, dtype)
    weights = [jax.random.normal(key, (MATRIX_SIZE, MATRIX_SIZE), dtype) / MATRIX_SIZE**0.5 for key in keys[1:]]
    a = jax.device_put(activation, sharding_a)
    ws = [jax.device_put(w, sharding_w) for w in weights]
    results[f"forward_{np.dtype(dtype)}"] = matmul(a, ws)
    loss, gradients = loss_and_gradients(a, ws)
    print(f"{np.dtype(dtype)}: {loss=:.6f}, {gradients[0].sharding=}")
    results[f"loss_{np.dtype(dtype)}"] = loss
    for i, gradient in enumerate(gradients):
        results[f"gradient{i}_{np.dtype(dtype)}"] = gradient

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
