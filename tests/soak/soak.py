#!/usr/bin/python3
"""Mixed clients in several languages on one pod for a while, with what they get and what the daemons hold watched.

Usage: soak.py BIN PROTO [--seconds N] [--jax FOLDER] [--memory-may-grow]

Clients: libpodium in C (one of them killed again and again), Debian's grpcio, grpc-js if npm has it, unmodified JAX if FOLDER
(tests/jax/environment.py) has been made, and `podium check` in a loop. Every value that a client gets is compared with what it must
be. Fails when one was wrong, a call failed, a daemon ended, sessions, arrays or descriptors were left, or memory went on growing.
What did not run is told.
"""
import argparse
import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROCESS_DIES_WITH_US = 1  # PR_SET_PDEATHSIG
END_S = 180               # For clients and daemons to come to rest, behind the time asked for.
DESCRIPTORS_KEPT = 8      # Connections that peers keep for later calls.
GROWTH, GROWTH_KIB = 1.25, 32 << 10


def die_with_parent():
    ctypes.CDLL(None).prctl(PROCESS_DIES_WITH_US, signal.SIGKILL)


class Soak:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.podium = arguments.bin / "podium"
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(folder))
        self.clients = {}  # Name: its process.
        self.samples = {}  # Daemon: [(memory in KiB, descriptors)].
        self.wrong = []

    def run(self, *command, **more):
        return subprocess.run([str(word) for word in command], env=self.environment, text=True, capture_output=True,
                              timeout=END_S, **more)

    def start(self, name, *command, **more):
        log = open(self.folder / f"{name}.log", "a")
        self.clients[name] = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=log, text=True,
                                              env=self.environment, preexec_fn=die_with_parent, **more)

    def status(self):
        return json.loads(self.run(self.podium, "status", "local", "--json", check=True).stdout)

    # --- The daemons ---

    def up(self):
        self.run(self.podium, "up", "--topology", "2x2", check=True)
        pod = self.folder / "podium/pod-local"
        self.address = (pod / "address").read_text().strip()
        self.token = self.folder / f"podium/token-{self.address.rsplit(':', 1)[1]}"
        self.daemons = {}
        for host in json.loads((pod / "pod.json").read_text())["processes"]:
            pid = host["pid"]
            for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                kind = pathlib.Path(f"/proc/{child}/comm").read_text().strip()
                self.daemons[f"{kind} {child}"] = int(child)

    def sample(self):
        for name, pid in self.daemons.items():
            try:
                lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
                memory = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
                self.samples.setdefault(name, []).append((memory, len(os.listdir(f"/proc/{pid}/fd"))))
            except (OSError, StopIteration):
                self.wrong.append(f"{name} has ended")
                self.daemons.pop(name)
                return

    # --- The clients ---

    def start_stock(self):
        made = self.folder / "made"
        made.mkdir()
        files = sorted(str(f.relative_to(self.arguments.proto)) for f in (self.arguments.proto / "podium").rglob("*.proto"))
        self.run("protoc", f"-I{self.arguments.proto}", f"--python_out={made}", f"--grpc_python_out={made}",
                 "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *files, check=True)
        for i in range(2):
            self.start(f"grpcio {i}", sys.executable, "-B", HERE / "client.py", self.address, self.arguments.seconds, i, made,
                       self.token)

    def start_js(self):
        packages = self.folder / "js"
        packages.mkdir()
        if shutil.which("npm") is None:
            return "npm is not installed"
        try:
            made = self.run("npm", "install", "--silent", "--no-fund", "--no-audit", "@grpc/grpc-js@1", "@grpc/proto-loader@0.7",
                            cwd=packages)
        except subprocess.TimeoutExpired:
            return "npm did not bring grpc-js in time"
        if made.returncode != 0:
            return f"npm has no grpc-js for us: {(made.stderr or made.stdout).strip().splitlines()[-1:]}"
        shutil.copy(HERE / "client.js", packages)
        self.start("grpc-js", "node", packages / "client.js", self.address, self.arguments.seconds, 1, self.arguments.proto,
                   self.token)
        return None

    def start_jax(self):
        python = self.arguments.jax / "venv/bin/python" if self.arguments.jax else None
        if python is None or not python.exists():
            return "there is no environment with JAX (tests/jax/environment.py make FOLDER)"
        self.start("jax", self.podium, "exec", "--pod", "local", "--", python, HERE / "client_jax.py", self.arguments.seconds, 1)
        return None

    def start_c(self, name, seed, end):
        self.start(name, self.arguments.bin / "soak.client", self.address, max(int(end - time.time()), 1), seed)

    def check_modules(self, end):
        """One run of `podium check` after the other, by a shell, whose last line says how many."""
        module = HERE.parent / "conformance/bits.mlir"
        self.start("podium check", "/bin/sh", "-c",
                   f'n=0; while [ $(date +%s) -lt {int(end)} ]; do "{self.podium}" check "{module}" --pod local -q >&2 || exit 1; '
                   "n=$((n + 1)); done; echo $n")

    def kill_now_and_then(self, victim, dice, end):
        """The client that dies: its session must go with it."""
        if time.time() >= end - 2:
            return
        process = self.clients.pop(victim)
        if process.poll() not in (None, 0):
            self.wrong.append(f"{victim} ended with {process.returncode}")
        process.kill()
        process.wait()
        self.kills += 1
        self.start_c(victim, dice.randrange(1 << 30), end)

    # --- The whole ---

    def watch(self, end):
        dice, next_kill = random.Random(1), time.time() + 2
        self.kills = 0
        while time.time() < end:
            time.sleep(0.5)
            self.sample()
            if time.time() >= next_kill:
                self.kill_now_and_then("victim", dice, end)
                next_kill = time.time() + dice.uniform(1, 4)
        for name, process in self.clients.items():
            try:
                out, _ = process.communicate(timeout=END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                self.wrong.append(f"{name} does not end")
                continue
            log = (self.folder / f"{name}.log").read_text()
            if process.returncode != 0:
                self.wrong.append(f"{name} ended with {process.returncode}:\n{log[-2000:]}")
            else:
                print(f"{name}: {out.split()[0] if out.split() else '?'} "
                      f"{'runs' if name == 'podium check' else 'values'}, all right")

    def come_to_rest(self, before):
        deadline = time.time() + END_S
        while True:
            status = self.status()
            left = status["other_sessions"], sum(device["hbm_used_bytes"] for device in status["devices"])
            if left == (0, 0):
                break
            if time.time() > deadline:
                self.wrong.append(f"left behind: {left[0]} sessions, {left[1]} bytes of HBM")
                break
            time.sleep(0.2)
        self.sample()
        for name, samples in self.samples.items():
            descriptors = samples[-1][1]
            if descriptors > before[name] + DESCRIPTORS_KEPT:
                self.wrong.append(f"{name} has {descriptors} descriptors at rest, {before[name]} at first")
            memory = [sample[0] for sample in samples]
            early = statistics.median(memory[len(memory) // 4:len(memory) // 2 + 1])
            late = statistics.median(memory[-len(memory) // 4:])
            print(f"{name}: {early / 1024:.1f} MiB in the second quarter, {late / 1024:.1f} in the last; "
                  f"descriptors {before[name]} before, at most {max(sample[1] for sample in samples)}, {descriptors} after")
            if late > early * GROWTH + GROWTH_KIB and not self.arguments.memory_may_grow:
                self.wrong.append(f"{name} grows: {early} KiB, then {late} KiB")

    def soak(self):
        self.up()
        self.sample()
        before = {name: samples[-1][1] for name, samples in self.samples.items()}
        end = time.time() + self.arguments.seconds
        for i in range(2):
            self.start_c(f"libpodium {i}", i, end)
        self.start_c("victim", 99, end)
        self.start_stock()
        for name, start in (("grpc-js", self.start_js), ("jax", self.start_jax)):
            missing = start()
            if missing is not None:
                print(f"{name}: did not run: {missing}")
        self.check_modules(end)
        self.watch(end)
        self.come_to_rest(before)
        print(f"{self.kills} clients were killed")
        self.run(self.podium, "down", check=True)
        for what in self.wrong:
            print(f"WRONG: {what}")
        return 1 if self.wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("proto", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jax", type=pathlib.Path)
    parser.add_argument("--memory-may-grow", action="store_true", help="of sanitized daemons, which keep what they free")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="podium-soak-") as folder:
        soak = Soak(arguments, pathlib.Path(folder))
        try:
            return soak.soak()
        finally:
            for process in soak.clients.values():
                process.kill()
            soak.run(soak.podium, "down")


if __name__ == "__main__":
    sys.exit(main())
