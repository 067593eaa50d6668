"""compiled.memory_analysis(): arrays with the padding of their tiles, what is donated once, nothing for what a fusion keeps."""
import os

import jax
import jax.numpy as jnp
import numpy as np

results = {"sum": jnp.float32(0)}


def step(x, w):
    h = jnp.maximum(x @ w, 0)  # Exact, also where the rounding of bf16 is left out between kernels.
    return w - 0.1 * (h.T @ h), jnp.sum(h.astype(jnp.float32))


x, w = jax.ShapeDtypeStruct((1000, 512), jnp.bfloat16), jax.ShapeDtypeStruct((512, 512), jnp.bfloat16)
results["sum"] = jax.jit(step)(jnp.ones(x.shape, x.dtype) / 512, jnp.ones(w.shape, w.dtype))[1]
if jax.devices()[0].platform != "cpu":
    memory = jax.jit(step, donate_argnums=1).lower(x, w).compile().memory_analysis()
    weights = 512 * 512 * 2
    assert memory.argument_size_in_bytes == 1008 * 512 * 2 + weights, memory  # 1000 rows are 63 tiles of 16.
    assert memory.alias_size_in_bytes == weights, memory
    assert weights <= memory.output_size_in_bytes <= weights + 512, memory
    assert memory.temp_size_in_bytes <= 1008 * 512 * 2, memory
    before = jax.devices()[0].memory_stats()["bytes_in_use"]
    held = jax.block_until_ready(jnp.ones((1000, 512), jnp.bfloat16))
    stats = jax.devices()[0].memory_stats()
    assert stats["bytes_in_use"] - before == 1008 * 512 * 2, (before, stats)  # As the compiler counts it.

    def refusal(of, shape, **options):
        try:
            jax.jit(of, **options).lower(jax.ShapeDtypeStruct(shape, jnp.float32)).compile()
        except jax.errors.JaxRuntimeError as error:
            return str(error)
        raise AssertionError(f"{shape} is not refused")

    # Which memory is too small is said once, and in the words by which programs for TPUs know it.
    message = refusal(lambda v: v + 1, (1 << 20, 1 << 16))
    assert message.startswith("RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used "), message
    on_host = jax.sharding.SingleDeviceSharding(jax.devices()[0], memory_kind="pinned_host")
    message = refusal(lambda v: v, (1 << 20, 1 << 16), in_shardings=on_host, out_shardings=on_host)
    assert "of host memory (pinned_host)" in message and "hbm" not in message, message

if "RESULTS" in os.environ:
    np.savez(os.environ["RESULTS"], **{name: np.asarray(value) for name, value in results.items()})
