"""A decoder as Llama has it, and the ways in which it is published to be trained on several chips.

RMSNorm, rotary embeddings, grouped-query attention, SwiGLU, a scan over the layers, cross-entropy; forward and backward. `step(layout)`
gives the function and its shardings; run as a program it computes loss and gradients in every layout on the first platform that JAX
has, and compares them with those of one CPU without any sharding.
"""
import functools
import os
import pathlib
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import compare

VOCABULARY, LENGTH, WIDTH, HEADS, KEYS, SIZE, HIDDEN, LAYERS, BATCH = 128, 32, 64, 8, 4, 8, 128, 4, 16
MICROBATCHES, EXPERTS, ACCUMULATED = 4, 8, 2
WEIGHTS = dict(query=(WIDTH, HEADS, SIZE), key=(WIDTH, KEYS, SIZE), value=(WIDTH, KEYS, SIZE), out=(HEADS, SIZE, WIDTH),
               gate=(WIDTH, HIDDEN), up=(WIDTH, HIDDEN), down=(HIDDEN, WIDTH))
SHAPES = {**{name: (LAYERS, *shape) for name, shape in WEIGHTS.items()}, "norm1": (LAYERS, WIDTH), "norm2": (LAYERS, WIDTH),
          "embedding": (VOCABULARY, WIDTH), "norm": (WIDTH,), "head": (WIDTH, VOCABULARY)}
# Meshes by layout; `stage` is manual, all other axes are the compiler's.
LAYOUTS = {
    "data": dict(data=8),
    "fsdp": dict(data=8),
    "tensor": dict(data=2, model=4),
    "sequence": dict(data=2, model=4),
    "fsdp_tensor": dict(data=2, model=4),
    "pipeline": dict(stage=4, data=2),
    "pipeline_tensor": dict(stage=4, model=2),
    "pipeline_data_tensor": dict(stage=2, data=2, model=2),
    "circular": dict(stage=2, data=4),
    "experts": dict(data=8),
    "ring": dict(data=8),
    "accumulated": dict(data=8),
    "fsdp_accumulated": dict(data=8),
    "experts_again": dict(data=8),
}


def specs(layout):
    """The parameters' shardings."""
    sharded = "data" if layout.startswith("fsdp") else None
    model = "model" if "model" in LAYOUTS[layout] else None
    stage = "stage" if "stage" in LAYOUTS[layout] else None
    weights = dict(query=P(sharded, model), key=P(sharded, model), value=P(sharded, model), out=P(model, None, sharded),
                   gate=P(sharded, model), up=P(sharded, model), down=P(model, sharded), norm1=P(), norm2=P())
    if layout.startswith("experts"):
        weights = {name: P() for name in weights} | dict(gate=P(None, "data"), up=P(None, "data"), down=P("data"))
    return {**{name: P(stage, *spec) for name, spec in weights.items()}, "embedding": P(model, sharded), "norm": P(),
            "head": P(sharded, model)}


def activations(layout):
    """Of the residual stream, [batch, length, width], between blocks."""
    if layout == "ring":
        return P(None, "data")
    return P("data" if "data" in LAYOUTS[layout] else None, "model" if layout == "sequence" else None)


# --- The model. `keep` is a constraint on the residual stream, `attend` and `feed` may be a layout's own ---


def norm(x, scale):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale


def rotate(x, start=0):
    half = x.shape[-1] // 2
    angle = (start + jnp.arange(x.shape[1]))[:, None, None] / 10000.0 ** (jnp.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), b * jnp.cos(angle) + a * jnp.sin(angle)], -1)


def attend(q, k, v):
    """[B, T, H, E] by [B, T, K, E]: each group of H/K heads shares a key."""
    grouped = q.reshape(*q.shape[:2], k.shape[2], -1, q.shape[3])
    scores = jnp.einsum("bqkge,bske->bkgqs", rotate(grouped.reshape(q.shape)).reshape(grouped.shape), rotate(k)) / SIZE**0.5
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bkgqs,bske->bqkge", jax.nn.softmax(scores), v).reshape(q.shape)


