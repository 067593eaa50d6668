#!/usr/bin/python3
"""What `podium run` and `podium simulate` tell of time: the text, the Chrome trace, the xplane files.

Usage: profile_test.py BIN PROGRAMS [unittest arguments]. The xplane file is read with Google's protobuf library from a
description of the format that is written here, not with Podium's own.
"""
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

BIN = pathlib.Path(sys.argv[1])
PROGRAMS = pathlib.Path(sys.argv[2])
WAIT_S = 120

# An all-reduce over 256 chips, as JAX exports it.
POD = """module @jit_f attributes {mhlo.num_partitions = 256 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=16, "y"=16]>
  func.func public @main(%a: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
      %b: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
    return %0 : tensor<4096x4096xbf16>
  }
}
"""


def podium(*args, status=0):
    done = subprocess.run([BIN / "podium", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=WAIT_S)
    if done.returncode != status:
        raise AssertionError(f"podium {args} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def profile_lines(text):
    """The profile alone, without what was measured here."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("profile of "))
    return [line for line in lines[first:] if not line.startswith("  host ")]


def step_us(text):
    value, unit = re.search(r"^  step +([0-9.]+) (ps|ns|us|ms|s) ", text, re.M).groups()
    return float(value) * {"ps": 1e-6, "ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[unit]


def load_trace(path):
    # Times as they are written: decimals, exactly.
    return json.loads(pathlib.Path(path).read_text(), parse_float=Fraction, parse_int=Fraction)


def slices_of(trace):
    threads = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append(event)
    return threads


# Name: {field: (number, type or message, repeated)}; the published xplane.proto.
XPLANE = {
    "XStat": {"metadata_id": (1, "int64"), "double_value": (2, "double"), "uint64_value": (3, "uint64"),
              "int64_value": (4, "int64"), "str_value": (5, "string"), "bytes_value": (6, "bytes"),
              "ref_value": (7, "uint64")},
    "XStatMetadata": {"id": (1, "int64"), "name": (2, "string"), "description": (3, "string")},
    "XEventMetadata": {"id": (1, "int64"), "name": (2, "string"), "metadata": (3, "bytes"),
                       "display_name": (4, "string"), "stats": (5, "XStat", True), "child_id": (6, "int64", True)},
    "XEvent": {"metadata_id": (1, "int64"), "offset_ps": (2, "int64"), "duration_ps": (3, "int64"),
               "stats": (4, "XStat", True), "num_occurrences": (5, "int64")},
    "XLine": {"id": (1, "int64"), "name": (2, "string"), "timestamp_ns": (3, "int64"), "events": (4, "XEvent", True),
              "duration_ps": (9, "int64"), "display_id": (10, "int64"), "display_name": (11, "string")},
    "EventEntry": {"key": (1, "int64"), "value": (2, "XEventMetadata")},
    "StatEntry": {"key": (1, "int64"), "value": (2, "XStatMetadata")},
    "XPlane": {"id": (1, "int64"), "name": (2, "string"), "lines": (3, "XLine", True),
               "event_metadata": (4, "EventEntry", True), "stat_metadata": (5, "StatEntry", True),
               "stats": (6, "XStat", True)},
    "XSpace": {"planes": (1, "XPlane", True), "errors": (2, "string", True), "warnings": (3, "string", True),
               "hostnames": (4, "string", True)},
}


def xspace_class():
    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="x.proto", package="x", syntax="proto2")
    for name, fields in XPLANE.items():
        message = file.message_type.add(name=name)
        for field, (number, kind, *repeated) in fields.items():
            entry = message.field.add(name=field, number=number,
                                      label=field_type.LABEL_REPEATED if repeated else field_type.LABEL_OPTIONAL)
            if kind in XPLANE:
                entry.type, entry.type_name = field_type.TYPE_MESSAGE, f".x.{kind}"
            else:
                entry.type = getattr(field_type, f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("x.XSpace"))


class ProfileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def test_running_and_simulating_print_the_same_profile_and_the_same_trace(self):
        for name in ("square_matmul.2x2.small", "collective_matmul.2x2.small", "moe_all_to_all.2x2.small"):
            with self.subTest(name):
                program = PROGRAMS / f"{name}.mlir"
                ran = podium("run", program, "--profile", self.path("ran.json"), "--host-profile", self.path("host.json"))
                simulated = podium("run", "--time-only", program, "--profile", self.path("simulated.json"))
                self.assertEqual(profile_lines(ran), profile_lines(simulated))
                self.assertEqual(profile_lines(simulated), profile_lines(podium("simulate", program)))
                # What was measured is not on the axis of what is predicted.
                self.assertEqual(load_trace(self.path("ran.json")), load_trace(self.path("simulated.json")))
                self.check_host_trace(load_trace(self.path("host.json")))

    def check_host_trace(self, trace):
        processes = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"]
        self.assertEqual(processes, [f"chip {chip}: measured on its host" for chip in range(4)])
        self.assertEqual(len(slices_of(trace)), 4)
        self.assertTrue(all(event["cat"] == "host" for event in trace["traceEvents"] if event["ph"] == "X"))

    def test_what_is_only_simulated_has_no_measured_trace(self):
        refused = podium("run", "--time-only", PROGRAMS / "psum.2x2.small.mlir", "--host-profile", self.path("h.json"),
                         status=2)
        self.assertIn("--time-only measures nothing", refused)

    def test_counters_follow_the_memory_and_the_links(self):
        program = PROGRAMS / "matmul_allgather_overlapped_bidi.4.mlir"
        text = podium("simulate", program, "--topology", "2x2", "--profile", self.path("counted.json"))
        trace = load_trace(self.path("counted.json"))
        counters = collections.defaultdict(list)
        for event in trace["traceEvents"]:
            if event["ph"] == "C":
                counters[event["name"], event["pid"]].append((event["ts"], *event["args"].values()))
        self.assertEqual({name for name, _ in counters}, {"HBM in use", "links busy"})
        self.assertEqual(len(counters), 8)  # Two of each of four classes.
        mebibyte = 1 << 20
        peak, arguments, results, temporaries = (
            float(re.search(pattern, text).group(1)) * mebibyte for pattern in
            (r"HBM per chip: ([0-9.]+) MiB", r"arguments ([0-9.]+) MiB", r"results ([0-9.]+) MiB",
             r"temporaries ([0-9.]+) MiB"))
        self.assertGreater(temporaries, 0)
        for (name, process), points in counters.items():
            self.assertEqual(points, sorted(points, key=lambda point: point[0]))
            values = [value for _, value in points]
            if name == "HBM in use":
                self.assertAlmostEqual(max(values), peak, delta=mebibyte)
                self.assertGreaterEqual(min(values), arguments + results)
                self.assertLess(min(values), peak)
            else:
                self.assertLessEqual(max(values), 4)
                self.assertEqual((min(values), values[-1]), (0, 0))
                busy_us = sum(end - start for (start, value), (end, _) in zip(points, points[1:]) if value > 0)
                engine = re.search(r"^  ICI +\S+ +([0-9.]+) us", text, re.M).group(1)
                if process == 1:
                    self.assertAlmostEqual(float(busy_us), float(engine), delta=0.02 * float(engine))

    def test_slices_bear_the_name_of_their_operation(self):
        podium("simulate", PROGRAMS / "matmul_allgather_overlapped_bidi.4.mlir", "--profile", self.path("named.json"))
        names = {event["name"] for events in slices_of(load_trace(self.path("named.json"))).values() for event in events}
        self.assertIn("fusion.7 dot_general", names)
        self.assertTrue(all(re.search(r"dot_general|collective_permute|slice|copy|prefetch_(start|done)\.\d+ add$", name) for name in names), names)

    def check_page(self, *args):
        lines = profile_lines(podium("simulate", *args))
        for line in lines:
            self.assertLessEqual(len(line), 100, line)
            self.assertNotIn("\033", line)
        self.assertLessEqual(len(lines), 120)
        return lines

    def test_a_profile_fits_the_page_and_has_no_colours_in_a_file(self):
        self.check_page(PROGRAMS / "moe_all_to_all.2x4.mlir")
        lines = self.check_page(PROGRAMS / "matmul_allgather_overlapped_bidi.4.mlir", "--topology", "2x2")
        self.assertTrue(any("[   0]" in line and "*" in line for line in lines))  # The busiest link.

    def test_large_tori_are_drawn_compactly_and_what_is_alike_once(self):
        self.path("pod.mlir").write_text(POD)
        flat = self.check_page(self.path("pod.mlir"))
        self.assertIn("links, busy in tenths of the step per direction", flat)
        self.assertTrue(any("more rows like it" in line for line in flat))
        # In three dimensions, detailed and compact, with chips that differ.
        self.path("small.mlir").write_text(POD.replace("256", "32").replace('"x"=16, "y"=16', '"x"=8, "y"=4'))
        solid = self.check_page(self.path("small.mlir"), "--chip", "v5p", "--topology", "4x4x2")
        self.assertTrue(any(line.startswith("  z = 1; links along z up to") for line in solid))
        self.path("large.mlir").write_text(POD.replace("256", "4096").replace('"x"=16, "y"=16', '"x"=256, "y"=16'))
        solid = self.check_page(self.path("large.mlir"), "--chip", "v4", "--topology", "16x16x16", "--slow", "chip=99:2")
        self.assertTrue(any("more planes that differ" in line for line in solid))

    def test_slices_nest_and_flows_lead_from_messages_to_those_who_wait(self):
        for name in ("collective_matmul.2x4", "matmul_allgather_overlapped_bidi.4", "psum.2x4"):
            with self.subTest(name):
                podium("simulate", PROGRAMS / f"{name}.mlir", "--profile", self.path("trace.json"))
                self.check_trace(load_trace(self.path("trace.json")))

    def check_trace(self, trace):
        self.assertEqual(trace["otherData"]["events_left_out"], 0)
        threads = slices_of(trace)
        for events in threads.values():
            open_until = []
            for event in events:
                start, end = event["ts"], event["ts"] + event["dur"]
                while open_until and open_until[-1] <= start:
                    open_until.pop()
                if open_until:
                    self.assertLessEqual(end, open_until[-1], event)
                open_until.append(end)
        starts = {event["id"]: event for event in trace["traceEvents"] if event["ph"] == "s"}
        ends = {event["id"]: event for event in trace["traceEvents"] if event["ph"] == "f"}
        self.assertGreater(len(starts), 0)
        self.assertEqual(starts.keys(), ends.keys())
        for flow, start in starts.items():
            self.assertLessEqual(start["ts"], ends[flow]["ts"])
            for end in (start, ends[flow]):
                self.assertTrue(any(event["ts"] <= end["ts"] <= event["ts"] + event["dur"]
                                    for event in threads[end["pid"], end["tid"]]), end)
        messages = [event for events in threads.values() for event in events if event["cat"] == "ICI"]
        self.assertGreaterEqual(len(messages), len(starts))
        products = [event for events in threads.values() for event in events if event.get("args", {}).get("flops")]
        self.assertTrue(all(event["args"]["hbm_read_bytes"] > 0 for event in products))
        named = {event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
        self.assertLessEqual({"core", "link +x"}, named)

    def test_the_xplane_file_is_what_the_profile_pages_read(self):
        folder = self.path("logs")
        trace = self.path("same.json")
        podium("simulate", PROGRAMS / "square_matmul.2x2.mlir", "--xplane", folder, "--profile", trace)
        (run,) = (folder / "plugins" / "profile").iterdir()
        (protobuf,), (zipped,) = run.glob("*.xplane.pb"), run.glob("*.trace.json.gz")
        self.assertEqual(gzip.decompress(zipped.read_bytes()), trace.read_bytes())
        space = xspace_class()()
        space.ParseFromString(protobuf.read_bytes())
        self.assertEqual(len(space.hostnames), 1)
        threads = slices_of(load_trace(trace))
        for plane in space.planes:
            self.check_plane(plane, threads)
            self.check_counters(plane, load_trace(trace))
        self.assertEqual(space.planes[0].name, "/device:TPU:0")

    def check_counters(self, plane, trace):
        """The line of counters has the points of the trace."""
        names = {entry.key: entry.value.name for entry in plane.event_metadata}
        (line,) = (line for line in plane.lines if line.name == "_counters_")
        self.assertTrue(all(event.duration_ps == 0 for event in line.events))
        found = sorted((names[event.metadata_id], event.offset_ps, event.stats[0].uint64_value) for event in line.events)
        expected = sorted((event["name"], event["ts"] * 10**6, *event["args"].values())
                          for event in trace["traceEvents"] if event["ph"] == "C" and event["pid"] == plane.id + 1)
        self.assertEqual(found, expected)
        self.assertEqual({name for name, _, _ in found}, {"HBM in use", "links busy"})

    def check_plane(self, plane, threads):
        self.assertEqual(plane.name, f"/device:TPU:{plane.id}")
        stat_names = {entry.key: entry.value.name for entry in plane.stat_metadata}
        events = {entry.key: entry.value for entry in plane.event_metadata}
        self.assertTrue(all(entry.key == entry.value.id for entry in plane.event_metadata))

        def values(stats):
            return {stat_names[stat.metadata_id]: stat.ListFields()[-1][1] for stat in stats}
        own = values(plane.stats)
        self.assertEqual(own["device_type_string"], "TPU v5 lite")
        self.assertAlmostEqual(own["peak_teraflops_per_second"], 197)
        self.assertGreater(own["peak_hbm_bw_gigabytes_per_second"], 800)
        lines = {line.name: line for line in plane.lines}
        self.assertLessEqual({"Steps", "XLA Modules", "XLA Ops", "Async XLA Ops"}, lines.keys())
        step, module = lines["Steps"].events[0], lines["XLA Modules"].events[0]
        self.assertEqual(events[step.metadata_id].name, "0")
        self.assertEqual(values(events[module.metadata_id].stats)["program_id"], 1)
        operations = lines["XLA Ops"].events
        core = threads[plane.id + 1, 1]
        self.assertEqual([(event.offset_ps, event.duration_ps) for event in operations],
                         [(event["ts"] * 10**6, event["dur"] * 10**6) for event in core])
        categories = set()
        for event in operations:
            self.assertEqual(values(event.stats)["group_id"], 0)
            stats = values(events[event.metadata_id].stats)
            self.assertEqual(stats["program_id"], 1)
            self.assertGreater(stats["symbol_id"], 0)
            self.assertLessEqual({"tf_op", "flops", "bytes_accessed", "shape_with_layout"}, stats.keys())
            self.assertLessEqual(event.offset_ps + event.duration_ps, step.duration_ps)
            categories.add(stats["hlo_category"])
        self.assertTrue(categories & {"convolution", "convolution fusion"}, categories)

    def test_hfu_counts_what_is_executed_and_mfu_what_the_model_needs(self):
        program = PROGRAMS / "square_matmul.2x2.mlir"
        text = podium("simulate", program)
        self.assertRegex(text, r"(?m)^  step .* HFU \d+\.\d%: ")
        self.assertRegex(text, r"(?m)^  HFU .* MFU: --model-flop$")
        self.assertNotRegex(text, r"MFU \d")
        # Half of what is executed.
        executed = 8 * 2048 * 8192 * 2
        text = podium("simulate", program, "--model-flop", executed / 2)
        hfu, mfu = (float(re.search(rf"{name} (\d+\.\d)%", text).group(1)) for name in ("HFU", "MFU"))
        self.assertGreater(hfu, 1)
        self.assertAlmostEqual(mfu, hfu / 2, delta=0.1)
        for value in ("0", "1e400"):
            self.assertIn("--model-flop takes a number", podium("simulate", program, "--model-flop", value, status=2))

    def test_sums_by_operation_and_source_are_of_all_tasks(self):
        lines = profile_lines(podium("simulate", PROGRAMS / "matmul_allgather_overlapped_bidi.4.mlir"))
        start = next(i for i, line in enumerate(lines) if line.startswith("  by operation"))
        rows = {line.split()[0]: line.split()[1:] for line in lines[start + 1:start + 4]}
        self.assertEqual(rows["dot_general"][0], "8")
        self.assertEqual(rows["collective_permute"][0], "12")  # Starts and ends of six.
        self.assertTrue(any(line.startswith("  by source line") for line in lines))
        self.assertTrue(any("fusion.7 dot_general" in line for line in lines))

    def test_devices_in_ring_order_are_as_fast_as_a_program_written_for_it(self):
        rows, ring = (PROGRAMS / f"matmul_allgather_overlapped_bidi.{name}.mlir" for name in ("4", "4ring"))
        ordered = step_us(podium("simulate", rows, "--topology", "2x2", "--device-order", "0,1,3,2"))
        self.assertLess(ordered, 0.8 * step_us(podium("simulate", rows, "--topology", "2x2")))
        self.assertAlmostEqual(ordered, step_us(podium("simulate", ring, "--topology", "2x2")), delta=0.01 * ordered)

    def test_the_order_of_the_devices_does_not_change_values(self):
        for name in ("matmul_allgather_overlapped_bidi.4.small", "all_gather.2x2.small", "moe_all_to_all.2x2.small",
                     "collective_matmul.2x4.small", "matmul_allgather.4ring.small"):
            with self.subTest(name):
                program, expected = PROGRAMS / f"{name}.mlir", self.path("expected.npy")
                podium("run", program, "-q", "-o", f"0={expected}")
                order = "7,5,1,3,0,2,6,4" if "2x4" in name else "2,0,1,3"
                podium("run", program, "-q", "--device-order", order, "--expect", f"0={expected}", "--tolerance", "0")
        program = PROGRAMS / "all_gather.2x2.small.mlir"
        self.assertIn("the order has 3 chips, the program's mesh @mesh has 4 devices", podium("run", program, "--device-order", "0,1,2", status=3))
        self.assertIn("names chip 2 twice", podium("simulate", program, "--device-order", "0,1,2,2", status=3))
        self.assertIn("--device-order takes", podium("simulate", program, "--device-order", "0,1,x", status=2))

    def test_a_program_runs_on_the_chips_that_are_named(self):
        alone = PROGRAMS / "sin.1.small.mlir"
        self.assertIn("on 1 of 4 v5e chips, 2x2", podium("run", alone, "--device-order", "3"))
        self.assertIn("names chip 3, the pod has the chips 0 to 0",
                      podium("run", alone, "--topology", "1x1", "--device-order", "3", status=3))
        self.assertIn("has 2 chips, the program", podium("simulate", alone, "--device-order", "3,1", status=3))
        # A block of a larger pod is a pod of its size; idle chips are not in the figures per chip.
        four = PROGRAMS / "matmul_allgather.4.mlir"
        def told(*args):
            return json.loads(podium("simulate", four, "--json", *args))["profile"]
        whole, part = told("--topology", "2x2"), told("--topology", "4x4", "--device-order", "5,6,9,10")
        self.assertEqual((part["chips"], part["chips_running"], whole["chips_running"]), (16, 4, 4))
        for key in ("step_ps", "hfu", "flop_per_chip", "hbm_traffic_bytes_per_chip"):
            self.assertEqual(whole[key], part[key], key)

    def test_a_straggler_and_a_slow_link_show(self):
        program = PROGRAMS / "matmul_both_contracting_sharded.2x4.mlir"
        plain = podium("simulate", program)
        slow_chip = podium("simulate", program, "--slow", "chip=3:8")
        slow_links = [podium("simulate", program, "--slow-link", f"(0,0)-({to}):0.1") for to in ("1,0", "0,1")]
        self.assertGreater(step_us(slow_chip), step_us(plain))
        # The collectives use one axis of the torus.
        self.assertGreater(max(map(step_us, slow_links)), step_us(plain))
        self.assertIn("classes of chips", slow_chip)
        self.assertIn("no link is between", podium("simulate", program, "--slow-link", "(0,0)-(1,1):2", status=3))
        self.assertIn("no chip 9", podium("simulate", program, "--slow", "chip=9:2", status=3))
        # Also of what has run.
        ran = podium("run", program, "--slow", "chip=3:8")
        self.assertEqual(profile_lines(ran), profile_lines(slow_chip))

    def test_a_slow_link_is_in_the_slice_that_is_named(self):
        def ends(place):
            text = podium("simulate", PROGRAMS / "matmul_allgather.4.mlir", "--topology", "2*2x1", "--json", "--slow-link", place)
            return [of_class["end_ps"] for of_class in json.loads(text)["profile"]["classes"]]
        first, second = ends("(0,0)-(1,0):0.01"), ends("slice=1:(0,0)-(1,0):0.01")
        # Chips 2 and 3 are to the second slice what 0 and 1 are to the first.
        self.assertGreater(first[0], first[2])
        self.assertEqual(second, first[2:] + first[:2])
        self.assertEqual(first, ends("slice=0:(0,0)-(1,0):0.01"))

    def test_a_pod_that_is_not_there_is_simulated_by_the_one_that_is(self):
        self.path("pod.mlir").write_text(POD)
        for kind in ("v5e", "v6e"):
            text = podium("simulate", self.path("pod.mlir"), "--chip", kind)
            self.assertIn(f"on 256 {kind} chips, 16x16", text)
            self.assertIn("all_reduce", text)
        self.assertIn("FAILED_PRECONDITION",
                      podium("simulate", self.path("pod.mlir"), "--topology", "4x4", status=3))

    def test_a_loop_that_depends_on_values_needs_its_turns(self):
        self.path("loop.mlir").write_text("""module @m {
  func.func public @main(%a: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.while(%x = %a) : tensor<f32>
      cond { %p = stablehlo.compare LT, %x, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %p : tensor<i1> }
      do { %y = stablehlo.add %x, %c : tensor<f32>
           stablehlo.return %y : tensor<f32> }
    return %0 : tensor<f32>
  }
}
""")
        refused = podium("simulate", self.path("loop.mlir"), status=3)
        self.assertIn("FAILED_PRECONDITION", refused)
        few = podium("simulate", self.path("loop.mlir"), "--turns", "3")
        many = podium("simulate", self.path("loop.mlir"), "--turns", "300")
        self.assertGreater(step_us(many), 10 * step_us(few))


class ExecTest(unittest.TestCase):
    """podium exec of a program without JAX (exec_program.c): a loop that turns as often as it is told, and a product on two chips."""

    TURNS = (3, 30)

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def run_program(self, *options):
        return podium("exec", "--topology", "2x1", *options, "--", BIN / "exec_program", *self.TURNS)

    def check_timeline(self, modules):
        """Modules by chip, as (name, start, duration): one after the other, and the loop's are as long as they turn."""
        self.assertEqual({chip: collections.Counter(name for name, _, _ in found) for chip, found in modules.items()},
                         {0: {"turned": 2, "halves": 2}, 1: {"halves": 2}})
        for found in modules.values():
            for (_, start, duration), (_, after, _) in zip(found, found[1:]):
                self.assertGreater(after, start + duration)
        few, many = (duration for name, _, duration in modules[0] if name == "turned")
        self.assertAlmostEqual(float(many / few), self.TURNS[1] / self.TURNS[0], delta=2)
        starts = {chip: [start for name, start, _ in found if name == "halves"] for chip, found in modules.items()}
        self.assertEqual(starts[0], starts[1])

    def test_executables_are_told_with_what_their_time_waited_for(self):
        text = self.run_program()
        rows = {line.split()[-1]: line.split() for line in text.splitlines()[text.splitlines().index(
            "what that time waited for, and the host for results (measured, in all):") + 2:]}
        self.assertEqual(set(rows), {"turned", "halves"})
        for name, row in rows.items():
            shares = [float(share.rstrip("%")) for share in row[:7]]
            self.assertAlmostEqual(sum(shares), 100, delta=1)
            self.assertEqual(shares[3] > 0, name == "halves")  # ICI.
            self.assertGreater(float(row[7]), 0)

    def test_the_trace_has_every_execution_where_it_ran(self):
        self.run_program("--profile", self.folder / "run.json")
        trace = load_trace(self.folder / "run.json")
        threads = {(event["pid"], event["tid"]): event["args"]["name"] for event in trace["traceEvents"]
                   if event["name"] == "thread_name"}
        modules = {}
        for (process, thread), events in slices_of(trace).items():
            if threads[process, thread] == "XLA Modules":
                modules[int(process) - 1] = [(event["name"], event["ts"], event["dur"]) for event in events]
        self.check_timeline(modules)
        self.assertEqual(trace["otherData"]["events_left_out"], 0)
        counters = {(event["name"], event["pid"]) for event in trace["traceEvents"] if event["ph"] == "C"}
        self.assertLessEqual({("HBM allocated", 1), ("HBM allocated", 2), ("HBM in use", 1)}, counters)

    def test_the_folder_is_what_the_profile_pages_read(self):
        self.run_program("--profile", self.folder / "logs")
        (run,) = (self.folder / "logs/plugins/profile").iterdir()
        (protobuf,), (zipped,) = run.glob("*.xplane.pb"), run.glob("*.trace.json.gz")
        self.assertIn("traceEvents", json.loads(gzip.decompress(zipped.read_bytes())))
        space = xspace_class()()
        space.ParseFromString(protobuf.read_bytes())
        modules = {}
        for plane in space.planes:
            names = {entry.key: entry.value.display_name for entry in plane.event_metadata}
            for line in plane.lines:
                if line.name == "XLA Modules":
                    modules[plane.id] = [(names[event.metadata_id], event.offset_ps, event.duration_ps) for event in line.events]
        self.check_timeline(modules)
        self.assertEqual([plane.name for plane in space.planes], ["/device:TPU:0", "/device:TPU:1", "/host:CPU"])

    def test_a_program_that_leaves_an_execution_behind_ends_and_has_a_profile_of_the_others(self):
        path = self.folder / "left.json"
        command = [BIN / "podium", "exec", "--topology", "2x1", "--profile", path, "--", BIN / "exec_program", "3", "leave"]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=WAIT_S,
                       check=False)
        modules = [event["name"] for events in slices_of(load_trace(path)).values() for event in events
                   if event["cat"] == "XLA Modules"]
        self.assertEqual(collections.Counter(modules), {"turned": 1, "halves": 2})

    def test_what_cannot_be_written_is_told_before_the_command_runs(self):
        taken = self.folder / "taken"
        taken.write_text("")
        for path in ("/nowhere/run.json", taken / "logs"):
            refused = podium("exec", "--profile", path, "--", "/bin/echo", "it ran", status=3)
            self.assertIn("--profile: cannot write", refused)
            self.assertNotIn("it ran", refused)

    def test_a_command_without_the_plugin_has_no_profile(self):
        told = podium("exec", "--topology", "1x1", "--profile", self.folder / "none.json", "--", "/bin/echo", "it ran", status=3)
        self.assertIn("it ran", told)
        self.assertIn("has loaded no plugin", told)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
