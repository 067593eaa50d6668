#!/usr/bin/python3
"""Stock gRPC clients (Debian's python3-grpcio, and @grpc/grpc-js where npm gets it) at a pod of real daemons, with a token: by
TLS with the files of `podium certificates`, and by plain TCP on this machine.

Usage: stock_pod_test.py BIN PROTO FOLDER JS_CLIENT [unittest arguments]. FOLDER keeps npm's modules. Every call has a
deadline; every process dies with the test.
"""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"  # Daemons are forked beside its threads, and exec at once.
import grpc

BIN, PROTO, FOLDER, JS_CLIENT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
WAIT_S = 60
NPM_WAIT_S = 120
PACKAGES = ["@grpc/grpc-js@1.14.7", "@grpc/proto-loader@0.8.1"]
PROCESS_DIES_WITH_US = 1  # PR_SET_PDEATHSIG
MODULE = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
DOUBLED = [2.0 * i for i in range(8)]


def die_with_parent():
    ctypes.CDLL(None).prctl(PROCESS_DIES_WITH_US, signal.SIGKILL)


def local_token(address):
    name = f"token-{address.rsplit(':', 1)[1]}"
    folders = [pathlib.Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / "podium",
               pathlib.Path(f"/tmp/podium-{os.geteuid()}")]
    return next(folder / name for folder in folders if (folder / name).exists()).read_text().strip()


def node_modules():
    """Where grpc-js is; None: npm cannot get it here."""
    modules = FOLDER / "node_modules"
    if not (modules / "@grpc" / "proto-loader").exists():
        if shutil.which("npm") is None or shutil.which("node") is None:
            return None
        FOLDER.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(["npm", "install", "--prefix", FOLDER, "--ignore-scripts", "--no-audit", "--no-fund",
                            "--no-package-lock", *PACKAGES], check=True, timeout=NPM_WAIT_S, capture_output=True)
        except (subprocess.SubprocessError, OSError):
            return None
    return modules


class Pod:
    """One chip, and a coordinator with these arguments."""

    def __init__(self, folder, *arguments):
        folder.mkdir()
        self.log = open(folder / "log", "w")
        port_file = folder / "address"
        self.processes = []
        self.spawn("podium-coordinator", "--port-file", port_file, "--topology", "1x1", *arguments)
        until = time.monotonic() + WAIT_S
        while not port_file.exists():
            assert time.monotonic() < until and self.processes[0].poll() is None, (folder / "log").read_text()
            time.sleep(0.002)
        self.port = port_file.read_text().strip().rsplit(":", 1)[1]
        self.spawn("podium-worker", "--coordinator", f"127.0.0.1:{self.port}")

    def spawn(self, name, *arguments):
        self.processes.append(subprocess.Popen([BIN / name, *arguments], stdin=subprocess.DEVNULL, stdout=self.log,
                                               stderr=self.log, preexec_fn=die_with_parent))

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait(WAIT_S)
        self.log.close()


class StockPodTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="podium-stock-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        files = sorted(str(f.relative_to(PROTO)) for f in (PROTO / "podium").rglob("*.proto"))
        subprocess.run(["protoc", f"-I{PROTO}", f"--python_out={cls.folder}", f"--grpc_python_out={cls.folder}",
                        "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *files], check=True)
        sys.path.insert(0, str(cls.folder))
        from podium.v1 import podium_pb2, podium_pb2_grpc
        cls.pb, cls.stubs = podium_pb2, podium_pb2_grpc
        cls.keys = cls.folder / "keys"
        subprocess.run([BIN / "podium", "certificates", cls.keys], check=True, stdout=subprocess.DEVNULL)
        cls.authority = cls.keys / "ca.crt"
        lines = [line.split() for line in (cls.keys / "tokens").read_text().splitlines() if line and line[0] != "#"]
        cls.tokens = {role: token for role, _, token in lines}
        cls.pod = Pod(cls.folder / "tls", "--listen", "0.0.0.0:0", "--tls-certificate", cls.keys / "coordinator.crt",
                      "--tls-key", cls.keys / "coordinator.key", "--tls-client-ca", cls.authority, "--tokens-file",
                      cls.keys / "tokens", "--secret-file", cls.keys / "pod.secret")
        cls.addClassCleanup(cls.pod.stop)
        cls.plain_pod = Pod(cls.folder / "plain")
        cls.addClassCleanup(cls.plain_pod.stop)
        cls.module_file = cls.folder / "module.mlir"
        cls.module_file.write_text(MODULE)

    def run_module(self, channel, metadata=None):
        """What the module makes of 0 to 7."""
        pb, stub, options = self.pb, self.stubs.PodiumStub(channel), {"metadata": metadata, "timeout": WAIT_S}
        stream = stub.OpenSession(pb.OpenSessionRequest(client="grpcio", wait_for_pod=True), metadata=metadata)
        try:
            session = next(stream).session
            text = MODULE.encode()
            compiled = stub.Compile(iter([pb.CompileRequest(session=session, file_name="python.mlir", size_bytes=len(text)),
                                          pb.CompileRequest(text=text)]), **options)
            array = stub.PutArray(iter([pb.PutArrayRequest(session=session, executable=compiled.executable, argument=0),
                                        pb.PutArrayRequest(data=struct.pack("<8f", *range(8)))]), **options).array
            results = stub.Execute(pb.ExecuteRequest(session=session, executable=compiled.executable, arguments=[array]),
                                   **options).results
            data = b"".join(part.data for part in stub.FetchArray(
                pb.FetchArrayRequest(session=session, array=results[0]), **options))
            return list(struct.unpack("<8f", data))
        finally:
            stream.cancel()

    def by_tls(self, token=None, name=None):
        """A channel by TLS, with a token or with the certificate of this name."""
        pair = (None, None) if name is None else ((self.keys / f"{name}.key").read_bytes(),
                                                  (self.keys / f"{name}.crt").read_bytes())
        credentials = grpc.ssl_channel_credentials(self.authority.read_bytes(), *pair)
        if token is not None:
            credentials = grpc.composite_channel_credentials(credentials, grpc.access_token_call_credentials(token))
        channel = grpc.secure_channel(f"localhost:{self.pod.port}", credentials)
        self.addCleanup(channel.close)
        return channel

    def fails(self, code, channel, **options):
        with self.assertRaises(grpc.RpcError) as caught:
            self.run_module(channel, **options)
        self.assertEqual(caught.exception.code(), code, caught.exception.details())

    def test_grpcio_runs_a_program_by_tls_with_a_token(self):
        self.assertEqual(self.run_module(self.by_tls(self.tokens["run"])), DOUBLED)

    def test_grpcio_runs_a_program_by_tls_with_a_certificate(self):
        self.assertEqual(self.run_module(self.by_tls(name="run")), DOUBLED)

    def test_grpcio_is_refused_by_tls_without_a_role(self):
        self.fails(grpc.StatusCode.UNAUTHENTICATED, self.by_tls())
        self.fails(grpc.StatusCode.UNAUTHENTICATED, self.by_tls("x" * 64))
        self.fails(grpc.StatusCode.PERMISSION_DENIED, self.by_tls(self.tokens["read"]))
        self.fails(grpc.StatusCode.PERMISSION_DENIED, self.by_tls(name="read"))
        self.fails(grpc.StatusCode.PERMISSION_DENIED, self.by_tls(name="worker"))

    def test_grpcio_runs_a_program_by_tcp_with_the_token_of_its_own_user(self):
        address = f"127.0.0.1:{self.plain_pod.port}"
        with grpc.insecure_channel(address) as channel:
            self.assertEqual(self.run_module(channel, [("authorization", f"Bearer {local_token(address)}")]), DOUBLED)
            self.fails(grpc.StatusCode.UNAUTHENTICATED, channel)

    def run_js(self, port, authority, token):
        modules = node_modules()
        if modules is None:
            self.skipTest("skipped: npm does not get @grpc/grpc-js here")
        done = subprocess.run(["node", JS_CLIENT, PROTO, f"localhost:{port}", authority, token, self.module_file],
                              env={**os.environ, "NODE_PATH": str(modules)}, capture_output=True, text=True,
                              timeout=2 * WAIT_S, preexec_fn=die_with_parent, check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.strip()

    def test_grpc_js_runs_a_program_by_tls_with_a_token(self):
        self.assertEqual(json.loads(self.run_js(self.pod.port, self.authority, self.tokens["run"])), DOUBLED)
        self.assertEqual(self.run_js(self.pod.port, self.authority, "-"), "UNAUTHENTICATED")
        self.assertEqual(self.run_js(self.pod.port, self.authority, self.tokens["read"]), "PERMISSION_DENIED")

    def test_grpc_js_runs_a_program_by_tcp_with_the_token_of_its_own_user(self):
        token = local_token(f"127.0.0.1:{self.plain_pod.port}")
        self.assertEqual(json.loads(self.run_js(self.plain_pod.port, "-", token)), DOUBLED)
        self.assertEqual(self.run_js(self.plain_pod.port, "-", "-"), "UNAUTHENTICATED")


if __name__ == "__main__":
    sys.argv[1:5] = []
    unittest.main()
