#!/usr/bin/env python3
"""`podium logs` of a local pod: together and by time, from a time or a level on, following through truncation and rotation.

Usage: logs_test.py BIN PROGRAMS
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARIES = PROGRAMS = ""
WAIT_S = 120
LINE = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (\S+) +([DIWE]) (.*)$")


class LogsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="podium-logs-")
        cls.environment = dict(os.environ, XDG_RUNTIME_DIR=cls.temporary.name, TERM="xterm")
        cls.environment.pop("NO_COLOR", None)
        cls.podium("up", "--topology", "2x1", check=True)
        cls.folder = pathlib.Path(cls.temporary.name, "podium", "pod-local")

    @classmethod
    def tearDownClass(cls):
        cls.podium("down", check=True)
        cls.temporary.cleanup()

    @classmethod
    def podium(cls, *arguments, check=False):
        return subprocess.run([f"{BINARIES}/podium", *arguments], capture_output=True, text=True, env=cls.environment,
                              timeout=WAIT_S, check=check)

    def lines(self, *arguments):
        answer = self.podium("logs", *arguments)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        found = [LINE.match(line) for line in answer.stdout.splitlines()]
        self.assertNotIn(None, found, answer.stdout)
        return [match.groups() for match in found]

    def write(self, name, *lines):
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines))
        self.addCleanup(path.unlink, True)

    def test_all_daemons_speak_in_the_order_of_time(self):
        lines = self.lines()
        self.assertEqual([line[0] for line in lines], sorted(line[0] for line in lines))
        self.assertLessEqual({"coordinator", "worker-0", "worker-1"}, {line[1] for line in lines})
        self.assertIn("the pod is ready", [line[3] for line in lines])
        self.assertEqual(self.lines("--lines", "3"), self.lines()[-3:])
        self.assertEqual(self.lines("--lines", "0"), [])

    def test_from_a_time_or_a_level_on(self):
        self.write("worker-7.log", "2020-01-01T00:00:00.000Z worker E long ago", "2999-01-01T00:00:00.000Z worker W to come")
        self.assertEqual([line[3] for line in self.lines("--level", "error")], ["long ago"])
        self.assertEqual([line[3] for line in self.lines("--since", "2998-01-01T00:00:00Z")], ["to come"])
        self.assertNotIn("long ago", [line[3] for line in self.lines("--since", "1h")])
        self.assertIn("the pod is ready", [line[3] for line in self.lines("--since", "1h")])

    def test_json_is_shown_as_text(self):
        self.write("worker-7.log", json.dumps({"time": "2999-01-01T00:00:00.000Z", "level": "warning", "daemon": "worker", "chip": 7,
                                               "message": "hot"}))
        self.assertEqual(self.lines("-n", "1"), [("2999-01-01T00:00:00.000Z", "worker-7", "W", "hot  chip=7")])

    def test_what_cannot_be_is_refused(self):
        for arguments, status, words in ((["nobody"], 3, "no local pod 'nobody' is up"), (["127.0.0.1:1"], 3, "is an address"),
                                         (["--since", "soon"], 2, "neither how long ago"), (["--level", "loud"], 2, "none of debug"),
                                         (["-f", "--json"], 2, "-f has none")):
            answer = self.podium("logs", *arguments)
            self.assertEqual(answer.returncode, status, arguments)
            self.assertIn(words, answer.stderr)

    def follow(self, *arguments):
        process = subprocess.Popen([f"{BINARIES}/podium", "logs", "-f", *arguments], stdout=subprocess.PIPE, text=True, env=self.environment)
        seen = []
        reader = threading.Thread(target=self.read, args=(process, seen), daemon=True)
        reader.start()

        def stop():
            process.terminate()
            process.wait(timeout=WAIT_S)
            reader.join()
            process.stdout.close()
        self.addCleanup(stop)
        return process, seen

    @staticmethod
    def read(process, seen):
        for line in process.stdout:
            seen.append(line)

    def until(self, seen, words):
        end = time.monotonic() + WAIT_S
        while not any(words in line for line in seen):
            self.assertLess(time.monotonic(), end, f"'{words}' is not in {seen}")
            time.sleep(0.02)

    def test_following_goes_on_through_truncation_rotation_and_new_files(self):
        when = "2999-01-01T00:00:00.000Z"
        path = self.folder / "worker-8.log"
        self.write("worker-8.log", f"{when} worker I first", f"{when} worker I and a longer second line")
        process, seen = self.follow("-n", "2")
        self.until(seen, "second line")
        self.assertEqual(len(seen), 2)
        with open(path, "a") as file:
            file.write(f"{when} worker W ha")
            file.flush()
            time.sleep(0.5)
            file.write("lf\n")
        self.until(seen, "W half")
        path.write_text(f"{when} worker I cut\n")
        self.until(seen, "cut")
        path.rename(self.folder / "worker-8.log.1")
        self.addCleanup((self.folder / "worker-8.log.1").unlink)
        path.write_text(f"{when} worker I rotated\n")
        self.until(seen, "rotated")
        self.write("worker-9.log", f"{when} worker I a new daemon")
        self.until(seen, "worker-9")
        self.assertIsNone(process.poll())
        self.assertEqual(len(seen), 6, seen)

    def test_following_shows_what_the_pod_does(self):
        _, seen = self.follow("--lines", "1")
        self.until(seen, "Z ")
        self.podium("run", f"{PROGRAMS}/psum.2x2.small.mlir", "--pod", "local")
        self.until(seen, "session")

    def test_a_terminal_gets_colours_and_an_end_by_a_reader_that_goes(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([f"{BINARIES}/podium", "logs"], stdout=slave, env=self.environment)
        os.close(slave)
        text = b""
        try:
            while part := os.read(master, 4096):
                text += part
        except OSError:
            pass
        os.close(master)
        self.assertEqual(process.wait(timeout=WAIT_S), 0)
        self.assertIn(b"\033[2m20", text)
        self.assertNotIn("\033", self.podium("logs").stdout)


if __name__ == "__main__":
    BINARIES, PROGRAMS = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()
