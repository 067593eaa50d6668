#!/usr/bin/python3
"""Jobs by hand: podium submit, jobs, wait, logs, cancel and result against a pod of `podium up`.

Usage: jobs_cli_test.py BIN PROGRAMS [unittest arguments]. Every command has a deadline; the pod goes with the test.
"""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy

BIN = pathlib.Path(sys.argv[1])
PROGRAMS = pathlib.Path(sys.argv[2])
WAIT_S = 120

# Counts to its argument, on one chip.
TURNS = """module @turns {
  func.func public @main(%arg0: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.while(%i = %zero) : tensor<i32> cond {
      %c = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n : tensor<i32>
    }
    return %0 : tensor<i32>
  }
}
"""
ENDLESS = "2000000000"

# Two results, of which the first has a name that would lead out of a folder, if it were taken.
TWO = """module @two {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "['../sum']"}, tensor<4xf32> {jax.result_info = "['twice']"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %arg0, %0 : tensor<4xf32>, tensor<4xf32>
  }
}
"""

# On one chip, unless a mesh is given.
PRODUCT = """module @product {
  func.func public @main(%x: tensor<16x32xf32>, %w: tensor<32x8xf32>) -> tensor<16x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
}
"""
SHARDED = ("--mesh", "x=2,y=2", "--in-sharding", 'x=P("x", "y")', "--in-sharding", 'w=P("y", None)',
           "--out-sharding", '0=P("x", None)')


class JobsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(self.folder), TMPDIR=str(self.folder))
        self.environment.pop("PODIUM_POD", None)
        self.podium("up", "--topology", "2x2", "--jobs", self.folder / "kept")
        self.addCleanup(self.podium, "down")
        self.turns = self.folder / "turns.mlir"
        self.turns.write_text(TURNS)

    def run_podium(self, *args, **options):
        return subprocess.run([BIN / "podium", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=WAIT_S, env=self.environment, **options)

    def podium(self, *args, status=0):
        done = self.run_podium(*args)
        self.assertEqual(done.returncode, status, f"{args}\n{done.stdout}{done.stderr}")
        return done.stdout if status == 0 else done.stdout + done.stderr

    def begin(self, *args):
        process = subprocess.Popen([BIN / "podium", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def submit(self, program, *args):
        return int(self.podium("submit", program, "--quiet", *args))

    def job(self, number):
        jobs = json.loads(self.podium("jobs", "--all", "--json"))["jobs"]
        return next(job for job in jobs if job["id"] == number)

    def wait_until(self, number, state):
        deadline = time.monotonic() + WAIT_S
        while self.job(number)["state"] != state:
            self.assertLess(time.monotonic(), deadline, self.job(number))
            time.sleep(0.05)

    def coordinator(self):
        """Its process, which podium-host starts again."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"podium-coordinator") and str(self.folder).encode() in b" ".join(words):
                return int(folder.name)
        return None

    def test_a_job_gives_what_run_gives(self):
        program = PROGRAMS / "square_matmul.2x2.mlir"
        inputs = ("-i", "arg0=random:3", "-i", "1=random:4")
        run = self.podium("run", program, "--pod", "local", *inputs, "-o", f"0={self.folder}/run.npy")
        told = self.run_podium("submit", program, "--name", "square", *inputs)
        self.assertEqual((told.returncode, told.stdout), (0, "1\n"))
        self.assertIn("podium wait 1", told.stderr)
        self.assertRegex(self.podium("wait", "1"), r"^job 1 succeeded after [\d.]+ s\n$")
        shown = self.podium("result", "1", "-o", self.folder / "job.npy")
        self.assertIn(shown.splitlines()[0], run)
        numpy.testing.assert_array_equal(numpy.load(self.folder / "job.npy"), numpy.load(self.folder / "run.npy"))
        self.assertRegex(self.podium("jobs"), r"\n +1  square +succeeded 2x2 +0 ")
        self.assertRegex(self.podium("logs", "1"), r"attempt 1 at job 1 \"square\"(.|\n)* done\n")

    def test_results_go_to_files_and_folders(self):
        program = self.folder / "two.mlir"
        program.write_text(TWO)
        values = numpy.array([1, 2, 3, 4], dtype=numpy.float32)
        numpy.save(self.folder / "x.npy", values)
        number = self.submit(program, "-i", f"0={self.folder}/x.npy", "--slice", "1x1")
        self.podium("wait", number)
        out = self.folder / "out"
        self.podium("result", number, "-o", out)
        numpy.testing.assert_array_equal(numpy.load(out / "result0.npy"), values)
        numpy.testing.assert_array_equal(numpy.load(out / "twice.npy"), 2 * values)
        self.assertEqual(sorted(p.name for p in out.iterdir()), ["result0.npy", "twice.npy"])
        self.podium("result", number, "-q", "-o", f"twice={self.folder}/named.npy")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "named.npy"), 2 * values)
        self.assertIn("has 2 results", self.podium("result", number, "-o", "one.npy", status=3))
        self.assertIn("no result", self.podium("result", number, "-o", "nothing=a.npy", status=3))

    def test_a_large_result_needs_no_memory_of_its_size(self):
        program, count = self.folder / "large.mlir", 60 << 20
        program.write_text(f"""module @large {{
  func.func public @main(%arg0: tensor<f32>) -> tensor<{count}xf32> {{
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<{count}xf32>
    return %0 : tensor<{count}xf32>
  }}
}}
""")
        job = self.submit(program, "-i", "0=const:3")
        self.podium("wait", job)
        file = self.folder / "large.npy"
        file.write_text("what was there")
        # 240 MiB into a process that may have 120 MiB of its own; AddressSanitizer's needs terabytes.
        most = resource.RLIM_INFINITY if b"__asan_init" in (BIN / "podium").read_bytes() else 120 << 20
        done = self.run_podium("result", job, "-o", file, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"result0 = f32[{count}] 3, 3, 3, 3", done.stdout)
        values = numpy.load(file, mmap_mode="r")
        self.assertEqual((values.shape, values.dtype, float(values.min()), float(values.max())), ((count,), numpy.float32, 3, 3))
        done = self.run_podium("result", job, "-o", file, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(sorted(self.folder.glob("large*")), [program, file], "nothing half written is left")
        self.assertEqual(numpy.load(file, mmap_mode="r").shape, (count,))

    def test_a_job_that_never_ran_says_so_where_its_log_would_be(self):
        first = self.submit(self.turns, "-i", f"0=const:{ENDLESS}")
        second = self.submit(self.turns, "--after", first)
        done = self.run_podium("logs", second)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn(f"job {second} has no log: it was never started; it waits for job {first}", done.stderr)
        self.podium("cancel", first)
        self.podium("wait", second, status=1)
        self.assertIn(f"job {first}, which it comes after, was cancelled", self.run_podium("logs", second).stderr)
        self.assertNotIn("podium logs", self.podium("result", second, status=3))

    def test_a_program_runs_at_once_on_chips_that_jobs_leave(self):
        job = self.submit(self.turns, "-i", f"0=const:{ENDLESS}", "--slice", "1x1")
        self.wait_until(job, "running")

        def run(*args):
            told = json.loads(self.podium("run", self.turns, "--pod", "local", "-q", "--json", "-i", "0=const:5", *args))
            self.assertEqual(told["results"][0]["values"], "5")
            self.assertFalse(set(told["slice"]["chips"]) & set(self.job(job)["chips"]))
            return told["slice"]

        alone = run("--slice", "1x1")
        self.assertEqual((alone["size"], len(alone["chips"]), alone["shared"]), ("1x1", 1, False))
        self.assertEqual(len(run("--slice", "1x2")["chips"]), 2)
        refused = self.podium("run", self.turns, "--pod", "local", "--slice", "2x2", status=3)
        self.assertIn("RESOURCE_EXHAUSTED: --slice: jobs have so many of the 4 chips", refused)
        self.assertIn("no box of this pod", self.podium("run", self.turns, "--pod", "local", "--slice", "4x1", status=3))
        self.assertIn("leave one out", self.podium("run", self.turns, "--slice", "1x1", "--device-order", "1", status=2))
        # Others' sessions share their chips by turns, once there are no others.
        for chip in set(range(4)) - set(self.job(job)["chips"]):
            self.begin("run", self.turns, "--pod", "local", "-q", "-i", f"0=const:{ENDLESS}", "--device-order", chip)
        deadline = time.monotonic() + WAIT_S
        while not run("--slice", "1x1")["shared"]:
            self.assertLess(time.monotonic(), deadline)

    def test_a_slice_of_a_pod_is_simulated(self):
        program = PROGRAMS / "square_matmul.2x2.small.mlir"
        told = json.loads(self.podium("simulate", program, "--topology", "4x4", "--slice", "2x2", "--json"))
        self.assertEqual(told["slice"]["chips"], [0, 1, 4, 5])
        self.assertEqual(told["profile"]["chips"], 16)

    def test_a_job_waits_for_another_and_is_cancelled_with_it(self):
        first = self.submit(self.turns, "-i", f"0=const:{ENDLESS}", "--name", "endless")
        second = self.submit(self.turns, "-i", "0=const:5", "--after", first, "--priority", 7)
        self.wait_until(first, "running")
        waiting = self.job(second)
        self.assertEqual((waiting["state"], waiting["after"], waiting["priority"]), ("queued", [first], 7))
        self.assertIn(f"job {first}", waiting["waits_for"])
        self.assertIn("is running, and has no results yet", self.podium("result", first, status=3))
        self.assertIn("DEADLINE_EXCEEDED", self.podium("wait", first, "--timeout", 0.3, status=3))
        self.assertEqual(self.podium("cancel", first), f"job {first} cancelled\n")
        ended = self.podium("wait", first, second, status=1)
        self.assertIn(f"job {first} cancelled", ended)
        self.assertIn(f"job {second} failed: FAILED_PRECONDITION: job {first}", ended)
        self.assertIn("has ended already", self.podium("cancel", first, status=3))
        self.assertIn("was cancelled", self.podium("result", first, status=3))
        self.podium("cancel", first, second, "--remove")
        self.assertIn("NOT_FOUND", self.podium("wait", first, status=3))

    def test_a_killed_coordinator_keeps_its_jobs_and_who_waits(self):
        number = self.submit(self.turns, "-i", "0=const:12000000", "--name", "long")
        wait, logs = self.begin("wait", number), self.begin("logs", number, "-f")
        self.wait_until(number, "running")
        while "attempt 1 at" not in self.podium("logs", number):  # Its runner has begun.
            time.sleep(0.05)
        os.kill(self.coordinator(), signal.SIGKILL)
        told, errors = wait.communicate(timeout=WAIT_S)
        self.assertEqual(wait.returncode, 0, told + errors)
        self.assertRegex(told, rf"^job {number} succeeded after .*, in attempt 2\n$")
        self.assertIn("waiting for the coordinator at", errors)
        told, errors = logs.communicate(timeout=WAIT_S)
        self.assertEqual(logs.returncode, 0, errors)
        self.assertEqual([told.count(f"attempt {i} at") for i in (1, 2, 3)], [1, 1, 0], told)
        self.assertIn("s32[] 12000000", self.podium("result", number))

    def product(self):
        program = self.folder / "product.mlir"
        program.write_text(PRODUCT)
        self.podium("run", program, "--pod", "local", *SHARDED, "-o", f"0={self.folder}/run.npy")
        return program, numpy.load(self.folder / "run.npy")

    def report(self, number):
        self.podium("wait", number)
        self.podium("result", number, "-q", "--report", self.folder / "report.json")
        return json.loads((self.folder / "report.json").read_text())

    def collectives(self, number):
        return [c["op"] for c in self.report(number)["collectives"]]

    def test_a_job_is_compiled_as_run_compiles_it(self):
        program, values = self.product()
        number = self.submit(program, "--profile", *SHARDED)
        plain = self.submit(program, "--profile")
        self.assertEqual(self.collectives(number), ["all_reduce"])
        self.assertEqual(self.collectives(plain), [])
        self.assertEqual([self.job(n)["given_slice"] for n in (number, plain)], ["2x2", "1x1"])
        self.podium("result", number, "-q", "-o", self.folder / "job.npy")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "job.npy"), values)

    def test_a_job_is_compiled_alike_after_its_coordinator_was_killed(self):
        program, values = self.product()
        first = self.submit(self.turns, "-i", f"0=const:{ENDLESS}", "--slice", "2x2")
        number = self.submit(program, "--profile", "--after", first, *SHARDED)
        second = self.submit(program, "--profile", *SHARDED)
        self.wait_until(first, "running")
        os.kill(self.coordinator(), signal.SIGKILL)
        deadline = time.monotonic() + WAIT_S
        while self.run_podium("jobs").returncode != 0:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.wait_until(first, "running")
        self.podium("cancel", first)
        self.assertEqual(self.collectives(second), ["all_reduce"])
        self.podium("result", second, "-q", "-o", self.folder / "job.npy")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "job.npy"), values)
        self.assertEqual(self.job(number)["state"], "failed")  # As what it comes after was cancelled.

    def test_rewrites_of_collectives_are_a_jobs_own(self):
        program = PROGRAMS / "matmul_allgather.4.small.mlir"
        made = {}
        for choice in ("off", "on"):
            told = json.loads(self.podium("compile", program, "--pod", "local", "--collectives", choice, "--json"))
            made[choice] = [c["op"] for c in told["program"]["collectives"]]
            number = self.submit(program, "--profile", "--collectives", choice)
            self.assertEqual(self.collectives(number), made[choice])
        self.assertNotEqual(made["off"], made["on"])

    def test_an_order_of_the_slices_chips_is_kept(self):
        program, values = self.product()
        number = self.submit(program, *SHARDED, "--profile", "--device-order", "0,1,3,2")
        self.assertEqual(self.report(number)["program"]["chips"], [0, 1, 3, 2])
        self.podium("result", number, "-q", "-o", self.folder / "job.npy")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "job.npy"), values)

    def test_what_is_wrong_with_its_compile_options_is_said_at_once(self):
        program, _ = self.product()
        for word, args in (("mesh", ("--mesh", "x=3,y=2", "--slice", "2x2")),
                           ("collectives", ("--collectives", "sideways=off")),
                           ("algorithm", ("--algorithm", "around")),
                           ("propagate", ("--propagation", "guess")),
                           ("donate", ("--donate", "nothing")),
                           ("nothing", ("--mesh", "x=2,y=2", "--in-sharding", 'nothing=P("x")')),
                           ("twice|distinct", (*SHARDED, "--device-order", "0,1,1,2")),
                           ("chip|place", (*SHARDED, "--device-order", "0,1,2,9")),
                           ("2 chips|device", (*SHARDED, "--slice", "2x2", "--device-order", "0,1"))):
            self.assertRegex(self.podium("submit", program, *args, status=3), word)
        self.assertIn("NAME=SPEC", self.podium("submit", program, "--in-sharding", "x", status=2))
        self.assertEqual(json.loads(self.podium("jobs", "--all", "--json"))["jobs"], [])

    def test_jobs_of_a_pod_that_went_are_those_of_the_next_in_their_folder(self):
        number = self.submit(self.turns, "-i", "0=const:9")
        self.podium("wait", number)
        self.podium("down")
        self.podium("up", "--topology", "2x2", "--jobs", self.folder / "kept")
        self.assertIn("s32[] 9", self.podium("result", number))
        self.assertEqual(self.submit(self.turns, "-i", "0=const:9"), number + 1)

    def test_the_same_key_is_the_same_job(self):
        first = self.submit(self.turns, "-i", "0=const:1", "--key", "night 7")
        self.assertEqual(self.submit(self.turns, "-i", "0=const:1", "--key", "night 7"), first)
        self.assertNotEqual(self.submit(self.turns, "-i", "0=const:1", "--key", "night 8"), first)

    def test_watching_shows_every_change(self):
        watch = self.begin("jobs", "--watch")
        number = self.submit(self.turns, "-i", "0=const:3", "--name", "seen")
        self.podium("wait", number)
        deadline, shown = time.monotonic() + WAIT_S, ""
        while "seen                 succeeded" not in shown:
            self.assertLess(time.monotonic(), deadline, shown)
            shown += watch.stdout.readline()

    def test_a_report_is_a_page_or_what_it_is_drawn_from(self):
        number = self.submit(PROGRAMS / "square_matmul.2x2.mlir", "--profile")
        plain = self.submit(self.turns, "-i", "0=const:1")
        self.podium("wait", number, plain)
        self.podium("result", number, "-q", "--report", self.folder / "report.json")
        self.assertEqual(json.loads((self.folder / "report.json").read_text())["program"]["name"], "jit_matmul_square")
        self.podium("result", number, "-q", "--report", self.folder / "report.html")
        self.assertIn("<html", (self.folder / "report.html").read_text())
        self.assertIn("--profile", self.podium("result", plain, "--report", "r.html", status=3))

    def test_a_jobs_timeline_is_a_trace_for_perfetto(self):
        number = self.submit(PROGRAMS / "square_matmul.2x2.mlir", "--profile")
        plain = self.submit(self.turns, "-i", "0=const:1")
        self.podium("wait", number, plain)
        self.podium("result", number, "-q", "--report", self.folder / "r.json", "--trace", self.folder / "trace.json")
        times = json.loads((self.folder / "r.json").read_text())["times"]
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        names = [row[times["task_columns"].index("name")] for row in times["tasks"]]
        for chips in times["classes"]:
            process = chips["representative"] + 1
            core = [e for e in events if e["ph"] == "X" and (e["pid"], e["tid"]) == (process, 1)]
            self.assertEqual([(e["name"], round(e["ts"] * 1e6), round(e["dur"] * 1e6)) for e in core],
                             [(names[row[2]], row[0], row[1]) for row in chips["timeline"]["core"]])
            self.assertEqual(len([e for e in events if e["ph"] == "C" and e["pid"] == process]),
                             len(chips["timeline"]["hbm"]))
        self.assertTrue(names)
        self.assertIn("--profile", self.podium("result", plain, "--trace", "t.json", status=3))

    def test_what_is_wrong_is_said_before_anything_is_kept(self):
        wrong = self.folder / "wrong.mlir"
        wrong.write_text(TURNS.replace("%n = stablehlo.add %i, %one", "%n = stablehlo.add %i, %two"))
        self.assertIn("wrong.mlir:9:30: value %two is not defined", self.podium("submit", wrong, status=3))
        self.assertIn("no box of this pod", self.podium("submit", self.turns, "--slice", "4x4", status=3))
        self.assertIn("INVALID_ARGUMENT", self.podium("submit", self.turns, "--slice", "0x", status=3))
        self.assertIn("nothing.npy", self.podium("submit", self.turns, "-i", "0=nothing.npy", status=3))
        self.assertIn("there is no job 99", self.podium("submit", self.turns, "--after", 99, status=3))
        for command in ("wait", "cancel", "result", "logs"):
            self.assertIn("there is no job 99", self.podium(command, 99, status=3))
        for command in ("wait", "cancel", "result"):
            self.assertIn("is no job" if command != "result" else "one JOB", self.podium(command, "x7", status=2))
            self.assertIn("a JOB is needed", self.podium(command, status=2))
        self.assertEqual(json.loads(self.podium("jobs", "--all", "--json"))["jobs"], [])

    def test_every_object_is_as_its_table_says(self):
        readme = pathlib.Path(__file__).parents[2] / "client/cli/README.md"
        sections = re.split(r"^### ", readme.read_text().split("\n## JSON\n")[1], flags=re.M)
        tables = {s.split()[0]: set(re.findall(r"^\| `(\w+)` \|", s, re.M)) for s in sections}
        common = tables["command"]
        told = json.loads(self.podium("submit", self.turns, "-i", "0=const:4", "--json"))
        self.assertLessEqual(told.keys(), common | tables["submit"])
        number = told["job"]
        for command, status in (("wait", 0), ("result", 0), ("logs", 0), ("jobs", 0), ("cancel", 3)):
            words = [command] + ([number] if command != "jobs" else []) + ["--json"]
            done = self.run_podium(*words)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            value = json.loads(done.stdout)
            self.assertLessEqual(value.keys(), common | tables[command], command)
            for job in value.get("jobs", []) + ([value["job"]] if "job" in value else []):
                self.assertEqual(job.keys(), tables["job"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
