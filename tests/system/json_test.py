#!/usr/bin/python3
"""What --json prints: for every command one object of the fields that client/cli/README.md describes, and no others.

Usage: json_test.py BIN PROGRAMS README [unittest arguments].
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1])
PROGRAMS = pathlib.Path(sys.argv[2])
README = pathlib.Path(sys.argv[3])
SMALL = PROGRAMS / "square_matmul.2x2.small.mlir"
WAIT_S = 120
PLAIN = {"string": str, "number": (int, float), "boolean": bool, "value": (int, float, bool, list)}


def read_schema(text):
    """{object: {field: type}} of the sections that follow the heading "JSON"."""
    schema = {}
    for section in re.split(r"^### ", text.split("\n## JSON\n")[1], flags=re.M)[1:]:
        rows = re.findall(r"^\| `(\w+)` \| ([a-z ]+?) \|", section, re.M)
        schema[section.split()[0]] = dict(rows)
    return schema


SCHEMA = read_schema(README.read_text())


def faults(value, kind, where):
    """Yields what of a value is not as the schema has it."""
    if kind.startswith("optional "):
        kind = kind[len("optional "):]
    if kind.endswith(" or null"):
        if value is None:
            return
        kind = kind[:-len(" or null")]
    if kind.startswith("list of "):
        if not isinstance(value, list):
            yield f"{where} is no list"
            return
        for i, element in enumerate(value):
            yield from faults(element, kind[len("list of "):], f"{where}[{i}]")
    elif kind in PLAIN:
        if not isinstance(value, PLAIN[kind]) or (kind == "number" and isinstance(value, bool)):
            yield f"{where} is no {kind}: {value!r}"
    else:
        yield from object_faults(value, SCHEMA[kind], where)


def object_faults(value, fields, where):
    for name in value.keys() - fields.keys():
        yield f"{where}.{name} is not described"
    for name, kind in fields.items():
        if name in value:
            yield from faults(value[name], kind, f"{where}.{name}")
        elif not kind.startswith("optional "):
            yield f"{where}.{name} is missing"


class JsonTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def podium(self, command, *args, status=0):
        variables = dict(os.environ, XDG_RUNTIME_DIR=str(self.folder))
        variables.pop("PODIUM_POD", None)
        done = subprocess.run([BIN / "podium", command, "--json", *map(str, args)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=WAIT_S, env=variables)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        value = json.loads(done.stdout)
        fields = dict(SCHEMA["command"], **SCHEMA.get(command, {}))
        self.assertEqual(list(object_faults(value, fields, command)), [])
        self.assertEqual((value["command"], value["exit_status"]), (command, status))
        self.assertEqual("error" in value, status == 3 or (status == 1 and command == "run"))
        return value

    def test_the_schema_is_read_and_notices_what_is_wrong(self):
        self.assertGreater(len(SCHEMA), 20)
        good = {"code": "INTERNAL", "message": "x"}
        self.assertEqual(list(faults(good, "error", "error")), [])
        self.assertEqual(list(faults({"code": 3}, "error", "e")), ["e.code is no string: 3", "e.message is missing"])
        self.assertEqual(list(faults(dict(good, more=1), "error", "e")), ["e.more is not described"])

    def test_explain_and_diff_are_described(self):
        explained = self.podium("explain", SMALL, "--expect", "all_reduce==1")
        self.assertEqual(explained["expectations"][0]["difference"], "is 1")
        self.assertEqual(explained["program"]["collectives"][0]["link_bytes"], explained["explained"][0]["link_bytes"])
        self.podium("explain", SMALL, "--expect", "all_reduce==0", status=1)
        self.assertIn("values", self.podium("explain", SMALL, "--shardings", "--after", "propagate", "--what-if"))
        self.podium("explain", self.folder / "nothing.mlir", status=3)
        self.assertEqual(self.podium("diff", SMALL, SMALL)["a"], explained["measures"])
        drawn = self.podium("sharding", SMALL)["arrays"]
        self.assertEqual([array["name"] for array in drawn][:2], ["arg0", "arg1"])
        self.assertEqual(self.podium("search", SMALL, "--budget", "12")["own"]["measures"], explained["measures"])

    def test_run_tells_program_results_and_profile(self):
        expected = self.folder / "y.npy"
        ran = self.podium("run", SMALL, "-o", f"0={expected}", "--model-flop", "1e6")
        self.assertEqual([argument["shape"] for argument in ran["program"]["arguments"]], ["bf16[8,64]", "bf16[64,32]"])
        self.assertEqual(ran["program"]["collectives"][0]["op"], "all_reduce")
        self.assertEqual((ran["results"][0]["elements"], ran["results"][0]["nan"]), (8 * 32, 0))
        self.assertEqual(ran["results"][0]["file"], str(expected))
        profile = ran["profile"]
        self.assertGreater(profile["host_ns"], 0)
        peak_flop = profile["bf16_flop_per_s"] * profile["step_ps"] / 1e12
        self.assertAlmostEqual(profile["hfu"], profile["flop_per_chip"] / peak_flop)
        self.assertAlmostEqual(profile["mfu"], 1e6 / (4 * peak_flop))
        checked = self.podium("run", SMALL, "--expect", f"0={expected}")
        self.assertTrue(checked["checks"][0]["ok"])
        wrong = self.podium("run", SMALL, "-i", "0=random:9", "--expect", f"0={expected}", status=1)
        self.assertFalse(wrong["checks"][0]["ok"])
        self.assertEqual(wrong["error"]["code"], "DATA_LOSS")

    def test_simulate_tells_what_run_does_without_results(self):
        simulated = self.podium("simulate", SMALL)
        self.assertIsNone(simulated["profile"]["host_ns"])
        self.assertIsNone(simulated["profile"]["mfu"])
        ran = self.podium("run", SMALL)
        self.assertEqual(ran["program"], simulated["program"])
        ran["profile"]["host_ns"] = None
        self.assertEqual(ran["profile"], simulated["profile"])
        sums = simulated["profile"]["by_operation"]
        tasks = [task for task in simulated["profile"]["tasks"] if task["duration_ps"] > 0]
        self.assertEqual(sum(entry["duration_ps"] for entry in sums), sum(task["duration_ps"] for task in tasks))
        self.assertEqual(sums, sorted(sums, key=lambda entry: (-entry["duration_ps"], entry["name"])))

    def test_compile_has_the_partitioned_program(self):
        self.assertIn("stablehlo.all_reduce", self.podium("compile", SMALL)["partitioned_text"])

    def test_exec_tells_what_executables_did(self):
        value = self.podium("exec", "--topology", "2x1", "--", BIN / "exec_program", "3", "4")
        executables = {executable["name"]: executable for executable in value["executables"]}
        # The loop takes a time of its own each call; what is told is the last one's.
        self.assertEqual({name: executable["calls"] for name, executable in executables.items()}, {"turned": 2, "halves": 2})
        for executable in executables.values():
            waits = {wait["name"]: wait["duration_ps"] for wait in executable["waited_for"]}
            self.assertEqual(list(waits), ["MXU", "VPU", "HBM", "ICI", "DMA", "PCIe", "fixed"])
            self.assertEqual(sum(waits.values()), executable["predicted_ps"])
            self.assertGreaterEqual(waits["ICI"] + waits["DMA"], executable["waiting_ps"])
            self.assertGreater(executable["host_wait_ns"], 0)
        self.assertEqual((executables["turned"]["collectives"], executables["halves"]["collectives"]), (0, 1))

    def test_check_has_a_verdict_per_file(self):
        path = self.folder / "none.mlir"
        path.write_text("func.func @main() {\n  return\n}\n")
        one = self.folder / "one.mlir"
        one.write_text("func.func @main() {\n  %a = stablehlo.constant dense<1> : tensor<i32>\n"
                       "  check.expect_eq_const %a, dense<1> : tensor<i32>\n  return\n}\n")
        value = self.podium("check", one, path, "/nowhere.mlir", status=1)
        self.assertEqual([(file["verdict"], file["checks"]) for file in value["files"]],
                         [("PASS", 1), ("PASS", 0), ("FAIL", 0)])
        self.assertEqual(value["families"][-1], {"name": "all", "passed": 2, "of": 3, "unimplemented": 0})

    def test_pods_tell_their_state(self):
        self.assertEqual(self.podium("ls")["pods"], [])
        up = self.podium("up", "--name", "json", "--topology", "2x1")
        self.addCleanup(lambda: subprocess.run([BIN / "podium", "down", "json"], stderr=subprocess.DEVNULL, check=False,
                                               env=dict(os.environ, XDG_RUNTIME_DIR=str(self.folder)), timeout=WAIT_S))
        self.assertEqual([(pod["name"], pod["state"], pod["chips"]) for pod in self.podium("ls")["pods"]],
                         [("json", "ready", 2)])
        status = self.podium("status", up["address"])
        self.assertTrue(status["ready"])
        self.assertEqual(self.podium("devices", "json")["devices"], status["devices"])
        self.assertEqual(self.podium("down", "json")["name"], "json")

    def test_a_command_is_told_what_its_executables_did(self):
        line = r"jit_f\t2\t1000000\t500\t1\t64\t98500000\t197000000000000\t30\t1\t2\t3\t4\t5\t6\t7\n"
        script = f"echo hello; printf '{line}{line}' >>$PODIUM_REPORT"
        value = self.podium("exec", "--topology", "1x1", "--", "sh", "-c", script)
        waits = [{"name": name, "duration_ps": ps} for ps, name in enumerate(("MXU", "VPU", "HBM", "ICI", "DMA", "PCIe", "fixed"), 1)]
        self.assertEqual(value["executables"], [{"name": "jit_f", "calls": 4, "predicted_ps": 1000000, "waiting_ps": 500,
                                                 "hfu": 0.5, "waited_for": waits, "host_wait_ns": 60, "collectives": 1,
                                                 "hbm_peak_bytes": 64}])

    def test_every_figure_of_every_kind_of_chip_has_a_source(self):
        kinds = self.podium("chips")["kinds"]
        self.assertLessEqual({"v4", "v5e", "v5p", "v6e"}, {kind["name"] for kind in kinds})
        for kind in kinds:
            self.assertTrue(all(figure["source"] for figure in kind["figures"]))
        (one,) = self.podium("chips", "V5E")["kinds"]
        self.assertEqual(one["device_kind"], "TPU v5 lite")

    def test_errors_are_told_in_json_too(self):
        self.assertEqual(self.podium("run", "/nowhere.mlir", status=3)["error"]["code"], "NOT_FOUND")
        for command in ("down", "status", "devices"):
            self.assertEqual(self.podium(command, "nobody", status=3)["error"]["code"], "NOT_FOUND")
        self.podium("version")

    def test_no_command_is_without_a_schema(self):
        helped = subprocess.run([BIN / "podium", "help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        commands = re.findall(r"^  ([a-z]+)  ", helped.split("Commands:")[1].split("\n\n")[0], re.M)
        self.assertGreater(len(commands), 8)
        self.assertEqual([name for name in commands if name not in SCHEMA and name != "version"], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
