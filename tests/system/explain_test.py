#!/usr/bin/python3
"""What `podium explain` and `podium diff` tell of programs, and what --expect makes of it.

Usage: explain_test.py BIN PROGRAMS [unittest arguments].
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1])
PROGRAMS = pathlib.Path(sys.argv[2])
LAYERS = PROGRAMS / "layerwise_matmul.4.mlir"
GATHERED = PROGRAMS / "matmul_allgather.4.mlir"
OVERLAPPED = PROGRAMS / "matmul_allgather_overlapped.4.mlir"
WAIT_S = 120

# Eight layers of one line; every other one contracts a sharded dimension, the last
# of these for a result that is whole.
LAYER = """    %{n} = stablehlo.dot_general %{a}, %w, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32> loc("layer")
"""
REPEATED = """module @repeated {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<64x256xf32> {
""" + "".join(LAYER.format(n=n, a="x" if n == 0 else n - 1) for n in range(8)) + """    return %7 : tensor<64x256xf32>
  }
}
"""

# Over two meshes of the same chips, each with a collective over its own axes.
MESHES = """module @meshes {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  sdy.mesh @mesh_0 = <["p"=3, "q"=2]>
  func.func public @main(%a: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %b: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %c: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"p"}, {}]>}) -> (tensor<12x12xf32>, tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<12x12xf32>, tensor<12x12xf32>) -> tensor<12x12xf32>
    return %0, %c : tensor<12x12xf32>, tensor<12x12xf32>
  }
}
"""

# A loop whose turns are an argument's.
UNKNOWN = """module @unknown {
  func.func public @main(%n: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.while(%i = %zero) : tensor<i32>
     cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }
    return %0 : tensor<i32>
  }
}
"""


def podium(*args, status=0):
    done = subprocess.run([BIN / "podium", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=WAIT_S)
    if done.returncode != status:
        raise AssertionError(f"podium {args} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


# The second dimension is sharded between two products whose rows are: two exchanges for nothing.
CONSTRAINED = """module @constrained {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<1024x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<2048x8192xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %v: tensor<8192x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<1024x2048xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<1024x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<1024x8192xbf16>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<1024x8192xbf16>
    %2 = stablehlo.tanh %1 : tensor<1024x8192xbf16>
    %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<1024x8192xbf16>, tensor<8192x2048xbf16>) -> tensor<1024x2048xbf16>
    return %3 : tensor<1024x2048xbf16>
  }
}
"""

UNCONSTRAINED = """module @unconstrained {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<1024x2048xbf16>, %w: tensor<2048x8192xbf16>) -> (tensor<1024xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<1024x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<1024x8192xbf16>
    %2 = stablehlo.constant dense<0.0> : tensor<bf16>
    %3 = stablehlo.reduce(%0 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<1024x8192xbf16>, tensor<bf16>) -> tensor<1024xbf16>
    return %3 : tensor<1024xbf16>
  }
}
"""


class ExplainTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, text):
        path = self.folder / "step.mlir"
        path.write_text(text)
        return path

    def test_the_times_are_the_profile_s(self):
        explained = json.loads(podium("explain", LAYERS, "--json").stdout)
        profile = json.loads(podium("simulate", LAYERS, "--json").stdout)["profile"]
        measures = explained["measures"]
        self.assertEqual(measures["step"], profile["step_ps"])
        self.assertEqual(measures["peak_hbm"], profile["hbm_peak_bytes"])
        self.assertEqual(measures["link_bytes"],
                         max(link["bytes"] for chips in profile["classes"] for link in chips["links"]))
        self.assertEqual(measures["ici_bytes"], sum(task["ici_bytes"] for task in profile["tasks"]))
        self.assertEqual(measures["in_flight"], sum(row["flight_ps"] for row in explained["explained"]))
        self.assertEqual(sum(row["count"] for row in explained["explained"]), measures["collectives"])

    def test_axes_are_those_of_the_mesh_that_has_them(self):
        program = self.program(MESHES)
        rows = {row["op"]: row for row in json.loads(podium("explain", program, "--topology", "2x3", "--json").stdout)["explained"]}
        self.assertEqual((rows["all_reduce"]["axes"], rows["all_reduce"]["mesh"]), ("y", "mesh"))
        self.assertEqual((rows["all_gather"]["axes"], rows["all_gather"]["mesh"]), ("p", "mesh_0"))
        self.assertIn("all_gather over p of @mesh_0 (3)", podium("explain", program, "--topology", "2x3").stdout)
        self.assertIn("over p of @mesh_0 (3)", podium("compile", program, "--topology", "2x3").stdout)
        one = json.loads(podium("explain", LAYERS, "--json").stdout)["explained"]
        self.assertEqual({row["mesh"] for row in one}, {""})

    def test_a_gather_alone_is_exposed_and_one_beside_products_is_hidden(self):
        rows = json.loads(podium("explain", LAYERS, "--json").stdout)["explained"]
        self.assertEqual([row["op"] for row in rows], ["all_gather"] * 4)
        self.assertEqual(rows[0]["exposed_ps"], rows[0]["flight_ps"])
        self.assertEqual(rows[0]["behind"], "")
        for row in rows[1:]:
            self.assertLess(row["exposed_ps"], row["flight_ps"] / 10)
            self.assertIn("dot_general", row["behind"])
            self.assertGreaterEqual(row["flight_ps"], row["alone_ps"] * 0.9)
        # Both ways around the ring: the busiest link carries half of what a chip sends.
        self.assertEqual([row["link_bytes"] * 2 for row in rows], [row["ici_bytes"] for row in rows])

    def test_layers_alike_are_one_entry(self):
        text = podium("explain", self.program(REPEATED)).stdout
        report = json.loads(podium("explain", self.program(REPEATED), "--json").stdout)
        self.assertIn("  all_reduce \u00d73 over x (4)  [layer]\n", text)
        self.assertEqual([(row["op"], row["count"]) for row in report["explained"]][0], ("all_reduce", 3))
        self.assertEqual(sum(row["runs"] for row in report["explained"]), report["measures"]["collectives"])

    def test_every_collective_that_was_put_in_says_why(self):
        rows = json.loads(podium("explain", self.program(REPEATED), "--json").stdout)["explained"]
        reasons = {row["op"]: row["because"] for row in rows}
        self.assertEqual(reasons["all_reduce"].split(" as ")[0],
                         "the contracting dimension 1 of operand 0 of dot_general at layer is sharded over x, "
                         "and its result is wanted whole")
        self.assertEqual(reasons["all_gather"],
                         "the result of dot_general at layer lies [{}, {x}] and is wanted whole as a result of @main")
        self.assertEqual(reasons["all_to_all"],
                         "an argument of @main lies [{x}, {}] and is wanted [{}, {x}] as operand 1 of dot_general "
                         "at layer, whose result is to lie [{}, {x}]")
        self.assertNotIn("because", podium("explain", GATHERED).stdout)
        for program in sorted(PROGRAMS.glob("*.small.mlir")):
            for row in json.loads(podium("explain", program, "--json").stdout)["program"]["collectives"]:
                # What the user wrote may have one for what has been made of it.
                self.assertTrue(row["because"] or not row["inserted"], (program, row))

    def test_what_is_not_kept_to_is_told_and_fails(self):
        done = podium("explain", LAYERS, "--expect", "all_gather<=3,all_to_all==0", "--expect", "step<=1ms", status=1)
        self.assertIn("podium: expected all_gather<=3: all_gather is 4, 1 more\n", done.stderr)
        self.assertRegex(done.stderr, r"podium: expected step<=1ms: step is [0-9.]+ ms, [0-9.]+ ms more \(\+")
        self.assertIn("expected all_to_all==0: is 0\n", done.stdout)
        quiet = podium("explain", LAYERS, "-q", "--expect", "all_gather<=3,all_to_all==0", status=1)
        self.assertEqual((quiet.stdout, len(quiet.stderr.splitlines())), ("", 1))
        report = json.loads(podium("explain", LAYERS, "--json", "--expect", "all_gather<=3,all_to_all==0",
                                   status=1).stdout)
        self.assertEqual([(one["expected"], one["ok"]) for one in report["expectations"]],
                         [("all_gather<=3", False), ("all_to_all==0", True)])
        podium("explain", LAYERS, "--expect", "all_gather==4, collectives==4,peak_hbm<=16GiB,exposed<=5ms")

    def test_what_cannot_be_expected_is_a_usage_error(self):
        for value, message in (("all_gathr<=2", "did you mean all_gather?"), ("step<=3", "a time with its unit"),
                               ("", "something is to be expected"), ("x" * 5000, "too long")):
            self.assertIn(message, podium("explain", LAYERS, "--expect", value, status=2).stderr)

    def test_times_that_depend_on_values_are_not_known_and_hold_nothing(self):
        program = self.program(UNKNOWN)
        done = podium("explain", program, "--expect", "step<=1s,collectives==0", status=1)
        self.assertIn("no times: ", done.stdout)
        self.assertRegex(done.stderr, r"expected step<=1s: step is not known: .*while")
        self.assertIn("expected collectives==0: is 0", done.stdout)
        self.assertIsNone(json.loads(podium("explain", program, "--json").stdout)["measures"]["step"])
        podium("explain", program, "--turns", "3", "--expect", "step<=1s")

    def test_what_is_gathered_for_an_operation_that_needs_all_of_it_says_so(self):
        program = self.program("""module @draw {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%s: tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8x8xui32> {
    %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x8xui32>)
    return %1 : tensor<8x8xui32>
  }
}
""")
        self.assertIn("an argument of @main lies [{x}] and is wanted whole as operand 0 of rng_bit_generator at ",
                      podium("explain", program).stdout)

    def test_another_sharding_that_would_save_time_is_told_with_what_it_changes(self):
        text = podium("explain", LAYERS, "--what-if").stdout
        self.assertRegex(text, r"(?m)^what if: of 13 other shardings of one argument, result or value within 1 would save more than 1 %")
        self.assertIn("\n  do not shard arg1 over x: P()\n    -9 % step time, -1 all_gather, +19 % HBM\n", text)
        report = json.loads(podium("explain", LAYERS, "--what-if", "--json").stdout)
        self.assertEqual([(change["name"], change["sharding"]) for change in report["what_if"]], [("arg1", "P()")])
        by_hand = json.loads(podium("explain", LAYERS, "--in-sharding", "arg1=P()", "--json").stdout)
        self.assertEqual(report["what_if"][0]["measures"], by_hand["measures"])
        # What else is asked of the compiler holds for what is tried.
        donated = json.loads(podium("explain", LAYERS, "--what-if", "--donate", "all", "--json").stdout)
        by_hand = json.loads(podium("explain", LAYERS, "--in-sharding", "arg1=P()", "--donate", "all", "--json").stdout)
        self.assertEqual(donated["what_if"][0]["measures"], by_hand["measures"])
        self.assertLess(by_hand["measures"]["peak_hbm"], report["what_if"][0]["measures"]["peak_hbm"])
        # One that has it already has nothing to gain; nor has a program without a mesh.
        text = podium("explain", LAYERS, "--in-sharding", "arg1=P()", "--what-if").stdout
        self.assertIn("none would save 1 % of the step\n", text)
        self.assertIn("what if: of 0 other", podium("explain", self.program(UNKNOWN), "--turns", "3", "--what-if").stdout)

    def test_a_constraint_within_that_costs_time_is_told_with_its_line(self):
        program = self.program(CONSTRAINED)
        text = podium("explain", program, "--what-if").stdout
        line = f"{program}:5:10"
        self.assertRegex(text, r"what if: of 13 other shardings of one argument, result or value within 9 would save")
        self.assertIn(f"\n  without the constraint at {line}: P(?, ?)\n    -55 % step time, -2 all_to_all, -11 % HBM\n", text)
        self.assertIn(f"\n  shard the constrained value at {line} over x in dimension 0 instead of 1: P(\"x\")\n", text)
        # One where there is none; what the same line makes again is changed together.
        changes = json.loads(podium("explain", self.program(UNCONSTRAINED), "--what-if", "--json").stdout)["what_if"]
        within = [change for change in changes if change["name"].startswith("the result of ")]
        self.assertRegex(within[0]["change"], r'^shard the result of dot_general at .*:4:10 over x in dimension .: P\(')

    def test_arguments_are_donated_from_the_command_line(self):
        update = self.program("""func.func @main(%c: tensor<64x1024xf32>, %u: tensor<1x1024xf32>, %i: tensor<i32>) -> tensor<64x1024xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.dynamic_update_slice %c, %u, %i, %0 : (tensor<64x1024xf32>, tensor<1x1024xf32>, tensor<i32>, tensor<i32>) -> tensor<64x1024xf32>
  return %1 : tensor<64x1024xf32>
}
""")
        for names in (["c"], ["0"], ["all"], ["u", "c"]):
            given = [word for name in names for word in ("--donate", name)]
            self.assertIn("of which 256.0 KiB in donated arguments", podium("explain", update, *given).stdout)
            values = re.search(r"(?m)^result0 = .*", podium("run", update, *given).stdout)[0]
            self.assertEqual(values, re.search(r"(?m)^result0 = .*", podium("run", update).stdout)[0])
        self.assertIn("there is no argument 'z', which is to be donated: the program has 3 (c, u, i)",
                      podium("explain", update, "--donate", "z", status=3).stderr)
        for names in ([""], ["c,"], ["all,0"], ["all", "0"]):
            given = [word for name in names for word in ("--donate", name)]
            self.assertIn("--donate takes arguments by name or number, such as cache,3, or all alone, got "
                          f"'{','.join(names)}'", podium("explain", update, *given, status=2).stderr)

    def test_replicated_arguments_are_named(self):
        text = REPEATED.replace('%w: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}',
                                '%w: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}')
        self.assertIn("replicated: 1 of 2 arguments, 256.0 KiB on every chip\n",
                      podium("explain", self.program(text)).stdout)
        report = json.loads(podium("explain", self.program(text), "--json").stdout)
        self.assertEqual(report["replicated"], ["w"])

    def test_a_difference_stands_beside_both(self):
        text = podium("diff", GATHERED, OVERLAPPED).stdout
        self.assertRegex(text, r"(?m)^  all_gather +1 +0  -100\.0 %$")
        self.assertRegex(text, r"(?m)^  collective_permute +0 +3  new$")
        report = json.loads(podium("diff", GATHERED, OVERLAPPED, "--json").stdout)
        for key, program in (("a", GATHERED), ("b", OVERLAPPED)):
            self.assertEqual(report[key], json.loads(podium("explain", program, "--json").stdout)["measures"])
        same = podium("diff", GATHERED, GATHERED).stdout
        self.assertNotIn("%", same)

    def test_programs_of_other_numbers_of_chips_are_compared_on_one_pod(self):
        larger = PROGRAMS / "all_gather.2x4.mlir"
        for pair in ((GATHERED, larger), (larger, GATHERED)):
            self.assertRegex(podium("diff", *pair).stdout, r"(?m)^  step +[0-9.]+ us +[0-9.]+ us  [+-]")

    def test_a_difference_needs_two_programs(self):
        self.assertIn("two programs are compared", podium("diff", GATHERED, status=2).stderr)
        self.assertIn("one program at a time", podium("diff", GATHERED, GATHERED, GATHERED, status=2).stderr)
        self.assertIn("NOT_FOUND", podium("diff", GATHERED, "/nowhere.mlir", status=3).stderr)

    def test_the_program_that_fails_is_named(self):
        large = self.program("""func.func @main(%x: tensor<65536x65536xf32>) -> tensor<65536x65536xf32> {
  %0 = stablehlo.add %x, %x : tensor<65536x65536xf32>
  return %0 : tensor<65536x65536xf32>
}
""")
        for pair in ((GATHERED, large), (large, GATHERED)):
            self.assertIn(f"RESOURCE_EXHAUSTED: {large}: Ran out of memory", podium("diff", *pair, status=3).stderr)
        (wrong := self.folder / "wrong.mlir").write_text("func.func @main() {\n  nothing\n}\n")
        self.assertIn(f"INVALID_ARGUMENT: {wrong}:2:", podium("diff", GATHERED, wrong, status=3).stderr)

    def test_one_chip_is_one(self):
        program = self.program("""func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
