"""Meshes, sharded arrays and how they look, the four cases of a sharded product, and the collectives by `shard_map`.

After "Tutorial 1: Parallelization Basics" (MinText), cell by cell, with eager calls where it has them. What it prints of
shardings is among the results: the pictures show the same devices wherever they are computed.
"""
import contextlib
import io
import os
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

shard_map = jax.shard_map
results = {}


def show(name, array):
    """The picture of an array's sharding, as `visualize_array_sharding` prints it, without the kind of device."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        jax.debug.visualize_array_sharding(array, use_color=False)
    picture = text.getvalue().replace("TPU", "").replace("CPU", "").replace(" ", "")
    print(f"{name}\n{text.getvalue()}")
    results[f"picture_{name}"] = np.frombuffer(picture.encode(), np.uint8)


print(f"JAX version: {jax.__version__}")
print(f"Available devices: {jax.devices()}")

# 1.1 A device mesh
mesh_2d = jax.make_mesh((2, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2, devices=jax.devices()[:4])
results["mesh"] = np.array([d.id for d in mesh_2d.devices.flat])

# 2.1 Sharded matrices
matrix = jnp.ones((64, 64))
for name, spec in dict(x_y=P("x", "y"), y_x=P("y", "x"), x=P("x", None), _y=P(None, "y"), xy=P(("x", "y")), whole=P()).items():
    sharded_matrix = jax.device_put(matrix, NamedSharding(mesh_2d, spec))
    show(name, sharded_matrix)
    results[f"shards_{name}"] = np.array([[shard.device.id, *[index.start or 0 for index in shard.index], *shard.data.shape]
                                          for shard in sharded_matrix.addressable_shards])
results["sin"] = jnp.sin(jax.device_put(jnp.linspace(-7, 7, 4096).reshape(64, 64), NamedSharding(mesh_2d, P("x", "y"))))

# 3.2 Case 1: the contracting dimension is not sharded
mesh_2x2 = mesh_2d
key = jax.random.PRNGKey(42)
A = jax.random.uniform(key, (4, 4))
B = jax.random.uniform(key, (4, 4)) + 1
A_sharded = jax.device_put(A, NamedSharding(mesh_2x2, P("x", None)))
B_sharded = jax.device_put(B, NamedSharding(mesh_2x2, P(None, "y")))
C = A_sharded @ B_sharded
show("case1", C)
print(f"Correct result: {jnp.allclose(C, A @ B)}")
results["case1"] = C

A = jnp.arange(16).reshape(4, 4).astype(jnp.float32)
B = jnp.arange(16, 32).reshape(4, 4).astype(jnp.float32)
C_expected = A @ B

# 3.3 Case 2: one matrix has a sharded contracting dimension
A_sharded = jax.device_put(A, NamedSharding(mesh_2x2, P(None, "x")))
for shard in A_sharded.addressable_shards[:3:2]:
    print(f"Device {shard.device.id} has A columns {shard.index[1]}:\n{shard.data}")


@partial(shard_map, mesh=mesh_2x2, in_specs=(P(None, "x"), P(None, None)), out_specs=P(None, None), check_vma=False)
def matmul_with_allgather(A_shard, B_shard):
    A_full = jax.lax.all_gather(A_shard, "x", axis=1, tiled=True)
    return A_full @ B_shard


C = matmul_with_allgather(A_sharded, B)
show("case2", C)
results["case2"] = C
results["case2_correct"] = jnp.allclose(C, C_expected)

# 3.4 Case 3: both have
B_sharded = jax.device_put(B, NamedSharding(mesh_2x2, P("x", None)))


@partial(shard_map, mesh=mesh_2x2, in_specs=(P(None, "x"), P("x", None)), out_specs=P(None, None))
def matmul_with_allreduce(A_shard, B_shard):
    return jax.lax.psum(A_shard @ B_shard, "x")


C = matmul_with_allreduce(A_sharded, B_sharded)
show("case3", C)
results["case3"] = C

# 3.5 Case 4: both non-contracting dimensions are sharded along the same axis
A_sharded = jax.device_put(A, NamedSharding(mesh_2x2, P("x", None)))
B_sharded = jax.device_put(B, NamedSharding(mesh_2x2, P(None, "x")))


@partial(shard_map, mesh=mesh_2x2, in_specs=(P("x", None), P(None, "x")), out_specs=P("x", None))
def matmul_case4_allgather_B(A_shard, B_shard):
    return A_shard @ jax.lax.all_gather(B_shard, "x", axis=1, tiled=True)


@partial(shard_map, mesh=mesh_2x2, in_specs=(P("x", None), P(None, "x")), out_specs=P(None, "x"))
def matmul_case4_allgather_A(A_shard, B_shard):
    return jax.lax.all_gather(A_shard, "x", axis=0, tiled=True) @ B_shard


for f in (matmul_case4_allgather_B, matmul_case4_allgather_A):
    C = f(A_sharded, B_sharded)
    show(f.__name__, C)
    results[f.__name__] = C

# 3.6 The collectives, eagerly, with prints of each device's block
mesh1d = Mesh(jax.devices()[:4], ("i",))


@partial(shard_map, mesh=mesh1d, in_specs=P("i"), out_specs=P("i"))
def all_gather(x_block):
    print("BEFORE:", x_block)
    y_block = jax.lax.all_gather(x_block, "i", tiled=True)
    print("AFTER:", y_block)
    return y_block


@partial(shard_map, mesh=mesh1d, in_specs=P("i"), out_specs=P(None))
def psum(x_block):
    return jax.lax.psum(x_block, "i")


@partial(shard_map, mesh=mesh1d, in_specs=P("i"), out_specs=P("i"))
def psum_scatter(x_block):
    return jax.lax.psum_scatter(x_block, "i", tiled=True)


@partial(shard_map, mesh=mesh1d, in_specs=P("i"), out_specs=P("i"))
def all_to_all(x_block):
    return jax.lax.all_to_all(x_block, "i", split_axis=0, concat_axis=0, tiled=True)


results["all_gather"] = all_gather(jnp.array([3, 9, 5, 2]))
x = jnp.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 1, 2])
for f in (psum, psum_scatter, all_to_all):
    results[f.__name__] = f(x)
    print("FINAL RESULT:", results[f.__name__])

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
