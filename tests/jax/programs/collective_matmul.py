"""Matrix products that overlap their collective with the computation, by `shard_map`, in every variant of the scaling book.

After "Programming TPUs in JAX" (How to Scale Your Model, part 10): the all-gather, all-reduce and reduce-scatter forms, each
plainly, passing chunks one way round the ring, and both ways; the Transformer block made of them; and what `jit` does alone.
"""
import functools
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh(axis_shapes=(2, jax.device_count() // 2), axis_names=("X", "Y"),
                     axis_types=(jax.sharding.AxisType.Auto,) * 2)
Y = mesh.shape["Y"]
up = [(j, (j + 1) % Y) for j in range(Y)]
down = [(j, (j - 1) % Y) for j in range(Y)]


def put(value, *spec):
    return jax.device_put(value, NamedSharding(mesh, P(*spec)))


def sharded(in_specs, out_specs):
    return lambda f: jax.jit(jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs))


# --- A[B_X, D_Y] * W[D, F_Y] -> Out[B_X, F_Y]: gather A along D ---

GATHER = dict(in_specs=(P("X", "Y"), P(None, "Y")), out_specs=P("X", "Y"))


@functools.partial(jax.jit, out_shardings=NamedSharding(mesh, P("X", "Y")))
def matmul(lhs, rhs):
    return lhs @ rhs


@sharded(**GATHER)
def gathered_first(lhs, rhs):
    return jax.lax.all_gather(lhs, "Y", axis=1, tiled=True) @ rhs


@sharded(**GATHER)
def gathered_one_way(lhs, rhs):
    # lhs is the looped operand; rhs is the local operand
    axis_size = jax.lax.axis_size("Y")
    idx = jax.lax.axis_index("Y")
    chunk_size = lhs.shape[1]
    assert rhs.shape[0] % chunk_size == 0

    def chunk(i):
        return jax.lax.dynamic_slice_in_dim(rhs, (idx + i) % axis_size * chunk_size, chunk_size)

    def f(i, carrys):
        accum, lhs = carrys
        update = lhs @ chunk(i)
        # Circular shift to the left
        lhs = jax.lax.ppermute(lhs, axis_name="Y", perm=down)
        return accum + update, lhs

    accum = jnp.zeros((lhs.shape[0], rhs.shape[1]), dtype=lhs.dtype)
    accum = jax.lax.pcast(accum, ("X", "Y"), to="varying")
    accum, lhs = jax.lax.fori_loop(0, axis_size - 1, f, (accum, lhs), unroll=True)
    # Compute the last chunk after the final permute to leave lhs in the state we found it
    return accum + lhs @ chunk(axis_size - 1)


@sharded(**GATHER)
def gathered_one_way_in_a_loop(lhs, rhs):
    # The same without unrolling: a while loop with a permutation in it.
    axis_size = jax.lax.axis_size("Y")
    idx = jax.lax.axis_index("Y")
    chunk_size = lhs.shape[1]

    def f(i, carrys):
        accum, lhs = carrys
        rhs_chunk = jax.lax.dynamic_slice_in_dim(rhs, (idx + i) % axis_size * chunk_size, chunk_size)
        return accum + lhs @ rhs_chunk, jax.lax.ppermute(lhs, axis_name="Y", perm=down)

    accum = jax.lax.pcast(jnp.zeros((lhs.shape[0], rhs.shape[1]), dtype=lhs.dtype), ("X", "Y"), to="varying")
    return jax.lax.fori_loop(0, axis_size, f, (accum, lhs))[0]


@sharded(**GATHER)
def gathered_both_ways(lhs, rhs):
    axis_size = jax.lax.axis_size("Y")
    idx = jax.lax.axis_index("Y")
    half = lhs.shape[1] // 2
    lo, hi = jnp.split(lhs, 2, axis=1)

    def chunk(i, h):
        return jax.lax.dynamic_slice_in_dim(rhs, (2 * (i % axis_size) + h) * half, half)

    accum = lo @ chunk(idx, 0) + hi @ chunk(idx, 1)
    for i in range(1, axis_size):
        lo = jax.lax.ppermute(lo, "Y", up)
        hi = jax.lax.ppermute(hi, "Y", down)
        accum += lo @ chunk(idx - i, 0) + hi @ chunk(idx + i, 1)
    return accum


# --- A[B_X, F_Y] * W[F_Y, D] -> Out[B_X, D]: all-reduce ---

REDUCE = dict(in_specs=(P("X", "Y"), P("Y", None)), out_specs=P("X", None))


