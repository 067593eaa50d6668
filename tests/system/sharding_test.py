#!/usr/bin/python3
"""What `podium sharding` draws.

Usage: sharding_test.py BIN PROGRAMS [unittest arguments].
"""
import json
import os
import pathlib
import pty
import subprocess
import sys
import unittest

BIN = pathlib.Path(sys.argv[1])
PROGRAMS = pathlib.Path(sys.argv[2])
WAIT_S = 60


def podium(*args, status=0):
    done = subprocess.run([BIN / "podium", "sharding", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=WAIT_S)
    if done.returncode != status:
        raise AssertionError(f"podium {args} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def on_terminal(*args, **variables):
    outer, inner = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm"} | variables
    subprocess.run([BIN / "podium", "sharding", *args], stdout=inner, env=environment, timeout=WAIT_S, check=True)
    os.close(inner)
    text = b""
    try:
        while piece := os.read(outer, 65536):
            text += piece
    except OSError:  # The last one has closed it.
        pass
    os.close(outer)
    return text.decode()


class ShardingTest(unittest.TestCase):
    def test_boxes_stand_as_the_parts_do_in_the_array(self):
        self.assertEqual(podium("f32[64,128]", "P('x', 'y')", "--mesh", "x=2,y=4").stdout,
                         "argument array f32[64,128] sharded [{x}, {y}], each chip f32[32,32]\n"
                         "┌───────┬───────┬───────┬───────┐\n"
                         "│ TPU 0 │ TPU 1 │ TPU 2 │ TPU 3 │\n"
                         "├───────┼───────┼───────┼───────┤\n"
                         "│ TPU 4 │ TPU 5 │ TPU 6 │ TPU 7 │\n"
                         "└───────┴───────┴───────┴───────┘\n")
        self.assertIn("│ TPU 0,4 │ TPU 1,5 │ TPU 2,6 │ TPU 3,7 │\n", podium("s8[4]", "P('y')", "--mesh", "x=2,y=4").stdout)
        self.assertIn("│ TPU 0 │\n├───────┤\n│ TPU 2 │\n├───────┤\n│ TPU 1 │\n",
                      podium("f32[4,2]", "P(('y', 'x'))", "--mesh", "x=2,y=2").stdout)

    def test_what_every_chip_has_is_one_box(self):
        self.assertIn("│ TPU 0-7 │\n", podium("f32[64]", "P()", "--mesh", "x=8").stdout)
        self.assertIn("│ TPU 0,1 │\n", podium("f32[]", "P()", "--mesh", "x=2").stdout)
        # Every other chip of 16: some are named, all are counted.
        self.assertIn("│ TPU 0,2,4,6,… (8) │ TPU 1,3,5,7,… (8) │\n",
                      podium("f32[64]", "P('y')", "--mesh", "x=8,y=2").stdout)

    def test_more_dimensions_are_slices_of_the_last_two(self):
        text = podium("bf16[8,64,128]", "P('x', None, 'y')", "--mesh", "x=2,y=2").stdout
        self.assertEqual([line for line in text.splitlines() if line.startswith(("[", "│"))],
                         ["[0:4, :, :]", "│ TPU 0 │ TPU 1 │", "[4:8, :, :]", "│ TPU 2 │ TPU 3 │"])

    def test_a_program_s_arrays_are_drawn_on_the_chips_that_run_it(self):
        program = PROGRAMS / "layerwise_matmul.4.mlir"
        text = podium(program, "--device-order", "3,2,1,0").stdout
        self.assertEqual(text.count("argument arg"), 5)
        self.assertIn("│ TPU 3 │ TPU 2 │ TPU 1 │ TPU 0 │\n", text)
        self.assertEqual(podium(program, "arg1").stdout, podium(program, "1").stdout)
        self.assertTrue(podium(program, "result0").stdout.startswith("result result0 bf16[16384,16384] sharded [{x}, {}]"))
        array = json.loads(podium(program, "0", "--json").stdout)["arrays"][0]
        self.assertEqual((array["parts"], array["chips"]), ([4, 1], [[0], [1], [2], [3]]))

    def test_colours_only_where_they_are_wanted(self):
        arguments = ("f32[64,128]", "P('x')", "--mesh", "x=2")
        self.assertIn("\033[44;97m TPU 0 \033[", on_terminal(*arguments))
        self.assertNotIn("\033[4", on_terminal(*arguments, NO_COLOR="1"))

    def test_what_is_no_array_is_told(self):
        self.assertIn("no argument or result 'w'", podium(PROGRAMS / "layerwise_matmul.4.mlir", "w", status=3).stderr)
        self.assertIn("NOT_FOUND", podium("f32[64,", "P()", status=3).stderr)
        self.assertIn('has no axis "z"', podium("f32[64]", "P('z')", "--mesh", "x=2", status=3).stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
