"""One of the soak's clients: unmodified JAX by the plugin, run below `podium exec`.

Usage: client_jax.py SECONDS SEED     Prints how many values it has checked.
"""
import sys
import time

import jax
import numpy
from jax.sharding import NamedSharding, PartitionSpec

mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
sharded = NamedSharding(mesh, PartitionSpec("x", "y"))
multiply = jax.jit(lambda a, b: a @ b, out_shardings=sharded)


def main(seconds, seed):
    dice = numpy.random.default_rng(seed)
    end, checked = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        a, b = (dice.integers(-8, 8, (32, 32)).astype(numpy.float32) for _ in range(2))
        for _ in range(dice.integers(1, 50)):
            got = multiply(jax.device_put(a, sharded), jax.device_put(b, sharded))
        numpy.testing.assert_array_equal(numpy.asarray(got), a @ b)
        checked += got.size
    print(checked)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
