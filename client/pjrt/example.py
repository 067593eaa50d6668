"""A layer of an MLP over data and model, as a JAX user writes it: nothing here knows of Podium."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def put(shape, spec, seed):
    values = jax.random.normal(jax.random.key(seed), shape, jnp.bfloat16) / shape[0] ** 0.5
    return jax.device_put(values, NamedSharding(mesh, spec))


@jax.jit
def layer(x, w_in, w_out):
    return jnp.tanh(x @ w_in) @ w_out


x = put((256, 1024), P("data", None), 0)
w_in = put((1024, 2048), P(None, "model"), 1)
w_out = put((2048, 1024), P("model", None), 2)
for _ in range(3):
    x = layer(x, w_in, w_out)
print(jax.devices()[0].device_kind, jax.default_backend(), x.sharding.spec, jnp.isfinite(x).all())
