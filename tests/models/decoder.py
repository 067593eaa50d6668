"""A decoder as MaxText trains it, in plain JAX: what one training step computes, how it is laid out on a mesh of `fsdp` and `tensor`.

Weights, gradients and AdamW's moments are f32, products are bf16. The layers are one scan whose body is rematerialised by a policy:

  full     nothing is kept of a layer but its input;
  minimal  the results of its products with weights are kept;
  offload  its input, query, key, value and the projection of the attention are kept in the host's memory (pinned_host).

Attention is JAX's splash kernel under shard_map ("flash"), or scores and softmax in the open ("dot_product").
"""
import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name
from jax.sharding import NamedSharding, PartitionSpec as P

OFFLOADED = ("decoder_layer_input", "query_proj", "key_proj", "value_proj", "out_proj")


@dataclasses.dataclass(frozen=True)
class Config:
    layers: int
    d_model: int
    d_ff: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    seq: int
    batch: int  # Sequences of a step, on all chips.
    is_gated: bool = True
    is_parallel: bool = True  # Attention and MLP read the same norm, MaxText's own layer; or one after the other, Llama's.
    attention: str = "flash"
    norms_queries: bool = False  # Queries and keys are normed by head.
    attention_block: int = 512  # Of splash attention, in all its loops.
    attention_interpret: bool = False  # The kernel by JAX's interpreter, where there is no chip.
    remat: str = "full"
    embeds_by_product: bool = True  # One-hot rows times the table; or a gather.
    rope_theta: float = 10_000.0


# --- Weights ---

def shapes_and_specs(config):
    """Of every weight: its shape, and the axes of the mesh that its dimensions are laid out over."""
    layers, d, f, h = config.layers, config.d_model, config.d_ff, config.head_dim
    layer = {
        "norm": ((layers, d), P(None, "tensor")),
        "query": ((layers, d, config.heads, h), P(None, "fsdp", "tensor")),
        "key": ((layers, d, config.kv_heads, h), P(None, "fsdp", "tensor")),
        "value": ((layers, d, config.kv_heads, h), P(None, "fsdp", "tensor")),
        "out": ((layers, config.heads, h, d), P(None, "tensor", None, "fsdp")),
        "wi_0": ((layers, d, f), P(None, "fsdp", "tensor")),
        "wo": ((layers, f, d), P(None, "tensor", "fsdp")),
    }
    if config.is_gated:
        layer["wi_1"] = layer["wi_0"]
    if not config.is_parallel:
        layer["mlp_norm"] = layer["norm"]
    if config.norms_queries:
        layer["query_norm"] = layer["key_norm"] = ((layers, h), P())
    return {"embedding": ((config.vocab, d), P("tensor", "fsdp")), "layers": layer, "norm": ((d,), P("tensor")),
            "logits": ((d, config.vocab), P("fsdp", "tensor"))}


def is_leaf(value):
    return isinstance(value, tuple)


def specs(config):
    return jax.tree.map(lambda weight: weight[1], shapes_and_specs(config), is_leaf=is_leaf)


def init(config, key):
    """Weights from a key: each matrix normal with the inverse root of what it contracts over."""
    shapes = shapes_and_specs(config)
    leaves, tree = jax.tree.flatten(shapes, is_leaf=is_leaf)
    def one(key, shape):
        if shape[:-1] in ((), (config.layers,)):  # Of a norm.
            return jnp.ones(shape, jnp.float32)
        return jax.random.normal(key, shape, jnp.float32) * config.d_model ** -0.5
    return jax.tree.unflatten(tree, [one(k, shape) for k, (shape, _) in zip(jax.random.split(key, len(leaves)), leaves)])


# --- The forward pass ---

def rms_norm(x, scale):
    x = x.astype(jnp.float32)
    x = x * jax.lax.rsqrt(jnp.mean(jnp.square(x), axis=-1, keepdims=True) + 1e-6)
    return x.astype(jnp.bfloat16) * scale.astype(jnp.bfloat16)


def rope(x, theta):
    """x: [batch, seq, heads, head_dim]; halves are turned against each other."""
    half = x.shape[-1] // 2
    period = theta ** (jnp.arange(half, dtype=jnp.float32) / half)
    angle = jnp.arange(x.shape[1], dtype=jnp.float32)[:, None] / period
    sin, cos = jnp.sin(angle)[None, :, None, :], jnp.cos(angle)[None, :, None, :]
    first, second = jnp.split(x.astype(jnp.float32), 2, axis=-1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1).astype(x.dtype)


