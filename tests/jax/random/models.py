"""Random models, forward, backward and an optimizer's step, with random shardings: pairs of modules for conformance.shardings.

Usage: models.py [--seeds FIRST-LAST] [--check PAIRS] [--keep FOLDER]

A seed gives a model twice: FOLDER/SEED.whole.mlir says nothing of chips, and in FOLDER/SEED.sharded.mlir operands, results and
values between have random shardings on a mesh of four or eight devices, and some layers are shard_maps over some of its axes. Both
compute the same, which `--check build/bin/conformance.pairs` tries on simulated chips; JAX itself runs nothing.
"""
import argparse
import functools
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

os.environ.update(JAX_PLATFORMS="cpu", JAX_NUM_CPU_DEVICES="8")
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

MESHES = ((4,), (2, 2), (8,), (2, 4), (4, 2), (2, 2, 2))
VOCABULARY = 16


class Model:
    """What a seed draws. `mesh` is None in the whole variant, which draws the same and leaves shardings out."""

    def __init__(self, seed, sharded):
        self.random = random.Random(seed)
        self.placing = random.Random(seed + 1_000_000)  # Shardings only: the two variants draw them alike or not at all.
        sizes = self.random.choice(MESHES)
        self.axes = dict(zip("xyz", sizes))
        count = math.prod(sizes)
        self.mesh = None
        if sharded:
            self.mesh = jax.make_mesh(sizes, tuple(self.axes), axis_types=(jax.sharding.AxisType.Auto,) * len(sizes),
                                      devices=jax.devices()[:count])
        self.batch, self.length = self.random.choice((4, 8)), self.random.choice((4, 8, 16))
        self.width, self.heads = self.random.choice((8, 16)), self.random.choice((2, 4))
        self.by_rows = False  # Only layers that compute each row of the batch by itself.
        self.manual = frozenset()  # Axes that are manual where we are.
        self.shapes = {}

    def parameter(self, *shape):
        name = f"p{len(self.shapes)}"
        self.shapes[name] = shape
        return name

    def spec(self, shape, axes=None):
        """A random sharding that divides."""
        free = list(axes if axes is not None else (a for a in self.axes if a not in self.manual))
        self.placing.shuffle(free)
        dims = [[] for _ in shape]
        for axis in free:
            if not shape or self.placing.random() < 0.3:
                continue
            d = self.placing.randrange(len(shape))
            if shape[d] % (math.prod(self.axes[a] for a in dims[d]) * self.axes[axis]) == 0:
                dims[d].append(axis)
        return P(*(tuple(d) if d else (P.UNCONSTRAINED if axes is None and self.placing.random() < 0.3 else None) for d in dims))

    def place(self, x, percent=30):
        """Perhaps a constraint."""
        if self.mesh is None or self.placing.randrange(100) >= percent or not x.ndim:
            return x
        free = [a for a in self.axes if a not in self.manual]
        if not free:
            return x
        mesh = jax.sharding.get_abstract_mesh() if self.manual else self.mesh
        return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, self.spec(x.shape)))


# --- Layers: each draws its sizes and parameters, and returns a function of (parameters, x) that keeps the shape of x ---


def norm(model):
    scale = model.parameter(model.width)
    kind = model.random.choice(("layer", "root"))

    def apply(p, x):
        if kind == "layer":
            x = x - x.mean(-1, keepdims=True)
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-3) * p[scale]
    return apply


def mlp(model):
    hidden = model.random.choice((16, 32))
    up, down = model.parameter(model.width, hidden), model.parameter(hidden, model.width)
    gate = model.parameter(model.width, hidden) if model.random.random() < 0.5 else None
    act = model.random.choice((jax.nn.gelu, jax.nn.silu, jnp.tanh, jax.nn.softplus))

    def apply(p, x):
        h = model.place(act(x @ p[up]))
        return model.place(h * (x @ p[gate]) if gate else h) @ p[down]
    return apply


