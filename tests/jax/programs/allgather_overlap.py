"""The all-gather on one side, plainly and overlapped, timed and profiled: the script of a question in a JAX forum, smaller.

After JAX's `shard_map` notebook, "Example 1: all-gather on one side".
"""
import os
import pathlib
import tempfile
import time
from functools import partial

import jax
import jax.lax as lax
import jax.numpy as jnp
import numpy as np
from jax import device_put
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

# ============== Configuration ==============
M, K, N = 256, 512, 64
NUM_WARMUP = 1
NUM_ITERS = 2

# ============== Initialization ==============
devices = jax.devices()
num_devices = len(devices)
print(f"Available devices: {num_devices}")
print(f"   Device type: {devices[0].device_kind}")

# Create a 1D mesh
mesh = Mesh(devices, ("i",))

# ============== Create test data ==============
lhs_spec = P("i", None)  # Shard along M
rhs_spec = P("i", None)  # Shard along K
out_spec = P("i", None)  # Output sharded along M (matches lhs)


def place(dtype):
    lhs = jnp.arange(M * K).reshape(M, K) % 3 - 1
    rhs = jnp.arange(K * N).reshape(K, N) % 5 - 2
    return (device_put(lhs.astype(dtype), NamedSharding(mesh, lhs_spec)),
            device_put(rhs.astype(dtype), NamedSharding(mesh, rhs_spec)))


# ============== Define kernel functions ==============


# --- Option 1: basic all-gather ---
def matmul_allgather_kernel(lhs_block, rhs_block):
    """All-gather rhs to reconstruct the full rhs, then do a local matmul."""
    rhs = jax.lax.all_gather(rhs_block, "i", tiled=True)
    return lhs_block @ rhs


# --- Option 2: overlapped (overlap communication and compute) ---
def matmul_allgather_overlapped_kernel(lhs_block, rhs_block):
    """Ring ppermute rhs blocks to pipeline transfers and overlap comm/compute."""
    size = num_devices
    idx = jax.lax.axis_index("i")
    shift = partial(jax.lax.ppermute, axis_name="i", perm=[(i, (i + 1) % size) for i in range(size)])

    B = lhs_block.shape[1] // size
    lhs_blocks = lambda i: lax.dynamic_slice_in_dim(lhs_block, i * B, B, 1)

    # First iteration: use local rhs_block with the corresponding lhs slice.
    out_block = lhs_blocks(idx) @ rhs_block

    # Subsequent iterations: rotate rhs_block around the ring and accumulate.
    for i in range(1, size):
        rhs_block = shift(rhs_block)
        out_block += lhs_blocks((idx - i) % size) @ rhs_block

    return out_block


# --- Option 3: overlapped bidirectional (bidirectional ring overlap) ---
def matmul_allgather_overlapped_bidi_kernel(lhs_block, rhs_block):
    """Bidirectional ring ppermute of rhs blocks, in two halves that go in opposite directions."""
    size = num_devices
    idx = jax.lax.axis_index("i")
    shift_up = partial(jax.lax.ppermute, axis_name="i", perm=[(i, (i + 1) % size) for i in range(size)])
    shift_dn = partial(jax.lax.ppermute, axis_name="i", perm=[(i, (i - 1) % size) for i in range(size)])

    # On each device, split lhs_block columns into size*2 sub-blocks of width B.
    B = lhs_block.shape[1] // size // 2  # half-size blocks
    lhs_blocks = lambda i, hi: lax.dynamic_slice_in_dim(lhs_block, (2 * i + hi) * B, B, 1)

    # Split rhs_block along the row dimension into lower/upper halves.
    rhs_block_lo, rhs_block_hi = jnp.split(rhs_block, 2, axis=0)

    # First iteration: multiply local rhs halves with the corresponding lhs sub-blocks.
    out_block = lhs_blocks(idx, 0) @ rhs_block_lo
    out_block += lhs_blocks(idx, 1) @ rhs_block_hi

    # Subsequent iterations: send the lower half up and the upper half down.
    for i in range(1, size):
        rhs_block_lo = shift_up(rhs_block_lo)
        rhs_block_hi = shift_dn(rhs_block_hi)
        out_block += lhs_blocks((idx - i) % size, 0) @ rhs_block_lo
        out_block += lhs_blocks((idx + i) % size, 1) @ rhs_block_hi

    return out_block


results = {}
for dtype in (jnp.bfloat16, jnp.float32):
    for kernel_fn in (matmul_allgather_kernel, matmul_allgather_overlapped_kernel, matmul_allgather_overlapped_bidi_kernel):
        # Wrap with shard_map + jit
        matmul_fn = jax.jit(shard_map(kernel_fn, mesh=mesh, in_specs=(lhs_spec, rhs_spec), out_specs=out_spec, check_rep=False))
        lhs, rhs = place(dtype)

        # ============== Warmup ==============
        for _ in range(NUM_WARMUP):
            result = matmul_fn(lhs, rhs)
            result.block_until_ready()

        # ============== Benchmark ==============
        start = time.time()
        for _ in range(NUM_ITERS):
            result = matmul_fn(lhs, rhs)
            result.block_until_ready()
        elapsed = time.time() - start
        print(f"   Kernel: {kernel_fn.__name__}, {np.dtype(dtype)}")
        print(f"   Per iteration: {elapsed / NUM_ITERS * 1000:.2f}ms")
        results[f"{kernel_fn.__name__}_{np.dtype(dtype)}"] = result

# ============== Profiling ==============
with tempfile.TemporaryDirectory() as trace_dir:
    with jax.profiler.trace(trace_dir, create_perfetto_trace=True):
        for i in range(2):
            result = matmul_fn(lhs, rhs)
            result.block_until_ready()
    traces = [path.name for path in pathlib.Path(trace_dir).rglob("*") if path.is_file()]
print(f"   Trace: {sorted(traces)}")
assert any(name.endswith(".xplane.pb") for name in traces), "the profiler wrote no trace"

np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
