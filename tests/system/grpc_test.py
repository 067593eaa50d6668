#!/usr/bin/python3
"""A stock gRPC client (Debian's python3-grpcio) against a pod of real daemons.

Usage: grpc_test.py BIN PROTO [unittest arguments]. BIN has the daemons, PROTO the .proto files, from which the client's
code is generated for the test. Every call has a deadline; every process dies with the test.
"""
import collections
import ctypes
import hashlib
import itertools
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"  # Daemons are forked beside its threads, and exec at once.
import grpc
import numpy

BIN = pathlib.Path(sys.argv[1])
PROTO = pathlib.Path(sys.argv[2])
WAIT_S = 60
PROCESS_DIES_WITH_US = 1  # PR_SET_PDEATHSIG


def generate(folder):
    # Not those of gRPC itself, which would hide the package grpc.
    files = sorted(str(f.relative_to(PROTO)) for f in (PROTO / "podium").rglob("*.proto"))
    subprocess.run(["protoc", f"-I{PROTO}", f"--python_out={folder}", f"--grpc_python_out={folder}",
                    "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *files], check=True)
    sys.path.insert(0, str(folder))


def die_with_parent():
    ctypes.CDLL(None).prctl(PROCESS_DIES_WITH_US, signal.SIGKILL)


def spawn(arguments, log):
    return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_parent)


def token_of(address):
    """As `authorization`: what a coordinator of ours has left for clients of its own user."""
    name = f"token-{address.rsplit(':', 1)[1]}"
    folders = [pathlib.Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / "podium",
               pathlib.Path(f"/tmp/podium-{os.geteuid()}")]
    found = [folder / name for folder in folders if (folder / name).exists()]
    return "Bearer " + max(found, key=lambda path: path.stat().st_mtime).read_text().strip()


def by_unix(address):
    """The same server by its socket, at which the kernel says who calls."""
    return f"unix-abstract:podium-rpc/7f000001:{address.rsplit(':', 1)[1]}"


class Details(collections.namedtuple("Details", "method timeout metadata credentials wait_for_ready compression"),
              grpc.ClientCallDetails):
    pass


class WithToken(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor,
                grpc.StreamUnaryClientInterceptor, grpc.StreamStreamClientInterceptor):
    """Shows a token in every call."""

    def __init__(self, authorization):
        self.authorization = authorization

    def call(self, go_on, details, request):
        metadata = [*(details.metadata or []), ("authorization", self.authorization)]
        return go_on(Details(details.method, details.timeout, metadata, details.credentials,
                             details.wait_for_ready, details.compression), request)

    intercept_unary_unary = intercept_unary_stream = intercept_stream_unary = intercept_stream_stream = call


class Pod:
    """A 2x2 pod; its daemons' logs are shown when a test fails."""

    def __init__(self, folder, *arguments):
        self.log = open(folder / "log", "w+")
        port_file = folder / "address"
        self.processes = [spawn([BIN / "podium-coordinator", "--port-file", port_file, "--topology", "2x2",
                                 "--heartbeat-ms", "100", "--timeout-ms", "10000", *arguments], self.log)]
        deadline = time.monotonic() + WAIT_S
        while not port_file.exists():
            assert time.monotonic() < deadline and self.processes[0].poll() is None, "the coordinator did not start"
            time.sleep(0.002)
        self.address = port_file.read_text().strip()
        for _ in range(4):
            self.processes.append(spawn([BIN / "podium-worker", "--coordinator", self.address], self.log))

    def stop(self):
        """Exit statuses after SIGTERM."""
        for process in reversed(self.processes):
            process.terminate()
        try:
            return [process.wait(WAIT_S) for process in self.processes]
        except subprocess.TimeoutExpired:
            for process in self.processes:
                process.kill()
                process.wait()
            raise
        finally:
            self.log.close()


MODULE = """
module @jit_scale {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
"""
# Counts to ROUNDS on every chip.
LOOP_MODULE = """
module @jit_count {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0:2 = stablehlo.while(%i = %arg0, %n = %arg0) : tensor<4xi64>, tensor<4xi64>
     cond {
      %rounds = stablehlo.constant dense<ROUNDS> : tensor<4xi64>
      %less = stablehlo.compare  LT, %i, %rounds,  SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
      %true = stablehlo.constant dense<true> : tensor<i1>
      %all = stablehlo.reduce(%less init: %true) applies stablehlo.and across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %all : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<4xi64>
      %next = stablehlo.add %i, %one : tensor<4xi64>
      stablehlo.return %next, %n : tensor<4xi64>, tensor<4xi64>
    }
    return %0#0 : tensor<4xi64>
  }
}
"""
MODULE_OF_OPEN_SIZES = """func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.negate %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""

BAD_MODULE = """module @m {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %nothing : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""


class GrpcTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory())
                                  if hasattr(cls, "enterClassContext") else tempfile.mkdtemp())
        generate(cls.folder)
        cls.pod = Pod(cls.folder)
        cls.bare_channel = grpc.insecure_channel(cls.pod.address)
        cls.channel = grpc.intercept_channel(cls.bare_channel, WithToken(token_of(cls.pod.address)))
        from podium.v1 import podium_pb2, podium_pb2_grpc, types_pb2, worker_pb2, worker_pb2_grpc
        cls.pb, cls.types, cls.worker_pb, cls.worker_grpc = podium_pb2, types_pb2, worker_pb2, worker_pb2_grpc
        cls.stub = podium_pb2_grpc.PodiumStub(cls.channel)

    @classmethod
    def tearDownClass(cls):
        cls.bare_channel.close()
        statuses = cls.pod.stop()
        assert statuses == [0] * 5, f"exit statuses {statuses}\n{(cls.folder / 'log').read_text()}"

    def setUp(self):
        # Without a deadline: the stream is the session.
        self.stream = self.stub.OpenSession(self.pb.OpenSessionRequest(client="grpc_test", wait_for_pod=True))
        event = next(self.stream)
        self.session, self.devices = event.session, event.pod.devices
        self.addCleanup(self.stream.cancel)

    def refused(self, code, *parts):
        test = self

        class Refused:
            def __enter__(self):
                return self

            def __exit__(self, kind, error, trace):
                test.assertIsInstance(error, grpc.RpcError, "nothing was refused")
                test.assertEqual(error.code(), code, error.details())
                for part in parts:
                    test.assertIn(part, error.details())
                return True

        return Refused()

    def compile(self, text, announced=None):
        data = text.encode()
        header = self.pb.CompileRequest(session=self.session, file_name="test.mlir",
                                        size_bytes=len(data) if announced is None else announced)
        pieces = [self.pb.CompileRequest(text=data[at:at + 100]) for at in range(0, len(data), 100)]
        return self.stub.Compile(iter([header, *pieces]), timeout=WAIT_S)

    def replicated(self, count, data, piece=1 << 20):
        """Put `data`, announced as `count` bytes, on every chip."""
        yield self.pb.PutArrayRequest(session=self.session, shape=self.types.Shape(
            dtype=self.types.DTYPE_U8, dims=[count]))
        for at in range(0, len(data), piece):
            yield self.pb.PutArrayRequest(data=data[at:at + piece])

    def fetch(self, array, **options):
        messages = list(self.stub.FetchArray(self.pb.FetchArrayRequest(
            session=self.session, array=array, **options), timeout=WAIT_S))
        return messages[0], b"".join(message.data for message in messages[1:])

    def hbm_used(self):
        used = []
        for device in self.devices:
            with grpc.insecure_channel(by_unix(device.address)) as channel:
                status = self.worker_grpc.WorkerStub(channel).GetStatus(self.worker_pb.GetStatusRequest(), timeout=WAIT_S)
                used.append(status.hbm_used_bytes)
        return used

    def wait_empty(self):
        deadline = time.monotonic() + WAIT_S
        while any(self.hbm_used()):
            self.assertLess(time.monotonic(), deadline, self.hbm_used())

    def test_devices_are_named_as_jax_prints_them(self):
        pod = self.stub.GetPod(self.pb.GetPodRequest(), timeout=WAIT_S)
        self.assertTrue(pod.ready)
        self.assertEqual([device.name for device in pod.devices],
                         [f"TpuDevice(id={i}, process_index=0, coords=({i % 2},{i // 2},0), core_on_chip=0)"
                          for i in range(4)])
        self.assertEqual({device.state for device in pod.devices}, {"ready"})

    def test_a_program_runs_and_leaves_a_profile_of_each_chip(self):
        compiled = self.compile(MODULE)
        self.assertEqual([c.op for c in compiled.collectives], ["all_reduce"])
        self.assertIn("stablehlo.all_reduce", compiled.partitioned_text)
        values = numpy.arange(128, dtype=numpy.float32).reshape(16, 8)
        header = self.pb.PutArrayRequest(session=self.session, executable=compiled.executable, argument=0)
        array = self.stub.PutArray(iter([header, self.pb.PutArrayRequest(data=values.tobytes())]), timeout=WAIT_S).array
        self.assertEqual(self.fetch(array)[1], values.tobytes())
        trace = [("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")]
        done = self.stub.Execute(self.pb.ExecuteRequest(session=self.session, executable=compiled.executable,
                                                        arguments=[array]), timeout=WAIT_S, metadata=trace)
        first, data = self.fetch(done.results[0])
        self.assertEqual(list(first.shape.dims), [8])
        numpy.testing.assert_array_equal(numpy.frombuffer(data, numpy.float32), values.sum(axis=0))
        profile = list(self.stub.GetProfile(self.pb.GetProfileRequest(session=self.session, execution=done.execution),
                                            timeout=WAIT_S))
        header = profile[0].header
        self.assertEqual((header.chip_kind, list(header.topology), header.chip_count), ("v5e", [2, 2, 1], 4))
        self.assertGreater(header.step_ps, 0)
        self.assertEqual(header.traceparent, trace[0][1])  # The execution's, not who asks for its profile.
        hosts = [part.host for part in profile if part.HasField("host")]
        self.assertEqual({host.chip for host in hosts}, {0, 1, 2, 3})
        self.assertTrue(any(host.host_ns > 0 for host in hosts))
        simulated = list(self.stub.Simulate(self.pb.SimulateRequest(session=self.session,
                                                                    executable=compiled.executable), timeout=WAIT_S, metadata=trace))
        self.assertEqual(simulated, [part for part in profile if not part.HasField("host")])
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "takes 1 arguments, 2 were given"):
            self.stub.Execute(self.pb.ExecuteRequest(session=self.session, executable=compiled.executable,
                                                     arguments=[array, array]), timeout=WAIT_S)
        self.stub.FreeHandles(self.pb.FreeHandlesRequest(session=self.session, arrays=[array, done.results[0]],
                                                         executables=[compiled.executable]), timeout=WAIT_S)
        self.wait_empty()

    def count(self, rounds, **options):
        """A future of the execution."""
        executable = self.compile(LOOP_MODULE.replace("ROUNDS", str(rounds))).executable
        header = self.pb.PutArrayRequest(session=self.session, executable=executable, data=bytes(32))
        array = self.stub.PutArray(iter([header]), timeout=WAIT_S).array
        return self.stub.Execute.future(self.pb.ExecuteRequest(
            session=self.session, executable=executable, arguments=[array]), **options)

    def test_a_deadline_and_a_cancel_stop_the_chips_for_the_next(self):
        endless = 10 ** 15
        late = self.count(endless, timeout=0.5)
        self.assertEqual(late.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        unwanted = self.count(endless, timeout=WAIT_S)
        unwanted.cancel()
        done = self.count(3, timeout=WAIT_S).result()
        self.assertEqual(numpy.frombuffer(self.fetch(done.results[0])[1], numpy.int64).tolist(), [3, 3, 3, 3])

    def test_an_execution_that_waits_is_told_behind_what_and_when_it_is_over(self):
        compiled = {rounds: self.compile(LOOP_MODULE.replace("ROUNDS", str(rounds))).executable
                    for rounds in (1 << 60, 3)}
        header = self.pb.PutArrayRequest(session=self.session, executable=compiled[3], data=bytes(32))
        put = self.stub.PutArray(iter([header]), timeout=WAIT_S).array

        def start(rounds):
            return self.stub.Execute.future(self.pb.ExecuteRequest(
                session=self.session, executable=compiled[rounds], arguments=[put]), timeout=WAIT_S)
        running, first, second = start(1 << 60), start(3), start(3)
        told = {self.next_waiting(), self.next_waiting()}
        self.assertEqual({re.sub(r"execution \d+.*", "N", text) for text in told},
                         {'behind 1 execution, which is of "grpc_test": jit_count, N',
                          'behind 2 executions, the first of "grpc_test": jit_count, N'})
        while "for more than 1 s" not in self.next_waiting():
            pass
        running.cancel()
        first.result()
        second.result()
        for _ in range(2):
            while self.next_waiting() != "":  # The second one may have heard that it comes next.
                pass

    def next_waiting(self):
        return next(event for event in self.stream if event.HasField("waiting")).waiting.for_what

    def test_diagnostics_have_file_line_and_column(self):
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "test.mlir:3:31", "nothing", "^"):
            self.compile(BAD_MODULE)
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "test.mlir: "):
            self.compile("")
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "announced with 5 bytes"):
            self.compile(MODULE, announced=5)
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "announced with 100000 bytes", f"{len(MODULE)} were sent"):
            self.compile(MODULE, announced=100000)

    def test_shardings_may_come_with_the_request(self):
        data = b"""func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}"""

        def compile(only=True, **given):
            header = self.pb.CompileRequest(session=self.session, file_name="given.mlir", size_bytes=len(data), only=only, **given)
            return self.stub.Compile(iter([header, self.pb.CompileRequest(text=data)]), timeout=WAIT_S)

        given = self.types.GivenSharding
        program = compile(mesh="a=2,b=2", in_shardings=[given(name="x", spec="P('a')"), given(name="1", spec="P(None, 'b')")],
                          out_shardings=[given(name="0", spec="P('a', 'b')")], after="propagate", value_shardings=True)
        self.assertEqual([list(one.local_shape.dims) for one in program.arguments], [[4, 4], [4, 3]])
        self.assertEqual(list(program.results[0].local_shape.dims), [4, 3])
        self.assertEqual([(value.op, value.spec) for value in program.values],
                         [("argument", 'P("a", None)'), ("argument", 'P(None, "b")'), ("dot_general", 'P("a", "b")'),
                          ("result", 'P("a", "b")')])
        self.assertIn("sdy.sharding_per_value", program.after_text)
        for message, wrong in (("no argument 'q'", {"mesh": "a=4", "in_shardings": [given(name="q", spec="P()")]}),
                               ("a mesh is written as", {"mesh": "a"}),
                               ("a mesh of 5000 bytes", {"mesh": "a" * 5000}),
                               ("a sharding of 5000 bytes", {"mesh": "a=2", "in_shardings": [given(name="x", spec="P(" * 2500)]}),
                                ("after one of the passes", {"after": "x"}),
                               ("ignore_hbm goes with `only`", {"only": False, "ignore_hbm": True}),
                               ("estimate goes with `only`", {"only": False, "estimate": True})):
            with self.assertRaises(grpc.RpcError) as caught:
                compile(**wrong)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
            self.assertIn(message, caught.exception.details())

    def test_a_digest_asks_for_the_text_once(self):
        data = (MODULE_OF_OPEN_SIZES + " " * (1 << 17)).encode()
        types = [self.pb.ArgumentType(argument="x", shape=self.types.Shape(dims=[6, 4]))]
        header = self.pb.CompileRequest(session=self.session, file_name="open.mlir", size_bytes=len(data),
                                        argument_types=types, digest=hashlib.sha256(data).digest())
        text = self.pb.CompileRequest(text=data)
        self.assertTrue(self.stub.Compile(iter([header]), timeout=WAIT_S).needs_text)
        first = self.stub.Compile(iter([header, text]), timeout=WAIT_S)
        self.assertEqual(list(first.results[0].shape.dims), [6, 4])
        self.assertFalse(first.needs_text or first.cached)
        again = self.stub.Compile(iter([header]), timeout=WAIT_S)
        self.assertTrue(again.cached)
        self.assertNotEqual(again.executable, first.executable)
        self.assertEqual(list(again.results[0].shape.dims), [6, 4])
        types[0].shape.dims[0] = 5
        header.argument_types[0].CopyFrom(types[0])
        self.assertTrue(self.stub.Compile(iter([header]), timeout=WAIT_S).needs_text)
        header.digest = hashlib.sha256(b"another text").digest()
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "the digest is of another text"):
            self.stub.Compile(iter([header, text]), timeout=WAIT_S)

    def test_64_mib_go_there_and_back_unchanged(self):
        data = numpy.random.default_rng(7).bytes(64 << 20)
        array = self.stub.PutArray(self.replicated(len(data), data), timeout=WAIT_S).array
        self.assertTrue(self.fetch(array)[1] == data)
        first, again = self.fetch(array, chunk_bytes=1 << 21)
        self.assertTrue(again == data)
        self.assertEqual(self.hbm_used(), [64 << 20] * 4)

    def test_bytes_sent_must_be_the_bytes_announced(self):
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "u8[1000] has 1000 bytes, 999 were sent"):
            self.stub.PutArray(self.replicated(1000, bytes(999)), timeout=WAIT_S)
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "1000 bytes, at least 1001 were sent"):
            self.stub.PutArray(self.replicated(1000, bytes(1001)), timeout=WAIT_S)
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT):
            self.stub.PutArray(iter([]), timeout=WAIT_S)
        self.wait_empty()

    def test_what_does_not_fit_the_hbm_is_refused_with_the_numbers(self):
        with self.refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "chip ", "15.8 GiB"):
            self.stub.PutArray(itertools.chain(self.replicated(17 << 30, b""), itertools.repeat(
                self.pb.PutArrayRequest(data=bytes(1 << 16)))), timeout=WAIT_S)
        self.wait_empty()

    def test_handles_of_nobody_are_not_found(self):
        with self.refused(grpc.StatusCode.NOT_FOUND, "no array 4711"):
            self.fetch(4711)
        for session in (b"", b"4711", bytes(16), self.session[:15], self.session + b"x"):
            with self.refused(grpc.StatusCode.NOT_FOUND, "no such session"):
                self.stub.Execute(self.pb.ExecuteRequest(session=session), timeout=WAIT_S)
        with self.refused(grpc.StatusCode.NOT_FOUND, "no executable 4711"):
            self.stub.Execute(self.pb.ExecuteRequest(session=self.session, executable=4711), timeout=WAIT_S)

    def test_a_sharding_that_is_none_is_refused(self):
        mesh = self.types.Mesh(name="m", axes=[self.types.MeshAxis(name="x", size=4)])
        shape = self.types.Shape(dtype=self.types.DTYPE_F32, dims=[8, 8])

        def put(dims, axes=mesh):
            sharding = self.types.Sharding(mesh=axes, dims=[self.types.DimSharding(
                axes=[self.types.AxisRef(axis=a) for a in dim]) for dim in dims])
            return self.stub.PutArray(iter([self.pb.PutArrayRequest(
                session=self.session, shape=shape, sharding=sharding)]), timeout=WAIT_S)

        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "z"):
            put([["z"], []])
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "x"):
            put([["x"], ["x"]])
        with self.refused(grpc.StatusCode.FAILED_PRECONDITION, "8 devices", "4 chips"):
            put([["x"], []], self.types.Mesh(name="m", axes=[self.types.MeshAxis(name="x", size=8)]))
        # One that does not divide is none of these: only the bytes are missing.
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "256 bytes, 0 were sent"):
            put([["x"], []], self.types.Mesh(name="m", axes=[self.types.MeshAxis(name="x", size=3)]))

    def test_a_client_killed_in_mid_put_leaves_the_chips_empty(self):
        code = f"""
import sys, time, grpc
sys.path.insert(0, {str(self.folder)!r})
from podium.v1 import podium_pb2 as pb, podium_pb2_grpc, types_pb2 as types
stub = podium_pb2_grpc.PodiumStub(grpc.insecure_channel({by_unix(self.pod.address)!r}))
stream = stub.OpenSession(pb.OpenSessionRequest(wait_for_pod=True))
session = next(stream).session
def whole():
    yield pb.PutArrayRequest(session=session, shape=types.Shape(dtype=types.DTYPE_U8, dims=[1 << 20]))
    yield pb.PutArrayRequest(data=bytes(1 << 20))
def half():
    yield pb.PutArrayRequest(session=session, shape=types.Shape(dtype=types.DTYPE_U8, dims=[1 << 28]))
    for _ in range(8):
        yield pb.PutArrayRequest(data=bytes(1 << 20))
    print("half", flush=True)
    time.sleep(3600)
stub.PutArray(whole())
stub.PutArray(half())
"""
        client = subprocess.Popen([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, preexec_fn=die_with_parent)
        self.addCleanup(client.stdout.close)
        self.assertEqual(client.stdout.readline(), b"half\n")
        deadline = time.monotonic() + WAIT_S
        while min(self.hbm_used()) <= 1 << 20:
            self.assertLess(time.monotonic(), deadline)
        client.kill()
        client.wait()
        self.wait_empty()

    def test_reflection_lists_the_services(self):
        list_services = b"\x3a\x00"  # ServerReflectionRequest{list_services: ""}
        for version in ("v1", "v1alpha"):
            call = self.channel.stream_stream(f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
            answer = next(call(iter([list_services]), timeout=WAIT_S))
            for name in ("podium.v1.Podium", "podium.v1.Registry", "grpc.health.v1.Health"):
                self.assertIn(name.encode(), answer)

    def test_health_says_that_the_pod_serves(self):
        check = self.channel.unary_unary("/grpc.health.v1.Health/Check")
        self.assertEqual(check(b"\x0a\x10podium.v1.Podium", timeout=WAIT_S), b"\x08\x01")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
