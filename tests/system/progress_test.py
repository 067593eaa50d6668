#!/usr/bin/env python3
"""Commands that take long say what they wait for: on a terminal within 2 s, in a file now and then.

Usage: progress_test.py BIN
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BINARIES = ""
WAIT_S = 120
SOON_S = 2
LOOP = """func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %end = stablehlo.constant dense<2000000000> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %a) : tensor<i32>
   cond {
    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
}
"""


class ProgressTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="podium-progress-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=temporary.name, TERM="xterm")
        self.loop = self.folder / "loop.mlir"
        self.loop.write_text(LOOP)

    def start(self, *arguments, **options):
        process = subprocess.Popen([f"{BINARIES}/podium", *map(str, arguments)], env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, **options)

        def stop():
            process.terminate()
            process.wait(timeout=WAIT_S)
        self.addCleanup(stop)
        return process

    def check_soon(self, words, *arguments):
        """What is waited for is there after a second, and a moment for a machine that is busy with the start."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        start = time.monotonic()
        self.start(*arguments, stderr=slave)
        os.close(slave)
        text = ""
        while not (found := re.search(words, text)):
            self.assertLess(time.monotonic() - start, WAIT_S, text)
            if select.select([master], [], [], 0.1)[0]:
                text += os.read(master, 4096).decode(errors="replace")
        # By its own clock: steps before it took what they took.
        self.assertLessEqual(int(found[1]), SOON_S, text)

    def test_steps_of_a_run_and_a_check(self):
        self.check_soon(r"executing … (\d+) s", "run", self.loop, "-i", "0=zeros")
        self.check_soon(r"checking \S+/loop.mlir, 1 of 2 … (\d+) s", "check", self.loop, self.loop)

    def test_hosts_that_do_not_answer(self):
        hangs = self.folder / "ssh"
        hangs.write_text("#!/bin/sh\nexec sleep 1000\n")
        hangs.chmod(0o755)
        hosts = self.folder / "hosts.txt"
        hosts.write_text("tpu-1\nann@tpu-2\n")
        self.check_soon(r"reaching the hosts … (\d+) s, waiting for tpu-1, ann@tpu-2", "up", "--hosts", hosts, "--ssh", hangs, "--name", "far")

    def test_a_pod_whose_workers_do_not_come(self):
        programs = self.folder / "bin"
        programs.mkdir()
        for name in ("podium", "podium-host", "podium-coordinator"):
            shutil.copy(f"{BINARIES}/{name}", programs / name)
        (programs / "podium-worker").write_text("#!/bin/sh\nexec sleep 1000\n")
        (programs / "podium-worker").chmod(0o755)
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        process = subprocess.Popen([programs / "podium", "up", "--topology", "2x2"], env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        text = ""
        while not re.search(r"starting the pod … [12] s, waiting for 4 of 4 chips", text):
            self.assertTrue(select.select([master], [], [], WAIT_S)[0], text)
            text += os.read(master, 4096).decode(errors="replace")
        process.terminate()
        process.wait(timeout=WAIT_S)

    def test_a_file_gets_a_line_now_and_then_and_a_quiet_command_none(self):
        start = time.monotonic()
        with open(self.folder / "log", "w+") as log, open(self.folder / "quiet", "w+") as quiet:
            self.start("run", self.loop, "-i", "0=zeros", stderr=log)
            self.start("run", self.loop, "-i", "0=zeros", "--quiet", stderr=quiet)
            path = self.folder / "log"
            while "executing" not in path.read_text():
                self.assertLess(time.monotonic() - start, WAIT_S)
                time.sleep(0.1)
            self.assertGreater(time.monotonic() - start, 9.5)
            self.assertRegex(path.read_text(), r"(?m)^podium: executing … 1\d s$")
            self.assertNotIn("\033", path.read_text())
            self.assertEqual((self.folder / "quiet").read_text(), "")


if __name__ == "__main__":
    BINARIES = sys.argv.pop(1)
    unittest.main()
