#!/usr/bin/env python3
"""The wheel works after `pip install`: real JAX finds the pod by its entry point, and what is in it needs nothing of the machine
but the C library.

Usage: wheel_test.py MAKE BUILD    MAKE is deploy/wheel/make.py. Run by the Python that has JAX.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
import jax, jax.numpy as jnp
assert jax.default_backend() == "tpu", jax.default_backend()
assert [d.coords for d in jax.devices()] == [[0, 0, 0], [1, 0, 0]], jax.devices()
print("sum", int(jax.jit(jnp.sum)(jnp.arange(10))))
"""


def run(command, environment):
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def strangers(package):
    """What the loader takes from outside the package, but for the C library."""
    for binary in [*(package / "bin").iterdir(), *(package / "lib").iterdir()]:
        for line in run(["ldd", str(binary)], {}).splitlines():
            name, _, place = line.strip().partition(" => ")
            if place and not place.startswith(str(package)) and not name.startswith(
                    ("libc.", "libm.", "libdl.", "librt.", "libpthread.", "libmvec.", "libresolv.")):
                yield f"{binary.name}: {line.strip()}"


def main(make, build):
    with tempfile.TemporaryDirectory() as folder:
        clean = {"PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder}
        wheel = run([sys.executable, make, build, folder], dict(os.environ)).strip()
        run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", f"{folder}/site", wheel], clean)
        package = pathlib.Path(folder, "site/podium_tpu")
        errors = list(strangers(package))
        if errors:
            raise SystemExit("\n".join(errors))
        variables = dict(clean, PYTHONPATH=f"{folder}/site", JAX_PLATFORMS="tpu", PODIUM_TOPOLOGY="2x1")
        out = run([sys.executable, "-c", PROGRAM], variables)
        if out != "sum 45\n":
            raise SystemExit(f"printed {out!r}")
        # Without being asked for it does not begin a pod.
        variables["JAX_PLATFORMS"] = "cpu"
        out = run([sys.executable, "-c", "import jax; print(jax.default_backend())"], variables)
        if out != "cpu\n":
            raise SystemExit(f"printed {out!r}")
        out = run([f"{folder}/site/bin/podium", "exec", "--topology", "2x1", "--", sys.executable, "-c", PROGRAM],
                  dict(clean, PYTHONPATH=f"{folder}/site"))
        if "sum 45\n" not in out or "jit_sum" not in out:
            raise SystemExit(f"printed {out!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
