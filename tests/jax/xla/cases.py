"""Random sharded programs, drawn from a seed: a function, shapes, and how arguments and results are sharded over eight devices."""

import random
import string

MESHES = (("x", 8),), (("x", 2), ("y", 4)), (("x", 4), ("y", 2)), (("x", 2), ("y", 2), ("z", 2))
# Large enough that bytes decide, not the time that a collective takes beside them; by the rank of arrays.
SIZES = {1: (1 << 18, 1 << 20), 2: (512, 1024, 4096), 3: (64, 128, 256), 4: (16, 32, 64)}


class Draw:
    """A case while it is drawn."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.mesh = dict(self.random.choice(MESHES))
        self.shapes, self.dtypes, self.specs = [], [], []

    def spec(self, shape):
        """Axes by dimension: each at most once, and such that they divide it."""
        dims = [[] for _ in shape]
        for axis in self.random.sample(list(self.mesh), len(self.mesh)):
            if not shape or self.random.random() < 0.3:
                continue
            d = self.random.randrange(len(shape))
            count = self.mesh[axis]
            for other in dims[d]:
                count *= self.mesh[other]
            if shape[d] % count == 0:
                dims[d].append(axis)
        return tuple(tuple(dim) for dim in dims)

    def argument(self, shape, dtype="float32"):
        self.shapes.append(tuple(shape))
        self.dtypes.append(dtype)
        self.specs.append(self.spec(shape))

    def size(self, rank=2):
        return self.random.choice(SIZES[rank])


def reshard(draw, jnp, _lax):
    rank = draw.random.randint(1, 3)
    draw.argument([draw.size(rank) for _ in range(rank)])
    return lambda a: a


def product(draw, jnp, _lax):
    i, j, k = (draw.size() for _ in range(3))
    draw.argument((i, j))
    draw.argument((j, k))
    return lambda a, b: a @ b


def einsum(draw, jnp, _lax):
    labels = string.ascii_lowercase[:draw.random.randint(3, 4)]
    sizes = {label: draw.size(4) for label in labels}
    one = draw.random.sample(labels, draw.random.randint(2, min(4, len(labels))))
    rest = [label for label in labels if label not in one]
    two = rest + draw.random.sample(one, draw.random.randint(1, min(2, len(one))))
    draw.random.shuffle(two)
    kept = [label for label in labels if (label in one) != (label in two) or draw.random.random() < 0.3]
    draw.random.shuffle(kept)
    draw.argument([sizes[label] for label in one])
    draw.argument([sizes[label] for label in two])
    form = "%s,%s->%s" % ("".join(one), "".join(two), "".join(kept))
    return lambda a, b: jnp.einsum(form, a, b)


def layers(draw, jnp, _lax):
    batch, model, hidden = (draw.size() for _ in range(3))
    draw.argument((batch, model))
    draw.argument((model, hidden))
    draw.argument((hidden, model))
    return lambda a, v, w: jnp.maximum(a @ v, 0) @ w


def attention(draw, jnp, _lax):
    shape = (draw.random.choice((8, 16)), draw.random.choice((512, 1024)), 16, 128)
    for _ in range(3):
        draw.argument(shape)

    def function(q, k, v):
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k)
        scores = jnp.exp(scores - scores.max(-1, keepdims=True))
        return jnp.einsum("bhqk,bkhd->bqhd", scores / scores.sum(-1, keepdims=True), v)
    return function


def reduction(draw, jnp, _lax):
    rank = draw.random.randint(2, 3)
    shape = [draw.size(rank) for _ in range(rank)]
    axes = tuple(draw.random.sample(range(len(shape)), draw.random.randint(1, len(shape) - 1)))
    draw.argument(shape)
    return draw.random.choice((lambda a: a.sum(axes), lambda a: a.max(axes), lambda a: a - a.mean(axes, keepdims=True)))


def elementwise(draw, jnp, _lax):
    i, j = draw.size(), draw.size()
    draw.argument((i, j))
    draw.argument((j, i))
    return lambda a, b: a * 2 + b.T


def reshape(draw, jnp, _lax):
    i, j, k = (draw.size(3) for _ in range(3))
    draw.argument((i, j, k))
    to = draw.random.choice(((i * j, k), (i, j * k), (i * j * k,), (j, i, k)))
    return lambda a: jnp.sin(a).reshape(to)


def embedding(draw, jnp, _lax):
    draw.argument((draw.random.choice((4096, 32768)), draw.size()))
    draw.argument((draw.random.choice((64, 512)), 16), "int32")
    return lambda w, i: w[i]


def scatter(draw, jnp, _lax):
    rows, width, count = draw.random.choice((4096, 32768)), draw.size(), draw.size()
    draw.argument((rows, width))
    draw.argument((count,), "int32")
    draw.argument((count, width))
    return lambda w, i, u: w.at[i].add(u)


def moves(draw, jnp, _lax):
    shape = (draw.size(), draw.size())
    draw.argument(shape)
    return draw.random.choice((
        lambda a: a[:, ::-1], lambda a: jnp.roll(a, 3, 0), lambda a: jnp.concatenate([a, a * 2], 1), lambda a: a[: shape[0] // 2],
        lambda a: jnp.pad(a, ((4, 4), (0, 0))), lambda a: a[1:] - a[:-1]))


def ordered(draw, jnp, lax):
    draw.argument((draw.size(), draw.size()))
    axis = draw.random.randrange(2)
    return draw.random.choice((lambda a: jnp.sort(a, axis), lambda a: jnp.cumsum(a, axis), lambda a: jnp.argmax(a, axis)))


def convolution(draw, jnp, lax):
    draw.argument((16, 64, 64, draw.random.choice((64, 256))))
    draw.argument((3, 3, draw.shapes[0][3], draw.random.choice((64, 256))))
    return lambda a, w: lax.conv_general_dilated(a, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def gradient(draw, jnp, _lax):
    import jax
    batch, model, hidden = (draw.size() for _ in range(3))
    draw.argument((batch, model))
    draw.argument((model, hidden))
    draw.argument((hidden, model))
    return lambda a, v, w: jax.grad(lambda both: (jnp.tanh(a @ both[0]) @ both[1]).sum())((v, w))


def loop(draw, jnp, lax):
    batch, model = draw.size(), draw.size()
    draw.argument((batch, model))
    draw.argument((4, model, model))
    return lambda a, w: lax.scan(lambda c, one: (jnp.tanh(c @ one), None), a, w)[0]


FAMILIES = (reshard, product, einsum, layers, attention, reduction, elementwise, reshape, embedding, scatter, moves, ordered,
            convolution, gradient, loop)


def draw_case(seed):
    """(the family's name, what it drew and draws the results' shardings of, its function)."""
    import jax.numpy as jnp
    from jax import lax
    draw = Draw(seed)
    family = draw.random.choice(FAMILIES)
    function = family(draw, jnp, lax)
    return family.__name__, draw, function
