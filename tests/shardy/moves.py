"""What operations themselves have chips receive when they work on shards as they lie: the least that any program must.

Shardy's passes put reshards around an operation and leave to the partitioner behind them what the operation exchanges: rows
that a slice, a pad, a reverse, a concatenation or a convolution shifts from one shard into another. For a fair comparison that
is counted here, for each device the elements that its shard of the result is made of and that it does not have, and of all
devices the most.
"""

import re


def axis_size(mesh, axis):
    sub = re.match(r'"([^"]+)"(?::\((\d+)\)(\d+))?', axis)
    return int(sub.group(3)) if sub.group(3) else mesh[sub.group(1)]


def place_of(mesh, device, axes):
    """The shard along axes that a device has: of `device` by axis the index, major to minor."""
    place = 0
    for axis in axes:
        name, pre, size = re.match(r'"([^"]+)"(?::\((\d+)\)(\d+))?', axis).groups()
        size = int(size) if size else mesh[name]
        behind = mesh[name] // (int(pre or 1) * size)
        place = place * size + device[name] // behind % size
    return place


def devices_of(mesh):
    found = [{}]
    for name, size in mesh.items():
        found = [{**device, name: i} for device in found for i in range(size)]
    return found


def chunk(extent, count, place):
    each = -(-extent // count)
    return range(min(place * each, extent), min((place + 1) * each, extent))


def count_of(mesh, axes):
    count = 1
    for axis in axes:
        count *= axis_size(mesh, axis)
    return count


def missing(mesh, operand, result, reads):
    """The bytes that a device needs of others: `reads[d](r)` are the indexes of the operand's dimension d that row r of the
    result's dimension of `reads` needs; None: the dimension is read where it lies."""
    (dims, element), sharding = operand
    most = 0
    known = {}
    for device in devices_of(mesh):
        needed = held = 1
        for d, read in enumerate(reads):
            if read is None:
                continue
            to, rows = read
            axes, made = sharding.dims[d], result[1].dims[to]
            key = (d, place_of(mesh, device, axes), place_of(mesh, device, made))
            if key not in known:
                own = chunk(dims[d], count_of(mesh, axes), key[1])
                wanted = set()
                for r in chunk(result[0][0][to], count_of(mesh, made), key[2]):
                    wanted.update(i for i in rows(r) if 0 <= i < dims[d])
                known[key] = (len(wanted), sum(i in own for i in wanted))
            needed *= known[key][0]
            held *= known[key][1]
        most = max(most, needed - held)
    rest = element
    for d, read in enumerate(reads):
        if read is None:
            rest *= -(-dims[d] // count_of(mesh, sharding.dims[d]))
    return most * rest


def numbers(text, name):
    match = re.search(name + r" = (?:array<i64: )?\[?([-\d, ]*)", text)
    return [int(n) for n in match.group(1).split(",")] if match else None


def slice_reads(text, rank):
    parts = re.search(r"slice %\S+ \[([^]]*)\]", text)
    if not parts:
        return None
    bounds = [[int(n) for n in part.split(":")] for part in parts.group(1).split(",")]
    return [(d, lambda r, b=b: (b[0] + r * (b[2] if len(b) > 2 else 1),)) for d, b in enumerate(bounds)]


def pad_reads(text, rank):
    low, interior = numbers(text, "low"), numbers(text, "interior") or [0] * rank

    def rows(r, d):
        at = r - low[d]
        return (at // (interior[d] + 1),) if at >= 0 and at % (interior[d] + 1) == 0 else ()
    return [(d, lambda r, d=d: rows(r, d)) for d in range(rank)] if low else None


def convolution_reads(text, operand):
    """Of the left operand; what is contracted, and batch and features, are where they lie."""
    names = re.search(r"dim_numbers = \[([^]]*)\]x\[([^]]*)\]->\[([^]]*)\]", text)
    if not names or "dilat" in re.sub(r"dilations? = dense<1>|dilate = \[1[, 1]*\]", "", text):
        return None
    left, kernel, out = ([n.strip() for n in group.split(",")] for group in names.groups())
    sizes = re.findall(r"tensor<([\dx]*)x\w+>", text[text.rindex(" : ("):])[1].split("x")
    stride = numbers(text, "stride") or [1] * (len(left) - 2)
    pads = re.search(r"pad = \[((?:\[[-\d, ]*\],? ?)*)\]", text)
    low = [int(p.split(",")[0]) for p in re.findall(r"\[([^]]*)\]", pads.group(1))] if pads else [0] * len(stride)
    reads = [None] * len(left)
    for i, step in enumerate(stride):
        d, window = left.index(str(i)), int(sizes[kernel.index(str(i))])
        reads[d] = (out.index(str(i)), lambda r, i=i, w=window, s=step: range(r * s - low[i], r * s - low[i] + w))
    return reads


def bytes_within(module, kind, text, operands, results):
    """Of one operation, whose operands and results are ((dimensions, bytes of an element), sharding), or None where unknown."""
    result = results[0] if results else None
    operands = [o for o in operands if o]
    if result is None or not operands:
        return 0
    mesh = module.meshes.get(result[1].mesh)
    if not mesh or any(o[1].mesh != result[1].mesh for o in operands) or count_of(mesh, ['"%s"' % n for n in mesh]) > 1024:
        return 0
    first, rank = operands[0], len(operands[0][0][0])
    if kind == "stablehlo.slice":
        reads = slice_reads(text, rank)
    elif kind == "stablehlo.pad":
        reads = pad_reads(text, rank)
    elif kind == "stablehlo.reverse":
        turned = numbers(text, "dims") or []
        reads = [(d, lambda r, n=n, t=d in turned: (n - 1 - r if t else r,)) for d, n in enumerate(first[0][0])]
    elif kind == "stablehlo.convolution":
        reads = convolution_reads(text, first)
    elif kind == "stablehlo.concatenate":
        along, at, total = (numbers(text, "dim") or [0])[0], 0, 0
        for operand in operands:
            total += missing(mesh, operand, result, [
                (d, lambda r, a=at if d == along else 0: (r - a,)) for d in range(rank)])
            at += operand[0][0][along]
        return total
    else:
        return 0
    return missing(mesh, first, result, reads) if reads else 0

