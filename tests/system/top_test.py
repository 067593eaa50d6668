#!/usr/bin/env python3
"""`podium top`: once, as JSON, and live on a terminal: keys, sizes, what runs, and the terminal as it was before.

Usage: top_test.py BIN
"""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

BINARIES = ""
WAIT_S = 120
LONG = """module @long {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %end = stablehlo.constant dense<2000000000> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xf32>
     cond {
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.cosine %x : tensor<4xf32>
      stablehlo.return %j, %y : tensor<i32>, tensor<4xf32>
    }
    return %r#1 : tensor<4xf32>
  }
}
"""


class Screen:
    """What a program writes to a terminal of this size."""

    def __init__(self, command, environment, rows=24, columns=100):
        self.master, slave = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=environment, start_new_session=True)
        self.text = ""

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, words):
        self.text = ""
        end = time.monotonic() + WAIT_S
        while not re.search(words, self.text):
            if time.monotonic() > end:
                raise AssertionError(f"'{words}' is not in {self.text[-2000:]!r}")
            if select.select([self.master], [], [], 0.1)[0]:
                self.text += os.read(self.master, 65536).decode(errors="replace")
        return self.text

    def end(self):
        rest, end = b"", time.monotonic() + WAIT_S
        while (status := self.process.poll()) is None:  # Who is not read from cannot write any more, and does not end.
            if time.monotonic() > end:
                raise AssertionError(f"it has not ended: {rest[-2000:]!r}")
            if select.select([self.master], [], [], 0.1)[0]:
                rest += os.read(self.master, 65536)
        after = termios.tcgetattr(self.slave)
        errors = self.process.stderr.read().decode()
        self.process.stderr.close()
        while select.select([self.master], [], [], 0)[0]:
            rest += os.read(self.master, 65536)
        os.close(self.master)
        os.close(self.slave)
        return status, after == self.before and b"\033[?25h" in rest, errors


class TopTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="podium-top-")
        self.addCleanup(self.temporary.cleanup)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.temporary.name, TERM="xterm")
        self.podium("up", "--topology", "2x2", check=True)
        self.addCleanup(self.podium, "down")

    def podium(self, *arguments, check=False):
        return subprocess.run([f"{BINARIES}/podium", *arguments], capture_output=True, text=True, env=self.environment,
                              timeout=WAIT_S, check=check, stdin=subprocess.DEVNULL)

    def run_long(self):
        path = f"{self.temporary.name}/long.mlir"
        with open(path, "w") as file:
            file.write(LONG)
        process = subprocess.Popen([f"{BINARIES}/podium", "run", path, "--pod", "local"], env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def stop():
            process.terminate()
            process.wait(timeout=WAIT_S)
        self.addCleanup(stop)

    def test_once_and_as_json(self):
        answer = self.podium("top")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertRegex(answer.stdout, r"ready, 4 of 4 chips, 4 of 4 links, 0 busy")
        self.assertEqual(len(re.findall(r"^ +\d \(\d,\d,\d\) ready .* 2/2", answer.stdout, re.M)), 4)
        load = json.loads(self.podium("top", "--json").stdout)["load"]
        self.assertEqual(load["executions_ended"], 0)
        self.run_long()
        end = time.monotonic() + WAIT_S
        while (pod := json.loads(self.podium("top", "--json").stdout))["load"]["executions_running"] == 0:
            self.assertLess(time.monotonic(), end)
        self.assertEqual({device["running"] for device in pod["devices"]}, {"podium run"})
        self.assertGreater(pod["load"]["put_bytes"], 0)

    def test_jobs_are_counted_and_shown(self):
        path = f"{self.temporary.name}/long.mlir"
        with open(path, "w") as file:
            file.write(LONG)
        self.podium("submit", path, "--name", "endless", "-i", "0=zeros", check=True)
        self.podium("submit", path, "--name", "next", "-i", "0=zeros", check=True)
        end = time.monotonic() + WAIT_S
        while (pod := json.loads(self.podium("top", "--json").stdout))["jobs_running"] == 0:
            self.assertLess(time.monotonic(), end)
        self.assertEqual(pod["jobs_queued"], 1)
        text = self.podium("top").stdout
        self.assertRegex(text, r"(?m)^jobs 1 queued, 1 running$")
        self.assertRegex(text, r"(?m)^  1 endless of .*: running on 2x2")
        self.assertRegex(text, r"(?m)^  2 next of .*: queued")

    def test_live_on_a_terminal(self):
        screen = Screen([f"{BINARIES}/podium", "top", "--delay", "0.1"], self.environment)
        self.assertNotIn("arrow keys", screen.until("q quits"))
        self.run_long()
        screen.until(r"4 busy")
        screen.until(r"podium run")
        screen.resize(9, 40)
        screen.until("chips 0 to 1 of 4")
        screen.until("…")
        os.write(screen.master, b"\033[B")
        screen.until("chips 1 to 2 of 4")
        os.write(screen.master, b"\033[A\033[A")
        screen.until("chips 0 to 1 of 4")
        os.write(screen.master, b"q")
        status, is_as_before, errors = screen.end()
        self.assertEqual((status, is_as_before, errors), (0, True, ""))

    def test_the_terminal_is_as_before_after_an_interrupt_and_a_lost_pod(self):
        screen = Screen([f"{BINARIES}/podium", "top", "--delay", "0.1"], self.environment)
        screen.until("q quits")
        screen.process.send_signal(signal.SIGINT)
        status, is_as_before, _ = screen.end()
        self.assertEqual((status, is_as_before), (-signal.SIGINT, True))
        screen = Screen([f"{BINARIES}/podium", "top", "--delay", "0.1"], self.environment)
        screen.until("q quits")
        self.podium("down")
        status, is_as_before, errors = screen.end()
        self.assertEqual((status, is_as_before), (3, True))
        self.assertIn("UNAVAILABLE", errors)


if __name__ == "__main__":
    BINARIES = sys.argv.pop(1)
    unittest.main()
