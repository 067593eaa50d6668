"""Activations and optimizer state in the host's memory, as MaxText offloads them; the CPU backend computes the same without."""
import functools
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.ad_checkpoint import checkpoint_name
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

results = {}
offloads = jax.devices()[0].platform != "cpu"  # That backend has the kinds of memory, but not inside of jit.
mesh = Mesh(np.array(jax.devices()[:4]), ("x",))
rows, everywhere = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())


def kept(sharding):
    """Where what is not needed soon lies."""
    return sharding.with_memory_kind("pinned_host") if offloads else sharding


# --- Activations of a scan over layers, by jax.checkpoint's policies ---
policies = jax.checkpoint_policies
layers, batch, width, hidden = 4, 64, 128, 256
names = {"names_which_can_be_saved": ["gated"], "names_which_can_be_offloaded": ["hidden"]}
places = {"offload_src": "device", "offload_dst": "pinned_host"}


def layer(x, weights):
    up, down = weights
    h = checkpoint_name(jnp.tanh(x @ up), "hidden")
    return x + checkpoint_name(jax.nn.sigmoid(h) * h, "gated") @ down, None


def loss(weights, x, policy):
    y, _ = jax.lax.scan(jax.checkpoint(layer, policy=policy, prevent_cse=False), x, weights)
    return jnp.sum(y * y)


key = jax.random.key(0)
weights = (jax.random.normal(key, (layers, width, hidden)) * 0.05, jax.random.normal(key, (layers, hidden, width)) * 0.05)
x = jax.device_put(jax.random.normal(key, (batch, width)), rows)
weights = jax.device_put(weights, everywhere)
by_name = policies.save_and_offload_only_these_names(**names, **places) if offloads else None
by_kind = policies.offload_dot_with_no_batch_dims(**places) if offloads else None
for name, policy in (("names", by_name), ("dots", by_kind)):
    step = jax.jit(jax.grad(functools.partial(loss, policy=policy)))
    results[f"up_by_{name}"], results[f"down_by_{name}"] = step(weights, x)
    if offloads:
        memory = step.lower(weights, x).compile().memory_analysis()
        stack = layers * batch // 4 * hidden * 4
        assert memory.host_temp_size_in_bytes >= stack, memory

# --- Optimizer state that lies on the host between the steps, donated ---


@functools.partial(jax.jit, donate_argnums=(0, 1), out_shardings=(rows, kept(rows)))
def update(weights, moment, gradient):
    moment = 0.9 * jax.device_put(moment, rows) + gradient
    return weights - 0.1 * moment, jax.device_put(moment, kept(rows))


w = jax.device_put(jnp.ones((64, 256)), rows)
m = jax.device_put(jnp.zeros((64, 256)), kept(rows))
g = jax.device_put(jnp.linspace(-1, 1, 64 * 256).reshape(64, 256), rows)
for _ in range(3):
    old = m
    w, m = update(w, m, g)
    assert old.is_deleted()
    assert m.sharding.memory_kind == kept(rows).memory_kind, m.sharding
results["weights"], results["moment"] = w, m
if offloads:
    memory = update.lower(w, m, g).compile().memory_analysis()
    part = 64 // 4 * 256 * 4
    assert memory.host_argument_size_in_bytes == memory.host_output_size_in_bytes == part, memory
    assert memory.host_alias_size_in_bytes == part and memory.alias_size_in_bytes == part, memory
    assert memory.argument_size_in_bytes == 2 * part, memory

# --- By jax.memory.Space, there and back; layers taken from a stack on the host ---
stack = jax.device_put(jnp.arange(4 * 16 * 128.0).reshape(4, 16, 128), kept(everywhere))


@jax.jit
def product(stack, x):
    def turn(x, i):
        one = jax.lax.dynamic_index_in_dim(stack, i, 0, False)
        return x + (jax.device_put(one, jax.memory.Space.Device) if offloads else one), None

    y, _ = jax.lax.scan(turn, x, jnp.arange(4))
    if offloads:
        y = jax.device_put(jax.device_put(y, jax.memory.Space.Host), jax.memory.Space.Device)
    return 2 * y


results["from_stack"] = product(stack, jnp.ones((16, 128)))

# --- Between the memories, outside of jit ---
there = jax.device_put(w, kept(rows))
assert there.sharding.memory_kind == kept(rows).memory_kind
results["there"], results["back"] = there, jax.device_put(there, rows)

if "RESULTS" in os.environ:
    np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