@sharded(**REDUCE)
def reduced_at_the_end(lhs, rhs):
    return jax.lax.psum(lhs @ rhs, "Y")


@sharded(**REDUCE)
def reduced_by_tiles(lhs, rhs):
    tiles = jnp.split(rhs, 4, axis=1)
    return jnp.concatenate([jax.lax.psum(lhs @ tile, "Y") for tile in tiles], axis=1)


# --- A[B_X, F_Y] * W[F_Y, D] -> Out[B_X, D_Y]: reduce-scatter ---

SCATTER = dict(in_specs=(P("X", "Y"), P("Y", None)), out_specs=P("X", "Y"))


@sharded(**SCATTER)
def scattered_at_the_end(lhs, rhs):
    return jax.lax.psum_scatter(lhs @ rhs, "Y", scatter_dimension=1, tiled=True)


@sharded(**SCATTER)
def scattered_one_way(lhs, rhs):
    axis_size = jax.lax.axis_size("Y")
    idx = jax.lax.axis_index("Y")
    chunk_size = rhs.shape[1] // axis_size

    def part(i):
        return lhs @ jax.lax.dynamic_slice_in_dim(rhs, i % axis_size * chunk_size, chunk_size, axis=1)

    # The sum for a chip starts at its neighbour and visits every chip on its way home.
    accum = part(idx - 1)
    for i in range(2, axis_size + 1):
        accum = jax.lax.ppermute(accum, "Y", up) + part(idx - i)
    return accum


@sharded(**SCATTER)
def scattered_both_ways(lhs, rhs):
    axis_size = jax.lax.axis_size("Y")
    idx = jax.lax.axis_index("Y")
    half = rhs.shape[1] // axis_size // 2

    def part(i, h):
        return lhs @ jax.lax.dynamic_slice_in_dim(rhs, (2 * (i % axis_size) + h) * half, half, axis=1)

    lo, hi = part(idx - 1, 0), part(idx + 1, 1)
    for i in range(2, axis_size + 1):
        lo = jax.lax.ppermute(lo, "Y", up) + part(idx - i, 0)
        hi = jax.lax.ppermute(hi, "Y", down) + part(idx + i, 1)
    return jnp.concatenate([lo, hi], axis=1)


# --- In[B_X, D_Y] * W_in[D, F_Y] * W_out[F_Y, D] -> Out[B_X, D_Y] ---


@functools.partial(jax.jit, out_shardings=NamedSharding(mesh, P("X", "Y")))
def block(x, w_in, w_out):
    return jax.nn.gelu(x @ w_in) @ w_out


@jax.jit
def overlapped_block(x, w_in, w_out):
    return scattered_both_ways(jax.nn.gelu(gathered_both_ways(x, w_in)), w_out)


B, D, F = 16, 64, 128
results = {}
for dtype in (jnp.int32, jnp.bfloat16):
    # Small whole numbers, so that every order of summing gives the same, as the book's comparison demands.
    A = (jnp.arange(B * D) % 5 - 2).reshape(B, D).astype(dtype)
    W = (jnp.arange(D * F) % 7 - 3).reshape(D, F).astype(dtype)
    a, w = put(A, "X", "Y"), put(W, None, "Y")
    expected = matmul(a, w)
    for f in (gathered_first, gathered_one_way, gathered_one_way_in_a_loop, gathered_both_ways):
        out = f(a, w)
        np.testing.assert_array_equal(np.asarray(out), np.asarray(expected))
        results[f"{f.__name__}_{np.dtype(dtype)}"] = out
    a, w = put(A, "X", "Y"), put(W, "Y", None)
    for f in (reduced_at_the_end, reduced_by_tiles, scattered_at_the_end, scattered_one_way, scattered_both_ways):
        out = f(a, w)
        np.testing.assert_array_equal(np.asarray(out), np.asarray(expected))
        results[f"{f.__name__}_{np.dtype(dtype)}"] = out

keys = jax.random.split(jax.random.key(1), 3)
x = put(jax.random.normal(keys[0], (B, D)), "X", "Y")
w_in = put(jax.random.normal(keys[1], (D, F)) / D**0.5, None, "Y")
w_out = put(jax.random.normal(keys[2], (F, D)) / F**0.5, "Y", None)
results["block"] = block(x, w_in, w_out)
results["overlapped_block"] = overlapped_block(x, w_in, w_out)
# Backwards through permutations and slices.
results["gradient"] = jax.jit(jax.grad(lambda w: (overlapped_block(x, w, w_out) ** 2).sum()))(w_in)

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
