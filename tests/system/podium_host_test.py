#!/usr/bin/env python3
"""A pod that podium-host launches on several hosts, network namespaces of this machine: places by blocks of hosts, and the same ones
again after any restart.

Usage: podium_host_test.py BIN. Skipped (77) where namespaces may not be made.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from namespaces import Host, expected, program

BINARIES = ""
WAIT_S = 120
HOSTS, CHIPS, BOX = 8, 8, (4, 2)
SIZE = (8, 8)


class Pod:
    """A coordinator on the first host, and what the test starts on the others."""

    def __init__(self, hosts, topology):
        self.folder = tempfile.mkdtemp(prefix="podium-host-test-")
        self.hosts = hosts
        self.processes = []
        secret = pathlib.Path(self.folder, "secret")
        secret.touch(mode=0o600)
        secret.write_text("ab" * 32 + "\n")
        self.security = ["--insecure", "--secret-file", str(secret)]
        self.topology = topology
        self.address = f"{hosts[0].address}:0"
        self.coordinator = self.start_coordinator()

    def start(self, host, log, *arguments):
        path = pathlib.Path(self.folder, log)
        with open(path, "a") as file:
            process = subprocess.Popen(host.command(*arguments), stderr=file, env=dict(os.environ, XDG_RUNTIME_DIR=self.folder))
        self.processes.append(process)
        return process

    def start_coordinator(self):
        port_file = pathlib.Path(self.folder, "address")
        port_file.unlink(missing_ok=True)
        coordinator = self.start(self.hosts[0], "coordinator.log", f"{BINARIES}/podium-coordinator", "--listen", self.address,
                                 "--port-file", str(port_file), "--topology", self.topology, *self.security)
        self.wait(lambda: port_file.exists() and port_file.read_text().endswith("\n"), "the coordinator listens")
        self.address = port_file.read_text().strip()
        return coordinator

    def start_host(self, number, chips, *arguments):
        folder = pathlib.Path(self.folder, f"host-{number}")
        folder.mkdir(exist_ok=True)
        return self.start(self.hosts[number], f"host-{number}/host.log", f"{BINARIES}/podium-host", "--coordinator", self.address,
                          "--chips", str(chips), "--log-folder", str(folder), *arguments, "--", *self.security)

    def podium(self, *arguments):
        return subprocess.run(self.hosts[0].command(f"{BINARIES}/podium", *arguments), capture_output=True, text=True,
                              env=dict(os.environ, XDG_RUNTIME_DIR=self.folder), timeout=WAIT_S)

    def devices(self):
        output = self.podium("status", self.address, "--json").stdout
        return json.loads(output)["devices"] if output.startswith("{") and '"devices"' in output else []

    def wait(self, condition, what):
        end = time.monotonic() + WAIT_S
        while not condition():
            if time.monotonic() > end:
                for log in sorted(pathlib.Path(self.folder).rglob("*.log")):
                    print(f"--- {log}\n{log.read_text()[-1500:]}")
                raise AssertionError(f"not within {WAIT_S} s: {what}")
            time.sleep(0.1)

    def wait_until_ready(self, but_pids=frozenset()):
        """The devices, when all are ready and none is of the processes `but_pids`."""
        seen = []

        def ready():
            seen[:] = self.devices()
            return seen and all(device["state"] == "ready" and device["pid"] not in but_pids for device in seen)
        self.wait(ready, "the pod is ready")
        return list(seen)

    def log(self, name):
        return pathlib.Path(self.folder, name).read_text()

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(timeout=WAIT_S)
        shutil.rmtree(self.folder)


def process_of(device):
    return int(re.search(r"process_index=(\d+)", device["name"]).group(1))


def host_of(device):
    return device["address"].rsplit(":", 1)[0]


class PodiumHostTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = []
        for number in range(HOSTS + 1):
            cls.hosts.append(Host(number, cls.hosts[0] if cls.hosts else None))

    @classmethod
    def tearDownClass(cls):
        for host in cls.hosts:
            host.stop()

    def pod(self, topology):
        pod = Pod(self.hosts, topology)
        self.addCleanup(pod.stop)
        return pod

    def check_blocks(self, devices):
        for device in devices:
            x, y, _ = device["coords"]
            self.assertEqual(process_of(device), x // BOX[0] + y // BOX[1] * (SIZE[0] // BOX[0]))
        for process in range(HOSTS):
            self.assertEqual(len({host_of(device) for device in devices if process_of(device) == process}), 1)

    def test_a_pod_of_many_hosts_has_their_blocks_and_keeps_them(self):
        pod = self.pod("8x8")
        machines = {number: pod.start_host(number, CHIPS) for number in range(1, HOSTS + 1)}
        first = pod.wait_until_ready()
        self.assertEqual(len(first), HOSTS * CHIPS)
        self.check_blocks(first)
        where = [host_of(device) for device in first]

        with self.subTest("a program runs over all of them"):
            pathlib.Path(pod.folder, "count.mlir").write_text(program(len(first)))
            pathlib.Path(pod.folder, "count.npy").write_bytes(expected(len(first)))
            run = pod.podium("run", f"{pod.folder}/count.mlir", "--pod", pod.address, "--expect", f"0={pod.folder}/count.npy")
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

        with self.subTest("a worker that is killed has its place again"):
            victim = first[13]["pid"]
            os.kill(victim, signal.SIGKILL)
            now = pod.wait_until_ready({victim})
            self.assertEqual([device["pid"] for device in now if device["id"] != 13],
                             [device["pid"] for device in first if device["id"] != 13])
            self.assertEqual([host_of(device) for device in now], where)

        with self.subTest("two hosts that are killed have their blocks again, whoever comes first"):
            gone = {device["pid"] for device in now if host_of(device) in (self.hosts[2].address, self.hosts[5].address)}
            for number in (2, 5):
                machines[number].kill()
                machines[number].wait()
            for number in (5, 2):
                machines[number] = pod.start_host(number, CHIPS)
            now = pod.wait_until_ready(gone)
            self.assertEqual([host_of(device) for device in now], where)

        with self.subTest("a coordinator that is killed gives all of them again"):
            before = [device["pid"] for device in now]
            pod.coordinator.kill()
            pod.coordinator.wait()
            pod.coordinator = pod.start_coordinator()
            now = pod.wait_until_ready()
            self.assertEqual([device["pid"] for device in now], before)
            self.check_blocks(now)

    def test_ranks_say_which_block_whoever_comes_first(self):
        pod = self.pod("4x2")
        for number, rank in ((1, 1), (2, 0)):
            pod.start_host(number, 4, "--rank", str(rank))
        devices = pod.wait_until_ready()
        for device in devices:
            self.assertEqual(process_of(device), device["coords"][0] // 2)
            self.assertEqual(host_of(device), self.hosts[2 - process_of(device)].address)

    def test_a_new_secret_comes_by_a_hangup(self):
        pod = self.pod("2x2")
        host = pod.start_host(1, 4)
        before = pod.wait_until_ready()
        pathlib.Path(pod.folder, "secret").write_text("cd" * 32 + "\n")
        pod.coordinator.send_signal(signal.SIGHUP)
        host.send_signal(signal.SIGHUP)
        for log in ["coordinator.log"] + [f"host-1/worker-{chip}.log" for chip in range(4)]:
            pod.wait(lambda log=log: "--secret-file: read again" in pod.log(log), f"{log}: the secret is read again")
        self.assertEqual({device["pid"] for device in pod.wait_until_ready()}, {device["pid"] for device in before})
        # Who begins anew, a worker or the coordinator, meets the others by the new one alone.
        os.kill(before[0]["pid"], signal.SIGKILL)
        pod.wait_until_ready({before[0]["pid"]})
        pod.coordinator.kill()
        pod.coordinator.wait()
        pod.coordinator = pod.start_coordinator()
        self.assertEqual(len(pod.wait_until_ready()), 4)

    def refused(self, pod, number, chips, words, *arguments):
        host = pod.start_host(number, chips, *arguments)
        self.assertNotEqual(host.wait(timeout=WAIT_S), 0)
        self.assertIn(words, pod.log(f"host-{number}/worker-0.log"))

    def test_hosts_that_do_not_fit_are_refused_in_words(self):
        pod = self.pod("4x2")
        pod.start_host(1, 4, "--rank", "1")
        pod.wait(lambda: pod.log("coordinator.log").count("has joined") == 4, "the first host is there")
        self.refused(pod, 2, 4, "another host has rank 1, that of chip 2 (2,0,0) at 10.78.0.2:", "--rank", "1")
        self.refused(pod, 3, 1, "all hosts of a pod have as many", "--rank", "0")
        self.refused(pod, 4, 4, "hosts of 4 chips have ranks 0 to 1 in a torus of 4x2", "--rank", "2")


if __name__ == "__main__":
    BINARIES = sys.argv.pop(1)
    try:
        Host(0, None).stop()
    except (PermissionError, FileNotFoundError, subprocess.CalledProcessError):
        print("skipped: no network namespaces here")
        sys.exit(77)
    unittest.main()
