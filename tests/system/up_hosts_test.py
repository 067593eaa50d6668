#!/usr/bin/env python3
"""`podium up --hosts` over four hosts, network namespaces of this machine with an sshd each: a program runs over all of them, one's
podium-host is killed, `podium down` leaves nothing; hosts that cannot be used are told in words; who is stopped on the way leaves
what the next one finds.

Usage: up_hosts_test.py BIN. Skipped (77) where namespaces may not be made or there is no sshd.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from namespaces import Host, expected, program

BINARIES = ""
WAIT_S = 120
HOSTS, CHIPS = 4, 2
SSHD = "/usr/sbin/sshd"
PORT = 2222  # Of namespaces of our own.


def until(check, what):
    end = time.monotonic() + WAIT_S
    while not check():
        if time.monotonic() > end:
            raise AssertionError(f"not within {WAIT_S} s: {what}")
        time.sleep(0.05)


class Network:
    """The hosts, an sshd on each, and a key that they know."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="podium-ssh-")
        self.hosts, self.daemons = [], []
        for name in ("user", "host"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.folder}/{name}"], check=True)
        os.makedirs("/run/sshd", exist_ok=True)
        pathlib.Path(self.folder, "sshd_config").write_text(
            f"HostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/user.pub\nStrictModes no\nUsePAM no\nPort {PORT}\n"
            "PermitRootLogin yes\nPasswordAuthentication no\nPidFile none\nMaxStartups 100\n")
        key = pathlib.Path(self.folder, "host.pub").read_text()
        for number in range(HOSTS + 1):
            self.hosts.append(Host(number, self.hosts[0] if self.hosts else None))
        pathlib.Path(self.folder, "known").write_text(
            "".join(f"[{host.address}]:{PORT} {key}" for host in self.hosts[1:]))
        pathlib.Path(self.folder, "config").write_text(
            f"Host *\n  User root\n  Port {PORT}\n  IdentityFile {self.folder}/user\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {self.folder}/known\n  StrictHostKeyChecking yes\n  GlobalKnownHostsFile /dev/null\n")
        for host in self.hosts[1:]:
            self.daemons.append(subprocess.Popen(host.command(SSHD, "-D", "-e", "-f", f"{self.folder}/sshd_config"),
                                                 stderr=open(f"{self.folder}/sshd-{host.address}.log", "w")))
        for host in self.hosts[1:]:
            until(lambda: self.ssh(host, "true").returncode == 0, f"the sshd of {host.address}")

    def ssh(self, host, *command):
        return subprocess.run(self.hosts[0].command("ssh", "-F", f"{self.folder}/config", host.address, *command),
                              capture_output=True, text=True)

    def close(self):
        for daemon in self.daemons:
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait()
        for host in self.hosts:
            host.stop()
        shutil.rmtree(self.folder)


