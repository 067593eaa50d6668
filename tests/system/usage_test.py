#!/usr/bin/python3
"""How `podium` is used by hand: help, mistyped words, exit codes, terminals, the environment, local pods.

Usage: usage_test.py BIN PROGRAMS [unittest arguments].
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

import numpy

BIN = pathlib.Path(sys.argv[1])
PROGRAMS = pathlib.Path(sys.argv[2])
SMALL = PROGRAMS / "square_matmul.2x2.small.mlir"
WAIT_S = 120
COMMANDS = ("exec", "run", "simulate", "compile", "check", "up", "down", "ls", "status", "devices", "chips", "version")
OK, FAILED, USAGE, NOT_RUN = range(4)


def environment(folder, **more):
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "PODIUM_POD", "TERM")}
    return dict(kept, XDG_RUNTIME_DIR=folder, **more)


def in_terminal(args, columns, variables):
    """What `podium ARGS` writes to a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    pieces = []

    def read():
        while True:
            try:
                piece = os.read(master, 1 << 16)
            except OSError:  # The other end has been closed.
                return
            if not piece:
                return
            pieces.append(piece)
    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run([BIN / "podium", *map(str, args)], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                          timeout=WAIT_S, env=variables)
    os.close(slave)
    reader.join(WAIT_S)
    os.close(master)
    return done.returncode, b"".join(pieces).decode().replace("\r\n", "\n")


# Turns for minutes.
LOOP = """func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %n = stablehlo.constant dense<2000000000> : tensor<i32>
  %0 = stablehlo.while(%x = %a) : tensor<i32>
    cond { %p = stablehlo.compare LT, %x, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %p : tensor<i1> }
    do { %c = stablehlo.constant dense<1> : tensor<i32>
         %y = stablehlo.add %x, %c : tensor<i32>
         stablehlo.return %y : tensor<i32> }
  return %0 : tensor<i32>
}
"""


class UsageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def podium(self, *args, status=OK, **variables):
        done = subprocess.run([BIN / "podium", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=WAIT_S,
                              env=environment(self.folder, **variables))
        self.assertEqual(done.returncode, status, f"podium {args}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_every_command_is_in_the_help_and_has_help_in_three_ways(self):
        helped = self.podium("help")
        for way in ("-h", "--help"):
            self.assertEqual(self.podium(way), helped)
        for command in COMMANDS:
            self.assertRegex(helped, rf"(?m)^  {command} +\S")
            page = self.podium("help", command)
            self.assertTrue(page.startswith(f"Usage: podium {command} [OPTION...]"), page)
            self.assertEqual(self.podium(command, "-h"), page)
            self.assertEqual(self.podium(command, "--help"), page)
            self.assertEqual(self.podium(command, "--usage"), page.splitlines()[0] + "\n")
            self.assertIn("--json", page)
            self.assertIn("Exit status:", page)

    def test_options_stand_under_headings_in_order_and_their_first_lines_whole(self):
        for command in ("run", "simulate", "compile", "check", "up"):
            page = self.podium(command, "--help")
            for part in page.split("\n\n"):
                lines = part.splitlines()
                names = [re.match(r" +(?:-., )?--(\S+?)(=|$|\s)", line).group(1)
                         for line in lines if re.match(r" {2,6}-", line)]
                if names and lines[0] != "Of every command:":
                    self.assertRegex(lines[0], r"^[A-Z][a-z ]+:$")
                    self.assertEqual(names, sorted(names))
            self.assertTrue(all(len(line) <= 100 for line in page.splitlines()))
        page = self.podium("run", "-h")
        self.assertIn("  -c, --chip=KIND|FILE      A kind", page)
        self.assertIn("      --algorithm=[COLLECTIVE=]NAME\n                            How collectives run", page)

    def test_what_was_mistyped_is_told_with_what_was_meant(self):
        self.assertIn("did you mean simulate?", self.podium("simluate", status=USAGE))
        self.assertIn("did you mean status?", self.podium("help", "satus", status=USAGE))
        self.assertNotIn("did you mean", self.podium("fly", status=USAGE))
        self.assertIn("no option '--topolgy'; did you mean --topology?",
                      self.podium("run", SMALL, "--topolgy=2x2", status=USAGE))
        self.assertIn("did you mean --json?", self.podium("ls", "--jsno", status=USAGE))
        self.assertIn("no option '-Z'; `podium run --help`", self.podium("run", "-qZ", SMALL, status=USAGE))
        # A value is no option, whatever it looks like.
        self.assertIn("--tolerance takes a number", self.podium("run", SMALL, "--tolerance", "--slwo", status=USAGE))
        self.assertIn("ambiguous", self.podium("run", SMALL, "--t", status=USAGE))
        self.assertIn("--nosuch.mlir", self.podium("compile", "--", "--nosuch.mlir", status=NOT_RUN))

    def test_exit_codes_say_whether_it_failed_was_misused_or_could_not_be_done(self):
        expected = pathlib.Path(self.folder) / "expected.npy"
        self.podium("run", SMALL, "-o", f"0={expected}", status=OK)
        self.podium("run", SMALL, "-i", "0=random:9", "--expect", f"0={expected}", status=FAILED)
        self.podium("run", status=USAGE)
        self.podium(status=USAGE)
        self.podium("run", "/nowhere.mlir", status=NOT_RUN)
        self.podium("simulate", SMALL, "--chip", "v9", status=NOT_RUN)
        self.podium("status", "127.0.0.1:1", status=NOT_RUN)
        self.podium("check", "/nowhere.mlir", status=FAILED)

    def test_the_version_has_a_command_and_two_options(self):
        version = self.podium("version")
        self.assertRegex(version, r"^podium \d+\.\d+\.\d+\n$")
        self.assertEqual({self.podium(way) for way in ("--version", "-V")}, {version})

    def test_tables_are_cut_to_the_terminal_and_whole_in_a_file(self):
        program = PROGRAMS / "matmul_allgather_overlapped_bidi.4.mlir"
        whole = self.podium("simulate", program, "--topology", "2x2")
        self.assertGreater(max(map(len, whole.splitlines())), 90)
        for columns in (60, 79):
            status, text = in_terminal(("simulate", program, "--topology", "2x2"), columns,
                                       environment(self.folder, TERM="dumb"))
            self.assertEqual(status, OK)
            lines = text.splitlines()
            self.assertEqual(max(map(len, lines)), columns)
            for line, uncut in zip(lines, whole.splitlines()):
                self.assertEqual(line, uncut if len(uncut) <= columns else uncut[:columns - 1] + "…")

    def test_colours_are_for_terminals_that_want_them(self):
        for variables, colored in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": ""}, True),
                                   ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({}, False)):
            with self.subTest(variables):
                status, text = in_terminal(("simulate", SMALL), 120, environment(self.folder, **variables))
                self.assertEqual(status, OK)
                self.assertEqual("\033[" in text, colored)
        self.assertNotIn("\033", self.podium("simulate", SMALL, TERM="xterm"))

    def write(self, name, text):
        path = pathlib.Path(self.folder) / name
        path.write_text(text)
        return path

    def test_nan_and_inf_are_counted_beside_the_values(self):
        program = self.write("odd.mlir", "func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
                             "  %0 = stablehlo.log %a : tensor<4xf32>\n"
                             "  %1 = stablehlo.exponential %a : tensor<4xf32>\n"
                             "  return %0, %1 : tensor<4xf32>, tensor<4xf32>\n}\n")
        minus = self.podium("run", program, "-i", "0=const:-1")
        self.assertRegex(minus, r"(?m)^result0 = f32\[4\] .*  \(NaN 4, Inf 0 of 4\)$")
        self.assertRegex(minus, r"(?m)^result1 = f32\[4\] 0.367879, [0-9., ]+$")
        self.assertIn("(NaN 0, Inf 4 of 4)", self.podium("run", program, "-i", "0=const:1e30"))

    def test_collectives_that_differ_in_their_place_only_are_one_line(self):
        text = self.podium("compile", PROGRAMS / "matmul_allgather_overlapped_bidi.4.mlir")
        rows = [line for line in text.splitlines() if line.startswith("  collective_permute")]
        self.assertEqual(len(rows), 1, rows)
        self.assertRegex(rows[0], r"over i \(4\) ×6 .* each, overlapping, .* and 5 more places\]$")

    def test_a_module_without_checks_passes_and_is_told_to_have_none(self):
        none = self.write("none.mlir", "func.func @main() {\n  return\n}\n")
        self.assertIn(f"PASS          {none}: it runs, and has no checks\n", self.podium("check", none))
        quiet = self.podium("check", "-q", none)
        self.assertNotIn("PASS", quiet)
        self.assertIn("1 file without checks: nothing was compared there", quiet)

    def save(self, name, array):
        path = pathlib.Path(self.folder) / name
        numpy.save(path, array)
        return path

    def test_cast_reads_files_of_other_dtypes(self):
        program = self.write("double.mlir", "func.func @main(%a: tensor<4xbf16>, %n: tensor<2xi8>) -> (tensor<4xbf16>, "
                             "tensor<2xi8>) {\n  %0 = stablehlo.add %a, %a : tensor<4xbf16>\n"
                             "  return %0, %n : tensor<4xbf16>, tensor<2xi8>\n}\n")
        # The last two lie between bf16 numbers: one above the middle, one on it, to the even side.
        values = self.save("f32.npy", numpy.array([1, -2.5, 1.0040, 1.00390625], numpy.float32))
        integers = self.save("i64.npy", numpy.array([127, -128]))
        self.assertIn("bf16", self.podium("run", program, "-i", f"0={values}", status=NOT_RUN))
        text = self.podium("run", program, "--cast", "-i", f"0={values}", "-i", f"1={integers}")
        self.assertIn("result0 = bf16[4] 2, -5, 2.01562, 2\n", text)
        self.assertIn("result1 = s8[2] 127, -128\n", text)
        doubled = self.save("f64.npy", numpy.array([2, -5, 2.015625, 2]))
        self.assertIn(": ok", self.podium("run", program, "--cast", "-i", f"0={values}", "--expect", f"0={doubled}",
                                          "--tolerance", "0"))
        wide = self.save("wide.npy", numpy.array([127, 128]))
        self.assertIn("element 1: s8 does not hold 128",
                      self.podium("run", program, "--cast", "-i", f"1={wide}", status=NOT_RUN))
        self.assertIn("--cast does not turn into s8",
                      self.podium("run", program, "--cast", "-i", f"1={self.save('x.npy', numpy.ones(2))}", status=NOT_RUN))
        self.assertIn("f64[3]", self.podium("run", program, "--cast", "-i",
                                            f"0={self.save('three.npy', numpy.ones(3))}", status=NOT_RUN))

    def held_bytes(self, pod):
        return json.loads(self.podium("top", pod, "--json"))["devices"][0]["hbm_used_bytes"]

    def test_who_waits_is_told_behind_what(self):
        """Two that do not fit into a chip's memory together, so that neither is interrupted for the other."""
        address = self.podium("up", "--name", "busy", "--topology", "1x1", "--no-workers").split()[0]
        self.addCleanup(self.podium, "down", "busy")
        worker = subprocess.Popen([BIN / "podium-worker", "--coordinator", address, "--hbm-bytes", "20000"],
                                  env=environment(self.folder), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        held = "  %big = stablehlo.iota dim = 0 : tensor<12000xi8>\n"
        loop = self.write("loop.mlir", LOOP.replace("-> tensor<i32> {\n", "-> (tensor<i32>, tensor<12000xi8>) {\n" + held, 1)
                          .replace("return %0 : tensor<i32>", "return %0, %big : tensor<i32>, tensor<12000xi8>"))
        short = self.write("short.mlir", "func.func @main(%a: tensor<i32>) -> tensor<12000xi8> {\n" + held +
                           "  return %big : tensor<12000xi8>\n}\n")
        variables = environment(self.folder)
        with subprocess.Popen([BIN / "podium", "run", loop, "--pod", "busy", "-i", "0=zeros"], env=variables,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            try:
                deadline = time.monotonic() + WAIT_S
                while self.held_bytes("busy") < 12000:  # The loop has begun.
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)
                done = subprocess.run([BIN / "podium", "run", short, "--pod", "busy", "--timeout", "2"],
                                      env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=WAIT_S, check=False)
                self.assertEqual(done.returncode, NOT_RUN, done.stderr)
                self.assertRegex(done.stderr, r'waiting behind 1 execution, which is of "podium run": main, execution \d+')
                self.assertIn("beside which its memory does not fit", done.stderr)
                self.assertIn("DEADLINE_EXCEEDED", done.stderr)
                # On a terminal beside the progress, which a dumb one has not.
                for term in ("xterm", "dumb"):
                    _, text = in_terminal(("run", short, "--pod", "busy", "--timeout", "2"), 120, dict(variables, TERM=term))
                    self.assertEqual(bool(re.search(r"executing … \d s, waiting behind 1 execution", text)), term == "xterm")
                    self.assertIn("waiting behind 1 execution", text)
            finally:
                running.kill()

    def test_a_pod_lets_an_execution_run_for_as_long_as_it_was_told(self):
        self.podium("up", "--name", "brief", "--topology", "1x1", "--max-execution-seconds", "1")
        self.addCleanup(self.podium, "down", "brief")
        told = self.podium("run", self.write("long.mlir", LOOP), "--pod", "brief", "-i", "0=zeros", status=NOT_RUN)
        self.assertIn("DEADLINE_EXCEEDED", told)
        self.assertIn("has run for 1 s, which is the most that this pod lets an execution run", told)

    def test_local_pods_are_listed_with_their_state_and_chosen_by_the_environment(self):
        self.assertIn("no local pods", self.podium("ls"))
        address = self.podium("up", "--name", "small", "--topology", "2x2").split()[0]
        self.addCleanup(lambda: subprocess.run([BIN / "podium", "down", "small"], env=environment(self.folder),
                                               stderr=subprocess.DEVNULL, timeout=WAIT_S, check=False))
        self.assertRegex(self.podium("ls"), rf"(?m)^small +{address} +ready +v5e +4 +0 +2x2$")
        for pod in ("small", address):
            self.assertIn("2x2 v5e, ready", self.podium("status", PODIUM_POD=pod))
            self.assertEqual(len(self.podium("devices", PODIUM_POD=pod).splitlines()), 4)
            self.assertNotIn("ready after", self.podium("run", SMALL, PODIUM_POD=pod))
        self.assertIn("ready after", self.podium("run", SMALL, PODIUM_POD=""))
        # What is said counts more than the environment.
        self.assertIn("2x2 v5e, ready", self.podium("status", "small", PODIUM_POD="other"))
        self.assertIn("no local pod 'other'", self.podium("run", SMALL, PODIUM_POD="other", status=NOT_RUN))
        self.podium("down", "small")
        self.assertIn("no local pods", self.podium("ls"))

    def test_a_pod_ends_with_the_process_that_it_is_for(self):
        owner = subprocess.Popen(["sleep", "100"])
        self.addCleanup(owner.wait)
        self.addCleanup(owner.kill)
        address = self.podium("up", "--name", "owned", "--topology", "2x1", "--until-exit", owner.pid).split()[0]
        self.assertEqual(self.podium("ls", "owned").strip(), address)
        owner.kill()
        owner.wait()
        deadline = time.monotonic() + WAIT_S
        while "owned" in self.podium("ls") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertIn("no local pods", self.podium("ls"))
        self.assertIn("no local pod 'owned'", self.podium("ls", "owned", status=NOT_RUN))
        self.assertIn("--until-exit", self.podium("up", "--until-exit", owner.pid, status=USAGE))

    def test_a_command_is_run_with_a_pod_and_its_exit_status_is_told(self):
        self.assertRegex(self.podium("exec", "--topology", "2x1", "--", "sh", "-c", "podium devices $PODIUM_POD; exit 7", status=7,
                                     PATH=f"{BIN}:{os.environ['PATH']}"), r"(?m)TpuDevice\(id=1")
        self.assertIn("no command", self.podium("exec", status=USAGE))
        self.assertIn("nowhere", self.podium("exec", "--topology", "1x1", "--", "nowhere", status=127))
        self.assertIn("no local pod 'gone'", self.podium("exec", "--pod", "gone", "--", "true", status=NOT_RUN))
        several = self.podium("exec", "--topology", "2x1", "--processes", "3", "--", "sh", "-c",
                              "echo $JAX_PROCESS_ID of $JAX_NUM_PROCESSES; exit $((JAX_PROCESS_ID / 2 * 5))", status=5)
        self.assertEqual(sorted(line for line in several.splitlines() if " of " in line), ["0 of 3", "1 of 3", "2 of 3"])
        self.assertIn("from 1 to 64", self.podium("exec", "--processes", "none", "--", "true", status=USAGE))
        # What is sent to podium reaches the command, which says how it ends.
        done = subprocess.Popen([BIN / "podium", "exec", "--topology", "1x1", "--", "sh", "-c",
                                 "trap 'echo caught; exit 9' TERM; echo ready; while :; do sleep 0.05; done"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment(self.folder))
        self.assertEqual(done.stdout.readline(), "ready\n")
        done.terminate()
        out, _ = done.communicate(timeout=WAIT_S)
        self.assertEqual((done.returncode, out), (9, "caught\n"))
        self.assertIn("no local pods", self.podium("ls"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
