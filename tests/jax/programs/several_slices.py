"""A pod of two slices: what JAX makes of slice_index, and every collective within slices, between them, and over both.

Checks itself with NumPy; ends with 0 when all is well.
"""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import mesh_utils, topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

SLICES, CHIPS = 2, 4
devices = jax.devices()
assert [d.slice_index for d in devices] == [i // CHIPS for i in range(SLICES * CHIPS)], devices
assert [tuple(d.coords) for d in devices] == [(i % 2, i // 2 % 2, 0) for i in range(SLICES * CHIPS)]

# The first axis goes over slices, the second stays inside, as those say who ask for it.
hybrid = mesh_utils.create_hybrid_device_mesh((1, CHIPS), (SLICES, 1), devices=devices)
assert [[d.slice_index for d in row] for row in hybrid] == [[0] * CHIPS, [1] * CHIPS], hybrid
mesh = Mesh(hybrid, ("slice", "x"))
numbers = np.arange(SLICES * CHIPS * 64, dtype=np.float32).reshape(SLICES * CHIPS, 64) / 8


def per_device(function, out=P(("slice", "x"))):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=P(("slice", "x")), out_specs=out, check_vma=False))


for axes in ("slice", "x", ("slice", "x"), ("x", "slice")):
    found = np.asarray(per_device(lambda a: jax.lax.psum(a, axes))(numbers))
    blocks = numbers.reshape(SLICES, CHIPS, 64)
    over = tuple({"slice": 0, "x": 1}[a] for a in ((axes,) if isinstance(axes, str) else axes))
    np.testing.assert_array_equal(found, np.broadcast_to(blocks.sum(over, keepdims=True), blocks.shape).reshape(numbers.shape))

gathered = np.asarray(per_device(lambda a: jax.lax.all_gather(a, ("slice", "x"), tiled=True), P())(numbers))
np.testing.assert_array_equal(gathered, numbers)
swapped = np.asarray(per_device(lambda a: jax.lax.all_gather(a, ("x", "slice"), tiled=True), P())(numbers))
np.testing.assert_array_equal(swapped, blocks.transpose(1, 0, 2).reshape(numbers.shape))
scattered = np.asarray(per_device(lambda a: jax.lax.psum_scatter(a[0], ("slice", "x"), tiled=True))(numbers))
np.testing.assert_array_equal(scattered, numbers.sum(0))
turned = np.asarray(per_device(lambda a: jax.lax.all_to_all(a, ("slice", "x"), 1, 0, tiled=True))(numbers))
np.testing.assert_array_equal(turned.reshape(8, 8, 8), numbers.reshape(8, 8, 8).transpose(1, 0, 2))
around = [(i, (i + 3) % 8) for i in range(8)]
moved = np.asarray(per_device(lambda a: jax.lax.ppermute(a, ("slice", "x"), around))(numbers))
np.testing.assert_array_equal(moved, np.roll(numbers, 3, 0))

# Data parallel over slices, weights sharded inside.
weights = np.sin(np.arange(64 * 16, dtype=np.float32)).reshape(64, 16)
targets = np.cos(np.arange(8 * 16, dtype=np.float32)).reshape(8, 16)


@jax.jit
def step(w, x, y):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2))(w)
    return loss, w - 0.5 * gradient


inputs = np.sin(numbers).astype(np.float32)
w = jax.device_put(weights, NamedSharding(mesh, P("x", None)))
x, y = (jax.device_put(a, NamedSharding(mesh, P("slice", None))) for a in (inputs, targets))
expected = weights
for _ in range(3):
    loss, w = step(w, x, y)
    tanh = np.tanh(inputs @ expected)
    np.testing.assert_allclose(float(loss), np.mean((tanh - targets) ** 2), rtol=1e-5)
    expected = expected - 0.5 * (inputs.T @ (2 * (tanh - targets) * (1 - tanh * tanh)) / tanh.size)
np.testing.assert_allclose(np.asarray(w), expected, rtol=1e-4, atol=1e-6)

# Without a pod: what would a step take over more slices?
ahead = topologies.get_topology_desc("v5e:4x2", "tpu", num_slices=3).devices
assert [d.slice_index for d in ahead] == [i // 8 for i in range(24)], ahead
rows = NamedSharding(Mesh(np.array(ahead).reshape(3, 8), ("slice", "x")), P("slice"))
compiled = jax.jit(lambda a: a.sum(0), in_shardings=rows).lower(jax.ShapeDtypeStruct((3, 1 << 20), jnp.float32)).compile()
seconds = compiled.cost_analysis()["optimal_seconds"]
# 4 MiB over three slices: two thirds leave each and come back, over the interface that eight chips share.
assert 4 / 3 * (4 << 20) / 25e9 < seconds < 3e-3, seconds
