"""A small convolutional network in Flax: convolutions, batch normalisation, which is over the whole batch on all chips, pooling."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import PartitionSpec as P

SIZE, CLASSES, BATCH = 16, 8, 32
LAYOUTS = ("data",)


class Network(nn.Module):
    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x):
        for features in (16, 32):
            x = nn.Conv(features, (3, 3), use_bias=False, dtype=self.dtype)(x)
            x = nn.BatchNorm(use_running_average=False, dtype=self.dtype)(x)
            x = nn.relu(x)
            x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = nn.Conv(32, (3, 3), strides=(2, 2), feature_group_count=4, dtype=self.dtype)(x)
        x = nn.avg_pool(nn.relu(x), (2, 2), strides=(2, 2))
        return nn.Dense(CLASSES, dtype=self.dtype)(x.reshape(x.shape[0], -1))


def init(key):
    return Network(jnp.float32).init(key, jnp.zeros((1, SIZE, SIZE, 3)))["params"]


def specs(layout):
    assert layout in LAYOUTS
    return P()


def loss(params, batch, dtype):
    images, labels = batch
    logits, _ = Network(dtype).apply({"params": params}, images.astype(dtype), mutable=["batch_stats"])
    return optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), labels).mean()


def batch(random):
    """Waves across the picture, in a direction that is the class, with noise."""
    labels = random.integers(0, CLASSES, BATCH).astype(np.int32)
    angle = labels * np.pi / CLASSES
    y, x = np.mgrid[:SIZE, :SIZE] - SIZE / 2
    wave = np.sin(0.9 * (x * np.cos(angle)[:, None, None] + y * np.sin(angle)[:, None, None]) + random.random((BATCH, 1, 1)) * 6)
    images = wave[..., None] + 0.3 * random.standard_normal((BATCH, SIZE, SIZE, 3))
    return images.astype(np.float32), labels
