#!/usr/bin/python3
"""The recipes of client/README.md, as they stand there: Debian's python3-grpcio, and @grpc/grpc-js where npm gets it, at a pod of real
daemons: with a token, by TLS with a token, by TLS with a certificate.

Usage: recipes_test.py BIN SOURCE FOLDER [unittest arguments]. FOLDER keeps npm's modules.
"""
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

BIN, SOURCE, FOLDER = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
WAIT_S = 120
PACKAGES = ["@grpc/grpc-js@1.14.7", "@grpc/proto-loader@0.8.1"]
PROCESS_DIES_WITH_US = 1  # PR_SET_PDEATHSIG
MODULE = """module @twice {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<2x4xf32> {
    %0 = stablehlo.add %x, %x : tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}
"""
TWICE = [2.0 * i for i in range(8)]
TEXT = (SOURCE / "client/README.md").read_text()


def block(kind):
    """The one block of this kind ("python", "js tls") in the document, the indentation of its list taken away."""
    [found] = re.findall(rf"^( *)```{kind}\n(.*?)^\1```", TEXT, re.S | re.M)
    return textwrap.dedent(found[1])


def variant(language, name):
    """The program, with its line of that name replaced."""
    program = block(language)
    if name:
        line = block(f"{language} {name}").rstrip("\n")
        begin = line[:line.index("=") + 1]
        changed = re.sub(rf"^{re.escape(begin)}.*$", lambda _: line, program, flags=re.M)
        assert changed != program, begin
        program = changed
    return program


def die_with_parent():
    ctypes.CDLL(None).prctl(PROCESS_DIES_WITH_US, signal.SIGKILL)


class RecipesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="podium-recipes-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "module.mlir").write_text(MODULE)
        (cls.folder / "proto").symlink_to(SOURCE / "proto")
        cls.environment = {**os.environ, "XDG_RUNTIME_DIR": str(cls.folder)}
        subprocess.run([BIN / "podium", "certificates", cls.folder / "keys"], check=True, stdout=subprocess.DEVNULL)
        tokens = dict(line.split()[::2] for line in (cls.folder / "keys/tokens").read_text().splitlines() if line[:1] not in "#")
        (cls.folder / "token").write_text(tokens["run"] + "\n")
        cls.processes = []
        cls.addClassCleanup(cls.stop)
        keys = cls.folder / "keys"
        cls.plain = cls.start_pod("plain")
        cls.tls = cls.start_pod("tls", "--listen", "0.0.0.0:0", "--tls-certificate", keys / "coordinator.crt", "--tls-key",
                                keys / "coordinator.key", "--tls-client-ca", keys / "ca.crt", "--tokens-file", keys / "tokens",
                                "--secret-file", keys / "pod.secret")

    @classmethod
    def spawn(cls, *arguments):
        with open(cls.folder / "log", "a") as log:
            cls.processes.append(subprocess.Popen(arguments, env=cls.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                  preexec_fn=die_with_parent))

    @classmethod
    def start_pod(cls, name, *arguments):
        port_file = cls.folder / f"address-{name}"
        cls.spawn(BIN / "podium-coordinator", "--port-file", port_file, "--topology", "2x1", *arguments)
        end = time.monotonic() + WAIT_S
        while not port_file.exists():
            assert time.monotonic() < end and cls.processes[-1].poll() is None, (cls.folder / "log").read_text()
            time.sleep(0.01)
        port = port_file.read_text().strip().rpartition(":")[2]
        for _ in range(2):
            cls.spawn(BIN / "podium-worker", "--coordinator", f"127.0.0.1:{port}")
        return port

    @classmethod
    def stop(cls):
        for process in reversed(cls.processes):
            process.terminate()
        for process in cls.processes:
            process.wait(WAIT_S)

    def run_all(self, run, host="localhost"):
        local = self.folder / "podium" / f"token-{self.plain}"
        nobody = self.folder / "nobody"
        nobody.write_text("x" * 64 + "\n")
        for name, address, token in (("", f"127.0.0.1:{self.plain}", local), ("tls", f"{host}:{self.tls}", self.folder / "token"),
                                     ("certificate", f"{host}:{self.tls}", nobody)):
            with self.subTest(name or "token"):
                done = run(name, address, token)
                self.assertEqual(done.returncode, 0, done.stderr + (self.folder / "log").read_text())
                values = json.loads(done.stdout)
                self.assertEqual(values if not isinstance(values[0], list) else sum(values, []), TWICE)
        with self.subTest("nobody's token is refused, so the others were looked at"):
            done = run("tls", f"{host}:{self.tls}", nobody)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("UNAUTHENTICATED", done.stderr)

    def execute(self, *command, **environment):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=WAIT_S, check=False,
                              env={**self.environment, **environment}, preexec_fn=die_with_parent)

    def test_python(self):
        done = self.execute("sh", "-e", "-c", block("sh"))
        self.assertEqual(done.returncode, 0, done.stderr)

        def run(name, address, token):
            (self.folder / "recipe.py").write_text(variant("python", name))
            return self.execute("/usr/bin/python3", "recipe.py", address, "module.mlir", token)
        self.run_all(run)

    def test_node(self):
        modules = FOLDER / "node_modules"
        if not (modules / "@grpc/proto-loader").exists():
            if shutil.which("npm") is None or shutil.which("node") is None:
                self.skipTest("skipped: no npm or node here")
            FOLDER.mkdir(parents=True, exist_ok=True)
            try:
                subprocess.run(["npm", "install", "--prefix", FOLDER, "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock",
                                *PACKAGES], check=True, timeout=WAIT_S, capture_output=True)
            except (subprocess.SubprocessError, OSError):
                self.skipTest("skipped: npm does not get @grpc/grpc-js here")

        def run(name, address, token):
            (self.folder / "recipe.js").write_text(variant("js", name))
            return self.execute("node", "recipe.js", address, "module.mlir", token, "proto", NODE_PATH=str(modules))
        self.run_all(run)

    def test_the_recipes_are_as_short_as_they_are_told_to_be(self):
        self.assertLessEqual(len(block("python").splitlines()), 18)
        self.assertLessEqual(len([line for line in block("js").splitlines() if line]), 38)


if __name__ == "__main__":
    sys.argv[1:4] = []
    unittest.main()
