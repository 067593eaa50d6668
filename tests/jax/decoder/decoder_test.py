"""A decoder's step in published layouts: its values, and that no layout moves more than is published for it.

Usage: decoder_test.py BIN [LAYOUT…]

decoder.py computes on a pod and compares; `podium explain` tells the collectives of the same modules. Counted is what each chip sends by
rings, as papers count: (n-1)/n of the whole array for all_gather, reduce_scatter and all_to_all, twice that for all_reduce, the
array for collective_permute.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import backend
import decoder

KINDS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_permute")
BYTES = 4  # Of every number in the decoder.
RINGS = "all_reduce=ring,all_gather=ring,reduce_scatter=ring"
SCALARS = 64  # Bytes allowed for sums of single numbers, such as the mean of the loss.


def part(n):
    return (n - 1) / n


def sizes(layout):
    """What the formulas need of a layout: bytes of matrices, of scales of norms, and of the residual stream of a chip's batch."""
    axes = decoder.LAYOUTS[layout]
    scales = sum(math.prod(shape) for name, shape in decoder.SHAPES.items() if "norm" in name)
    layer = sum(math.prod(shape) for shape in decoder.WEIGHTS.values())
    ends = 2 * decoder.VOCABULARY * decoder.WIDTH
    rows = decoder.BATCH // axes.get("data", 1) * decoder.LENGTH
    return axes, BYTES * scales, BYTES * layer * decoder.LAYERS, BYTES * ends, BYTES * rows * decoder.WIDTH, BYTES * rows


def data(layout):
    """One all_reduce of every gradient: Li et al., PyTorch Distributed, VLDB 2020."""
    axes, scales, layers, ends, _, _ = sizes(layout)
    return {"all_reduce": 2 * part(axes["data"]) * (scales + layers + ends)}


def fsdp(layout):
    """An all_gather of every matrix forward, one backward, a reduce_scatter of its gradient: ZeRO 3, Rajbhandari et al., SC 2020,
    section 7.2.2; scales of norms are whole everywhere."""
    axes, scales, layers, ends, _, _ = sizes(layout)
    n, whole = axes["data"], layers + ends
    return {"all_gather": 2 * part(n) * whole, "reduce_scatter": part(n) * whole, "all_reduce": 2 * part(n) * scales}


def fsdp_accumulated(layout):
    """The gathers of `fsdp` for every microbatch. ZeRO scatters the gradients as often; added up whole first, it is once."""
    once = fsdp(layout)
    return once | {"all_gather": decoder.ACCUMULATED * once["all_gather"]}


def tensor(layout):
    """An all_reduce of the residual stream behind attention and behind the feed-forward part, forward and backward; one of it behind the
    embedding, and one backward of the head; three of a number per token for the cross-entropy: Megatron-LM, Shoeybi et al. 2019, section 3.
    What is left of the gradients is reduced as in `data`."""
    axes, scales, layers, ends, stream, rows = sizes(layout)
    m, n = axes["model"], axes.get("data", 1)
    return {"all_reduce": 2 * part(m) * ((4 * decoder.LAYERS + 2) * stream + 3 * rows)
            + 2 * part(n) * (scales + (layers + ends) / m)}


def sequence(layout):
    """Each of these an all_gather and a reduce_scatter, and backward the two gathered inputs of a layer once more: Korthikanti et al. 2022,
    section 4.2.2. Scales of norms see a part of the sequence only."""
    axes, scales, layers, ends, stream, rows = sizes(layout)
    m, n = axes["model"], axes["data"]
    moved = part(m) * ((4 * decoder.LAYERS + 2) * stream)
    return {"all_gather": moved + part(m) * 2 * decoder.LAYERS * stream, "reduce_scatter": moved,
            "all_reduce": 2 * part(m) * 3 * rows + 2 * part(n) * (layers + ends) / m + 2 * part(n * m) * scales}


def fsdp_tensor(layout):
    """Both: what a chip has of the matrices along `model` is gathered and scattered along `data`."""
    axes, scales, layers, ends, _, _ = sizes(layout)
    n, m = axes["data"], axes["model"]
    of_tensor = tensor(layout)["all_reduce"] - 2 * part(n) * (layers + ends) / m
    whole = (layers + ends) / m
    return {"all_gather": 2 * part(n) * whole, "reduce_scatter": part(n) * whole, "all_reduce": of_tensor}


def pipeline(layout, rounds=1):
    """A microbatch moves on to the next stage, and its gradient back, in all turns but the last: GPipe, Huang et al. 2019. What leaves the last stage goes
    to all, for they share the head, and the gradient of what entered is summed over them. Within a stage as above; every stage computes in
    all turns, of which some are bubbles. `rounds`: microbatches go around so often."""
    axes, scales, layers, ends, stream, rows = sizes(layout)
    stages, n, m = axes["stage"], axes.get("data", 1), axes.get("model", 1)
    turns = decoder.MICROBATCHES * rounds + stages - 1
    micro = stream / decoder.MICROBATCHES
    own = layers / stages
    within = 4 * turns * decoder.LAYERS // stages // rounds * micro + 2 * stream + 3 * rows
    return {"collective_permute": 2 * (turns - 1) * micro, "all_gather": 2 * part(stages) * stream,
            "all_reduce": 2 * part(stages) * (stream + ends + scales) + 2 * part(m) * within
            + 2 * part(n) * (scales + (own + ends) / m)}


