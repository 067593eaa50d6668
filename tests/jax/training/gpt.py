"""A small GPT in plain JAX: token and position embeddings, blocks of attention and a feed-forward layer, tied output."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

VOCABULARY, LENGTH, WIDTH, HEADS, HIDDEN, LAYERS, BATCH = 64, 32, 64, 8, 256, 2, 16
LAYOUTS = ("data", "fsdp", "tensor", "2d")


def init(key):
    keys = iter(jax.random.split(key, 2 + 4 * LAYERS))

    def matrix(*shape):
        return jax.random.normal(next(keys), shape) * 0.02

    block = [dict(norm1=jnp.ones(WIDTH), qkv=matrix(WIDTH, 3, HEADS, WIDTH // HEADS), out=matrix(HEADS, WIDTH // HEADS, WIDTH),
                  norm2=jnp.ones(WIDTH), up=matrix(WIDTH, HIDDEN), down=matrix(HIDDEN, WIDTH)) for _ in range(LAYERS)]
    return dict(tokens=matrix(VOCABULARY, WIDTH), positions=matrix(LENGTH, WIDTH), norm=jnp.ones(WIDTH), blocks=block)


def specs(layout):
    """How parameters are sharded: by heads and hidden units over `model`, and the rest of them over `data` (ZeRO 3)."""
    data = "data" if layout in ("fsdp", "2d") else None
    model = "model" if layout in ("tensor", "2d") else None
    block = dict(norm1=P(), qkv=P(data, None, model, None), out=P(model, None, data), norm2=P(), up=P(data, model),
                 down=P(model, data))
    return dict(tokens=P(data, model), positions=P(None, model), norm=P(), blocks=[block] * LAYERS)


def norm(x, scale):
    wide = x.astype(jnp.float32)
    wide = (wide - wide.mean(-1, keepdims=True)) * jax.lax.rsqrt(wide.var(-1, keepdims=True) + 1e-5)
    return (wide * scale).astype(x.dtype)


def attention(x, block):
    q, k, v = jnp.einsum("btd,dshe->sbthe", x, block["qkv"].astype(x.dtype))
    scores = jnp.einsum("bqhe,bkhe->bhqk", q, k).astype(jnp.float32) / (WIDTH // HEADS) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool)), scores, -1e9)
    weights = jax.nn.softmax(scores).astype(x.dtype)
    return jnp.einsum("bhqk,bkhe,hed->bqd", weights, v, block["out"].astype(x.dtype))


def loss(params, batch, dtype):
    inputs, targets = batch
    x = params["tokens"].astype(dtype)[inputs] + params["positions"].astype(dtype)
    for block in params["blocks"]:
        x = x + attention(norm(x, block["norm1"]), block)
        hidden = jax.nn.gelu(norm(x, block["norm2"]) @ block["up"].astype(dtype))
        x = x + hidden @ block["down"].astype(dtype)
    logits = (norm(x, params["norm"]) @ params["tokens"].astype(dtype).T).astype(jnp.float32)
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], axis=-1).mean()


def batch(random):
    """Sequences in which each token is a fixed function of the one before, but for one in eight, which is random."""
    rows = np.empty((BATCH, LENGTH + 1), np.int32)
    rows[:, 0] = random.integers(0, VOCABULARY, BATCH)
    for t in range(LENGTH):
        follows = (5 * rows[:, t] + 7) % VOCABULARY
        rows[:, t + 1] = np.where(random.random(BATCH) < 0.125, random.integers(0, VOCABULARY, BATCH), follows)
    return rows[:, :-1], rows[:, 1:]