def rotate(x):
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[1])[:, None] / 10.0 ** (jnp.arange(half) / half)
    a, b, sin, cos = x[..., :half], x[..., half:], jnp.sin(angle)[:, None], jnp.cos(angle)[:, None]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def attention(model):
    groups = model.random.choice((1, 2))
    heads, size = model.heads, 4
    q, kv = model.parameter(model.width, heads, size), model.parameter(2, model.width, heads // groups, size)
    out = model.parameter(heads, size, model.width)
    rotary, causal = model.random.random() < 0.5, model.random.random() < 0.7

    def apply(p, x):
        a = jnp.einsum("btd,dhe->bthe", x, p[q])
        k, v = jnp.einsum("btd,sdhe->sbthe", x, p[kv])
        if rotary:
            a, k = rotate(a), rotate(k)
        k, v = model.place(jnp.repeat(k, groups, 2)), model.place(jnp.repeat(v, groups, 2))
        scores = model.place(jnp.einsum("bqhe,bkhe->bhqk", a, k) / 2)
        if causal:
            scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
        return jnp.einsum("bhqk,bkhe,hed->bqd", jax.nn.softmax(scores), v, p[out])
    return apply


def experts(model):
    count, hidden = model.random.choice((4, 8)), 16
    router, up = model.parameter(model.width, count), model.parameter(count, model.width, hidden)
    down = model.parameter(count, hidden, model.width)
    top = model.random.choice((1, 2))
    kind = model.random.choice(("sorted", "dense") if model.by_rows else ("capacity", "sorted", "dense"))

    def apply(p, x):
        tokens = x.reshape(-1, x.shape[-1])
        weights, chosen = jax.lax.top_k(jax.nn.softmax(tokens @ p[router]), top)
        if kind == "dense":
            mixed = (jax.nn.one_hot(chosen, count) * weights[..., None]).sum(1)
            h = jnp.tanh(jnp.einsum("sd,edf->esf", tokens, p[up]))
            return jnp.einsum("esf,efd,se->sd", model.place(h), p[down], mixed).reshape(x.shape)
        result = jnp.zeros_like(tokens)
        room = max(1, tokens.shape[0] * 2 // count)
        for i in range(top):
            b = chosen[:, i]
            if kind == "capacity":
                hot = jax.nn.one_hot(b, count, dtype=jnp.int32)
                place = (jnp.cumsum(hot, 0) * hot).sum(1) - 1
                sent = jax.nn.one_hot(b, count)[:, :, None] * jax.nn.one_hot(place, room)[:, None, :]
                buffer = model.place(jnp.einsum("sec,sd->ecd", sent, tokens))
                h = jnp.einsum("ecf,efd->ecd", jnp.tanh(jnp.einsum("ecd,edf->ecf", buffer, p[up])), p[down])
                out = jnp.einsum("sec,ecd->sd", sent, model.place(h))
            else:
                order = jnp.argsort(b, stable=True)
                counts = jnp.zeros(count, jnp.int32).at[b].add(1)
                place = jnp.arange(b.shape[0]) - (jnp.cumsum(counts) - counts)[b[order]]
                buffer = jnp.zeros((count, b.shape[0], tokens.shape[1])).at[b[order], place].set(tokens[order])
                h = jnp.einsum("esf,efd->esd", jnp.tanh(jnp.einsum("esd,edf->esf", model.place(buffer), p[up])), p[down])
                out = jnp.zeros_like(tokens).at[order].set(h[b[order], place])
            result = result + weights[:, i, None] * out
        return result.reshape(x.shape)
    return apply


def convolution(model):
    size, dilation = model.random.choice((2, 3, 5)), model.random.choice((1, 2))
    by_channel = model.random.random() < 0.4
    kernel = model.parameter(size, 1 if by_channel else model.width, model.width)
    padding = model.random.choice(("SAME", "causal"))

    def apply(p, x):
        reach = (size - 1) * dilation
        pads = "SAME" if padding == "SAME" else [(reach, 0)]
        return jax.lax.conv_general_dilated(x, p[kernel], (1,), pads, rhs_dilation=(dilation,),
                                            dimension_numbers=("NWC", "WIO", "NWC"),
                                            feature_group_count=model.width if by_channel else 1)
    return apply


def image(model):
    """[B, T, D] as images: a strided convolution, pooling, and a transposed convolution back."""
    kernel, back = model.parameter(3, 3, 1, 4), model.parameter(2, 2, 4, 1)
    pool = model.random.choice((jax.lax.max, jax.lax.add))

    def apply(p, x):
        y = model.place(jax.lax.conv_general_dilated(x[..., None], p[kernel], (2, 2), "SAME",
                                                     dimension_numbers=("NHWC", "HWIO", "NHWC")))
        start = -jnp.inf if pool is jax.lax.max else 0.0
        y = model.place(jax.lax.reduce_window(y, start, pool, (1, 2, 2, 1), (1, 1, 1, 1), "SAME"))
        return jax.lax.conv_transpose(y, p[back], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))[..., 0]
    return apply


def recurrence(model):
    decay = model.parameter(model.width)
    kind = model.random.choice(("scan", "associative", "cumsum", "cummax"))

    def apply(p, x):
        a = jax.nn.sigmoid(p[decay])
        if kind == "scan":
            def step(h, u):
                h = model.place(jnp.tanh(a * h + u))
                return h, h
            return jax.lax.scan(step, jnp.zeros_like(x[:, 0]), x.swapaxes(0, 1))[1].swapaxes(0, 1)
        if kind == "associative":
            return jax.lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]),
                                            (jnp.broadcast_to(a, x.shape), x), axis=1)[1]
        return (jnp.cumsum(x * a, 1) if kind == "cumsum" else jax.lax.cummax(x * a, 1)) / x.shape[1]
    return apply


