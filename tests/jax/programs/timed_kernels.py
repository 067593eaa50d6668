"""A Pallas kernel compiles and is timed, and says what to do when it is to run; interpreted it computes."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def add_one(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


def added(x, interpret=False):
    block = pl.BlockSpec((256, 1024), lambda i: (i, 0))
    return pl.pallas_call(add_one, grid=(x.shape[0] // 256,), in_specs=[block], out_specs=block,
                          out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=interpret)(x)


x = jnp.ones((1024, 1024), jnp.float32)
compiled = jax.jit(added).lower(x).compile()
assert compiled.memory_analysis().argument_size_in_bytes == 4 << 20, compiled.memory_analysis()
cost = compiled.cost_analysis()
assert cost["bytes accessed"] == 8 << 20, cost
try:
    jax.jit(added)(x).block_until_ready()
except jax.errors.JaxRuntimeError as error:
    assert "UNIMPLEMENTED" in str(error) and "interpret=True" in str(error), error
    assert "timed_kernels.py:" in str(error), error
else:
    raise AssertionError("the kernel ran")
np.testing.assert_array_equal(added(x, interpret=True), x + 1)
np.testing.assert_array_equal(jax.jit(lambda x: x + 1)(x), x + 1)  # The session goes on.