def dot_product_attention(query, key, value):
    """Scores in the open, in bf16, as MaxText had it before it had kernels."""
    batch, seq, heads, head_dim = query.shape
    kv_heads = key.shape[2]
    query = query.reshape(batch, seq, kv_heads, heads // kv_heads, head_dim)
    scores = jnp.einsum("bqkgd,bskd->bkgqs", query, key)
    scores = scores + jnp.where(jnp.tril(jnp.ones((seq, seq), bool)), 0.0, -1e10).astype(scores.dtype)
    weights = jax.nn.softmax(scores, axis=-1)
    return jnp.einsum("bkgqs,bskd->bqkgd", weights, value).reshape(batch, seq, heads, head_dim)


def flash_attention(config, mesh, query, key, value):
    from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel, splash_attention_mask
    block = min(config.attention_block, config.seq)
    sizes = splash_attention_kernel.BlockSizes(block_q=block, block_kv=block, block_kv_compute=block, block_q_dkv=block, block_kv_dkv=block,
                                               block_kv_dkv_compute=block, use_fused_bwd_kernel=True)

    def of_one_chip(query, key, value):
        mask = splash_attention_mask.CausalMask((config.seq, config.seq))
        kernel = splash_attention_kernel.make_splash_mha(
            splash_attention_mask.MultiHeadMask([mask] * query.shape[1]), head_shards=1, q_seq_shards=1, block_sizes=sizes,
            interpret=config.attention_interpret)
        return jax.vmap(kernel)(query, key, value)

    heads_first = [x.transpose(0, 2, 1, 3) for x in (query, key, value)]
    spec = P("fsdp", "tensor")
    out = jax.shard_map(of_one_chip, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec, check_vma=False)(*heads_first)
    return out.transpose(0, 2, 1, 3)


def layer(config, mesh, x, weights):
    def place(value, *axes):
        return jax.lax.with_sharding_constraint(value, NamedSharding(mesh, P(*axes)))

    def product(pattern, left, name):
        return jnp.einsum(pattern, left, weights[name].astype(jnp.bfloat16))

    x = place(checkpoint_name(x, "decoder_layer_input"), "fsdp", None, "tensor")
    normed = place(rms_norm(x, weights["norm"]), "fsdp", None, "tensor")
    query, key, value = (place(product("bsd,dhk->bshk", normed, name), "fsdp", None, "tensor") for name in ("query", "key", "value"))
    if config.norms_queries:
        query, key = rms_norm(query, weights["query_norm"]), rms_norm(key, weights["key_norm"])
    query, key = rope(query, config.rope_theta), rope(key, config.rope_theta)
    query = checkpoint_name(query, "query_proj")
    key, value = checkpoint_name(key, "key_proj"), checkpoint_name(value, "value_proj")
    scaled = query * config.head_dim ** -0.5
    if config.attention == "flash":
        attended = flash_attention(config, mesh, scaled, key, value)
    else:
        attended = dot_product_attention(scaled, key, value)
    attended = place(attended, "fsdp", None, "tensor")
    attended = checkpoint_name(place(product("bshk,hkd->bsd", attended, "out"), "fsdp", None, "tensor"), "out_proj")
    if not config.is_parallel:
        x = x + attended
        normed = place(rms_norm(x, weights["mlp_norm"]), "fsdp", None, "tensor")
    hidden = product("bsd,df->bsf", normed, "wi_0")
    if config.is_gated:
        hidden = jax.nn.silu(hidden) * product("bsd,df->bsf", normed, "wi_1")
    else:
        hidden = jax.nn.relu(hidden)
    hidden = place(hidden, "fsdp", None, "tensor")
    moved = place(product("bsf,fd->bsd", hidden, "wo"), "fsdp", None, "tensor")
    out = x + moved + attended if config.is_parallel else x + moved
    return place(out, "fsdp", None, "tensor")


def remat_policy(config):
    if config.remat == "full":
        return None
    if config.remat == "minimal":
        return jax.checkpoint_policies.checkpoint_dots_with_no_batch_dims
    if config.remat == "offload":
        return jax.checkpoint_policies.save_and_offload_only_these_names(
            names_which_can_be_saved=[], names_which_can_be_offloaded=list(OFFLOADED), offload_src="device", offload_dst="pinned_host")
    raise ValueError(f"no remat policy '{config.remat}'")


@jax.custom_vjp
def cross_entropy(logits, targets):
    return cross_entropy_forward(logits, targets)[0]


def cross_entropy_forward(logits, targets):
    """The loss of every token, its logits in bf16, what is computed of them in f32."""
    logits32 = logits.astype(jnp.float32)
    largest = jnp.max(logits32, axis=-1)
    log_z = jnp.log(jnp.sum(jnp.exp(logits32 - largest[..., None]), axis=-1)) + largest
    picked = jnp.sum(logits32 * jax.nn.one_hot(targets, logits.shape[-1], dtype=jnp.float32), axis=-1)
    return log_z - picked, (logits, targets, log_z)


def cross_entropy_backward(kept, gradient):
    logits, targets, log_z = kept
    chance = jnp.exp(logits.astype(jnp.float32) - log_z[..., None])
    change = gradient[..., None] * (chance - jax.nn.one_hot(targets, logits.shape[-1], dtype=jnp.float32))
    return change.astype(logits.dtype), None


cross_entropy.defvjp(cross_entropy_forward, cross_entropy_backward)


def loss_of(config, mesh, weights, tokens, targets):
    def place(value, *axes):
        return jax.lax.with_sharding_constraint(value, NamedSharding(mesh, P(*axes)))

    table = weights["embedding"].astype(jnp.bfloat16)
    if config.embeds_by_product:
        x = jnp.einsum("bsv,vd->bsd", jax.nn.one_hot(tokens, config.vocab, dtype=jnp.bfloat16), table)
    else:
        x = table[tokens]
    x = place(x, "fsdp", None, "tensor")
    body = jax.checkpoint(functools.partial(layer, config, mesh), policy=remat_policy(config), prevent_cse=False)
    x, _ = jax.lax.scan(lambda x, weights: (body(x, weights), None), x, weights["layers"])
    x = rms_norm(x, weights["norm"])
    logits = place(jnp.einsum("bsd,dv->bsv", x, weights["logits"].astype(jnp.bfloat16)), "fsdp", None, "tensor")
    return jnp.mean(cross_entropy(logits, targets))


# --- The step ---

def adamw(state, gradients, rate=3e-5, b1=0.9, b2=0.95, epsilon=1e-8, decay=0.1, clip=1.0):
    """AdamW on gradients that are clipped by their global norm; state: weights, first and second moments, and the steps done."""
    norm = jnp.sqrt(sum(jnp.sum(jnp.square(gradient)) for gradient in jax.tree.leaves(gradients)))
    scale = jnp.where(norm < clip, 1.0, clip / norm)
    done = state["step"] + 1
    first_scale, second_scale = (1 / (1 - b ** done.astype(jnp.float32)) for b in (b1, b2))

    def one(weight, first, second, gradient):
        gradient = gradient * scale
        first = b1 * first + (1 - b1) * gradient
        second = b2 * second + (1 - b2) * jnp.square(gradient)
        step = first * first_scale / (jnp.sqrt(second * second_scale) + epsilon) + decay * weight
        return weight - rate * step, first, second

    moved = jax.tree.map(one, state["weights"], state["first"], state["second"], gradients)
    weights, first, second = (jax.tree.map(lambda triple, i=i: triple[i], moved, is_leaf=is_leaf) for i in range(3))
    return {"weights": weights, "first": first, "second": second, "step": done}


def placement(config, mesh):
    """Where every array of the state lies."""
    placed = jax.tree.map(lambda spec: NamedSharding(mesh, spec), specs(config))
    return {"weights": placed, "first": placed, "second": placed, "step": NamedSharding(mesh, P())}


def train_step(config, mesh):
    """The jitted step: (state, tokens, targets) to (state, loss); the state is donated. tokens, targets: i32 [batch, seq]."""
    def step(state, tokens, targets):
        loss, gradients = jax.value_and_grad(functools.partial(loss_of, config, mesh))(state["weights"], tokens, targets)
        return adamw(state, gradients), loss

    state, data = placement(config, mesh), NamedSharding(mesh, P("fsdp"))
    return jax.jit(step, in_shardings=(state, data, data), out_shardings=(state, NamedSharding(mesh, P())), donate_argnums=0)


def arguments(config):
    """Shapes and types of the step's arguments."""
    shapes = jax.tree.map(lambda weight: jax.ShapeDtypeStruct(weight[0], jnp.float32), shapes_and_specs(config), is_leaf=is_leaf)
    data = jax.ShapeDtypeStruct((config.batch, config.seq), jnp.int32)
    state = {"weights": shapes, "first": shapes, "second": shapes, "step": jax.ShapeDtypeStruct((), jnp.int32)}
    return state, data, data
