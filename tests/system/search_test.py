#!/usr/bin/python3
"""What `podium search` finds, against the shardings that are published, given by hand.

Usage: search_test.py BIN FOLDER [unittest arguments]. FOLDER has what make.py in it exports from JAX.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2])
WAIT_S = 120
# Hundreds of compilations, by code that the other tests run too.
LONG = unittest.skipIf(os.environ.get("POD_SANITIZE"), "it takes minutes under a sanitizer")

# By hand, for a mesh of data x model: weights, then data, as P(...) by argument. Weights come back as they went in.
MLP = {  # in, out; x, y
    "data parallel": ("x=8", ["P()", "P()"], "P('x')"),
    "FSDP": ("x=8", ["P('x', None)", "P(None, 'x')"], "P('x')"),
    "Megatron": ("x=2,y=4", ["P(None, 'y')", "P('y', None)"], "P('x')"),
    "Megatron, no data": ("x=8", ["P(None, 'x')", "P('x', None)"], "P()"),
    "FSDP and Megatron": ("x=2,y=4", ["P('x', 'y')", "P('y', 'x')"], "P('x')"),
    "2D weight-stationary": ("x=2,y=4", ["P('x', 'y')", "P('y', 'x')"], "P(None, 'x')"),
}


def blocks(**specs):
    return [specs.get(name, specs.get("heads")) for name in ("in", "key", "out", "project", "query", "value")]


BLOCKS = {  # by JAX's order: in, key, out, project, query, value; x, y
    "data parallel": ("x=8", ["P()"] * 6, "P('x')"),
    "FSDP": ("x=8", blocks(**{"in": "P(None, 'x')", "out": "P(None, None, 'x')", "project": "P(None, None, None, 'x')",
                              "heads": "P(None, 'x')"}), "P('x')"),
    "Megatron": ("x=2,y=4", blocks(**{"in": "P(None, None, 'y')", "out": "P(None, 'y')", "project": "P(None, 'y')",
                                      "heads": "P(None, None, 'y')"}), "P('x')"),
    "FSDP and Megatron": ("x=2,y=4", blocks(**{"in": "P(None, 'x', 'y')", "out": "P(None, 'y', 'x')",
                                               "project": "P(None, 'y', None, 'x')", "heads": "P(None, 'x', 'y')"}), "P('x')"),
    "2D weight-stationary": ("x=2,y=4", blocks(**{"in": "P(None, 'x', 'y')", "out": "P(None, 'y', 'x')",
                                                  "project": "P(None, 'y', None, 'x')", "heads": "P(None, 'x', 'y')"}),
                             "P(None, None, 'x')"),
}


def podium(*args, status=0):
    done = subprocess.run([BIN / "podium", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=WAIT_S)
    if done.returncode != status:
        raise AssertionError(f"podium {args} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def by_hand(program, mesh, weights, data):
    given = ["--mesh", mesh]
    for number, spec in enumerate([*weights, data, data]):
        given += ["--in-sharding", f"{number}={spec}"]
    for number, spec in enumerate(weights):
        given += ["--out-sharding", f"{number}={spec}"]
    return json.loads(podium("explain", FOLDER / program, "--topology", "4x2", *given, "--json").stdout)["measures"]


class SearchTest(unittest.TestCase):
    def found(self, program, schemes):
        report = json.loads(podium("search", FOLDER / program, "--topology", "4x2", "--json").stdout)
        best = report["trials"][0]
        self.assertEqual(best["outcome"], "fits")
        self.assertLess(best["measures"]["step"], report["own"]["measures"]["step"])
        for name, (mesh, weights, data) in schemes.items():
            with self.subTest(name):
                self.assertLessEqual(best["measures"]["step"], by_hand(program, mesh, weights, data)["step"])
        return report

    def test_an_mlp_lies_as_well_as_any_published_scheme(self):
        report = self.found("mlp.mlir", MLP)
        self.assertEqual([group["shape"] for group in report["groups"]], ["bf16[2048,8192]"] + ["bf16[8192,2048]"] * 3)

    @LONG
    def test_attention_and_mlp_lie_as_well_as_any_published_scheme(self):
        self.found("blocks.mlir", BLOCKS)

    def test_what_it_says_is_what_explain_says_of_it(self):
        text = podium("search", FOLDER / "mlp.mlir", "--topology", "4x2").stdout
        best = json.loads(podium("search", FOLDER / "mlp.mlir", "--topology", "4x2", "--json").stdout)["trials"][0]
        line = next(line for line in text.splitlines() if line.startswith("by hand: podium "))
        command = subprocess.run(["bash", "-c", f"{BIN}/{line.removeprefix('by hand: ')} --topology 4x2 --json"],
                                 stdout=subprocess.PIPE, text=True, timeout=WAIT_S, check=True)
        self.assertEqual(json.loads(command.stdout)["measures"], best["measures"])
        self.assertIn("as the program is", text)

    def test_the_same_search_finds_the_same(self):
        first, second = (podium("search", FOLDER / "blocks.mlir", "--topology", "4x2", "--budget", "60", "--json").stdout
                         for _ in range(2))
        self.assertEqual(first, second)
        report = json.loads(first)
        self.assertLessEqual(report["compilations"], 60)
        self.assertTrue(report["spent"])

    def test_what_the_user_says_stands(self):
        report = json.loads(podium("search", FOLDER / "mlp.mlir", "--topology", "4x2", "--mesh", "data=4,model=2",
                                   "--in-sharding", "2=P('data')", "--json").stdout)
        self.assertEqual({trial["mesh"] for trial in report["trials"]}, {"data=4,model=2"})
        given = json.loads(podium("explain", FOLDER / "mlp.mlir", "--mesh", "data=4,model=2", "--in-sharding", "2=P('data')",
                                  "--json").stdout)["program"]["arguments"]
        self.assertEqual(given[2]["sharding"], "[{data}, {}]")

    @LONG
    def test_what_does_not_fit_is_not_the_best(self):
        with tempfile.TemporaryDirectory() as folder:
            chip = pathlib.Path(folder, "thin.chip")
            chip.write_text("base = v5e\nname = v5e-thin\nhbm_bytes = 900 MiB\n")
            report = json.loads(podium("search", FOLDER / "blocks.mlir", "--topology", "2x2", "--chip", chip, "--json").stdout)
        self.assertEqual(report["own"]["outcome"], "too large")
        room = (900 - 256) << 20
        for trial in report["trials"]:
            self.assertEqual(trial["outcome"] == "fits", trial["measures"]["peak_hbm"] <= room, trial)
        outcomes = [trial["outcome"] for trial in report["trials"]]
        self.assertEqual(outcomes, sorted(outcomes, key=["fits", "too large"].index))
        self.assertIn("too large", outcomes)
        fits = [(trial["estimated"], trial["measures"]["step"]) for trial in report["trials"] if trial["outcome"] == "fits"]
        self.assertEqual(fits, sorted(fits))
        # What a first look has far off is not timed by the clock.
        timed = [trial["measures"] for trial in report["trials"] if trial["outcome"] == "fits" and not trial["estimated"]]
        self.assertLess(len(timed), len(fits))
        self.assertIsNone(report["trials"][len(timed)]["measures"]["exposed"])

    def test_dimensions_that_nothing_divides_are_sharded_with_padding(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "odd.mlir")
            program.write_text("""
                func.func public @main(%weights: tensor<8191x8191xbf16>, %x: tensor<3x8191xbf16>) -> tensor<3x8191xbf16> {
                  %0 = stablehlo.dot_general %x, %weights, contracting_dims = [1] x [0]
                    : (tensor<3x8191xbf16>, tensor<8191x8191xbf16>) -> tensor<3x8191xbf16>
                  return %0 : tensor<3x8191xbf16>
                }""")
            report = json.loads(podium("search", program, "--topology", "2x2", "--json").stdout)
            best = report["trials"][0]
            self.assertLess(best["measures"]["step"], report["own"]["measures"]["step"] / 2)
            weights = best["shardings"][0]
            given = podium("explain", program, "--topology", "2x2", "--mesh", best["mesh"], "--in-sharding", f"0={weights}", "--json")
        self.assertNotEqual(weights, "P()")
        self.assertEqual(json.loads(given.stdout)["measures"], best["measures"])

    def test_what_cannot_fit_by_its_arguments_is_not_compiled(self):
        with tempfile.TemporaryDirectory() as folder:
            chip = pathlib.Path(folder, "thin.chip")
            chip.write_text("base = v5e\nname = v5e-thin\nhbm_bytes = 340 MiB\n")
            report = json.loads(podium("search", FOLDER / "mlp.mlir", "--topology", "4x2", "--chip", chip, "--json").stdout)
        alone = [trial for trial in report["trials"] if trial["why"] == "its arguments alone do not fit"]
        self.assertIn("replicated", [trial["label"] for trial in alone])
        for trial in alone:
            self.assertEqual(trial["outcome"], "too large")
            self.assertGreater(trial["measures"]["peak_hbm"], (340 - 256) << 20)
        self.assertEqual(report["trials"][0]["outcome"], "fits")
        # The program as it is and how its four arguments of two dimensions spread are compiled besides.
        self.assertLessEqual(report["compilations"], len(report["trials"]) - len(alone) + 1 + 2 * 4 + 1)

    def test_a_program_for_another_number_of_chips_needs_a_mesh(self):
        program = FOLDER.parent.parent / "programs" / "layerwise_matmul.4.mlir"
        self.assertIn("--mesh gives its axes other sizes", podium("search", program, "--topology", "2x1", status=3).stderr)
        report = json.loads(podium("search", program, "--topology", "2x1", "--mesh", "x=2", "--json").stdout)
        self.assertEqual({trial["mesh"] for trial in report["trials"]}, {"x=2"})

    def test_one_chip_and_no_arrays_leave_nothing_to_search_for(self):
        self.assertIn("nothing to search for on one chip",
                      podium("search", FOLDER / "mlp.mlir", "--topology", "1x1", status=3).stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
