"""The programs of "Programming TPUs in JAX" (How to Scale Your Model, part 10) that are not products with overlap: explicit
meshes that the whole program runs under, averages and shifts within a shard, by `jit` and by `shard_map`.
"""
import functools
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

results = {}

# --- jax.jit with an explicit mesh: arrays are made sharded, and their types say so ---
mesh = jax.make_mesh(axis_shapes=(2, 2), axis_names=("X", "Y"), devices=jax.devices()[:4])
with jax.set_mesh(mesh):
    In = jnp.arange(8 * 64, dtype=jnp.bfloat16, out_sharding=P(("X", "Y"))).reshape(8, 64, out_sharding=P("X", "Y")) % 8
    W = jnp.ones((64, 128), dtype=jnp.bfloat16, out_sharding=P("Y", None))

    def matmul_square(In, W):
        return jnp.einsum("bd,df->bf", jnp.square(In), W, out_sharding=P("X", None))

    jit_matmul = jax.jit(matmul_square, out_shardings=P("X", None)).lower(In, W).compile()
    out = jit_matmul(In, W)
    print(jax.typeof(In), jax.typeof(W), jax.typeof(out))
    assert "all-reduce" in jit_matmul.as_text() or "all_reduce" in jit_matmul.as_text()
    results["matmul_square"] = out

# --- shard_map: a slice of every shard, averaged over the mesh ---
mesh = jax.make_mesh((2, jax.device_count() // 2), ("x", "y"))
with jax.set_mesh(mesh):
    x = jnp.arange(0, 512, dtype=jnp.int32, out_sharding=P(("x", "y")))

    # This function will operate on 1/8th of the array.
    def slice_and_average(x):
        assert x.shape == (512 // jax.device_count(),)
        return jax.lax.pmean(x[:4], axis_name=("x", "y"))

    out = jax.shard_map(slice_and_average, in_specs=P(("x", "y")), out_specs=P(None))(x)
    assert out.shape == (4,)
    results["slice_and_average"] = out

# --- Problem 1: averages and shifts within a shard ---
mesh = jax.make_mesh((jax.device_count() // 2, 2), ("X", "Y"), axis_types=(AxisType.Auto,) * 2)
average_shmap = jax.shard_map(lambda x: x.mean(keepdims=True), mesh=mesh, in_specs=P("X", "Y"), out_specs=P("X", "Y"))


def average(x):
    X, Y = mesh.axis_sizes
    return x.reshape(X, x.shape[0] // X, Y, x.shape[1] // Y).mean(axis=(1, 3))


average_jit = jax.jit(average, out_shardings=NamedSharding(mesh, P("X", "Y")))
x = jax.device_put(jnp.arange(8 * 64 * 8, dtype=jnp.int32).reshape(8 * 64, 8), NamedSharding(mesh, P("X", "Y")))
y1 = average_shmap(x)
y2 = average_jit(x)
np.testing.assert_array_equal(y1, y2)
results["average_shmap"], results["average_jit"] = y1, y2


def shift_shmap(x, shift: int):
    return jax.shard_map(lambda x: jnp.roll(x, shift, axis=0), mesh=mesh, in_specs=P("X", "Y"), out_specs=P("X", "Y"))(x)


@functools.partial(jax.jit, static_argnames=["shift"], out_shardings=NamedSharding(mesh, P("X", "Y")))
def shift_jit(x, shift: int):
    X, Y = mesh.axis_sizes
    reshaped = x.reshape(X, x.shape[0] // X, -1)
    return jnp.roll(reshaped, shift, axis=1).reshape(x.shape[0], x.shape[1])


y1 = shift_shmap(x, 5)
y2 = shift_jit(x, 5)
np.testing.assert_array_equal(y1, y2)
results["shift_shmap"], results["shift_jit"] = y1, y2


# --- Loops, conditions and reductions over the mesh within one program ---
@jax.jit
@functools.partial(jax.shard_map, mesh=mesh, in_specs=P("X", "Y"), out_specs=(P("X", "Y"), P()))
def power_iteration(block):
    def step(carry, _):
        largest = jax.lax.pmax(jnp.abs(carry).max(), ("X", "Y"))
        carry = jax.lax.cond(largest > 4.0, lambda c: c / largest, lambda c: c * 1.5, carry)
        return carry + jax.lax.ppermute(carry, "Y", [(0, 1), (1, 0)]) * 0.25, largest

    return jax.lax.scan(step, block, None, length=6)


results["scanned"], results["largest"] = power_iteration(x.astype(jnp.float32) / 100)

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