def movement(model):
    kind = model.random.choice(("roll", "shift", "flip", "strided", "interleave", "update", "gather", "sort", "window"))
    by, dim = model.random.choice((1, 2, 3)), model.random.choice((1, 2) if model.by_rows else (0, 1, 2))
    kind = "roll" if kind == "update" and model.by_rows else kind  # Its place follows from the first row.

    def apply(p, x):
        size = x.shape[dim]
        if kind == "roll":
            return jnp.roll(x, by, dim)
        if kind == "shift":
            pads = [(0, 0)] * 3
            pads[dim] = (1, 0)
            return jnp.pad(jax.lax.slice_in_dim(x, 0, size - 1, axis=dim), pads)
        if kind == "flip":
            return jnp.flip(x, dim)
        if kind == "strided":
            even = jax.lax.slice_in_dim(x, 0, size, 2, axis=dim)
            odd = jax.lax.slice_in_dim(x, 1, size, 2, axis=dim)
            return jnp.concatenate([model.place(even), model.place(odd) * 2.0], dim)
        if kind == "interleave":
            first, second = jnp.split(x, 2, dim)
            return jnp.stack([first, second * 2.0], dim + 1).reshape(x.shape)
        if kind == "update":
            start = jnp.argmax(x[0, 0]) % (size // 2)
            part = jax.lax.dynamic_slice_in_dim(x, start, size // 2, dim)
            return jax.lax.dynamic_update_slice_in_dim(x, model.place(part) * 2.0, start // 2, dim)
        if kind == "gather":
            return jnp.take(x, (jnp.arange(size) * 3 + by) % size, axis=dim)
        if kind == "sort":
            return jnp.sort(x, dim)
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 3, 1), (1, 1, 1), "SAME")
    return apply


def branch(model):
    inner = (mlp if model.random.random() < 0.5 else movement)(model)

    def apply(p, x):
        return jax.lax.cond(x.mean() > 0, lambda y: inner(p, y), lambda y: model.place(y * 2.0), x)
    return apply


def loop(model):
    inner = model.random.choice((mlp, movement, norm, convolution))(model)
    turns = model.random.choice((2, 3))

    def apply(p, x):
        return jax.lax.fori_loop(0, turns, lambda i, y: model.place(y + 0.5 * inner(p, y)), x)
    return apply


def layers(model):
    """A scan over stacked layers, perhaps with rematerialisation."""
    before = dict(model.shapes)
    inner = model.random.choice((mlp, attention, convolution, experts))(model)
    own = [name for name in model.shapes if name not in before]
    count = model.random.choice((2, 4))
    for name in own:
        model.shapes[name] = (count, *model.shapes[name])
    remat = model.random.random() < 0.5

    def apply(p, x):
        def body(y, mine):
            return model.place(y + inner({**p, **mine}, y)), None
        return jax.lax.scan(jax.checkpoint(body) if remat else body, x, {name: p[name] for name in own})[0]
    return apply


# --- Manual computations ---


def manual_over_batch(model):
    """Any layer, within a shard_map that cuts the batch over some axes; what is inside keeps the others, perhaps in one more."""
    model.by_rows = True
    inner = model.random.choice((mlp, attention, convolution, recurrence, loop, layers, inner_branch))(model)
    model.by_rows = False
    return over_batch(model, inner)


def inner_branch(model):
    inner = mlp(model)

    def apply(p, x):
        # Every device along a manual axis must decide alike: by a parameter, which is whole everywhere.
        some = next(iter(p.values()))
        return jax.lax.cond(some.sum() > 0, lambda y: inner(p, y), lambda y: model.place(y * 2.0), x)
    return apply


def over_batch(model, inner, depth=0):
    chosen = [a for a in model.axes if model.random.random() < 0.6]
    nested = depth == 0 and model.random.random() < 0.4
    shuffled = model.random.random() < 0.3

    def apply(p, x):
        axes = [a for a in chosen if a not in model.manual]
        if model.mesh is None or not axes or x.shape[0] % math.prod(model.axes[a] for a in axes):
            return again(p, x) if nested else inner(p, x)
        if shuffled:
            axes.reverse()
        around = model.manual
        mesh = jax.sharding.get_abstract_mesh() if around else model.mesh

        def body(p, y):
            model.manual = around | set(axes)
            try:
                return again(p, y) if nested else inner(p, y)
            finally:
                model.manual = around
        return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(tuple(axes))), out_specs=P(tuple(axes)), axis_names=set(axes),
                             check_vma=False)(p, x)
    again = over_batch(model, inner, 1) if nested else None
    return apply


