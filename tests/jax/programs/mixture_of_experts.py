"""A mixture of experts: Out[i] = W[B[i]] @ A[i], by sorting, by `jit` alone, and by `shard_map` with explicit communication.

After the worked problem 2 of "Programming TPUs in JAX" (How to Scale Your Model, part 10), with the variants it asks for:
an all-gather and local masking; an all_to_all within a while loop, a few tokens a round, so that no array of [E, S, D] exists;
and top-k routing, with gradients through it.
"""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P

X = jax.device_count()
E, S, D, F, K = 2 * X, 8 * X, 16, 32, 2
mesh = jax.make_mesh((X,), ("X",), axis_types=(jax.sharding.AxisType.Auto,))
experts = NamedSharding(mesh, P("X", None, None))
tokens = NamedSharding(mesh, P("X", None))
rows = NamedSharding(mesh, P("X"))


def local(w, a, b):
    """Tokens sorted into a buffer of [E, S, D], as any expert may get all of them."""
    order = jnp.argsort(b, stable=True)
    counts = jnp.zeros(E, jnp.int32).at[b].add(1)
    starts = jnp.cumsum(counts) - counts
    place = jnp.arange(b.shape[0]) - starts[b[order]]
    buffer = jnp.zeros((E, b.shape[0], a.shape[1]), a.dtype).at[b[order], place].set(a[order])
    out = jnp.einsum("esd,edf->esf", buffer, w)
    return jnp.zeros((b.shape[0], w.shape[2]), a.dtype).at[order].set(out[b[order], place])


def by_gathering(w, a, b):
    """Every chip sees all tokens, computes those of its experts, and the sum over chips brings them home."""
    everyone = jax.lax.all_gather(a, "X", tiled=True)
    assigned = jax.lax.all_gather(b, "X", tiled=True)
    first = jax.lax.axis_index("X") * w.shape[0]
    out = jnp.zeros((everyone.shape[0], w.shape[2]), a.dtype)
    for e in range(w.shape[0]):
        out = jnp.where((assigned == first + e)[:, None], everyone @ w[e], out)
    return jax.lax.psum_scatter(out, "X", scatter_dimension=0, tiled=True)


def by_rounds(w, a, b):
    """Each round, a chip sends every other chip at most one token, and gets the answer back; until nobody has one left."""
    per_chip = w.shape[0]
    target = b // per_chip
    mine = jnp.arange(X)

    def left(state):
        return jax.lax.psum(jnp.any(state[1]).astype(jnp.int32), "X") > 0

    def exchange(state):
        out, waiting = state
        wanted = waiting[None, :] & (target[None, :] == mine[:, None])  # [chip, token]
        chosen, there = jnp.argmax(wanted, axis=1), jnp.any(wanted, axis=1)
        sent = jax.lax.all_to_all(a[chosen], "X", 0, 0, tiled=True)
        which = jax.lax.all_to_all(jnp.where(there, b[chosen] % per_chip, 0), "X", 0, 0, tiled=True)
        answer = jnp.einsum("sd,sdf->sf", sent, w[which])
        back = jax.lax.all_to_all(answer, "X", 0, 0, tiled=True)
        target_row = jnp.where(there, chosen, a.shape[0])  # Beyond the end: dropped.
        return out.at[target_row].set(back, mode="drop"), waiting.at[target_row].set(False, mode="drop")

    start = (jax.lax.pcast(jnp.zeros((a.shape[0], w.shape[2]), a.dtype), "X", to="varying"),
             jax.lax.pcast(jnp.ones(a.shape[0], bool), "X", to="varying"))
    return jax.lax.while_loop(left, exchange, start)[0]


def sharded(f):
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=(P("X"), P("X"), P("X")), out_specs=P("X")))


def top_k(w, router, a):
    """The K best experts of each token, weighted by the softmax of their scores."""
    scores, chosen = jax.lax.top_k(a @ router, K)
    weights = jax.nn.softmax(scores, axis=-1)
    out = sum(weights[:, i, None] * local(w, a, chosen[:, i]) for i in range(K))
    return out, chosen


def loss(w, router, a):
    return (top_k(w, router, a)[0] ** 2).mean()


keys = jax.random.split(jax.random.key(3), 4)
W = jax.random.normal(keys[0], (E, D, F))
A = jax.random.normal(keys[1], (S, D))
B = jax.random.randint(keys[2], (S,), 0, E)
ROUTER = jax.random.normal(keys[3], (D, E))
w, a, b = jax.device_put(W, experts), jax.device_put(A, tokens), jax.device_put(B, rows)

results = {"assignment": B}
results["local"] = jax.jit(local)(W, A, B)
results["jit"] = jax.jit(local, out_shardings=tokens)(w, a, b)
results["gathered"] = sharded(by_gathering)(w, a, b)
results["rounds"] = sharded(by_rounds)(w, a, b)
expected = np.einsum("sd,sdf->sf", A, np.asarray(W)[np.asarray(B)])
for name in ("local", "jit", "gathered", "rounds"):
    np.testing.assert_allclose(np.asarray(results[name]), expected, rtol=1e-4, atol=1e-4)
router = jax.device_put(ROUTER, NamedSharding(mesh, P()))
results["top_k"], results["chosen"] = jax.jit(top_k)(w, router, a)
gradients = jax.jit(jax.grad(loss, argnums=(0, 1)))(w, router, a)
results["gradient_experts"], results["gradient_router"] = gradients
print("experts", w.sharding.spec, "->", gradients[0].sharding)

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
