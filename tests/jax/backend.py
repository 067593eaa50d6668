"""Where a JAX program runs: on a pod of simulated chips by the plugin, or on JAX's own CPU backend with as many devices.

A program is a process of its own, which is told by its environment alone, as a user tells it; none of the programs here knows
where it runs. PODIUM_PJRT_PLUGIN is the plugin's file, by default the one in build/lib; PODIUM_CHIP and PODIUM_TOPOLOGY are the
pod's, by default DEVICES v5e chips in a 4x2 torus.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BACKENDS = ("pod", "cpu")
DEVICES = 8
CHIP, TOPOLOGY = "v5e", "4x2"
# What decides where JAX runs, or what it computes with; none of it comes from the caller.
OURS = ("JAX_", "XLA_", "PJRT_", "TPU_")


def plugin():
    return pathlib.Path(os.environ.get("PODIUM_PJRT_PLUGIN") or ROOT / "build/lib/libpodium_pjrt.so")


def device_count(topology):
    """The number of chips of a torus, such as 4x2."""
    count = 1
    for size in topology.split("x"):
        count *= int(size)
    return count


def environment(backend, **more):
    """The environment of a process whose JAX runs on `backend`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    topology = os.environ.get("PODIUM_TOPOLOGY", TOPOLOGY)
    if backend == "cpu":
        chosen = {"JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": str(device_count(topology))}
    else:
        # The CPU is there beside the chips, as on a TPU's host; the chips come first.
        chosen = {"JAX_PLATFORMS": "tpu,cpu", "PJRT_NAMES_AND_LIBRARY_PATHS": f"tpu:{plugin()}",
                  "PODIUM_CHIP": os.environ.get("PODIUM_CHIP", CHIP), "PODIUM_TOPOLOGY": topology}
        kept["PATH"] = f"{plugin().parents[1] / 'bin'}:{kept.get('PATH', '')}"  # The daemons of the local pod.
    return {**kept, "PYTHONUNBUFFERED": "1", **chosen, **more}


class Run:
    """A script that has been started; `end` waits for it. It leads a process group, which ends with it."""

    def __init__(self, command, backend, log, **more):
        self.command = [str(word) for word in command]
        self.log = pathlib.Path(log)
        self.started = time.monotonic()
        with open(log, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen([sys.executable, "-B", *self.command], stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=subprocess.STDOUT, start_new_session=True,
                                            env=environment(backend, **more))

    def end(self, timeout_s):
        """None when it succeeded; else what was wrong, with the end of what it printed."""
        try:
            status = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return f"{' '.join(self.command)} did not end within {timeout_s} s; it printed:\n{self.tail()}"
        self.seconds = time.monotonic() - self.started
        self.kill()
        if status != 0:
            return f"{' '.join(self.command)} ended with {status}; it printed:\n{self.tail()}"
        return None

    def kill(self):
        """Ends it, and whatever it left behind in its group."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self.process.wait()

    def tail(self, lines=40):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