def manual_product(model):
    """A product whose contracting dimension is cut by a manual axis: its partial sums are added, or added and scattered."""
    hidden = 16
    up, down = model.parameter(model.width, hidden), model.parameter(hidden, model.width)
    axis = model.random.choice(list(model.axes))
    kind = model.random.choice(("sum", "scatter", "gather", "exchange", "ring"))

    def apply(p, x):
        h = jnp.tanh(x @ p[up])
        if model.mesh is None or model.manual:
            return h @ p[down]
        size = model.axes[axis]

        def body(h, w):
            if kind == "gather":
                h = jax.lax.all_gather(h, axis, axis=2, tiled=True)
                return h @ jax.lax.all_gather(w, axis, axis=0, tiled=True)
            if kind == "exchange":
                h = jax.lax.all_to_all(h, axis, 0, 2, tiled=True)
                return h @ jax.lax.all_gather(w, axis, axis=0, tiled=True)
            if kind == "ring":
                total = jnp.zeros((*h.shape[:2], w.shape[1]))
                mine = jax.lax.axis_index(axis)
                for turn in range(size):
                    # The whole of w is everywhere; the part of h that is here comes from the device `turn` places before.
                    rows = jax.lax.dynamic_slice_in_dim(w, (mine - turn) % size * h.shape[2], h.shape[2], 0)
                    total = total + h @ rows
                    h = jax.lax.ppermute(h, axis, [(i, (i + 1) % size) for i in range(size)])
                return total
            out = h @ w
            return (jax.lax.psum_scatter(out, axis, scatter_dimension=2, tiled=True) if kind == "scatter"
                    else jax.lax.psum(out, axis))
        whole = kind in ("gather", "sum", "ring")
        if kind == "exchange" and h.shape[0] % size:
            return h @ p[down]
        out = P() if whole else P(None, None, axis) if kind == "scatter" else P(axis)
        weights = P() if kind == "ring" else P(axis)
        return jax.shard_map(body, mesh=model.mesh, in_specs=(P(None, None, axis), weights), out_specs=out, axis_names={axis},
                             check_vma=False)(h, p[down])
    return apply