""")
        self.assertIn("program main on 1 chip\n", podium("explain", program).stdout)
        self.assertIn("program main on 1 chip, after", podium("explain", program, "--shardings").stdout)
        self.assertIn("pod of 1 v5e chip, ", podium("run", program).stderr)

    def test_what_is_computed_again_is_told_with_its_time(self):
        text = (PROGRAMS.parent / "golden/passes/remat_chain.mlir").read_text()
        self.assertRegex(podium("explain", self.program(text.split("// -----")[0])).stdout,
                         r"(?m)HBM than there is: 1 result is computed again where it is read late, [0-9.]+ ms of kernels$")

    def test_every_value_says_how_it_lies(self):
        text = podium("explain", self.program(REPEATED), "--shardings").stdout
        self.assertRegex(text, r'(?m)^  x +argument +f32\[64,256\] +P\(None, "x"\) +f32\[64,64\]$')
        self.assertRegex(text, r'(?m)^  %1 +dot_general +f32\[64,256\] +P\(None, "x"\) +f32\[64,64\] +layer$')
        self.assertNotIn("collectives", text)
        values = json.loads(podium("explain", self.program(REPEATED), "--shardings", "--json").stdout)["values"]
        self.assertEqual([value["op"] for value in values], ["argument"] * 2 + ["dot_general"] * 8 + ["result"])
        self.assertEqual(values[0], {"name": "x", "op": "argument", "source": "", "shape": "f32[64,256]",
                                     "sharding": 'P(None, "x")', "local_shape": "f32[64,64]"})

    def test_the_program_is_shown_after_any_pass(self):
        after = {name: podium("explain", self.program(REPEATED), "--after", name).stdout
                 for name in ("parse", "inline", "propagate", "partition", "simplify", "fit")}
        self.assertNotIn("sdy.sharding_per_value", after["inline"])
        self.assertIn("sdy.sharding_per_value<[<@mesh, [{?}, {\"x\", ?}]>]>", after["propagate"])
        self.assertIn("all_gather", after["partition"])
        self.assertIn("tensor<64x64xf32>", after["partition"])
        self.assertIn("propagate, partition", podium("explain", LAYERS, "--after", "nothing", status=3).stderr)
        # What is asked for changes nothing of what is compiled.
        asked = json.loads(podium("explain", self.program(REPEATED), "--after", "propagate", "--json").stdout)
        self.assertEqual(asked["after_text"], after["propagate"])
        self.assertEqual(asked["measures"],
                         json.loads(podium("explain", self.program(REPEATED), "--json").stdout)["measures"])

    def test_shardings_from_outside_make_a_program_sharded(self):
        plain = self.program(re.sub(r" {sdy.sharding[^}]*}[^}]*}\]>}", "", REPEATED).replace(
            '  sdy.mesh @mesh = <["x"=4]>\n', ""))
        self.assertNotIn("sdy", plain.read_text())
        given = ("--mesh", "x=4", "--in-sharding", 'x=P(None, "x")', "--in-sharding", "1=P('x', None)",
                 "--out-sharding", "0=P()")
        report = json.loads(podium("explain", plain, *given, "--json").stdout)
        inside = json.loads(podium("explain", self.program(REPEATED), "--out-sharding", "0=P()", "--json").stdout)
        self.assertEqual(report["measures"], inside["measures"])
        for command in ("run", "simulate", "compile"):
            signature = json.loads(podium(command, plain, *given, "--json").stdout)["program"]["arguments"]
            self.assertEqual([one["sharding"] for one in signature], ["[{}, {x}]", "[{x}, {}]"])
        self.assertIn('argument x of f32[64,256] cannot lie P("q"): the mesh [x=4] has no axis "q"',
                      podium("explain", plain, "--mesh", "x=4", "--in-sharding", 'x=P("q")', status=3).stderr)
        self.assertIn("takes NAME=SPEC", podium("explain", plain, "--in-sharding", "x", status=2).stderr)

    def test_shardings_spread_as_shardy_has_it_where_that_is_asked_for(self):
        # A constraint that is closed says there how its operand lies.
        program = self.program("""module @m {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = stablehlo.add %a, %a : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
""")
        for words, lies in (((), 'P("x", "y")'), (("--propagation", "shardy"), 'P(None, "y")')):
            text = podium("explain", program, "--shardings", *words).stdout
            self.assertRegex(text, r"%0 +add +f32\[8,8\] +" + re.escape(lies))
        self.assertIn("'gspmd' is no way to propagate shardings",
                      podium("explain", program, "--propagation", "gspmd", status=3).stderr)

    def test_what_is_given_from_outside_wins_and_a_note_says_so(self):
        text = podium("explain", self.program(REPEATED), "--in-sharding", 'x=P("x")').stdout
        self.assertIn('note: argument x lies P("x"), as is given from outside; the module says @mesh, [{}, {"x"}]\n', text)
        text = podium("explain", self.program(REPEATED), "--mesh", "x=8").stdout
        self.assertIn("on 8 chips", text)
        self.assertIn("note: the mesh is [x=8], as is given from outside; the module's @mesh is [x=4]\n", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
