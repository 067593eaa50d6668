#!/usr/bin/env python3
"""What jax.profiler writes of the pod's chips, as XProf's own converter reads it, against what Podium says by other ways.

Usage: profile_test.py [unittest arguments]. Run by the Python of tests/jax/environment.py; backend.py names the plugin.
"""
import glob
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import backend  # noqa: E402

TIMEOUT_S = 400


def xplane(folder):
    """The one file of a trace."""
    path, = glob.glob(f"{folder}/plugins/profile/*/*.xplane.pb")
    return path


def tool(path, name):
    """What a page of XProf is made from. In a process of its own: the converter logs and has threads."""
    code = ("import sys\n"
            "from xprof.convert import raw_to_tool_data as convert\n"
            "data, _ = convert.xspace_to_tool_data([sys.argv[1]], sys.argv[2], {'use_saved_result': False})\n"
            "sys.stdout.buffer.write(data if isinstance(data, bytes) else data.encode())\n")
    done = subprocess.run([sys.executable, "-B", "-c", code, path, name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          timeout=TIMEOUT_S, check=True)
    return json.loads(done.stdout)


def rows(table):
    """A table of the pages as dictionaries by column."""
    names = [column["id"] for column in table["cols"]]
    return [{name: cell["v"] for name, cell in zip(names, row["c"])} for row in table["rows"]]


def nodes(node):
    yield node
    for child in node.get("children", []):
        yield from nodes(child)


def planes(path):
    """{plane: {line: [(name, start_ns, duration_ns)]}}"""
    from jax.profiler import ProfileData
    found = {}
    for plane in ProfileData.from_file(path).planes:
        for line in plane.lines:
            found.setdefault(plane.name, {})[line.name] = [(event.name, event.start_ns, event.duration_ns)
                                                           for event in line.events]
    return found


class ProfileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        path = pathlib.Path(cls.folder.name)
        run = backend.Run([HERE / "profiled.py", path], "pod", path / "log")
        error = run.end(TIMEOUT_S)
        if error:
            raise RuntimeError(error)
        cls.figures = json.loads((path / "figures.json").read_text())
        cls.steps, cls.loops = xplane(path / "steps"), xplane(path / "loops")

    def test_the_overview_has_the_steps_that_the_program_marked_with_their_predicted_times(self):
        operations, steps, environment, *_ = tool(self.steps, "overview_page")
        found = rows(steps)
        self.assertEqual([row["stepnum"] for row in found], [str(number) for number in range(self.figures["steps"])])
        for row in found:
            self.assertAlmostEqual(1000 * (row["tcComputeTimeMs"] + row["tcIdleTimeMs"]), self.figures["step_us"],
                                   delta=1e-4 * self.figures["step_us"])
            self.assertLess(row["tcIdleTimeMs"], 0.01 * row["tcComputeTimeMs"])
        self.assertEqual(environment["p"]["device_core_count"], str(self.figures["chips"]))
        self.assertEqual(environment["p"]["device_type"], "TPU v5 lite")
        self.assertGreater(len(operations["rows"]), 5)
        self.assertGreater(float(operations["p"]["mxu_utilization_percent"].rstrip("%")), 0)
        self.assertGreater(float(operations["p"]["hbm_utilization_percent"].rstrip("%")), 0)

    def test_operations_have_the_names_flops_and_bytes_of_the_program(self):
        table = tool(self.steps, "hlo_stats")
        found = rows(table)
        categories = {row["category"] for row in found}
        self.assertTrue(categories & {"convolution", "convolution fusion"}, categories)
        self.assertTrue(any(category.startswith("all-reduce") for category in categories), categories)
        runs = self.figures["steps"] * self.figures["chips"]
        self.assertTrue(all(row["occurrences"] == runs for row in found if row["category"] != "IDLE"), found)
        self.assertTrue(any("profiled.py:" in row["source_info"] for row in found))

    def test_the_op_profile_sums_up_to_the_figures_of_the_program(self):
        profile = tool(self.steps, "op_profile")
        root = profile["byProgramExcludeIdle"]
        runs = self.figures["steps"] * self.figures["chips"]
        metrics = root["metrics"]
        self.assertAlmostEqual(metrics["rawTime"] / runs * 1e-6, self.figures["step_us"], delta=0.01 * self.figures["step_us"])
        self.assertAlmostEqual(metrics["rawFlops"] / runs, self.figures["flops"], delta=1e-3 * self.figures["flops"])
        self.assertAlmostEqual(metrics["rawBytesAccessedArray"][0] / runs, self.figures["bytes"],
                               delta=1e-3 * self.figures["bytes"])
        names = {node["name"] for node in nodes(root)}
        self.assertTrue(any("dot_general" in name for name in names), names)
        self.assertTrue(any(name.startswith("all_reduce") for name in names), names)

    def test_the_memory_profile_has_every_chip_and_the_peak_of_the_program(self):
        memory = tool(self.steps, "memory_profile")["memoryProfilePerAllocator"]
        self.assertEqual(set(memory), {f"TPU_{chip}_HBM" for chip in range(self.figures["chips"])})
        for chip in memory.values():
            summary = chip["profileSummary"]
            peak = int(summary["peakBytesUsageLifetime"])
            # What else is there: the operand of the loop, and results of what ran before.
            self.assertGreaterEqual(peak, self.figures["peak_bytes"])
            self.assertLess(peak, self.figures["peak_bytes"] + (1 << 20))
            self.assertEqual(int(summary["memoryCapacity"]), 63 << 28)  # 15.75 GiB: the rest is XLA's.
            self.assertGreater(len(chip["memoryProfileSnapshots"]), 0)
            names = {at["activityMetadata"]["tfOpName"] for at in chip["sampledTimelineSnapshots"]}
            self.assertIn("jit_train_step", names)

    def test_an_execution_begins_behind_its_dispatch_and_the_one_before(self):
        traced = planes(self.steps)
        dispatched = sorted(start for lines in (traced["/host:CPU"],) for events in lines.values()
                            for name, start, _ in events if name.startswith("PJRT_LoadedExecutable_Execute"))
        self.assertEqual(len(dispatched), self.figures["steps"])
        for chip in range(self.figures["chips"]):
            modules = traced[f"/device:TPU:{chip}"]["XLA Modules"]
            self.assertEqual(len(modules), self.figures["steps"])
            end = 0
            for (_, start, duration), at in zip(modules, dispatched):
                self.assertGreaterEqual(start, at)
                self.assertGreaterEqual(start, end)
                end = start + duration

    def test_a_loop_takes_the_time_of_its_own_turns_and_a_chip_has_what_ran_on_it(self):
        traced = planes(self.loops)
        for chip in range(self.figures["chips"]):
            modules = traced[f"/device:TPU:{chip}"]["XLA Modules"]
            few, many = [duration for name, _, duration in modules if name.startswith("jit_turned")]
            ratio = self.figures["turns"][1] / self.figures["turns"][0]
            self.assertAlmostEqual(many / few, ratio, delta=0.25 * ratio)
            self.assertEqual(any(name.startswith("jit_sum") or "reduce_sum" in name for name, _, _ in modules), chip == 3,
                             modules)


if __name__ == "__main__":
    unittest.main()