LAYERS = (mlp, attention, attention, experts, convolution, image, recurrence, movement, movement, branch, loop, layers,
          manual_over_batch, manual_over_batch, manual_product, manual_product)


def loss_of(model):
    embedding = model.parameter(VOCABULARY, model.width)
    stack = [(norm(model), model.random.choice(LAYERS)(model)) for _ in range(model.random.randint(1, 4))]
    kind = model.random.choice(("cross_entropy", "squares"))

    def loss(p, tokens, targets):
        x = model.place(p[embedding][tokens])
        for normed, layer in stack:
            x = model.place(x + layer(p, normed(p, x)))
        logits = model.place(x @ p[embedding].T)
        if kind == "squares":
            return ((logits - jax.nn.one_hot(targets, VOCABULARY)) ** 2).mean()
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], -1).mean()
    return loss


def optimizer_of(model):
    kind = model.random.choice(("sgd", "momentum", "adam", "factored"))
    clips = model.random.random() < 0.3

    def update(p, state, g):
        if clips:
            total = jnp.sqrt(sum((v * v).sum() for v in g.values()))
            g = {k: v / jnp.maximum(1.0, total) for k, v in g.items()}
        if kind == "sgd":
            return {k: p[k] - 0.1 * g[k] for k in p}, state
        if kind == "factored":
            def scaled(v):
                if v.ndim < 2:
                    return v
                rows, columns = (v * v).mean(-1, keepdims=True), (v * v).mean(-2, keepdims=True)
                return v * jax.lax.rsqrt(rows * columns / (rows.mean(-2, keepdims=True) + 1e-2) + 1e-2)
            return {k: p[k] - 0.1 * scaled(g[k]) for k in p}, state
        m = {k: 0.9 * state[k] + 0.1 * g[k] for k in p}
        if kind == "momentum":
            return {k: p[k] - 0.1 * m[k] for k in p}, m
        return {k: p[k] - 0.1 * m[k] / (jnp.sqrt(0.1 + m[k] * m[k] + g[k] * g[k])) for k in p}, m
    return update


def step_of(model):
    loss, update = loss_of(model), optimizer_of(model)

    def step(p, state, tokens, targets):
        value, gradients = jax.value_and_grad(loss)(p, tokens, targets)
        p, state = update(p, state, gradients)
        return value, p, state
    return step


def lowered(seed, sharded):
    model = Model(seed, sharded)
    step = step_of(model)
    shape = functools.partial(jax.ShapeDtypeStruct)
    parameters = {k: shape(s, jnp.float32) for k, s in model.shapes.items()}
    tokens = shape((model.batch, model.length), jnp.int32)
    arguments = (parameters, parameters, tokens, tokens)
    if not sharded:
        return jax.jit(step, keep_unused=True).lower(*arguments).as_text()

    def placed(tree):
        return jax.tree.map(lambda a: NamedSharding(model.mesh, model.spec(a.shape, tuple(model.axes))), tree)
    returns = jax.eval_shape(step, *arguments)
    inputs = placed(arguments)
    outputs = placed(returns) if model.placing.random() < 0.7 else None
    more = {} if outputs is None else {"out_shardings": outputs}
    return jax.jit(step, keep_unused=True, in_shardings=inputs, **more).lower(*arguments).as_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1-20")
    parser.add_argument("--check", type=pathlib.Path, help="the program that runs the pairs of a folder")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the modules, which stay")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(int(first), int(last or first) + 1):
            for name, sharded in (("whole", False), ("sharded", True)):
                (folder / f"{seed:06}.{name}.mlir").write_text(lowered(seed, sharded), encoding="utf-8")
        return subprocess.run([options.check, folder], check=False).returncode if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
