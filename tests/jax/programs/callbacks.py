"""Programs that call back into Python: prints, callbacks with and without results, ordered and not, sharded, in loops, that fail."""
import contextlib
import io
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

results = {}
mesh = Mesh(np.array(jax.devices()[:2]), ("x",))
x = np.arange(8, dtype=np.float32)


def like(a):
    return jax.ShapeDtypeStruct(a.shape, a.dtype)


def printed(function, *arguments):
    """What it prints, as numbers."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        jax.block_until_ready(function(*arguments))
        jax.effects_barrier()
    return np.array([float(word) for word in text.getvalue().split()])


def loop(ordered):
    def turn(i, c):
        jax.debug.print("{} {}", i, c, ordered=ordered)
        return c * 2

    return jax.jit(lambda a: jax.lax.fori_loop(0, 4, turn, a))


results["ordered"] = printed(loop(True), 1.0)
results["ordered_again"] = printed(loop(True), 3.0)
results["unordered"] = np.sort(printed(loop(False), 1.0))
branches = jax.jit(lambda a: jax.lax.cond(a > 0, lambda: jax.debug.print("{}", a), lambda: jax.debug.print("{}", 10 * a)))
results["branches"] = np.concatenate([printed(branches, 2.0), printed(branches, -2.0)])

# A result, of more than one message too; on one device, sharded, by shard.
double = lambda a: jax.pure_callback(lambda v: np.asarray(v) * 2, like(a), a)
results["pure"] = jax.jit(double)(x)
results["long"] = jax.jit(lambda a: double(a) + 1)(np.arange(3_000_000, dtype=np.float32))[::1000]
sharding = NamedSharding(mesh, P("x"))
results["sharded"] = jax.jit(lambda a: double(a) + a, in_shardings=sharding, out_shardings=sharding)(x)
seen = []


def note(a):
    seen.append(np.asarray(a))
    return np.asarray(a) + len(a)


by_shard = jax.jit(jax.shard_map(lambda a: jax.pure_callback(note, like(a), a), mesh=mesh, in_specs=P("x"), out_specs=P("x")))
results["by_shard"] = np.asarray(by_shard(jax.device_put(x, sharding)))
results["shards_seen"] = np.sort(np.concatenate(seen))
results["scan"] = jax.jit(lambda a: jax.lax.scan(lambda c, i: (c + double(i), c), a, jnp.arange(4.0))[1])(jnp.float32(1))

log = []


def count(a):
    log.append(float(a))
    return np.float32(len(log))


ordered = jax.jit(lambda a: jax.lax.scan(
    lambda c, i: (c + io_callback(count, jax.ShapeDtypeStruct((), np.float32), i, ordered=True), None), a, jnp.arange(3.0))[0])
results["io"] = np.asarray(ordered(jnp.float32(0)))
results["io_log"] = np.array(log)

# Neither operands nor results.
calls = []
jax.jit(lambda a: (jax.debug.callback(lambda: calls.append(1)), a)[1])(1.0).block_until_ready()
jax.effects_barrier()
results["calls"] = np.array(calls)


def wrong(a):
    raise ValueError("the callback has gone wrong")


try:
    jax.jit(lambda a: jax.pure_callback(wrong, like(a), a))(x).block_until_ready()
    message = ""
except Exception as error:  # Of which class, a backend chooses.
    message = str(error)
assert "the callback has gone wrong" in message, message
results["after"] = jax.jit(lambda a: a + 1)(x)

np.savez(os.environ["RESULTS"], **results)
