#!/usr/bin/python3
"""What `podium run`, `simulate`, `compile` and `explain --report` write.

Usage: pages_test.py BIN ROOT [unittest arguments].
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
ROOT = pathlib.Path(sys.argv[2])
PROGRAMS = ROOT / "tests/programs"
SMALL = PROGRAMS / "square_matmul.2x2.small.mlir"
OVERLAPPED = PROGRAMS / "matmul_allgather_overlapped_bidi.4.mlir"
WAIT_S = 120
LAYERWISE = PROGRAMS / "layerwise_matmul.4.mlir"
GATHERED = PROGRAMS / "layerwise_matmul.4.small.mlir"
EVIL = "</script><img src=x onerror=alert(1)><!--"

# Names that would be markup if they were not text.
HOSTILE = f'''module @"{EVIL}" attributes {{mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32}} {{
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"x"}}]>}},
      %b: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}})
      -> (tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{}}]>}}) {{
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("{EVIL}":3:4)
    return %0 : tensor<8x8xf32>
  }}
}}
'''

# A loop that turns until a value says that it is enough.
UNKNOWN_LOOP = """module @loop {
  func.func public @main(%a: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.while(%i = %a) : tensor<f32>
    cond {
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %c = stablehlo.compare LT, %i, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %i : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }
    return %0 : tensor<f32>
  }
}
"""


def podium(*args, status=0, **variables):
    done = subprocess.run([BIN / "podium", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=WAIT_S, env=dict(os.environ, **variables))
    if done.returncode != status:
        raise AssertionError(f"podium {args} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def json_in(page):
    return json.loads(re.search(r'id="podium-report-json">(.*?)</script>', page, re.S)[1])


def described(text):
    """{section: {field: optional}} of the tables in common/report/README.md."""
    sections = {}
    for section in re.split(r"^##+ ", text, flags=re.M)[1:]:
        fields = {}
        for names, kind in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([a-z ]+?) \|", section, re.M):
            fields.update((name, "optional" in kind) for name in re.findall(r"`(\w+)`", names))
        if fields:
            sections[section.split("\n")[0]] = fields
    return sections


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def page(self, command, program, *args, **variables):
        path = self.folder / "out.html"
        podium(command, program, "--report", path, *args, **variables)
        return path.read_text()

    def report(self, *args, **variables):
        return json_in(self.page(*args, **variables))

    def check_fields(self, value, fields, where):
        self.assertEqual(value.keys() - fields.keys(), set(), f"{where} has what is not described")
        self.assertEqual({name for name, optional in fields.items() if not optional} - value.keys(), set(), f"{where} lacks")

    def test_what_is_written_is_what_the_format_describes(self):
        sections = described((ROOT / "common/report/README.md").read_text())
        report = self.report("run", SMALL)
        self.check_fields(report, sections["The format"], "report")
        self.check_fields(report["times"], sections["times"], "times")
        for one in report["times"]["classes"]:
            self.check_fields(one, sections["class"], "class")
        for one in report["collectives"]:
            self.check_fields(one, sections["collective"], "collective")
        for one in report["arrays"] + report["values"]:
            self.check_fields(one, sections["array"], "array")
        self.assertEqual(report["format"], "podium.report/1")

    def test_the_same_program_gives_the_same_bytes(self):
        self.assertEqual(self.page("simulate", OVERLAPPED), self.page("simulate", OVERLAPPED))

    def test_only_a_run_has_measured_something(self):
        self.assertGreater(self.report("run", SMALL)["measured"]["host_ns"], 0)
        self.assertNotIn("measured", self.report("simulate", SMALL))
        self.assertNotIn("measured", self.report("compile", SMALL))

    def test_the_trace_context_of_the_caller_is_in_the_report(self):
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        for command in ("run", "simulate", "compile"):
            self.assertEqual(self.report(command, SMALL, TRACEPARENT=trace)["traceparent"], trace)
            self.assertNotIn("traceparent", self.report(command, SMALL, TRACEPARENT="what is none"))

    def test_runs_simulations_and_compilations_tell_the_same_times(self):
        times = [self.report(command, SMALL)["times"] for command in ("run", "simulate", "compile")]
        self.assertEqual(times[0], times[1])
        self.assertEqual(times[1], times[2])

    def test_a_loop_that_values_turn_has_no_times_when_it_is_only_compiled(self):
        module = self.folder / "loop.mlir"
        module.write_text(UNKNOWN_LOOP)
        report = self.report("compile", module)
        self.assertNotIn("times", report)
        self.assertIn("while", report["no_times"])
        self.assertIn("times", self.report("simulate", module, "--turns", "3"))

    def test_hidden_and_exposed_are_all_of_a_collective(self):
        report = self.report("simulate", OVERLAPPED)
        tasks = report["times"]["task_columns"]
        kind, waiting = tasks.index("kind"), tasks.index("waiting_ps")
        exposed = sum(one["exposed_ps"] for one in report["collectives"])
        self.assertGreater(exposed, 0)
        self.assertEqual(exposed, sum(row[waiting] for row in report["times"]["tasks"] if row[kind] == "done"))
        for one in report["collectives"]:
            self.assertEqual(one["total_ps"], one["exposed_ps"] + one["hidden_ps"])
            self.assertFalse(one["inserted"])
        self.assertIn("Inserted by the partitioner: each chip along Y has only a part of a sum",
                      self.report("compile", SMALL)["collectives"][0]["why"])

    def test_every_part_of_an_array_is_on_the_chips_that_hold_it(self):
        for program in (SMALL, OVERLAPPED, PROGRAMS / "all_to_all.2x4.small.mlir"):
            report = self.report("compile", program)
            devices = report["program"]["devices"]
            for array in report["arrays"]:
                held = set()
                for device in range(devices):
                    position = array.get("positions", range(devices))[device]
                    part = []
                    for axes in array["spec"]:
                        number = 0
                        for _, stride, size in axes:
                            number = number * size + position // stride % size
                        part.append(number)
                    held.add(tuple(part))
                counts = [whole // local for whole, local in zip(array["dims"], array["local_dims"])]
                expected = 1
                for count in counts:
                    expected *= count
                self.assertEqual(len(held), expected, array)
                self.assertTrue(all(number < count for part in held for number, count in zip(part, counts)))

    def test_the_largest_buffers_are_all_that_is_in_use_at_the_peak(self):
        report = self.report("compile", OVERLAPPED)
        memory = report["memory"]
        sizes = [buffer["bytes"] for buffer in memory["buffers"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        temporaries = [buffer for buffer in memory["buffers"] if buffer["kind"] == "temporary"]
        self.assertTrue(temporaries and all(buffer["op"] and buffer["shape"] for buffer in temporaries))
        live = report["times"]["task_columns"].index("hbm_live_bytes")
        peak = max(row[live] for row in report["times"]["tasks"])
        self.assertEqual(sum(sizes) + memory["left_out_bytes"], peak)

    def test_names_are_text_whatever_they_are(self):
        module = self.folder / "<b>evil.mlir"
        module.write_text(HOSTILE)
        page = self.page("simulate", module, "--topology", "2x1")
        self.assertNotIn("<img", page)
        self.assertNotIn("<b>", page)
        self.assertEqual(page.count("</script"), 2)
        report = json_in(page)
        self.assertIn(EVIL, report["program"]["name"])
        self.assertIn("<b>evil", report["program"]["file"])

    def test_a_page_that_cannot_be_written_is_told_before_anything_runs(self):
        for command in ("run", "simulate", "compile"):
            text = podium(command, SMALL, "--report", self.folder / "none/out.html", status=3)
            self.assertIn("--report", text)
            self.assertNotIn("ready after", text)

    def test_every_command_says_why_a_collective_is_there_and_what_hides_it(self):
        expected = {}
        for one in json.loads(podium("explain", LAYERWISE, "--json"))["explained"]:
            expected[one["source"]] = one
        self.assertGreater(len(expected), 3)
        for command in ("explain", "simulate", "compile"):
            report = self.report(command, LAYERWISE)
            self.assertEqual(report["made_by"], command)
            for one in report["collectives"]:
                same = expected[one["source"]]
                self.assertIn("wanted whole as operand 1 of dot_general", one["because"])
                self.assertEqual(one["because"], same["because"])
                self.assertEqual((one["total_ps"], one["exposed_ps"], one["alone_ps"], one["link_bytes"]),
                                 (same["flight_ps"], same["exposed_ps"], same["alone_ps"], same["link_bytes"]))
                self.assertEqual(one.get("behind", ""), same["behind"])
            self.assertEqual(sum("behind" in one for one in report["collectives"]), 3)
        self.assertIn("wanted", self.report("run", GATHERED)["collectives"][0]["because"])

    def test_an_explanation_is_told_and_written_whatever_else_is_asked(self):
        whole = self.page("explain", SMALL)
        self.assertEqual(self.page("explain", SMALL, "--quiet"), whole)
        self.assertEqual(self.page("explain", SMALL, "--shardings"), whole)
        self.assertEqual(self.page("explain", SMALL, "--after", "propagate"), whole)
        self.assertEqual(json_in(whole)["times"], self.report("simulate", SMALL)["times"])
        out = self.folder / "unmet.html"
        self.assertIn("expected all_reduce==0", podium("explain", SMALL, "--report", out, "--expect", "all_reduce==0", status=1))
        self.assertEqual(json_in(out.read_text())["made_by"], "explain")

    def test_values_within_the_program_lie_as_explain_tells(self):
        told = [one for one in json.loads(podium("explain", SMALL, "--shardings", "--json"))["values"]
                if one["op"] not in ("argument", "result")]
        values = self.report("explain", SMALL)["values"]
        self.assertGreater(len(values), 0)
        self.assertEqual([(one["op"], one["name"], one["sharding"]) for one in values], [(one["op"], one["name"], one["sharding"]) for one in told])
        for one in values:
            self.assertEqual(one["role"], "value")
            counts = [max(1, -(-whole // local)) for whole, local in zip(one["dims"], one["local_dims"])]
            self.assertEqual([self.parts(axes) for axes in one["spec"]], counts)

    @staticmethod
    def parts(axes):
        product = 1
        for _, _, size in axes:
            product *= size
        return product

    def test_the_page_loads_nothing_and_runs_only_its_own_code(self):
        page = self.page("simulate", SMALL)
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(re.findall(r"<(?:link|img|iframe|object)\b", page), [])

    def test_many_chips_make_no_large_file(self):
        module = self.folder / "pod.mlir"
        module.write_text(HOSTILE.replace("num_partitions = 2", "num_partitions = 4096").replace('"x"=2', '"x"=64, "y"=64')
                          .replace("8x8", "2048x2048").replace(EVIL, "pod"))
        page = self.page("simulate", module, "--chip", "v5p", "--topology", "16x16x16", "--slow", "chip=7:1.5")
        self.assertLess(len(page), 6 << 20)
        self.assertEqual(sum(count for _, count in json_in(page)["times"]["class_of_chip"]), 4096)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
