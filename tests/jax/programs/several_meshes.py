"""Several meshes in one program: six devices as 2x3, 3x2 and 6, whose axes are not made of one another. Arguments, results,
constraints, manual computations, what a loop carries, gradients and donated arguments go from one to the other. The pod is larger."""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

DEVICES = np.array(jax.devices()[:6])
A = Mesh(DEVICES.reshape(2, 3), ("x", "y"))
B = Mesh(DEVICES.reshape(3, 2), ("p", "q"))
FLAT = Mesh(DEVICES, ("d",))
rng = np.random.default_rng(0)
results = {}


def on(mesh, *spec):
    return NamedSharding(mesh, P(*spec))


def constrained(value, mesh, *spec):
    return lax.with_sharding_constraint(value, on(mesh, *spec))


def array(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def run(name, f, arguments, shardings, wanted=None, **options):
    """The whole values, and the shards of those whose sharding the program gives."""
    if wanted is not None:
        options["out_shardings"] = wanted
    arguments = [jax.device_put(a, s) for a, s in zip(arguments, shardings)]
    values = jax.jit(f, **options)(*arguments)
    for i, leaf in enumerate(jax.tree.leaves(values)):
        results[f"{name}_{i}"] = np.asarray(leaf)
        for shard in leaf.addressable_shards if wanted is not None else []:
            results[f"{name}_{i}_on_{list(DEVICES).index(shard.device)}"] = np.asarray(shard.data)


v, w = array(24, 24), array(24, 12)
lies = {"2x3": on(A, "x", "y"), "3x2": on(B, "p", "q"), "6": on(FLAT, "d"), "rows": on(B, "p"), "columns": on(A, None, ("y", "x"))}
for before, source in lies.items():
    for after, target in lies.items():
        run(f"move_{before}_{after}", lambda t: jnp.sin(t) * 2, (v,), (source,), target)
        run(f"product_{before}_{after}", lambda s, t: s @ t, (v, w), (source, target), source)


def manual(mesh, x, y):
    """Ids, groups, pairs, and shards of shards."""
    def body(t):
        t = t + lax.axis_index(x) * 100 + lax.axis_index(y)
        turned = lax.ppermute(lax.psum(t, y), x, [(i, (i + 1) % mesh.shape[x]) for i in range(mesh.shape[x])])
        return lax.all_gather(t, y, axis=1, tiled=True) + turned.sum(), lax.psum_scatter(t, x, scatter_dimension=0, tiled=True)
    return jax.shard_map(body, mesh=mesh, in_specs=P(x, y), out_specs=(P(x, None), P(x, y)), check_vma=False)


for name, f in {"a": manual(A, "x", "y"), "b": manual(B, "p", "q")}.items():
    run(f"manual_{name}", lambda t: f(t * 2), (array(36, 24),), (on(A, None, "x"),), (on(A, None, "y"), on(B, "p", "q")))


def loop(t):
    def step(i, t):
        t = jnp.tanh(constrained(t + i, B, "p", "q") @ t.T) @ t
        return constrained(t, A, "x", "y")
    return lax.fori_loop(0, 3, step, t)


def scan(t):
    def step(carried, _):
        carried = manual(B, "p", "q")(jnp.tanh(constrained(carried, A, "x")))[0] * 0.01
        return carried, carried.sum()
    return lax.scan(step, t, None, length=3)


run("loop", loop, (v * 0.1,), (on(A, "x", "y"),), on(B, "p"))
run("scan", scan, (array(18, 24),), (on(A, None, "y"),), (on(A, "x"), on(A)))
run("uneven", lambda t: (constrained(constrained(t * 2, A, "x", "y"), B, "p", "q") + 1, constrained(t @ t.T, B, None, "p")),
    (array(7, 11),), (on(A),))
run("donated", lambda t, u: (constrained(t, B, "p", "q") + u, u * 2), (v, v + 1), (on(A, "x", "y"), on(B, "p", "q")),
    (on(B, "p", "q"), on(A, "x", "y")), donate_argnums=(0, 1))

summed = jax.shard_map(lambda t: lax.psum(jnp.sin(t) * (1 + lax.axis_index("p")), "q"), mesh=B, in_specs=P("p", "q"), out_specs=P("p", None))
run("gradient", jax.grad(lambda t: (summed(constrained(t, A, "x", "y")) ** 2).sum()), (v,), (on(A, "x", "y"),), on(A, "y", "x"))
partly = jax.shard_map(lambda t: lax.psum(t @ t.T, "p"), mesh=B, in_specs=P("p"), out_specs=P(None), axis_names={"p"})
run("partly", lambda t: partly(constrained(t, A, "x", "y")), (v,), (on(A, "x", "y"),), on(B, "q"))
inner = jax.shard_map(lambda t: lax.psum(t * lax.axis_index("q"), "q"), in_specs=P(None, "q"), out_specs=P(None, None), axis_names={"q"})
nested = jax.shard_map(lambda t: inner(t) * (1 + lax.axis_index("p")), mesh=B, in_specs=P("p"), out_specs=P("p"), axis_names={"p"})
run("nested", lambda t: nested(t * 3), (v,), (on(A, "x", "y"),), on(B, "q"))

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
