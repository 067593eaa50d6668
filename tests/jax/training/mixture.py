"""Layers of a mixture of experts: top-2 routing with capacity, tokens dispatched by einsum (GShard), experts over chips."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

TOKENS, WIDTH, HIDDEN, EXPERTS, LAYERS, CAPACITY = 128, 32, 64, 8, 2, 48
LAYOUTS = ("experts", "experts_and_data")


def init(key):
    keys = iter(jax.random.split(key, 3 * LAYERS))
    return [dict(router=jax.random.normal(next(keys), (WIDTH, EXPERTS)) * 0.1,
                 up=jax.random.normal(next(keys), (EXPERTS, WIDTH, HIDDEN)) / WIDTH**0.5,
                 down=jax.random.normal(next(keys), (EXPERTS, HIDDEN, WIDTH)) / HIDDEN**0.5) for _ in range(LAYERS)]


def specs(layout):
    data = "data" if layout == "experts_and_data" else None
    return [dict(router=P(), up=P("model", data, None), down=P("model", None, data))] * LAYERS


def route(scores):
    """[token, expert, place] of the weights with which a token goes to a place of an expert's buffer; two experts a token."""
    weights, chosen = jax.lax.top_k(jax.nn.softmax(scores), 2)
    wanted = jax.nn.one_hot(chosen, EXPERTS)  # [token, choice, expert]
    flat = wanted.swapaxes(0, 1).reshape(-1, EXPERTS)  # First choices come before second ones.
    place = (jnp.cumsum(flat, axis=0) - flat).reshape(2, -1, EXPERTS).swapaxes(0, 1)
    place = jax.nn.one_hot((place * wanted).sum(-1).astype(jnp.int32), CAPACITY)  # Beyond the capacity: nothing.
    return jnp.einsum("tk,tke,tkc->tec", weights / weights.sum(-1, keepdims=True), wanted, place)


def layer(params, x):
    scores = x.astype(jnp.float32) @ params["router"]
    combine = route(scores)
    dispatch = (combine > 0).astype(x.dtype)
    there = jnp.einsum("td,tec->ecd", x, dispatch)
    hidden = jax.nn.silu(jnp.einsum("ecd,edh->ech", there, params["up"].astype(x.dtype)))
    out = jnp.einsum("ech,ehd->ecd", hidden, params["down"].astype(x.dtype))
    balance = (jax.nn.softmax(scores).mean(0) * (dispatch.sum(-1) > 0).astype(jnp.float32).mean(0)).sum() * EXPERTS
    return x + jnp.einsum("ecd,tec->td", out, combine.astype(x.dtype)), balance


def loss(params, batch, dtype):
    inputs, targets = batch
    x, balances = inputs.astype(dtype), 0.0
    for one in params:
        x, balance = layer(one, x)
        balances += balance
    return ((x.astype(jnp.float32) - targets) ** 2).mean() + 0.01 * balances


def batch(random):
    """Points of a few clusters; what is wanted of a point depends on its cluster, which is what experts are good at."""
    fixed = np.random.default_rng(7)
    centres, maps = fixed.standard_normal((EXPERTS, WIDTH)), fixed.standard_normal((EXPERTS, WIDTH, WIDTH)) / WIDTH**0.5
    cluster = random.integers(0, EXPERTS, TOKENS)
    points = 2 * centres[cluster] + random.standard_normal((TOKENS, WIDTH))
    return points.astype(np.float32), np.einsum("td,tde->te", points, maps[cluster]).astype(np.float32)