def feed(x, w, inner=lambda x: x):
    return inner(inner(jax.nn.silu(x @ w["gate"])) * inner(x @ w["up"])) @ w["down"]


def block(x, w, keep, attend, feed, inner=lambda x: x):
    y = norm(x, w["norm1"])
    q, k, v = (inner(jnp.einsum("btd,dhe->bthe", y, w[name])) for name in ("query", "key", "value"))
    x = keep(x + keep(jnp.einsum("bthe,hed->btd", inner(attend(q, k, v)), w["out"])))
    return keep(x + keep(feed(norm(x, w["norm2"]), w)))


def stack(x, weights, again=False, **how):
    """`again`: what a block computes is computed again for its gradient."""
    one = functools.partial(block, **how)
    return jax.lax.scan(lambda y, w: ((jax.checkpoint(one) if again else one)(y, w), None), x, weights)[0]


def loss(p, tokens, targets, run, keep):
    x = keep(p["embedding"][tokens])
    layers = {name: p[name] for name in (*WEIGHTS, "norm1", "norm2")}
    logits = norm(run(x, layers), p["norm"]) @ p["head"]
    wanted = jax.nn.one_hot(targets, VOCABULARY, dtype=logits.dtype)
    return (jax.nn.logsumexp(logits, -1) - (logits * wanted).sum(-1)).mean()


# --- Layouts of their own ---


def pipelined(mesh, stages, keep):
    """GPipe: each stage has some of the layers, and microbatches move from stage to stage."""
    def run(weights, x):
        stage = jax.lax.axis_index("stage")
        held, done = jnp.zeros_like(x[0]), jnp.zeros_like(x)
        for turn in range(len(x) + stages - 1):
            entering = jnp.where(stage == 0, x[min(turn, len(x) - 1)], held)
            held = stack(entering, weights, keep=keep, attend=attend, feed=feed)
            if turn >= stages - 1:
                done = done.at[turn - stages + 1].set(jnp.where(stage == stages - 1, held, 0))
            if turn < len(x) + stages - 2:
                held = jax.lax.ppermute(held, "stage", [(i, i + 1) for i in range(stages - 1)])
        return done[None]  # Of the last stage alone: no sum is needed.
    return mapped_by_stage(mesh, run, keep)


def mapped_by_stage(mesh, run, keep):
    def apply(x, weights):
        micro = x.reshape(-1, MICROBATCHES, *x.shape[1:]).swapaxes(0, 1)  # Every chip has a part of each.
        mapped = jax.shard_map(run, mesh=mesh, in_specs=(P("stage"), P()), out_specs=P("stage"), axis_names={"stage"},
                               check_vma=False)
        return keep(mapped(weights, micro)[-1].swapaxes(0, 1).reshape(x.shape))
    return apply


def in_circles(stages):
    """The layers in the order in which a circular pipeline computes what it keeps by stage: one of each stage, and again."""
    return np.arange(LAYERS).reshape(stages, -1).T.ravel()


