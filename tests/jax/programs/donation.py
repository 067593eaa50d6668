"""Training states and buffers that `jit` is told to donate: updated in place, deleted for the caller, also when sharded."""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

results = {}


def step(state, gradient):
    moment = 0.9 * state["moment"] + gradient
    return {"weights": state["weights"] - 0.1 * moment, "moment": moment}, jnp.sum(jnp.square(moment))


# --- A state that goes round a loop ---
train = jax.jit(step, donate_argnums=0)
state = {"weights": jnp.ones((64, 32)), "moment": jnp.zeros((64, 32))}
gradient = jnp.linspace(-1, 1, 64 * 32).reshape(64, 32)
for _ in range(5):
    before = state
    state, loss = train(state, gradient)
    assert before["weights"].is_deleted() and before["moment"].is_deleted()
assert not gradient.is_deleted()
results["weights"], results["loss"] = state["weights"], loss
try:
    before["weights"] + 1
    raise AssertionError("a donated array can be used")
except RuntimeError as error:
    assert "Array has been deleted" in str(error), error

# --- Over a mesh, and two that change places ---
mesh = Mesh(np.array(jax.devices()), ("x",))
rows = NamedSharding(mesh, P("x"))
swap = jax.jit(lambda a, b: (b, a + 1), donate_argnums=(0, 1), out_shardings=(rows, rows))
a = jax.device_put(jnp.arange(64.0).reshape(8, 8), rows)
b = jax.device_put(-jnp.arange(64.0).reshape(8, 8), rows)
for _ in range(3):
    a, b = swap(a, b)
results["a"], results["b"] = a, b

# --- One array in two places of a call ---
both = jnp.ones((8, 8))
try:
    jax.block_until_ready(jax.jit(lambda a, b: (a + 1, b + 1), donate_argnums=(0, 1))(both, both))
    raise AssertionError("an array was donated twice")
except Exception as error:
    assert "donate the same buffer twice" in str(error), error

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
