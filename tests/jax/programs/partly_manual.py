"""Computations that are manual over some axes of the mesh alone: what the others shard inside of them, in loops and branches,
nested, and backwards."""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

MESH = Mesh(np.array(jax.devices()[:8]).reshape(2, 2, 2), ("x", "y", "z"))
rng = np.random.default_rng(0)
results = {}


def array(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def run(name, f, *arguments):
    """f of arrays, each with its PartitionSpec."""
    values = jax.jit(f)(*[jax.device_put(a, NamedSharding(MESH, spec)) for a, spec in arguments])
    for i, leaf in enumerate(jax.tree.leaves(values)):
        results[f"{name}_{i}"] = leaf


def manual(f, inputs, outputs, *axes):
    return jax.shard_map(f, mesh=MESH, in_specs=inputs, out_specs=outputs, axis_names=set(axes), check_vma=False)


def scanned(a, w):
    def step(c, layer):
        return jnp.tanh(c @ layer), jnp.sum(c)
    c, sums = lax.scan(step, a, w)
    return c, lax.psum(sums, "x")


a, w = array(8, 16), array(3, 16, 16) * 0.3
layers = manual(scanned, (P("x", None), P()), (P("x", None), P()), "x")
run("scan", layers, (a, P("x", "y")), (w, P(None, "y", "z")))
run("gradient", jax.grad(lambda a, w: (layers(a, w)[0] ** 2).sum(), argnums=(0, 1)), (a, P("x", "y")), (w, P(None, "y", "z")))


def branches(a, p):
    return lax.cond(p[0] > 0, lambda v: lax.all_gather(v, "x", axis=0, tiled=True) * 2,
                    lambda v: lax.all_gather(v + 1, "x", axis=0, tiled=True), a)


for sign in (-1, 1):
    run(f"cond_{sign}", manual(branches, (P("x", None), P()), P(None, None), "x"), (a, P("x", "z")),
        (np.full(1, sign, np.float32), P()))


def nested(a):
    def inner(b):
        return b * lax.axis_index("y").astype(jnp.float32) + lax.psum(b, "y")
    c = jax.shard_map(inner, in_specs=P(None, "y"), out_specs=P(None, "y"), axis_names={"y"})(jnp.sin(a))
    return lax.ppermute(c, "x", [(0, 1), (1, 0)])


run("nested", manual(nested, P("x", None), P("x", None), "x"), (a, P(None, ("y", "z"))))


def halves(a):
    def turn(s):
        return s[0] + 1, lax.psum_scatter(jnp.concatenate([s[1], s[1]]), "x", scatter_dimension=0, tiled=True) / 2
    return lax.while_loop(lambda s: s[0] < 3, turn, (0, a))[1]


run("while", manual(halves, P("x"), P("x"), "x"), (a, P("x", ("z", "y"))))


def constrained(a, w):
    h = lax.with_sharding_constraint(a @ w, P(None, "z"))
    return jnp.sort(h, axis=1) + lax.pmean(h, "x")


run("constraint", manual(constrained, (P("x"), P()), P("x"), "x"), (a, P("x", "y")), (array(16, 16), P("y", "z")))


def rolled(a):
    place = lax.axis_index("y")
    return lax.fori_loop(0, 4, lambda k, c: c + lax.dynamic_slice_in_dim(c, (k + place) % 3, 4, axis=1).sum(1, keepdims=True) * 0.1, a)


run("axis_index", manual(rolled, P("y"), P("y"), "y"), (a, P("y", ("x", "z"))))
run("all_to_all", manual(lambda a: lax.all_to_all(a, "y", split_axis=1, concat_axis=0, tiled=True), P("y"), P(None, "y"), "y"),
    (a, P(("x", "y"), "z")))


def convolved(x, k):
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=layout) + lax.pmax(jnp.max(x), "x")


run("convolution", manual(convolved, (P("x"), P()), P("x"), "x"), (array(4, 8, 8, 4), P("x", "y", None, "z")),
    (array(3, 3, 4, 8), P(None, None, "z")))

# A mesh of three chips that are not the first.
few = Mesh(np.array(jax.devices())[[5, 2, 3]], ("q",))
v = jax.device_put(array(6, 4), NamedSharding(few, P("q")))
results["few"] = jax.jit(lambda v: jnp.cumsum(v, 0) @ v.T)(v)

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
