"""A program for several hosts: PROCESSES of them, of which this is PROCESS, meet at COORDINATOR; or one, which has all devices.

What it writes is the same however many there are: of arrays that lie on devices of several processes each gathers all.
"""
import os
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

processes, process = int(os.environ.get("PROCESSES", "1")), int(os.environ.get("PROCESS", "0"))
if processes > 1:
    jax.distributed.initialize(os.environ["COORDINATOR"], processes, process)
results = {}
assert (jax.process_count(), jax.process_index()) == (processes, process)
assert jax.local_device_count() * processes == jax.device_count()
assert all((d.process_index == process) == (d in jax.local_devices()) for d in jax.devices())

# By chips, not by processes: the mesh is the same for any number of them.
devices = np.array(sorted(jax.devices(), key=lambda d: d.id)).reshape(-1, 2)
mesh = Mesh(devices, ("x", "y"))
tiles, rows, whole = (NamedSharding(mesh, P(*axes)) for axes in (("x", "y"), (("x", "y"),), ()))
numbers = np.arange(256, dtype=np.float32).reshape(16, 16) / 64


def gathered(array):
    return multihost_utils.process_allgather(array, tiled=True)


# Arrays from the host: by callback, from all of it, from each process's own part.
a = jax.make_array_from_callback(numbers.shape, tiles, lambda index: numbers[index])
results["from_callback"] = gathered(a)
results["from_host"] = gathered(jax.device_put(numbers, rows))
own = {d.id for d in jax.local_devices()}
indices = sorted({(i[0].start, i[0].stop) for d, i in rows.devices_indices_map(numbers.shape).items() if d.id in own})
part = np.concatenate([numbers[start:stop] for start, stop in indices])
if indices[-1][1] - indices[0][0] == len(part):  # A process's rows follow each other.
    b = jax.make_array_from_process_local_data(rows, part, numbers.shape)
    assert np.array_equal(gathered(b), numbers)

# What each process has, as a checkpoint is written.
for shard in a.addressable_shards:
    assert shard.device.id in own and np.array_equal(np.asarray(shard.data), numbers[shard.index])
assert len(a.addressable_shards) == len(own) and a.is_fully_addressable == (processes == 1)

# jit over the global mesh, other shardings, shard_map with collectives.
results["product"] = gathered(jax.jit(lambda a: a @ a.T, out_shardings=rows)(a))
results["replicated"] = np.asarray(jax.jit(jnp.sum, out_shardings=whole)(a))
results["resharded"] = gathered(jax.jit(lambda a: a, out_shardings=NamedSharding(mesh, P(None, "x")))(a))
results["random"] = gathered(jax.jit(lambda k: jax.random.normal(k, (16, 16)), out_shardings=tiles)(jax.random.key(7)))

turned = Mesh(devices[::-1, ::-1], ("x", "y"))
results["other_order"] = gathered(jax.device_put(a, NamedSharding(turned, P("y", "x"))))
on_hosts = jax.device_put(a, tiles.with_memory_kind("pinned_host"))
assert on_hosts.sharding.memory_kind == "pinned_host"
results["by_host_memory"] = gathered(jax.device_put(on_hosts, rows.with_memory_kind("device")))


@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"))
def exchange(a):
    turned = jax.lax.ppermute(a, "y", [(0, 1), (1, 0)])
    return jax.lax.psum(a, "x") + turned + jax.lax.all_gather(a, "x").mean(0) + jax.lax.axis_index("y")


results["exchange"] = gathered(exchange(a))

# Training by steps that consume what they replace: data over x, weights over y.
weights = [jax.device_put(numbers[:, :8], NamedSharding(mesh, P(None, "y"))),
           jax.device_put(numbers[:8], NamedSharding(mesh, P("y")))]


def loss(weights, batch):
    return jnp.mean((jnp.tanh(batch @ weights[0]) @ weights[1] - batch) ** 2)


@partial(jax.jit, donate_argnums=0)
def step(weights, batch):
    value, gradients = jax.value_and_grad(loss)(weights, batch)
    return [w - 0.01 * g for w, g in zip(weights, gradients)], value


losses = []
for _ in range(8):
    before = weights
    weights, value = step(weights, jax.device_put(numbers, NamedSharding(mesh, P("x"))))
    assert all(w.is_deleted() for w in before)
    losses.append(value)
results["losses"] = np.array([np.asarray(value) for value in losses])
results["weights"] = gathered(weights[0])

# On devices of this process only, with nobody else.
local = Mesh(np.array(jax.local_devices()), ("z",))
z = jax.device_put(np.arange(4.0 * len(own), dtype=np.float32), NamedSharding(local, P("z")))
for _ in range(process):
    z = jax.jit(jnp.sin)(z)
assert z.is_fully_addressable and jax.jit(jnp.sum)(z).devices() <= set(jax.local_devices())

# Callbacks come to the process that has the device.
seen = []


def note(a):
    seen.append(float(a[0]))
    return 2 * np.asarray(a)


c = jax.device_put(np.arange(float(jax.device_count()), dtype=np.float32), rows)
like = jax.ShapeDtypeStruct((1,), np.float32)
back = jax.shard_map(lambda a: jax.pure_callback(note, like, a), mesh=mesh, in_specs=rows.spec, out_specs=rows.spec)
results["called_back"] = gathered(jax.jit(back)(c))
assert sorted(seen) == sorted(float(np.asarray(s.data)[0]) for s in c.addressable_shards)

# What processes ask of each other.
multihost_utils.sync_global_devices("here")
assert np.array_equal(multihost_utils.broadcast_one_to_all(np.array([process + 5])), [5])
assert np.array_equal(multihost_utils.process_allgather(np.array(process)).ravel(), np.arange(processes))
multihost_utils.assert_equal(np.arange(3), "they differ")

# When processes part, all are told, and go on.
if processes > 1:
    try:
        jax.jit(lambda a: a * (2 + process))(a).block_until_ready()
        raise SystemExit("other programs have run as one")
    except jax.errors.JaxRuntimeError as error:
        assert "FAILED_PRECONDITION" in str(error) and "have parted" in str(error), error
results["after"] = gathered(jax.jit(lambda a: a + 1)(a))
np.savez(os.environ["RESULTS"], **results)
