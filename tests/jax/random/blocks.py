"""Random stacks of small blocks, with shardings, control flow and shard_maps within one another: pairs for conformance.pairs.

Usage: blocks.py [--seeds FIRST-LAST] [--check PAIRS] [--keep FOLDER] [--explicit]

Beside models.py, which has models as people train them, this has what they seldom write: meshes of six and twelve devices,
dimensions that axes do not divide, constraints within scans, loops, branches, rematerialisation and functions with derivatives of
their own, shard_maps over some axes in one another that ask where they are, exchange, and are mapped over. With --explicit the
axes of the mesh are explicit ones, and values are resharded. A seed gives a program twice, as in models.py.
"""
import argparse
import contextlib
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

os.environ.update(JAX_PLATFORMS="cpu", JAX_NUM_CPU_DEVICES="12")
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

MESHES = ((4,), (2, 2), (6,), (2, 3), (3, 2), (8,), (2, 4), (2, 2, 2), (12,), (3, 4), (2, 6), (2, 2, 3), (2, 3, 2))
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 12, 12, 16, 24)


class Program:
    """What a seed draws. `mesh` is None in the whole variant, which draws the same and leaves shardings out."""

    def __init__(self, seed, sharded, explicit):
        self.random, self.placing = random.Random(seed), random.Random(seed + 1_000_000)
        self.explicit = explicit
        sizes = self.random.choice(MESHES)
        self.axes = dict(zip("xyz", sizes))
        self.mesh = None
        if sharded:
            kind = AxisType.Explicit if explicit else AxisType.Auto
            self.mesh = jax.make_mesh(sizes, tuple(self.axes), axis_types=(kind,) * len(sizes),
                                      devices=jax.devices()[:math.prod(sizes)])
        self.shape = tuple(self.random.choice(SIZES) for _ in range(self.random.choice((2, 3, 3))))
        self.manual = ()
        self.parameters = {}

    def parameter(self, *shape):
        name = f"p{len(self.parameters)}"
        self.parameters[name] = shape
        return name

    def spec(self, shape, uneven):
        free = [a for a in self.axes if a not in self.manual]
        self.placing.shuffle(free)
        dims = [[] for _ in shape]
        for axis in free:
            if not shape or self.placing.random() < 0.3:
                continue
            d = self.placing.randrange(len(shape))
            pieces = math.prod(self.axes[a] for a in dims[d]) * self.axes[axis]
            if shape[d] % pieces == 0 or (uneven and shape[d] > 1 and self.placing.random() < 0.5):
                dims[d].append(axis)
        return P(*(tuple(d) if d else None for d in dims))

    def place(self, x, percent=35):
        if self.mesh is None or self.placing.randrange(100) >= percent or not x.ndim:
            return x
        if all(a in self.manual for a in self.axes):
            return x
        spec = self.spec(x.shape, not self.explicit)
        if self.explicit:
            return jax.sharding.reshard(x, spec)
        mesh = jax.sharding.get_abstract_mesh() if self.manual else self.mesh
        return lax.with_sharding_constraint(x, NamedSharding(mesh, spec))


# --- Blocks: draw what they need from the program, and return a function of (parameters, x) that keeps the shape. `dims` are
# --- those along which elements may depend on one another; sizes along others are unknown when the block is drawn.


def elementwise(program, dims):
    kind = program.random.randrange(4)

    def apply(p, x):
        return (jnp.tanh(x), jnp.sin(x) + 0.5 * x, jnp.where(x > 0.1, x, -0.5 * x), x * lax.rsqrt(1.0 + x * x))[kind]
    return apply


def product(program, dims):
    d = program.random.choice(dims)
    hidden = program.random.choice(SIZES)
    up, down = program.parameter(program.shape[d], hidden), program.parameter(hidden, program.shape[d])

    def apply(p, x):
        h = program.place(jnp.tanh(jnp.moveaxis(x, d, -1) @ program.place(p[up])))
        return jnp.moveaxis(jnp.tanh(h @ p[down]), -1, d)
    return apply


