#!/usr/bin/python3
"""What `podium simulate --fit` finds is the largest size that fits, and what does not fit is told with what fills the HBM.

Usage: fit_test.py BIN [unittest arguments].
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1])
WAIT_S = 120

OPEN = """module @step {
  func.func public @main(%w: tensor<4096x4096xf32>, %x: tensor<?x4096xf32>, %y: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x4096xf32>, tensor<4096x4096xf32>) -> tensor<?x4096xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<?x4096xf32>, tensor<4096x4096xf32>) -> tensor<?x4096xf32>
    %2 = stablehlo.add %1, %y : tensor<?x4096xf32>
    return %2 : tensor<?x4096xf32>
  }
}
"""

# What jax.export writes of symbolic sizes: the program takes those for which an assertion holds.
ASSERTED = """module @step {
  func.func public @main(%x: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4096xf32>) -> tensor<i32>
    @ASSERTION@
    stablehlo.custom_call @shape_assertion(%holds) {api_version = 2 : i32, error_message = "not of that size", has_side_effect = true} : (tensor<i1>) -> ()
    %0 = stablehlo.add %x, %x : tensor<?x4096xf32>
    return %0 : tensor<?x4096xf32>
  }
}
"""
MULTIPLE = """%k = stablehlo.constant dense<@COUNT@> : tensor<i32>
    %rest = stablehlo.remainder %n, %k : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %holds = stablehlo.compare EQ, %rest, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>"""
AT_MOST = """%k = stablehlo.constant dense<@COUNT@> : tensor<i32>
    %holds = stablehlo.compare LE, %n, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>"""


def podium(*args, status=0):
    done = subprocess.run([BIN / "podium", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=WAIT_S)
    if done.returncode != status:
        raise AssertionError(f"podium {args} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class FitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, text):
        path = self.folder / "step.mlir"
        path.write_text(text)
        return path

    def test_the_answer_fits_and_one_more_does_not(self):
        program = self.program(OPEN)
        text = podium("simulate", program, "--chip", "v5e", "--topology", "1x1", "--fit", "batch=ARG1.0,ARG2.0")
        found = int(re.search(r"^answer: batch (\d+), HBM peak ", text, re.M).group(1))
        self.assertIn(f"  batch {found}: fits, ", text)
        self.assertIn(f"what limits it: with {found + 1}\n", text)
        self.assertRegex(text, r"Largest program allocations in hbm")
        self.assertRegex(text, r"(?m)^  step +[0-9.]+ (ms|s) ")
        shapes = [f"--shape={name}={found}x4096" for name in "xy"]
        self.assertIn(f"f32[{found},4096]", podium("simulate", program, "--chip=v5e", "--topology=1x1", *shapes))
        shapes = [f"--shape={name}={found + 1}x4096" for name in "xy"]
        refused = podium("simulate", program, "--chip=v5e", "--topology=1x1", *shapes, status=3)
        self.assertIn("RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used ", refused)

    def test_sizes_beside_are_given_by_name_or_number(self):
        program = self.program("""module @step {
  func.func public @main(%w: tensor<4096x4096xf32>, %x: tensor<?x?x4096xf32>) -> tensor<?x?x4096xf32> {
    %0 = stablehlo.add %x, %x : tensor<?x?x4096xf32>
    return %0 : tensor<?x?x4096xf32>
  }
}
""")
        answers = set()
        for name in ("x", "1"):
            text = podium("simulate", program, "--chip=v5e", "--topology=1x1", f"--shape={name}=1x128x4096",
                          "--fit=batch=ARG1.0")
            answers.add(re.search(r"(?m)^answer: batch .*$", text).group())
            self.assertIn("make them smaller (a batch that is among them)", text)
        self.assertEqual(1, len(answers), answers)

    def test_the_report_names_what_fills_the_memory(self):
        refused = podium("simulate", self.program(OPEN), "--chip=v5e", "--topology=1x1", "--shape=1=400000x4096",
                         "--shape=2=400000x4096", status=3)
        self.assertRegex(refused, r"  1\. Size: 6\.1 GiB\n")
        self.assertIn('Operator: op_type="dot_general"', refused)
        self.assertIn("Shape: f32[400000,4096]{1,0:T(8,128)}\n", refused)
        self.assertIn("Argument: 1 (x)", refused)
        self.assertIn("step.mlir:3:", refused)
        self.assertRegex(refused, r"Exceeded hbm capacity by [0-9.]+ GiB")

    def test_the_answer_is_in_json_too(self):
        report = json.loads(podium("simulate", self.program(OPEN), "--chip=v5e", "--topology=1x1", "--json", "--fit",
                                   "batch=ARG1.0,ARG2.0"))
        self.assertEqual(report["fit"]["label"], "batch")
        self.assertEqual(report["program"]["arguments"][1]["shape"], f"f32[{report['fit']['size']},4096]")

    def test_static_sizes_are_refused_with_what_to_do(self):
        program = self.program(OPEN.replace("?", "64"))
        refused = podium("simulate", program, "--chip=v5e", "--topology=1x1", "--fit", "batch=ARG1.0,ARG2.0", status=3)
        self.assertIn("dimension 0 must be 64, which the module was made for", refused)
        self.assertIn("jax.export.symbolic_shape", refused)

    def fit_asserted(self, assertion, count):
        program = self.program(ASSERTED.replace("@ASSERTION@", assertion.replace("@COUNT@", str(count))))
        text = podium("simulate", program, "--chip=v5e", "--topology=1x1", "--fit", "batch=ARG0.0")
        return int(re.search(r"^answer: batch (\d+), HBM peak ", text, re.M).group(1)), text

    def test_sizes_that_the_program_does_not_take_are_passed_over(self):
        most, _ = self.fit_asserted(MULTIPLE, 1)
        for count in (2, 3, 20):
            found, text = self.fit_asserted(MULTIPLE, count)
            self.assertEqual(most // count * count, found)
            self.assertIn(f"what limits it: with {found + count}\nRan out of memory", text)

    def test_the_largest_size_that_the_program_takes_is_the_answer(self):
        for most in (1000, 1024):
            found, text = self.fit_asserted(AT_MOST, most)
            self.assertEqual(most, found)
            self.assertIn(f"what limits it: with {most + 1}\n", text)
            self.assertIn("not of that size", text)

    def test_what_is_no_dimension_is_a_usage_error(self):
        program = self.program(OPEN)
        for value in ("batch", "batch=", "=ARG0.0", "batch=0.0", "batch=ARG0", "batch=ARG0.0,", "batch=ARG0.99"):
            self.assertIn("--fit takes LABEL=ARGUMENT.DIMENSION",
                          podium("simulate", program, "--fit", value, status=2))
        self.assertIn("has 3 arguments", podium("simulate", program, "--chip=v5e", "--topology=1x1", "--fit",
                                                "batch=ARG7.0", status=3))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