def processes(pattern):
    """The command lines of all processes that have the pattern in it, by pid."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            if re.search(pattern, line) and state != "Z":
                found[int(entry.name)] = line
    return found


class UpHostsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.network = Network()

    @classmethod
    def tearDownClass(cls):
        cls.network.close()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="podium-up-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.name = f"t{os.getpid()}-{self._testMethodName[5:25].replace('_', '')}"
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, TERM="dumb")
        self.addCleanup(self.sweep)

    def sweep(self):
        self.podium("down", "--hosts", self.hosts_file(), self.name, *self.ssh_flags())

    def ssh_flags(self):
        return ["--ssh-config", f"{self.network.folder}/config"]

    def hosts_file(self, more="", options=""):
        path = pathlib.Path(self.folder, "hosts.txt")
        path.write_text("# the hosts\n" + "".join(f"{host.address}{options}\n" for host in self.network.hosts[1:]) + more)
        return str(path)

    def command(self, *arguments):
        return self.network.hosts[0].command(f"{BINARIES}/podium", *arguments)

    def podium(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, env=self.environment, timeout=WAIT_S)

    def up(self, *arguments, hosts=None):
        return self.podium("up", "--hosts", hosts or self.hosts_file(), "--name", self.name, *self.ssh_flags(), "--ssh-timeout", "60", *arguments)

    def status(self):
        answer = self.podium("status", "--json", self.name)
        return json.loads(answer.stdout) if answer.stdout else {}

    def daemons(self):
        """Of this pod: all have files of its folders on their command lines."""
        return processes(f"podium-(host|worker|coordinator) .*/host-{self.name}-")

    def folders(self):
        return list(pathlib.Path(f"/tmp/podium-{os.getuid()}").glob(f"host-{self.name}-*"))

    def local_folder(self):
        return pathlib.Path(self.folder, "podium", f"pod-{self.name}")

    def check_gone(self):
        self.assertEqual(self.daemons(), {})
        self.assertEqual(self.folders(), [])
        self.assertFalse(self.local_folder().exists())

    def test_a_program_runs_over_hosts_one_fails_and_down_leaves_nothing(self):
        answer = self.up("--topology", "4x2")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        print(answer.stderr.strip(), file=sys.stderr)
        self.assertRegex(answer.stdout, rf"^{re.escape(self.network.hosts[1].address)}:\d+\n$")

        with self.subTest("secrets are in files of mode 0600 and on no command line"):
            secrets = {path.read_text().strip() for path in self.local_folder().glob("keys/*")
                       if path.name == "pod.secret" or path.name.endswith(".key")}
            lines = "".join(processes("podium").values())
            self.assertFalse([secret for secret in secrets if secret.split("\n")[min(1, secret.count("\n"))] in lines])
            self.assertEqual(len(self.folders()), HOSTS + 1)
            for folder in self.folders():
                self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
                for file in folder.iterdir():
                    self.assertEqual(file.stat().st_mode & 0o077, 0, file)
                self.assertFalse((folder / "ca.key").exists())
            keys = {(folder / "daemon.key").read_text() for folder in self.folders()}
            self.assertEqual(len(keys), HOSTS + 1, "each has a key of its own")

        with self.subTest("status, ls and a second up know it"):
            pod = self.status()
            self.assertTrue(pod["ready"])
            self.assertEqual({device["address"].rpartition(":")[0] for device in pod["devices"]},
                             {host.address for host in self.network.hosts[1:]})
            listed = json.loads(self.podium("ls", "--json").stdout)["pods"]
            self.assertEqual([(pod["name"], pod["state"], pod["chips"]) for pod in listed], [(self.name, "ready", HOSTS * CHIPS)])
            again = self.up()
            self.assertEqual(again.returncode, 3)
            self.assertIn("is up at", again.stderr)

        with self.subTest("its page is reached from here, by the link and the pod's certificate"):
            [link] = re.findall(r"by a link that is for you alone: (\S+)", answer.stderr)
            self.assertRegex(link, rf"^https://{re.escape(self.network.hosts[1].address)}:\d+/\?code=[0-9a-f]{{112}}$")
            ca, jar = f"{self.local_folder()}/keys/ca.crt", f"{self.folder}/cookies"

            def curl(url):
                return subprocess.run(self.network.hosts[0].command("curl", "-sS", "-L", "--cacert", ca, "-b", jar, "-c", jar, url),
                                      capture_output=True, text=True, timeout=WAIT_S)

            self.assertIn("<title>Podium", curl(link).stdout)
            seen = json.loads(curl(f"{link.partition('?')[0]}api/pod.json").stdout)
            self.assertEqual((seen["topology"], seen["may_administer"], seen["you"]), ("4x2", True, "token administer"))
            self.assertRegex(self.status()["page"], r"\?code=[0-9a-f]{112}$")
            self.assertEqual((self.local_folder() / "keys/administer.token").stat().st_mode & 0o777, 0o600)

        with self.subTest("a program runs over all of them"):
            pathlib.Path(self.folder, "count.mlir").write_text(program(HOSTS * CHIPS))
            pathlib.Path(self.folder, "count.npy").write_bytes(expected(HOSTS * CHIPS))
            run = self.podium("run", f"{self.folder}/count.mlir", "--pod", self.name, "--expect", f"0={self.folder}/count.npy")
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

        with self.subTest("a job is kept and runs there"):
            submit = self.podium("submit", f"{self.folder}/count.mlir", "--pod", self.name, "--quiet")
            self.assertEqual(submit.returncode, 0, submit.stderr)
            wait = self.podium("wait", submit.stdout.strip(), "--pod", self.name)
            self.assertEqual(wait.returncode, 0, wait.stdout + wait.stderr)

        with self.subTest("logs of all hosts, by time"):
            answer = self.podium("logs", self.name, "--json")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            lines = json.loads(answer.stdout)["lines"]
            self.assertEqual({line["daemon"] for line in lines if "serving at" in line["message"]},
                             {f"{host.address}/worker-{chip}" for host in self.network.hosts[1:] for chip in range(CHIPS)})
            self.assertEqual([line["time"] for line in lines], sorted(line["time"] for line in lines))
            self.assertIn(f"{self.network.hosts[1].address}/coordinator", {line["daemon"] for line in lines})

        with self.subTest("logs follow"):
            follow = subprocess.Popen(self.command("logs", "-f", "-n", "1", self.name), stdout=subprocess.PIPE, text=True, env=self.environment)
            impatience = threading.Timer(WAIT_S, follow.kill)
            impatience.start()
            self.addCleanup(impatience.cancel)
            follow.stdout.readline()
            self.podium("run", f"{self.folder}/count.mlir", "--pod", self.name, "--quiet")
            for line in follow.stdout:
                if "has compiled jit_count" in line:
                    break
            else:
                self.fail("the line did not come")

        with self.subTest("one host's podium-host is killed, which status tells"):
            [victim] = processes(f"podium-host .*/host-{self.name}-.* --rank 2 ") or processes(f"podium-host.*--rank 2.*{self.name}")
            os.kill(victim, signal.SIGKILL)
            until(lambda: not self.status()["ready"], "the pod has lost chips")
            self.assertEqual(self.podium("status", self.name).returncode, 1)

        with self.subTest("down cleans all, twice"):
            answer = self.podium("down", self.name)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.check_gone()
            self.assertEqual(follow.wait(timeout=WAIT_S), 0, "following ends with the pod")
            follow.stdout.close()
            self.assertEqual(self.podium("down", self.name).returncode, 3)
            self.assertEqual(self.podium("down", "--hosts", self.hosts_file(), self.name, *self.ssh_flags()).returncode, 0)

    def refuse(self, words, *arguments, hosts=None):
        answer = self.up("--ssh-timeout", "5", *arguments, hosts=hosts)
        self.assertEqual(answer.returncode, 3, answer.stdout + answer.stderr)
        self.assertRegex(answer.stderr, words)
        self.check_gone()
        return answer.stderr

    def test_hosts_that_cannot_be_used_are_told_in_words(self):
        nobody = re.escape(f"{self.network.hosts[0].address[:-1]}250")
        self.refuse(f"1 of 5 hosts cannot be used:\n  {nobody}: (ssh: connect to host|no answer)",
                    hosts=self.hosts_file(f"{nobody.replace(chr(92), '')}\n"))
        self.refuse(r"there is no podium-host in /nowhere", hosts=self.hosts_file(f"root@{self.network.hosts[1].address} bin=/nowhere\n"))
        other = pathlib.Path(self.folder, "bin")
        other.mkdir()
        (other / "podium-host").write_text("#!/bin/sh\necho podium-host 9.9.9\n")
        (other / "podium-host").chmod(0o755)
        self.refuse(r"there is podium-host 9.9.9, and this is podium \d",
                    hosts=self.hosts_file(f"root@{self.network.hosts[1].address} bin={other}\n"))
        self.refuse(r"no identit|denied|Permission", hosts=self.hosts_file(f"nobody@{self.network.hosts[1].address}\n"))
        lines = "".join(f"{host.address} chips=4\n" for host in self.network.hosts[1:])
        pathlib.Path(self.folder, "four.txt").write_text(lines)
        self.refuse(r"4 hosts of 4 chips have 16 chips, and a torus of 4x2 has 8", "--topology", "4x2", hosts=f"{self.folder}/four.txt")
        self.refuse(r"the coordinator does not start on .*: .*(topology|torus)", "--topology", "4by2")
        self.refuse(r"--coordinator: tpu-9 is none of the hosts", "--coordinator", "tpu-9")
        self.refuse(r"the 9 chips of 3x3 are not to be shared evenly by 4 hosts", "--topology", "3x3")

    def test_a_coordinator_that_is_not_to_be_had_is_told(self):
        self.refuse(r"the coordinator does not start on [^:]*: .*(in use|bind|listen)", "--port", str(PORT))
        nowhere = self.network.hosts[0].address[:-1] + "251"
        pathlib.Path(self.folder, "nowhere.txt").write_text(
            f"{self.network.hosts[1].address} address={nowhere}\n" +
            "".join(f"{host.address}\n" for host in self.network.hosts[2:]))
        self.refuse(f"the coordinator runs on .*, and is not reached from here at {re.escape(nowhere)}:.*firewall",
                    hosts=f"{self.folder}/nowhere.txt")

    def test_an_ssh_that_hangs_is_given_up(self):
        hangs = pathlib.Path(self.folder, "ssh")
        hangs.write_text("#!/bin/sh\ntrap '' TERM\nsleep 1000\n")
        hangs.chmod(0o755)
        start = time.monotonic()
        answer = self.podium("up", "--hosts", self.hosts_file(), "--name", self.name, "--ssh", str(hangs), "--ssh-timeout", "1")
        self.assertEqual(answer.returncode, 3)
        self.assertIn("4 of 4 hosts cannot be used", answer.stderr)
        self.assertIn("no answer by ssh within 1 s", answer.stderr)
        self.assertLess(time.monotonic() - start, 30)
        self.check_gone()

    def test_a_host_that_is_away_when_the_pod_ends_is_told_and_ended_later(self):
        self.assertEqual(self.up("--topology", "4x2", "--coordinator", self.network.hosts[2].address).returncode, 0)
        away = self.network.hosts[4]
        subprocess.run(away.command("ip", "link", "set", "podium", "down"), check=True)
        try:
            answer = self.podium("logs", self.name)
            self.assertEqual(answer.returncode, 1)
            self.assertIn(f"logs of {away.address}: ", answer.stderr)
            self.assertIn("the pod is ready", answer.stdout)
            answer = self.podium("down", self.name)
            self.assertEqual(answer.returncode, 1, answer.stderr)
            self.assertIn("the daemons of 1 of 4 hosts may still run", answer.stderr)
            self.assertIn(away.address, answer.stderr)
            self.assertEqual({pid for pid, line in self.daemons().items() if "--rank 3" not in line and "-3/" not in line}, set())
            self.assertNotEqual(self.daemons(), {})
        finally:
            subprocess.run(away.command("ip", "link", "set", "podium", "up"), check=True)
        answer = self.podium("down", self.name)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.check_gone()

    def start_slowly(self):
        """An up that waits for chips that do not come: in its hosts' folder of programs a worker is one that only sleeps."""
        programs = pathlib.Path(self.folder, "bin")
        programs.mkdir()
        shutil.copy(f"{BINARIES}/podium-host", programs)
        (programs / "podium-coordinator").symlink_to(f"{BINARIES}/podium-coordinator")
        (programs / "podium-worker").write_text("#!/bin/sh\nexec sleep 1000\n")
        (programs / "podium-worker").chmod(0o755)
        up = subprocess.Popen(self.command("up", "--hosts", self.hosts_file(options=f" bin={programs}"), "--name", self.name, *self.ssh_flags(),
                                           "--topology", "4x2"),
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment)
        until(lambda: len(self.folders()) >= 2, "something was started")
        return up

    def test_what_a_killed_up_has_left_is_found_and_ended(self):
        up = self.start_slowly()
        up.kill()
        up.communicate()
        self.assertNotEqual(self.folders(), [])
        answer = self.podium("down", self.name)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.check_gone()

    def test_an_up_begins_anew_where_a_killed_one_has_left_something(self):
        up = self.start_slowly()
        up.kill()
        up.communicate()
        answer = self.up("--topology", "4x2")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(len(self.folders()), HOSTS + 1)
        self.assertTrue(self.status()["ready"])
        self.assertEqual(self.podium("down", self.name).returncode, 0)
        self.check_gone()

    def test_another_machine_ends_it_by_its_hosts_alone(self):
        self.assertEqual(self.up("--topology", "4x2").returncode, 0)
        shutil.rmtree(self.local_folder())
        answer = self.podium("down", "--hosts", self.hosts_file(), self.name, *self.ssh_flags())
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.check_gone()

    def test_an_interrupt_ends_what_was_started(self):
        up = self.start_slowly()
        up.send_signal(signal.SIGINT)
        _, errors = up.communicate(timeout=WAIT_S)
        self.assertEqual(up.returncode, -signal.SIGINT, errors)
        self.check_gone()


if __name__ == "__main__":
    BINARIES = sys.argv.pop(1)
    try:
        Host(0, None).stop()
    except (PermissionError, FileNotFoundError, subprocess.CalledProcessError):
        print("skipped: no network namespaces here")
        sys.exit(77)
    if not shutil.which("ssh") or not os.path.exists(SSHD):
        print("skipped: no ssh or sshd here (apt-get install openssh-server)")
        sys.exit(77)
    unittest.main()
