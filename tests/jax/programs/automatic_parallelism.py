"""Distributed arrays and automatic parallelism: elementwise work, products, constraints, a network by batch and by model, and
random numbers, with nothing but shardings on the data.

After JAX's notebook "Distributed arrays and automatic parallelization" and the scaling book's part 10.
"""
import functools
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

results = {}
mesh = jax.make_mesh((jax.device_count() // 2, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def place(value, *spec):
    return jax.device_put(value, NamedSharding(mesh, P(*spec)))


# Computation follows the data.
x = place(jax.random.normal(jax.random.key(0), (64, 64)), "x", "y")
y = jnp.sin(x)
results["sin"] = y
z = place(x, "x", None) @ place(y, None, "y")
results["product"] = z
results["transposed_sum"] = jnp.sum(z.T, axis=1) + jax.device_put(jnp.arange(64.0), NamedSharding(mesh, P(("x", "y"))))
print("product", z.sharding)


# A constraint in the middle decides what is communicated.
@jax.jit
def two_products(x, w_in, w_out):
    hidden = jnp.einsum("bd,df->bf", x, w_in)
    hidden = jax.lax.with_sharding_constraint(hidden, NamedSharding(mesh, P("x", "y")))
    return jnp.einsum("bf,df->bd", hidden, w_out)


w_in = jax.random.normal(jax.random.key(1), (64, 128)) / 8
w_out = jax.random.normal(jax.random.key(2), (64, 128)) / 11
results["constrained"] = two_products(x, place(w_in, None, "y"), place(w_out, None, "y"))


# A network, by batch, by model and by both.
def predict(params, inputs):
    for W, b in params:
        outputs = jnp.dot(inputs, W) + b
        inputs = jnp.maximum(outputs, 0)
    return outputs


def loss(params, batch):
    inputs, targets = batch
    return jnp.mean(jnp.sum((predict(params, inputs) - targets) ** 2, axis=-1))


def init_layer(key, n_in, n_out):
    k1, k2 = jax.random.split(key)
    return jax.random.normal(k1, (n_in, n_out)) / jnp.sqrt(n_in), jax.random.normal(k2, (n_out,))


sizes = (48, 64, 64, 16)
layers = [init_layer(key, n_in, n_out) for key, n_in, n_out in zip(jax.random.split(jax.random.key(3), 3), sizes, sizes[1:])]
keys = jax.random.split(jax.random.key(4))
batch = jax.random.normal(keys[0], (32, sizes[0])), jax.random.normal(keys[1], (32, sizes[-1]))
gradient = jax.jit(jax.value_and_grad(loss))
shardings = dict(batch=(("x", "y"), ((None,), (None,), (None,))),
                 model=(None, ((None, "y"), ("y", None), (None,))),
                 both=("x", ((None, "y"), ("y", None), (None,))))
for name, (by_batch, by_layer) in shardings.items():
    placed = [(place(W, *spec), place(b, spec[1] if len(spec) > 1 else None)) for (W, b), spec in zip(layers, by_layer)]
    value, gradients = gradient(placed, tuple(place(array, by_batch) for array in batch))
    results[f"loss_{name}"] = value
    for i, (W, b) in enumerate(gradients):
        results[f"gradient_{name}_{i}_w"], results[f"gradient_{name}_{i}_b"] = W, b


# Random numbers do not depend on the sharding.
@functools.partial(jax.jit, static_argnums=1)
def numbers(key, spec):
    drawn = jax.random.uniform(key, (64, 16))
    return jax.lax.with_sharding_constraint(drawn, NamedSharding(mesh, P(*spec)))


for spec in ((None,), ("x",), ("x", "y")):
    results[f"uniform_{spec}"] = numbers(jax.random.key(5), spec)
np.testing.assert_array_equal(np.asarray(results["uniform_('x', 'y')"]), np.asarray(results["uniform_(None,)"]))
results["permutation"] = jax.jit(jax.random.permutation)(jax.random.key(6), place(jnp.arange(64), "x"))

# Shapes alone: what would be communicated, without any data.
compiled = two_products.lower(jax.ShapeDtypeStruct((64, 64), jnp.float32, sharding=x.sharding), w_in, w_out).compile()
assert compiled.input_shardings[0][0].is_equivalent_to(x.sharding, 2)
results["of_shapes"] = compiled(x, w_in, w_out)

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
