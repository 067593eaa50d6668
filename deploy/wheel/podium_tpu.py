"""Podium for JAX: registers the plugin when a program asks for it, and is the command `podium`."""
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def wanted():
    """JAX asks every plugin that is installed; a pod is only for programs that want one."""
    platforms = os.environ.get("JAX_PLATFORMS", "").split(",")
    return "tpu" in platforms or "podium" in platforms or "PODIUM_POD" in os.environ


def initialize():
    """Called by JAX (entry point jax_plugins)."""
    if not wanted() or "libpodium_pjrt" in os.environ.get("PJRT_NAMES_AND_LIBRARY_PATHS", ""):
        return
    from jax._src import xla_bridge
    name = "podium" if "podium" in os.environ.get("JAX_PLATFORMS", "").split(",") else "tpu"
    xla_bridge.register_plugin(name, priority=500, library_path=str(FOLDER / "lib/libpodium_pjrt.so"))


def main():
    program = str(FOLDER / "bin/podium")
    os.execv(program, [program, *sys.argv[1:]])