def circular(layout):
    """Interleaved stages, each with every other layer: as many times the exchanges as it has layers, for fewer bubbles: Narayanan et al. 2021."""
    return pipeline(layout, decoder.LAYERS // sizes(layout)[0]["stage"])


def experts(layout):
    """Tokens go to their experts and come back, and so do their gradients: GShard, Lepikhin et al. 2020. All else is data parallel."""
    axes, scales, layers, ends, stream, _ = sizes(layout)
    n = axes["data"]
    own = BYTES * decoder.LAYERS * sum(math.prod(decoder.WEIGHTS[name]) for name in ("gate", "up", "down"))
    return {"all_to_all": part(n) * 4 * decoder.LAYERS * stream, "all_reduce": 2 * part(n) * (scales + layers - own + ends)}


def experts_again(layout):
    """Forward once more for the gradient: tokens go there and back three times."""
    return {kind: size * (1.5 if kind == "all_to_all" else 1) for kind, size in experts(layout).items()}


def ring(layout):
    """Keys and values visit the other chips, and their gradients come back: Liu et al., Ring Attention, 2023. Weights as in `data`; the
    tokens are spread by length instead."""
    axes, _, _, _, stream, _ = sizes(layout)
    n = axes["data"]
    keys = 2 * stream * decoder.KEYS * decoder.SIZE / decoder.WIDTH
    return {"collective_permute": 2 * (n - 1) * keys * decoder.LAYERS, **data(layout)}


PUBLISHED = {"data": data, "fsdp": fsdp, "tensor": tensor, "sequence": sequence, "fsdp_tensor": fsdp_tensor, "pipeline": pipeline,
             "pipeline_tensor": pipeline, "pipeline_data_tensor": pipeline, "circular": circular, "experts": experts, "ring": ring, "accumulated": data,
             "fsdp_accumulated": fsdp_accumulated, "experts_again": experts_again}


def instead(layout):
    """What a layout moves by a kind that is not published for it, and why: fewer bytes of another kind than published pay for it."""
    axes, _, _, _, stream, _ = sizes(layout)
    n, m, stages = axes.get("data", 1), axes.get("model", 1), axes.get("stage", 1)
    vocabulary = BYTES * decoder.VOCABULARY * decoder.WIDTH
    if stages > 2:  # What leaves the last stage is exchanged by microbatch before it is gathered, or, where that is faster, gathered of all stages.
        return {"all_to_all": part(stages) * stream, "all_gather": 2 * part(stages) * stream}
    if layout == "sequence":  # A vocabulary of fewer bytes than a chip's batch is gathered, and its gradient reduced, whole.
        return {"all_reduce": 2 * part(n * m) * vocabulary}
    return {"all_gather": part(m) * vocabulary}  # The same, where rows that are looked up in its parts would be reduced.


def moved(collective):
    """Of all_to_all without what chips on the way pass on."""
    if collective["op"] != "all_to_all":
        return collective["ici_bytes"]
    dims = collective["operand"].partition("[")[2].rstrip("]").split(",")
    return part(collective["group_size"]) * BYTES * math.prod(int(size) for size in dims)


def collectives(binaries, module):
    """Bytes by kind, of all runs."""
    told = json.loads(subprocess.run([binaries / "podium", "explain", "--json", "-t", backend.TOPOLOGY, "--algorithm", RINGS, module],
                                     check=True, capture_output=True, text=True).stdout)
    sizes_of = {(c["op"], c["source"], c["ici_bytes"]): moved(c) for c in told["program"]["collectives"]}
    sums = dict.fromkeys(KINDS, 0.0)
    for line in told["explained"]:
        sums[line["op"]] += sizes_of[line["op"], line["source"], line["ici_bytes"]] * line["runs"]
    return sums


def check(binaries, layout, module):
    """None, or in what it moves more than is published: in all, or by one kind."""
    found = collectives(binaries, module)
    limit, other = PUBLISHED[layout](layout), instead(layout)
    table = ", ".join(f"{kind} {found[kind]:.0f} of {limit.get(kind, 0):.0f}" for kind in KINDS if found[kind] or kind in limit)
    print(f"{layout}: {sum(found.values()):.0f} bytes of {sum(limit.values()):.0f} published ({table})", flush=True)
    errors = [f"{found[kind]:.0f} bytes of {kind}, {allowed:.0f} allowed" for kind in KINDS
              if found[kind] > (allowed := limit.get(kind, 0) + other.get(kind, 0) + SCALARS)]
    if sum(found.values()) > sum(limit.values()) + SCALARS:
        errors.append(f"{sum(found.values()):.0f} bytes in all, {sum(limit.values()):.0f} published")
    return f"{layout} moves {', '.join(errors)}" if errors else None


def main():
    binaries, layouts = pathlib.Path(sys.argv[1]), sys.argv[2:] or list(decoder.LAYOUTS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run = backend.Run([HERE / "decoder.py", *layouts], "pod", folder / "log", MODULES=str(folder))
        errors = [error] if (error := run.end(500)) else []
        print((folder / "log").read_text(encoding="utf-8"), end="")
        errors += [error for layout in layouts if (folder / f"{layout}.mlir").exists()
                   and (error := check(binaries, layout, folder / f"{layout}.mlir"))]
    print(*errors, sep="\n")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