def circular(mesh, stages, keep):
    """Interleaved stages (Narayanan et al. 2021): each has every other layer, and microbatches go around as often as it has layers."""
    def run(weights, x):
        stage, count, rounds = jax.lax.axis_index("stage"), len(x), LAYERS // stages
        held, waiting, done = jnp.zeros_like(x[0]), jnp.zeros_like(x), jnp.zeros_like(x)
        turns = count * rounds + stages - 1
        for turn in range(turns):
            entering = jnp.where(stage == 0, x[turn] if turn < count else waiting[turn % count], held)
            at = jnp.clip((turn - stage) // count, 0, rounds - 1)
            layer = jax.tree.map(lambda w: jax.lax.dynamic_index_in_dim(w, at, 0), weights)
            held = stack(entering, layer, keep=keep, attend=attend, feed=feed)
            leaving = turn - stages + 1
            if leaving >= count * (rounds - 1):
                done = done.at[leaving % count].set(jnp.where(stage == stages - 1, held, 0))
            if turn < turns - 1:
                held = jax.lax.ppermute(held, "stage", [(i, (i + 1) % stages) for i in range(stages)])
            if 0 <= leaving < count * (rounds - 1):  # Waits at the first stage for its next round.
                waiting = waiting.at[leaving % count].set(held)
        return done[None]
    return mapped_by_stage(mesh, run, keep)


def by_experts(mesh):
    """Tokens go to the chip that has their expert and come back, with room for all: each expert is a slice of SwiGLU's weights.

    The expert of a token is its number modulo EXPERTS, so that the result is a function of the weights alone."""
    def exchange(x, gate, up, down):
        tokens = x.reshape(EXPERTS, -1, WIDTH)  # By target.
        here = jax.lax.all_to_all(tokens, "data", 0, 0, tiled=True)
        out = (jax.nn.silu(here @ gate) * (here @ up)) @ down
        return jax.lax.all_to_all(out, "data", 0, 0, tiled=True).reshape(x.shape)

    def apply(x, w):
        cut = [w["gate"].reshape(WIDTH, EXPERTS, -1).swapaxes(0, 1), w["up"].reshape(WIDTH, EXPERTS, -1).swapaxes(0, 1),
               w["down"].reshape(EXPERTS, -1, WIDTH)]
        if mesh is None:
            tokens = x.reshape(EXPERTS, EXPERTS, -1, WIDTH)  # By source, then by target.
            hidden = jax.nn.silu(jnp.einsum("setd,edf->setf", tokens, cut[0])) * jnp.einsum("setd,edf->setf", tokens, cut[1])
            return jnp.einsum("setf,efd->setd", hidden, cut[2]).reshape(x.shape)

        def body(x, gate, up, down):
            return exchange(x, gate[0], up[0], down[0])
        return jax.shard_map(body, mesh=mesh, in_specs=(P("data"),) * 4, out_specs=P("data"))(x, *cut)
    return apply


def ring(mesh, count):
    """Attention over a sharded length: keys and values go around, and softmax is put together as they pass."""
    def body(q, k, v):
        mine, size = jax.lax.axis_index("data"), q.shape[1]
        q = rotate(q, mine * size).reshape(*q.shape[:2], k.shape[2], -1, q.shape[3])
        k = rotate(k, mine * size)
        highest = jnp.full((q.shape[0], q.shape[2], q.shape[3], size), -1e9)
        total, out = jnp.zeros_like(highest), jnp.zeros((*highest.shape, q.shape[-1]))
        for turn in range(count):
            source = (mine - turn) % count
            scores = jnp.einsum("bqkge,bske->bkgqs", q, k) / SIZE**0.5
            seen = mine * size + jnp.arange(size)[:, None] >= source * size + jnp.arange(size)[None]
            scores = jnp.where(seen, scores, -1e9)
            top = jnp.maximum(highest, scores.max(-1))
            weights, kept = jnp.exp(scores - top[..., None]), jnp.exp(highest - top)
            total, out = total * kept + weights.sum(-1), out * kept[..., None] + jnp.einsum("bkgqs,bske->bkgqe", weights, v)
            highest = top
            if turn < count - 1:
                k, v = (jax.lax.ppermute(a, "data", [(i, (i + 1) % count) for i in range(count)]) for a in (k, v))
        return (out / total[..., None]).transpose(0, 3, 1, 2, 4).reshape(q.shape[0], size, -1, q.shape[-1])
    where = P(None, "data")
    return jax.shard_map(body, mesh=mesh, in_specs=(where,) * 3, out_specs=where, check_vma=False)


def accumulated(function):
    """The same by microbatches, one after the other, whose gradients are added up; every chip has a part of each."""
    def apply(p, *data):
        def add(total, micro):
            return jax.tree.map(jnp.add, total, function(p, *micro)), None
        micro = [x.reshape(-1, ACCUMULATED, *x.shape[1:]).swapaxes(0, 1) for x in data]
        start = (jnp.zeros(()), jax.tree.map(jnp.zeros_like, p))
        return jax.tree.map(lambda x: x / ACCUMULATED, jax.lax.scan(add, start, tuple(micro))[0])
    return apply


def step(layout, sharded=True):
    """(function of parameters, tokens, targets; mesh; shardings of the parameters; sharding of the tokens)."""
    axes = LAYOUTS[layout]
    mesh = jax.make_mesh(tuple(axes.values()), tuple(axes), axis_types=(AxisType.Auto,) * len(axes)) if sharded else None

    def keep(x):
        if mesh is None:
            return x
        around = jax.sharding.get_abstract_mesh()
        return jax.lax.with_sharding_constraint(x, NamedSharding(around if around.manual_axes else mesh, activations(layout)))
    attending = ring(mesh, axes["data"]) if sharded and layout == "ring" else attend
    feeding = by_experts(mesh) if layout.startswith("experts") else feed
    more = dict(again=True) if layout == "experts_again" else {}
    if sharded and layout == "sequence":  # Heads and hidden units: what is left to propagation may as well be the length.
        def inner(x):
            return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data", None, "model")))
        more, feeding = dict(inner=inner), functools.partial(feed, inner=inner)
    run = functools.partial(stack, keep=keep, attend=attending, feed=feeding, **more)
    if layout == "circular" and not sharded:
        order, whole = in_circles(axes["stage"]), run
        def run(x, weights):
            return whole(x, {name: w[order] for name, w in weights.items()})
    elif sharded and "stage" in axes:
        run = (circular if layout == "circular" else pipelined)(mesh, axes["stage"], keep)
    function = jax.value_and_grad(functools.partial(loss, run=run, keep=keep))
    if sharded and layout.endswith("accumulated"):
        function = accumulated(function)
    if not sharded:
        return function, None, None, None
    tokens = P(None, "data") if layout == "ring" else P("data" if "data" in axes else None)
    return (function, mesh, {name: NamedSharding(mesh, spec) for name, spec in specs(layout).items()},
            NamedSharding(mesh, tokens))


def jitted(layout):
    function, mesh, parameters, tokens = step(layout)
    return jax.jit(function, in_shardings=(parameters, tokens, tokens), out_shardings=(NamedSharding(mesh, P()), parameters))


def arguments():
    random = np.random.default_rng(7)
    p = {name: (random.standard_normal(shape) * 0.1 + ("norm" in name)).astype(np.float32) for name, shape in SHAPES.items()}
    rows = random.integers(0, VOCABULARY, (BATCH, LENGTH + 1)).astype(np.int32)
    return p, rows[:, :-1], rows[:, 1:]


def kind_of(layout):
    """A layout of the same model."""
    return layout if layout == "circular" else "experts" if layout.startswith("experts") else "data"


def main():
    """Loss and gradients of all layouts, or of those named, are those of one CPU without shardings. Their modules go to MODULES."""
    layouts = sys.argv[1:] or list(LAYOUTS)
    wanted = {}
    with jax.default_device(jax.devices("cpu")[0]):
        for kind in {kind_of(layout) for layout in layouts}:
            wanted[kind] = jax.jit(step(kind, sharded=False)[0])(*arguments())
    for layout in layouts:
        started = time.monotonic()
        lowered = jitted(layout).lower(*arguments())
        if "MODULES" in os.environ:
            pathlib.Path(os.environ["MODULES"], f"{layout}.mlir").write_text(lowered.as_text(), encoding="utf-8")
        found = lowered.compile()(*arguments())
        paths = jax.tree_util.tree_leaves_with_path(wanted[kind_of(layout)])
        for (path, value), got in zip(paths, jax.tree.leaves(found)):
            error = compare.error_of(f"{layout}{jax.tree_util.keystr(path)}", np.asarray(got), np.asarray(value))
            if error:
                sys.exit(error)
        print(f"{layout}: loss {float(found[0]):.6f}, {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