def moved(program, dims):
    d = program.random.choice(dims)
    kind = program.random.choice(("roll", "shift", "flip", "pad", "strided", "slice", "wrap", "repeat", "tile"))
    by = program.random.randint(1, max(1, program.shape[d] - 1))

    def apply(p, x):
        n = x.shape[d]
        if kind == "roll":
            return jnp.roll(x, by, d)
        if kind == "flip":
            return jnp.flip(x, d)
        pads = [(0, 0)] * x.ndim
        if kind == "wrap":
            pads[d] = (by % (n + 1), 1)
            return lax.slice_in_dim(program.place(jnp.pad(x, pads, mode="wrap")), 1, n + 1, axis=d)
        if kind == "repeat":
            return lax.slice_in_dim(program.place(jnp.repeat(x, 2, d)), 0, n, axis=d)
        if kind == "tile":
            reps = [1] * x.ndim
            reps[d] = 2
            return lax.slice_in_dim(program.place(jnp.tile(x, reps)), by, n + by, axis=d)
        if kind == "strided":
            y = program.place(lax.slice_in_dim(x, 0, n, 2, axis=d))
            return lax.slice_in_dim(jnp.concatenate([y, program.place(jnp.flip(y, d))], d), 0, n, axis=d)
        pads[d] = (by, 2)
        y = program.place(jnp.pad(x, pads, constant_values=0.25))
        start = {"shift": 0, "pad": 2, "slice": 1}[kind]
        return lax.slice_in_dim(y, start, start + n, axis=d)
    return apply


def windows(program, dims):
    d = program.random.choice(dims)
    kind = program.random.choice(("sum", "max", "cumsum", "cumprod", "cummax", "reverse", "associative"))
    reach, dilation = program.random.choice((2, 3)), program.random.choice((1, 2))

    def apply(p, x):
        if kind == "cumsum":
            return jnp.cumsum(x, d) / x.shape[d]
        if kind == "cumprod":
            return jnp.cumprod(jnp.tanh(x) * 1.1, d)
        if kind == "cummax":
            return lax.cummax(x, axis=d)
        if kind == "reverse":
            return lax.cumsum(x, axis=d, reverse=True) / x.shape[d]
        if kind == "associative":
            return lax.associative_scan(lambda a, b: jnp.tanh(a + b), x * 0 + jnp.cumsum(x, d) * 0.1, axis=d) * 0 + x
        dimensions, window = [1] * x.ndim, [1] * x.ndim
        dimensions[d], window[d] = reach, dilation
        pads = [(0, 0)] * x.ndim
        pads[d] = ((reach - 1) * dilation, 0)
        start, op = (0.0, lax.add) if kind == "sum" else (-jnp.inf, lax.max)
        return jnp.tanh(lax.reduce_window(x, start, op, dimensions, (1,) * x.ndim, pads, window_dilation=window))
    return apply


