"""Compares curves of losses: models trained on a pod, and by JAX's CPU backend, in the same layout with the same data.

Usage: training_test.py [--full] [--against cpu|pod] [--models M,…] [--steps N] [--timeout SECONDS]

Both sides start from the same bits (JAX's random numbers are the same everywhere), so that the first loss differs by rounding alone.
From then on differences grow: AdamW divides each gradient by its own magnitude, so that one that is all rounding moves its
parameter as far as any other, though never farther than the learning rate. What that makes of the loss was measured between the layouts of
the CPU backend itself, which sum in different orders and are all right: after 50 steps up to 5e-7 of the loss in f32 and 5e-3 in
bf16, where f32 and bf16 part by up to 2e-2. The limits are what allows the pod another exp and another order within each
product: 1e-4 and 3e-2. An error in a gradient shows by more, as the curves part by tenths. The convolutional net is chaotic:
max-pooling passes a gradient to whichever element is largest, so that rounding chooses. The CPU backend with 4 devices is 4e-3 away from
itself with 8 in f32; there the limit is 1e-2 after the first steps.

The short variant, which ctest runs, has few steps and one layout of each kind; --full has 50 steps in all layouts, and
there the loss must also have fallen by a third.
"""
import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import backend
import compare

FIRST = {"float32": 1e-5, "bfloat16": 4e-3}  # Of the loss, at the first step.
LIMIT = {"float32": 1e-4, "bfloat16": 3e-2}  # Of the loss, at every step.
CHAOTIC = {"convnet": 1e-2}  # The limit in f32 of a model that amplifies rounding, in a run of many steps.
FALLS_TO = 2 / 3
# What the short variant runs: a layout with each kind of collective, each dtype once.
SHORT = {"gpt": [("2d", "float32"), ("fsdp", "bfloat16")], "convnet": [("data", "float32")],
         "mixture": [("experts_and_data", "float32")]}
SHORT_STEPS = 4


def runs_of(model, options):
    """The command lines by which a model is trained, without the interpreter."""
    script = [HERE / "train.py", model, "--steps", options.steps or (50 if options.full else SHORT_STEPS)]
    if options.full:
        return [script]
    return [[*script, "--layouts", layout, "--dtypes", dtype] for layout, dtype in SHORT[model]]


def curve_errors(got_path, wanted_path, model, must_fall):
    got, wanted = compare.read(got_path), compare.read(wanted_path)
    if got.keys() != wanted.keys():
        yield f"curves {sorted(got)}; the CPU backend has {sorted(wanted)}"
        return
    for name, theirs in wanted.items():
        dtype = name.rsplit("_", 1)[1]
        limit = max(LIMIT[dtype], CHAOTIC.get(model, 0)) if must_fall else LIMIT[dtype]
        away = abs(got[name] - theirs) / abs(theirs)
        away[got[name] != got[name]] = float("inf")  # NaN
        print(f"    {name}: {got[name][0]:.5f} … {got[name][-1]:.5f}, at most {away.max():.2g} of it away", flush=True)
        if away[0] > FIRST[dtype]:
            yield f"{name}: the first loss is {got[name][0]:.7f}, not {theirs[0]:.7f}"
        if away.max() > limit:
            at = int(away.argmax())
            yield f"{name}: the loss at step {at} is {got[name][at]:.6f}, not {theirs[at]:.6f}; {limit:g} of it is allowed"
        if must_fall and got[name][-1] > FALLS_TO * got[name][0]:
            yield f"{name}: the loss has fallen from {got[name][0]:.4f} to {got[name][-1]:.4f} only"


def check(command, options, folder):
    sides = {}
    for side, where in (("pod", options.against), ("cpu", "cpu")):
        results = folder / f"{side}.npz"
        sides[side] = backend.Run(command, where, folder / f"{side}.log", RESULTS=str(results))
    found = [f"{side}: {error}" for side, run in sides.items() if (error := run.end(options.timeout))]
    if not found:
        print("  " + ", ".join(f"{side} {run.seconds:.1f} s" for side, run in sides.items()))
        found = list(curve_errors(folder / "pod.npz", folder / "cpu.npz", command[1], options.full))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--against", choices=backend.BACKENDS, default="pod", help="where the first run is")
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(SHORT))
    parser.add_argument("--steps", type=int)
    parser.add_argument("--timeout", type=float, help="seconds for one side")
    options = parser.parse_args()
    options.timeout = options.timeout or (1800 if options.full else 200)
    failed = False
    for model in options.models:
        for command in runs_of(model, options):
            print(" ".join(map(str, command[1:])), flush=True)
            with tempfile.TemporaryDirectory() as folder:
                for error in check(command, options, pathlib.Path(folder)):
                    print(f"  FAILED {error}", flush=True)
                    failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
