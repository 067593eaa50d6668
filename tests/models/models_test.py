#!/usr/bin/env python3
"""The committed modules are what make.py makes today; small models of the same code compute on a pod what JAX's CPU backend computes.

Usage: models_test.py modules          makes every module and compares with the one in modules/, byte by byte
       models_test.py values           trains small models on the pod and on the CPU, and compares losses and gradients
       models_test.py train OUT.npz    one side of it, on whichever backend JAX has here
"""
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "jax")]

# A layout of each kind that the rows have, in sizes that a CPU computes in seconds. Interpreted, the flash kernel is operations.
SMALL = {"layers": 2, "d_model": 32, "d_ff": 64, "heads": 4, "kv_heads": 2, "head_dim": 8, "vocab": 64, "seq": 16, "batch": 8}
CASES = {
    "fsdp": ({"attention": "dot_product"}, 1),
    "tensor": ({"attention": "dot_product", "remat": "minimal"}, 2),
    "not_gated": ({"attention": "dot_product", "is_gated": False, "embeds_by_product": False, "norms_queries": True}, 1),
    "flash": ({"attention_interpret": True, "layers": 1, "heads": 2, "kv_heads": 1, "head_dim": 128, "seq": 128}, 1),
    "offload": ({"attention": "dot_product", "remat": "offload", "is_parallel": False}, 1),
}
CHIPS, STEPS = 8, 2
TIMEOUT_S = 550
LIMIT = 3e-2  # Of an array's largest value, as in tests/jax/training: products are bf16.


def compare_modules():
    import make
    differing = []
    for name, row in make.rows().items():
        made, kept = make.module_of(row), (HERE / f"modules/{name}.mlirbc").read_bytes()
        print(f"{name}: {len(made)} bytes, {'the same' if made == kept else 'DIFFERENT from the committed module'}")
        if made != kept:
            differing.append(name)
    if differing:
        print("make them anew: tests/models/make.py tests/models/modules")
    return bool(differing)


def train(path):
    import jax
    import numpy as np
    import decoder
    results = {}
    for name, (fields, tensor) in CASES.items():
        config = decoder.Config(**{**SMALL, **fields})
        mesh = jax.make_mesh((CHIPS // tensor, tensor), ("fsdp", "tensor"), devices=jax.devices()[:CHIPS],
                             axis_types=(jax.sharding.AxisType.Auto,) * 2)
        weights = decoder.init(config, jax.random.key(0))
        zeros = jax.tree.map(lambda weight: weight * 0, weights)
        state = {"weights": weights, "first": zeros, "second": jax.tree.map(lambda zero: zero + 0, zeros), "step": jax.numpy.int32(0)}
        tokens = jax.random.randint(jax.random.key(1), (config.batch, config.seq), 0, config.vocab)
        step = decoder.train_step(config, mesh)
        state = jax.device_put(state, decoder.placement(config, mesh))
        for number in range(STEPS):
            state, loss = step(state, tokens, (tokens + 1) % config.vocab)
            results[f"{name}_loss_{number}"] = np.asarray(loss)
        for place, moment in jax.tree_util.tree_leaves_with_path(state["first"]):  # What the gradients were.
            results[f"{name}_first{jax.tree_util.keystr(place)}"] = np.asarray(moment)
    np.savez(path, **results)


def compare_values():
    import backend
    import numpy as np
    with tempfile.TemporaryDirectory() as folder:
        got, wanted = (pathlib.Path(folder, f"{side}.npz") for side in ("pod", "cpu"))
        for side, path in (("pod", got), ("cpu", wanted)):
            run = backend.Run([HERE / "models_test.py", "train", path], side, pathlib.Path(folder, f"{side}.log"))
            wrong = run.end(TIMEOUT_S)
            if wrong is not None:
                print(f"on the {side}: {wrong}")
                return True
        got, wanted = np.load(got), np.load(wanted)
        worst = {}
        for name in wanted.files:
            away = float(np.max(np.abs(got[name] - wanted[name]))) / float(np.max(np.abs(wanted[name])))
            case = next(case for case in CASES if name.startswith(case + "_"))
            worst[case] = max(worst.get(case, (0, "")), (away, name))
    for case, (away, name) in worst.items():
        print(f"{case}: at most {away:.2g} away ({name})")
    return any(not away <= LIMIT for away, _ in worst.values())


if __name__ == "__main__":
    if sys.argv[1] == "train":
        train(sys.argv[2])
    else:
        sys.exit({"modules": compare_modules, "values": compare_values}[sys.argv[1]]())