def indexed(program, dims):
    d = program.random.choice(dims)
    kind = program.random.choice(("take", "add", "max", "set", "along", "dynamic", "segment", "sort", "argsort", "top", "argmax",
                                  "multiply"))
    by = program.random.randint(1, 5)

    def apply(p, x):
        n = x.shape[d]
        index = (jnp.arange(n) * by + 1) % n
        y = jnp.moveaxis(x, d, 0)
        if kind == "take":
            return jnp.take(x, index, axis=d)
        if kind == "along":
            order = jnp.broadcast_to(index.reshape((n,) + (1,) * (x.ndim - 1)), y.shape)
            return jnp.moveaxis(jnp.take_along_axis(y, order, 0), 0, d)
        if kind in ("add", "max", "set", "multiply"):
            target = y * 0.5
            target = {"add": lambda: target.at[index // 2].add(program.place(y)),
                      "max": lambda: target.at[index].max(program.place(y)),
                      "multiply": lambda: target.at[index].multiply(program.place(y)),
                      "set": lambda: target.at[: max(1, n // 2)].set(program.place(y[: max(1, n // 2)] * 2))}[kind]()
            return jnp.moveaxis(jnp.tanh(target), 0, d)
        if kind == "dynamic":
            length = max(1, n // 2)
            start = jnp.int32(by)
            part = program.place(lax.dynamic_slice_in_dim(y, start, length, 0))
            return jnp.moveaxis(lax.dynamic_update_slice_in_dim(y, part * 0.5, start // 2, 0), 0, d)
        if kind == "segment":
            sums = program.place(jax.ops.segment_sum(y, index % 3, num_segments=3))
            return jnp.moveaxis(jnp.tanh(sums[index % 3]), 0, d)
        if kind == "sort":
            return jnp.sort(x, d)
        if kind == "argsort":
            return jnp.argsort(x, d).astype(x.dtype) / n
        if kind == "top":
            values, places = lax.top_k(jnp.moveaxis(x, d, -1), max(1, n // 3))
            return x * 0.5 + jnp.moveaxis((values + places / n).sum(-1, keepdims=True), -1, d) / n
        return x * 0.5 + jnp.argmax(x, d, keepdims=True) / n
    return apply


def reduced(program, dims):
    chosen = tuple(d for d in dims if program.random.random() < 0.6) or (dims[0],)
    kind = program.random.choice(("softmax", "norm", "max", "variance", "logsumexp", "any"))

    def apply(p, x):
        if kind == "softmax":
            return jax.nn.softmax(x, chosen)
        if kind == "norm":
            return x * lax.rsqrt((x * x).mean(chosen, keepdims=True) + 0.1)
        if kind == "max":
            return x - x.max(chosen, keepdims=True)
        if kind == "variance":
            return x - program.place(x.var(chosen, keepdims=True))
        if kind == "any":
            return jnp.where((x > 0.5).any(chosen, keepdims=True), x, x * 0.5)
        return x - jax.nn.logsumexp(x, chosen, keepdims=True)
    return apply


def reshaped(program, dims):
    if len(dims) < 2:
        return elementwise(program, dims)
    a, b = program.random.sample(dims, 2)

    def apply(p, x):
        y = jnp.moveaxis(x, (a, b), (0, 1))
        shape = y.shape
        y = program.place(y.reshape((shape[0] * shape[1],) + shape[2:]))
        y = jnp.roll(y, 1, 0) * 0.9
        y = program.place(y.reshape((shape[1], shape[0]) + shape[2:]))
        return jnp.moveaxis(y.swapaxes(0, 1), (0, 1), (a, b))
    return apply


def transformed(program, dims):
    d = program.random.choice(dims)
    kind = program.random.choice(("fft", "solve", "cholesky", "bits" if program.manual else "random", "bits"))

    def apply(p, x):
        if kind == "fft":
            return jnp.tanh(jnp.moveaxis(jnp.fft.fft(jnp.moveaxis(x, d, -1)), -1, d).real)
        if kind == "random":
            return x + jax.random.uniform(jax.random.key(3), x.shape)
        if kind == "bits":
            return lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.int32) & jnp.int32(-4096), jnp.float32)
        y = jnp.moveaxis(x, d, -1)
        matrix = jnp.tanh(y[..., None, :] * y[..., :, None] * 0.2) + 4 * jnp.eye(y.shape[-1])
        if kind == "cholesky":
            return jnp.moveaxis(jnp.linalg.cholesky(program.place(matrix))[..., 0] * 0.3, -1, d)
        lower = jnp.tril(matrix)
        solved = lax.linalg.triangular_solve(program.place(lower), y[..., None], left_side=True, lower=True)
        return jnp.moveaxis(solved[..., 0], -1, d)
    return apply


SIMPLE = (elementwise, product, product, moved, moved, windows, indexed, indexed, reduced, reduced, reshaped, transformed)


# --- Around blocks ---


def scanned(program, dims, depth):
    inner, turns = block(program, dims, depth + 1), program.random.choice((1, 2, 3))
    kind = program.random.choice(("scan", "stacked", "fori", "while", "over"))
    over = [d for d in range(len(program.shape)) if d not in dims]
    scale = program.parameter(turns, 1)

    def apply(p, x):
        if kind == "scan":
            def body(y, s):
                y = program.place(jnp.tanh(inner(p, y) * (1 + s)))
                return y, y.mean()
            y, means = lax.scan(body, x, p[scale][:, 0])
            return y + (0 if program.manual else means.sum()) * 0
        if kind == "stacked":
            return lax.scan(lambda y, s: (inner(p, y), program.place(y * s)), x, p[scale])[1].sum(0) + x
        if kind == "fori":
            return lax.fori_loop(0, turns, lambda i, y: program.place(inner(p, y) * 0.9), x)
        if kind == "while":
            return lax.while_loop(lambda s: s[0] < turns, lambda s: (s[0] + 1, program.place(inner(p, s[1]))), (0, x))[1]
        if not over:
            return inner(p, x)
        # One row after another along a dimension that inner leaves alone: with all the others in one call.
        return lax.map(lambda y: program.place(y), inner(p, x))
    return apply


def branched(program, dims, depth):
    inner, other = block(program, dims, depth + 1), block(program, dims, depth + 1)
    flag = program.parameter(1)
    kind = program.random.choice(("cond", "switch", "select"))

    def apply(p, x):
        first, second = (lambda y: program.place(inner(p, y))), (lambda y: program.place(other(p, y)))
        if kind == "cond":
            return lax.cond(p[flag][0] > 0, first, second, x)
        if kind == "switch":
            return lax.switch((p[flag][0] * 3).astype(jnp.int32) + 1, [first, second, lambda y: y], x)
        return jnp.where(p[flag][0] > 0, first(x), second(x))
    return apply


def derived(program, dims, depth):
    """Rematerialised, and with derivatives of its own."""
    inner = block(program, dims, depth + 1)
    kind = program.random.choice(("remat", "vjp", "jvp", "vmap", "jit"))

    def apply(p, x):
        if kind == "remat":
            return jax.checkpoint(lambda y: program.place(inner(p, y)))(x)
        if kind == "jit":
            return jax.jit(lambda y: program.place(inner(p, y)))(x)
        if kind == "vmap":
            if program.explicit:
                return inner(p, x)
            return jax.vmap(lambda y: program.place(inner(p, y)))(jnp.stack([x, x * 0.5])).sum(0) * 0.5
        if kind == "vjp":
            @jax.custom_vjp
            def f(p, y):
                return program.place(inner(p, y))
            f.defvjp(lambda p, y: (f(p, y), (p, y)),
                     lambda kept, g: (jax.tree.map(jnp.zeros_like, kept[0]), program.place(g * jnp.cos(kept[1]))))
            return f(p, x)

        @jax.custom_jvp
        def g(p, y):
            return program.place(inner(p, y))
        g.defjvp(lambda primals, tangents: (g(*primals), program.place(tangents[1] * jnp.sin(primals[1]))))
        return g(p, x)
    return apply


def manual(program, dims, depth):
    """A shard_map over some axes that cut one dimension, along which only exchanges go."""
    d = program.random.randrange(len(program.shape))
    drawn = [a for a in program.axes if program.random.random() < 0.6]
    rest = [e for e in dims if e != d]
    kind = program.random.choice(("rotate", "index", "mean", "gather", "scatter", "exchange", "none", "halo"))
    outside = program.manual
    names = [a for a in drawn if a not in outside]
    cut = math.prod(program.axes[a] for a in names)
    size = program.shape[d]
    if not names or not rest or d in program.cut or size % cut or kind == "exchange" and program.shape[rest[0]] % cut or d not in dims:
        return block(program, dims, depth + 1)
    if kind not in ("rotate", "halo", "scatter"):  # JAX counts along the axes of these in the order of the mesh.
        program.random.shuffle(names)
    program.manual += tuple(names)
    program.cut.add(d)
    inner = block(program, rest, depth + 1)
    program.cut.remove(d)
    program.manual = outside
    name = tuple(names) if len(names) > 1 else names[0]
    local = size // cut

    def of_the_whole(x):
        if kind == "rotate":
            return jnp.roll(x, local, d)
        parts = jnp.moveaxis(x, d, 0).reshape((cut, local) + tuple(n for i, n in enumerate(x.shape) if i != d))
        if kind == "index":
            parts = parts * (1 + jnp.arange(cut) / cut).reshape((cut,) + (1,) * x.ndim)
        elif kind == "mean":
            parts = parts - parts.mean(0, keepdims=True)
        elif kind == "gather":
            parts = parts * 0.5 + parts.max((0, 1), keepdims=True)
        elif kind == "scatter":
            if local % cut == 0:
                # Each device has one piece of the sum of all, as often as there are pieces.
                pieces = parts.sum(0).reshape((cut, 1, local // cut) + parts.shape[2:])
                parts = parts + 0.1 * jnp.broadcast_to(pieces, (cut, cut, local // cut) + parts.shape[2:]).reshape(parts.shape)
        elif kind == "halo" and cut > 1:
            before = jnp.concatenate([jnp.zeros_like(parts[:1, -1:]), parts[:-1, -1:]], 0)
            parts = parts.at[:, :1].add(before)
        return jnp.moveaxis(parts.reshape((size,) + parts.shape[2:]), 0, d)

    def of_a_shard(y):
        if kind == "rotate":
            return lax.ppermute(y, name, [(i, (i + 1) % cut) for i in range(cut)])
        if kind == "index":
            return y * (1 + lax.axis_index(name) / cut)
        if kind == "mean":
            return y - lax.pmean(y, name)
        if kind == "gather":
            return y * 0.5 + lax.all_gather(y, name, axis=d, tiled=True).max(d, keepdims=True)
        if kind == "scatter" and local % cut == 0:
            piece = lax.psum_scatter(y, name, scatter_dimension=d, tiled=True)
            return y + 0.1 * jnp.concatenate([piece] * cut, d)
        if kind == "exchange":
            there = lax.all_to_all(y, name, rest[0], d, tiled=True)
            return lax.all_to_all(there, name, d, rest[0], tiled=True)
        if kind == "halo" and cut > 1:
            before = lax.ppermute(lax.slice_in_dim(y, local - 1, local, axis=d), name, [(i, i + 1) for i in range(cut - 1)])
            first = lax.slice_in_dim(y, 0, 1, axis=d) + before
            return jnp.concatenate([first, lax.slice_in_dim(y, 1, local, axis=d)], d)
        return y

    def apply(p, x):
        if program.mesh is None:
            return of_the_whole(inner(p, x))
        around = program.manual

        def body(p, y):
            program.manual = around + tuple(names)
            try:
                return of_a_shard(inner(p, y))
            finally:
                program.manual = around
        spec = P(*(None if i != d else name for i in range(len(program.shape))))
        mesh = jax.sharding.get_abstract_mesh() if around or program.explicit else program.mesh
        return jax.shard_map(body, mesh=mesh, in_specs=(P(), spec), out_specs=spec, axis_names=set(names), check_vma=False)(p, x)
    return apply


AROUND = (scanned, branched, derived, manual, manual, manual)


def block(program, dims, depth):
    if depth < 3 and program.random.random() < (0.6, 0.5, 0.35)[depth]:
        return program.random.choice(AROUND)(program, dims, depth)
    return program.random.choice(SIMPLE)(program, dims)


def function_of(program):
    program.cut = set()
    dims = list(range(len(program.shape)))
    blocks = [block(program, dims, 0) for _ in range(program.random.choice((1, 2, 3)))]
    differentiated = program.random.random() < 0.5

    def forward(p, x):
        for apply in blocks:
            x = program.place(apply(p, x))
        return x

    def function(p, x):
        if not differentiated:
            return forward(p, x)
        value, vjp = jax.vjp(forward, p, x)
        return value, vjp(jnp.cos(value))
    return function


def lowered(seed, sharded, explicit):
    program = Program(seed, sharded, explicit)
    function = function_of(program)
    shapes = {name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in program.parameters.items()}
    arguments = (shapes, jax.ShapeDtypeStruct(program.shape, jnp.float32))
    if not sharded:
        return jax.jit(function, keep_unused=True).lower(*arguments).as_text()
    around = jax.set_mesh(program.mesh) if explicit else contextlib.nullcontext()
    with around:
        placed = jax.tree.map(lambda a: NamedSharding(program.mesh, program.spec(a.shape, False)), arguments)
        arguments = jax.tree.map(lambda a, s: jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=s), arguments, placed)
        more = {}
        if not explicit and program.placing.random() < 0.5:
            returned = jax.eval_shape(function, *arguments)
            more["out_shardings"] = jax.tree.map(lambda a: NamedSharding(program.mesh, program.spec(a.shape, False)), returned)
        return jax.jit(function, keep_unused=True, **more).lower(*arguments).as_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1-20")
    parser.add_argument("--check", type=pathlib.Path, help="the program that runs the pairs of a folder")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the modules, which stay")
    parser.add_argument("--explicit", action="store_true", help="axes are explicit; programs that JAX refuses then are left out")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    refused = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(int(first), int(last or first) + 1):
            try:
                texts = [(name, lowered(seed, name == "sharded", options.explicit)) for name in ("whole", "sharded")]
                if len({len(re.findall(r"%arg\d+: ", text.split("->")[0])) for _, text in texts}) > 1:
                    raise ValueError("constants of one variant are arguments")
            except Exception as error:  # What JAX does not take is no program.
                refused += 1
                if os.environ.get("SHOW_REFUSED"):
                    print(f"{seed}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                continue
            for name, text in texts:
                (folder / f"{seed:06}.{name}.mlir").write_text(text, encoding="utf-8")
        print(f"{refused} programs that JAX does not take")
        return subprocess.run([options.check, folder], check=False).returncode if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
