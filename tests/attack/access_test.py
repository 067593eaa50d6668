#!/usr/bin/python3
"""Strangers at a pod of real daemons: callers without a token or with too little of one, another user id, handles of others,
fake workers, a fake coordinator. They come as stock gRPC clients by TCP, where nothing is known of them.

Usage: access_test.py BIN PROTO [unittest arguments]. BIN has the daemons, PROTO the .proto files. Every call has a deadline;
every process dies with the test.
"""
import concurrent.futures
import ctypes
import hashlib
import hmac
import itertools
import os
import pathlib
import queue
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"  # Daemons are forked beside its threads, and exec at once.
import grpc

BIN = pathlib.Path(sys.argv[1]).resolve()
PROTO = pathlib.Path(sys.argv[2]).resolve()
WAIT_S = 60
PROCESS_DIES_WITH_US = 1  # PR_SET_PDEATHSIG
NOBODY = 65534
READER, ALICE, BOB = "reader-" + "r" * 30, "alice-" + "a" * 30, "bob-" + "b" * 30
SECRET = bytes(range(32))
UNAUTHENTICATED, DENIED = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED


def generate(folder):
    """Stubs; those of gRPC's own services under another name, or they would hide the package grpc."""
    files = sorted(str(f.relative_to(PROTO)) for f in (PROTO / "podium").rglob("*.proto"))
    subprocess.run(["protoc", f"-I{PROTO}", f"-Igrpc_services={PROTO / 'grpc'}", f"--python_out={folder}",
                    f"--grpc_python_out={folder}", "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *files,
                    "grpc_services/health/v1/health.proto"], check=True)
    sys.path.insert(0, str(folder))


def die_with_parent():
    ctypes.CDLL(None).prctl(PROCESS_DIES_WITH_US, signal.SIGKILL)


def become(user):
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    die_with_parent()


def become_nobody():
    become(NOBODY)


def nobody_can_run():
    """Whether there is another user id to be, and it can reach the programs."""
    if os.geteuid() != 0:
        return False
    try:
        return subprocess.run([BIN / "podium", "version"], preexec_fn=become_nobody, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, cwd="/", check=False).returncode == 0
    except OSError:
        return False


class Daemons:
    """Processes with one log."""

    def __init__(self, folder):
        self.folder = folder
        self.log_path = folder / "log"
        self.log = open(self.log_path, "w")
        self.processes = []

    def start(self, name, *arguments, preexec=die_with_parent):
        environment = {k: v for k, v in os.environ.items() if preexec is die_with_parent or k != "XDG_RUNTIME_DIR"}
        self.processes.append(subprocess.Popen([BIN / name, *arguments], stdin=subprocess.DEVNULL, stdout=self.log,
                                               stderr=self.log, preexec_fn=preexec, env=environment, cwd="/"))
        return self.processes[-1]

    def coordinator(self, *arguments):
        port_file = self.folder / f"address{len(self.processes)}"
        process = self.start("podium-coordinator", "--port-file", port_file, *arguments)
        until = time.monotonic() + WAIT_S
        while not port_file.exists():
            assert time.monotonic() < until and process.poll() is None, self.log_path.read_text()
            time.sleep(0.002)
        return port_file.read_text().strip()

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            try:
                process.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.log.close()


def private_file(path, text, mode=0o600, owner=None):
    path.write_text(text)
    path.chmod(mode)
    if owner is not None:
        os.chown(path, owner, owner)
    return path


def bearer(token):
    return [("authorization", f"Bearer {token}")]


def proof(label, *parts):
    words = b"".join(struct.pack("<Q", len(part)) + part for part in (label, *parts))
    return hmac.new(SECRET, words, hashlib.sha256).digest()


class AccessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="podium-access-"))
        cls.folder.chmod(0o755)
        generate(cls.folder)
        from grpc_services.health.v1 import health_pb2, health_pb2_grpc
        from podium.v1 import podium_pb2, podium_pb2_grpc, types_pb2, worker_pb2, worker_pb2_grpc
        cls.pb, cls.types, cls.worker_pb = podium_pb2, types_pb2, worker_pb2
        cls.worker_grpc, cls.health_pb = worker_pb2_grpc, health_pb2
        cls.tokens = private_file(cls.folder / "tokens", f"read reader {READER}\nrun alice {ALICE}\nrun bob {BOB}\n")
        cls.secret = private_file(cls.folder / "secret", SECRET.hex() + "\n")
        cls.daemons = Daemons(cls.folder)
        cls.address = cls.daemons.coordinator("--topology", "2x1", "--tokens-file", cls.tokens, "--secret-file",
                                              cls.secret, "--log-level", "debug")
        cls.workers = [cls.daemons.start("podium-worker", "--coordinator", cls.address, "--coords", f"{x},0",
                                         "--log-level", "debug") for x in range(2)]
        cls.channel = grpc.insecure_channel(cls.address)
        cls.stub = podium_pb2_grpc.PodiumStub(cls.channel)
        cls.registry = worker_pb2_grpc.RegistryStub(cls.channel)
        cls.health = health_pb2_grpc.HealthStub(cls.channel)

    @classmethod
    def tearDownClass(cls):
        cls.channel.close()
        cls.daemons.stop()

    def refused(self, code, *parts):
        test = self

        class Refused:
            def __enter__(self):
                return self

            def __exit__(self, kind, error, trace):
                test.assertIsInstance(error, grpc.RpcError, f"nothing was refused: {error}")
                test.assertEqual(error.code(), code, error.details())
                for part in parts:
                    test.assertIn(part, error.details())
                return True

        return Refused()

    def open(self, token):
        stream = self.stub.OpenSession(self.pb.OpenSessionRequest(client="attack", wait_for_pod=True),
                                       metadata=bearer(token))
        self.addCleanup(stream.cancel)
        return next(stream)

    def put(self, session, token, data):
        shape = self.types.Shape(dtype=self.types.DTYPE_U8, dims=[len(data)])
        pieces = [self.pb.PutArrayRequest(session=session, shape=shape), self.pb.PutArrayRequest(data=data)]
        return self.stub.PutArray(iter(pieces), metadata=bearer(token), timeout=WAIT_S).array

    def fetch(self, session, token, array):
        return b"".join(part.data for part in self.stub.FetchArray(
            self.pb.FetchArrayRequest(session=session, array=array), metadata=bearer(token), timeout=WAIT_S))

    def pod(self):
        return self.stub.GetPod(self.pb.GetPodRequest(), metadata=bearer(READER), timeout=WAIT_S)

    def assert_unharmed(self):
        """The pod is ready, with the workers that it was started with."""
        self.open(ALICE)
        pod = self.pod()
        self.assertTrue(pod.ready)
        self.assertEqual([device.pid for device in pod.devices], [worker.pid for worker in self.workers])
        self.assertEqual([device.reason for device in pod.devices], ["", ""])

    # --- Tokens and roles ---

    def every_method(self, **options):
        options["timeout"] = WAIT_S
        pb = self.pb
        return [
            lambda: self.stub.GetPod(pb.GetPodRequest(), **options),
            lambda: next(self.stub.OpenSession(pb.OpenSessionRequest(), **options)),
            lambda: self.stub.Compile(iter([pb.CompileRequest()]), **options),
            lambda: self.stub.PutArray(iter([pb.PutArrayRequest()]), **options),
            lambda: next(self.stub.PutArrayShared(iter([pb.PutArrayRequest()]), **options)),
            lambda: self.stub.Execute(pb.ExecuteRequest(), **options),
            lambda: next(self.stub.FetchArray(pb.FetchArrayRequest(), **options)),
            lambda: next(self.stub.Dispatch(iter([pb.DispatchRequest()]), **options)),
            lambda: next(self.stub.GetProfile(pb.GetProfileRequest(), **options)),
            lambda: next(self.stub.Simulate(pb.SimulateRequest(), **options)),
            lambda: self.stub.FreeHandles(pb.FreeHandlesRequest(), **options),
            lambda: next(self.health.Watch(self.health_pb.HealthCheckRequest(), **options)),
        ]

    def test_who_shows_nothing_is_told_only_that_the_server_lives(self):
        for call in self.every_method():
            with self.refused(UNAUTHENTICATED, "does not know who calls"):
                call()
        self.assertEqual(self.health.Check(self.health_pb.HealthCheckRequest(), timeout=WAIT_S).status,
                         self.health_pb.HealthCheckResponse.SERVING)

    def test_a_wrong_token_is_none(self):
        for wrong in (ALICE + "x", ALICE[:-1], "x", " " + ALICE, ALICE.upper(), SECRET.hex()):
            for call in self.every_method(metadata=bearer(wrong)):
                with self.refused(UNAUTHENTICATED, "not one that this server knows"):
                    call()

    def test_a_reader_sees_the_pod_and_changes_nothing(self):
        calls = self.every_method(metadata=bearer(READER))
        self.assertEqual(len(calls[0]().devices), 2)
        for call in calls[1:-1]:
            with self.refused(DENIED, "needs the role run; token reader has read"):
                call()

    def test_a_runner_works_on_the_pod_by_tcp(self):
        event = self.open(ALICE)
        self.assertEqual(len(event.session), 16)
        array = self.put(event.session, ALICE, b"hers" * 100)
        self.assertEqual(self.fetch(event.session, ALICE, array), b"hers" * 100)

    # --- Handles ---

    def test_what_is_anothers_is_not_found(self):
        alice, bob = self.open(ALICE), self.open(BOB)
        array = self.put(alice.session, ALICE, b"secret" * 10)
        # Bob knows her session's handle, and does not get in.
        with self.refused(grpc.StatusCode.NOT_FOUND, "no such session"):
            self.fetch(alice.session, BOB, array)
        with self.refused(grpc.StatusCode.NOT_FOUND, "no such session"):
            self.stub.FreeHandles(self.pb.FreeHandlesRequest(session=alice.session, arrays=[array]),
                                  metadata=bearer(BOB), timeout=WAIT_S)
        with self.refused(grpc.StatusCode.NOT_FOUND, "no such session"):
            next(self.stub.Dispatch(iter([self.pb.DispatchRequest(session=alice.session)]), metadata=bearer(BOB),
                                    timeout=WAIT_S))
        # Nor do her arrays' numbers help him in his own.
        with self.refused(grpc.StatusCode.NOT_FOUND, "no array"):
            self.fetch(bob.session, BOB, array)
        with self.refused(grpc.StatusCode.NOT_FOUND, "no array"):
            self.stub.FreeHandles(self.pb.FreeHandlesRequest(session=bob.session, arrays=[array]),
                                  metadata=bearer(BOB), timeout=WAIT_S)
        with self.refused(grpc.StatusCode.INVALID_ARGUMENT, "is not one that session"):
            shape = self.types.Shape(dtype=self.types.DTYPE_U8, dims=[1])
            self.stub.PutArray(iter([self.pb.PutArrayRequest(session=bob.session, shape=shape, array=alice.first_id),
                                     self.pb.PutArrayRequest(data=b"x")]), metadata=bearer(BOB), timeout=WAIT_S)
        self.assertEqual(self.fetch(alice.session, ALICE, array), b"secret" * 10)

    def test_sessions_are_not_guessed(self):
        session = self.open(ALICE).session
        for guess in [bytes([i]) for i in range(1, 9)] + [bytes(16), bytes(15) + b"\1", session[:-1], session + b"\0",
                                                           bytes([session[0] ^ 1]) + session[1:]]:
            with self.refused(grpc.StatusCode.NOT_FOUND, "no such session"):
                self.fetch(guess, ALICE, 1)

    # --- The worker's own port ---

    def calls_of_a_worker(self, channel, array, **options):
        options["timeout"] = WAIT_S
        pb, stub = self.worker_pb, self.worker_grpc.WorkerStub(channel)
        return [
            lambda: list(stub.FetchShard(pb.FetchShardRequest(array=array), **options)),
            lambda: stub.CloseSession(pb.CloseSessionRequest(session=1), **options),
            lambda: stub.FreeArrays(pb.FreeArraysRequest(arrays=[array]), **options),
            lambda: stub.LoadProgram(iter([pb.LoadProgramRequest(session=1, program=1)]), **options),
            lambda: stub.UnloadProgram(pb.UnloadProgramRequest(program=1), **options),
            lambda: stub.PutShard(iter([pb.PutShardRequest(session=1, array=1)]), **options),
            lambda: list(stub.Run(iter([pb.RunRequest()]), **options)),
            lambda: stub.GetStatus(pb.GetStatusRequest(), **options),
        ]

    def test_a_workers_port_obeys_its_coordinator_alone(self):
        event = self.open(ALICE)
        array = self.put(event.session, ALICE, b"shard" * 10)
        for device in event.pod.devices:
            with grpc.insecure_channel(device.address) as channel:
                for options in ({}, {"metadata": bearer(ALICE)}, {"metadata": bearer("0" * 64)}):
                    for call in self.calls_of_a_worker(channel, array, **options):
                        with self.refused(UNAUTHENTICATED, "obeys its coordinator only"):
                            call()
            # Our own user may look, and no more.
            with grpc.insecure_channel(f"unix-abstract:podium-rpc/7f000001:{device.address.rsplit(':', 1)[1]}") as channel:
                calls = self.calls_of_a_worker(channel, array)
                for call in calls[:-1]:
                    with self.refused(UNAUTHENTICATED, "obeys its coordinator only"):
                        call()
                self.assertGreaterEqual(calls[-1]().array_count, 1)
        self.assertEqual(self.fetch(event.session, ALICE, array), b"shard" * 10)

    # --- Fake workers ---

    def attach(self, register, answer=None):
        """The messages of an Attach: a Register, and what `answer` makes of a Challenge. Raises what it ends with."""
        say = queue.Queue()
        say.put(self.worker_pb.WorkerMessage(register=register))
        stream = self.registry.Attach(iter(say.get, None), timeout=WAIT_S)
        self.addCleanup(stream.cancel)
        message = next(stream)
        if answer is not None:
            self.assertEqual(message.WhichOneof("message"), "challenge")
            say.put(self.worker_pb.WorkerMessage(proof=answer(message.challenge)))
            message = next(stream)
        return message

    def register(self, address="127.0.0.1:1", **fields):
        return self.worker_pb.Register(address=address, host="fake", pid=1, **fields)

    def prove(self, register, challenge):
        token = bytes(32)
        self.assertEqual(challenge.proof, proof(b"podium coordinator", register.nonce, challenge.nonce))
        return self.worker_pb.Proof(call_token=token, proof=proof(
            b"podium worker", register.nonce, challenge.nonce, register.address.encode(), token))

    def test_a_fake_worker_is_refused_and_expels_nobody(self):
        self.open(ALICE)
        living = self.pod().devices[0].address
        coords = self.worker_pb.Coords(at=[0, 0])
        for fields in ({}, {"coords": coords}):
            for address in ("127.0.0.1:1", living):
                with self.refused(UNAUTHENTICATED, "has not proved the pod's secret"):
                    self.attach(self.register(address, **fields))
                register = self.register(address, nonce=os.urandom(32), **fields)
                with self.refused(UNAUTHENTICATED, "has not proved the pod's secret"):
                    self.attach(register, lambda challenge: self.worker_pb.Proof(call_token=bytes(32)))
                # What the coordinator has proved with is no proof of a worker.
                for wrong in (lambda challenge: bytes(32), lambda challenge: challenge.proof):
                    with self.refused(UNAUTHENTICATED, "does not know the pod's secret"):
                        self.attach(register, lambda challenge, wrong=wrong: self.worker_pb.Proof(
                            call_token=bytes(32), proof=wrong(challenge)))
        # With one's token it is not a worker either.
        with self.refused(UNAUTHENTICATED):
            next(self.registry.Attach(iter([self.worker_pb.WorkerMessage(register=self.register())]),
                                      metadata=bearer(ALICE), timeout=WAIT_S))
        self.assert_unharmed()

    def test_a_proof_is_of_one_address_and_one_moment(self):
        register = self.register(nonce=os.urandom(32))
        kept = []

        def keep(challenge):
            kept.append(self.prove(register, challenge))
            return self.worker_pb.Proof(call_token=b"x" * 32, proof=kept[0].proof)  # Another token.

        with self.refused(UNAUTHENTICATED, "does not know the pod's secret"):
            self.attach(register, keep)
        with self.refused(UNAUTHENTICATED, "does not know the pod's secret"):
            self.attach(register, lambda challenge: kept[0])  # Of another challenge.
        other = self.register("127.0.0.1:2", nonce=register.nonce)
        with self.refused(UNAUTHENTICATED, "does not know the pod's secret"):
            self.attach(other, lambda challenge: self.prove(register, challenge))

    def test_even_a_proven_worker_does_not_take_the_place_of_a_living_one(self):
        self.open(ALICE)
        living = self.pod().devices[0].address
        nonce = os.urandom(32)
        register = self.register(coords=self.worker_pb.Coords(at=[0, 0]), nonce=nonce)
        with self.refused(grpc.StatusCode.ALREADY_EXISTS, "has this place already"):
            self.attach(register, lambda challenge: self.prove(register, challenge))
        register = self.register(living, nonce=nonce)
        with self.refused(grpc.StatusCode.UNAVAILABLE, "has to wait until it is silent"):
            self.attach(register, lambda challenge: self.prove(register, challenge))
        self.assert_unharmed()

    def test_those_who_say_nothing_keep_no_worker_out(self):
        silent = []
        for _ in range(200):
            stream = self.registry.Attach(iter(queue.Queue().get, None), timeout=WAIT_S)
            self.addCleanup(stream.cancel)
            silent.append(stream)
        register = self.register(coords=self.worker_pb.Coords(at=[0, 0]), nonce=os.urandom(32))
        with self.refused(grpc.StatusCode.ALREADY_EXISTS):  # It came as far as the places.
            self.attach(register, lambda challenge: self.prove(register, challenge))
        # Who had to go may be a worker of a large pod that starts: it shall try again.
        with self.refused(grpc.StatusCode.UNAVAILABLE):
            next(silent[0])
        self.assert_unharmed()

    def test_what_a_stranger_says_takes_little_to_unpack(self):
        """Unknown fields of two bytes each unpack to some eighty."""
        bomb = b"\x78\0" * 600_000
        lengths = bytes([0x80 | len(bomb) & 0x7F, 0x80 | len(bomb) >> 7 & 0x7F, len(bomb) >> 14])
        register = bytes([self.worker_pb.WorkerMessage.DESCRIPTOR.fields_by_name["register"].number << 3 | 2]) + lengths + bomb
        peak = re.compile(r"VmHWM:\s+(\d+) kB")
        status = pathlib.Path(f"/proc/{self.daemons.processes[0].pid}/status")
        before = int(peak.search(status.read_text())[1])
        raw = [
            self.channel.stream_stream("/podium.v1.Registry/Attach"),
            self.channel.stream_stream("/grpc.health.v1.Health/Check"),
        ]
        for message, method in ((register, raw[0]), (bomb, raw[1])):
            held = [method(itertools.chain([message], iter(queue.Queue().get, None)), timeout=WAIT_S) for _ in range(16)]
            for stream in held:
                self.addCleanup(stream.cancel)
                with self.refused(grpc.StatusCode.RESOURCE_EXHAUSTED, "over the bound"):
                    next(stream)
        self.assertLess(int(peak.search(status.read_text())[1]) - before, 64 << 10)
        self.assert_unharmed()

    # --- A fake coordinator ---

    def serve_fake(self, answer):
        """A coordinator that answers a Register with `answer(register)`; what it was told goes to a list."""
        told = []

        class Registry(self.worker_grpc.RegistryServicer):
            def Attach(self, messages, context):
                for message in messages:
                    told.append(message)
                    if message.WhichOneof("message") == "register":
                        yield answer(message.register)

        server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
        self.worker_grpc.add_RegistryServicer_to_server(Registry(), server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        self.addCleanup(server.stop, None)
        return f"127.0.0.1:{port}", told

    def check_worker_refuses(self, answer, words, *arguments):
        address, told = self.serve_fake(answer)
        worker = subprocess.run([BIN / "podium-worker", "--coordinator", address, *arguments], capture_output=True,
                                text=True, timeout=WAIT_S, preexec_fn=die_with_parent, check=False)
        self.assertEqual(worker.returncode, 1, worker.stderr)
        self.assertIn("UNAUTHENTICATED", worker.stderr)
        self.assertIn(words, worker.stderr)
        self.assertEqual([message.WhichOneof("message") for message in told], ["register"])

    def test_a_worker_does_nothing_for_a_fake_coordinator(self):
        pb = self.worker_pb
        assignment = pb.CoordinatorMessage(assignment=pb.Assignment(
            pod="fake", topology=[1, 1, 1], chip_kind="v5e", epoch=1, heartbeat_ms=1000, timeout_ms=10000))
        wrong = pb.CoordinatorMessage(challenge=pb.Challenge(nonce=bytes(32), proof=bytes(32)))
        empty = pb.CoordinatorMessage(challenge=pb.Challenge(nonce=bytes(32)))
        secret = ("--secret-file", str(self.secret))
        self.check_worker_refuses(lambda register: assignment, "has not shown that it is the pod's coordinator")
        self.check_worker_refuses(lambda register: empty, "has not shown that it is the pod's coordinator")
        self.check_worker_refuses(lambda register: assignment, "has not proved the pod's secret", *secret)
        self.check_worker_refuses(lambda register: empty, "has not proved the pod's secret", *secret)
        self.check_worker_refuses(lambda register: wrong, "does not know the pod's secret", *secret)

        def mirror(register):  # Shows the worker its own kind of proof.
            return pb.CoordinatorMessage(challenge=pb.Challenge(nonce=bytes(32), proof=proof(
                b"podium worker", register.nonce, bytes(32), register.address.encode(), bytes(32))))

        self.check_worker_refuses(mirror, "does not know the pod's secret", *secret)

    # --- Other users of the machine ---

    def as_nobody(self, *arguments, **environment):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PODIUM_") and k != "XDG_RUNTIME_DIR"}
        return subprocess.run([BIN / "podium", *arguments], preexec_fn=become_nobody, capture_output=True, text=True,
                              cwd="/", env={**kept, **environment}, timeout=WAIT_S, check=False)

    @unittest.skipUnless(nobody_can_run(), "skipped: only root can be another user, and that one must reach the build folder")
    def test_another_user_of_the_machine_needs_a_token(self):
        self.open(ALICE)
        bare = self.as_nobody("status", self.address)
        self.assertEqual(bare.returncode, 3, bare.stdout)
        self.assertIn("UNAUTHENTICATED", bare.stderr)
        module = self.folder / "module.mlir"
        module.write_text("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n")
        run = ("run", str(module), "--pod", self.address, "-i", "0=ones")
        for token, may_run in ((READER, False), (ALICE, True)):
            status = self.as_nobody("status", self.address, PODIUM_TOKEN=token)
            self.assertEqual(status.returncode, 0, status.stderr)
            done = self.as_nobody(*run, PODIUM_TOKEN=token)
            self.assertEqual(done.returncode, 0 if may_run else 3, done.stderr)
            self.assertEqual("PERMISSION_DENIED" in done.stderr, not may_run)
        # The file that our own user finds is not for others; and one of his own, open to all, is not taken.
        name = f"token-{self.address.rsplit(':', 1)[1]}"
        folders = [pathlib.Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / "podium",
                   pathlib.Path(f"/tmp/podium-{os.geteuid()}")]
        own = next(folder / name for folder in folders if (folder / name).exists())
        self.assertEqual((own.stat().st_mode & 0o777, own.parent.stat().st_mode & 0o777), (0o600, 0o700))
        stolen = self.as_nobody("status", self.address, PODIUM_TOKEN_FILE=str(own))
        self.assertEqual(stolen.returncode, 3, stolen.stdout)
        loose = private_file(self.folder / "loose", ALICE + "\n", 0o644, NOBODY)
        refused = self.as_nobody("status", self.address, "--token-file", str(loose))
        self.assertIn("chmod 600", refused.stderr)
        good = private_file(self.folder / "good", ALICE + "\n", 0o600, NOBODY)
        taken = self.as_nobody("status", self.address, "--token-file", str(good))
        self.assertEqual(taken.returncode, 0, taken.stderr)

    @unittest.skipUnless(nobody_can_run(), "skipped: only root can be another user, and that one must reach the build folder")
    def test_a_worker_of_another_user_joins_with_the_secret_alone(self):
        daemons = Daemons(pathlib.Path(tempfile.mkdtemp(prefix="podium-access-")))
        self.addCleanup(daemons.stop)
        address = daemons.coordinator("--topology", "1x1", "--secret-file", self.secret)
        stranger = daemons.start("podium-worker", "--coordinator", address, preexec=become_nobody)
        self.assertEqual(stranger.wait(WAIT_S), 1)
        self.assertIn("has not shown that it is the pod's coordinator", daemons.log_path.read_text())
        secret = private_file(self.folder / "nobodys_secret", SECRET.hex() + "\n", 0o600, NOBODY)
        daemons.start("podium-worker", "--coordinator", address, "--secret-file", secret, preexec=become_nobody)
        until = time.monotonic() + WAIT_S
        while "the pod is ready" not in daemons.log_path.read_text():
            self.assertLess(time.monotonic(), until, daemons.log_path.read_text())
            time.sleep(0.01)

    @unittest.skipUnless(nobody_can_run(), "skipped: only root can be another user, and that one must reach the build folder")
    def test_nobody_stops_a_pod_by_taking_its_folders_name(self):
        user = next(i for i in range(60_000, 65_000) if not os.path.lexists(f"/tmp/podium-{i}"))
        daemons = Daemons(pathlib.Path(tempfile.mkdtemp(prefix="podium-access-")))
        squatted = pathlib.Path(f"/tmp/podium-{user}")
        squatted.mkdir()
        self.addCleanup(squatted.rmdir)
        self.addCleanup(daemons.stop)
        os.chown(daemons.folder, user, user)
        start = daemons.start
        daemons.start = lambda *arguments: start(*arguments, preexec=lambda: become(user))
        address = daemons.coordinator("--topology", "2x1")
        for _ in range(2):
            daemons.start("podium-worker", "--coordinator", address)
        until = time.monotonic() + WAIT_S
        while "the pod is ready" not in daemons.log_path.read_text():
            self.assertLess(time.monotonic(), until, daemons.log_path.read_text())
            time.sleep(0.01)
        self.assertIn(f"{squatted} must be a folder of user {user}", daemons.log_path.read_text())
        self.assertEqual(len(list(pathlib.Path("/tmp").glob(f"podium-{user}-*"))), 2)
        for worker in daemons.processes[1:]:
            worker.terminate()
            worker.wait(WAIT_S)
        self.assertEqual(list(pathlib.Path("/tmp").glob(f"podium-{user}-*")), [])

    # --- Being let in too far ---

    def check_does_not_start(self, words, name, *arguments):
        done = subprocess.run([BIN / name, *arguments], capture_output=True, text=True, timeout=WAIT_S,
                              preexec_fn=die_with_parent, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAILED_PRECONDITION", done.stderr)
        self.assertIn(words, done.stderr)

    def test_nothing_listens_in_the_open_unless_it_is_said(self):
        for address in ("0.0.0.0:0", "[::]:0"):
            self.check_does_not_start("say --insecure", "podium-coordinator", "--listen", address)
            self.check_does_not_start("say --insecure", "podium-worker", "--coordinator", self.address, "--listen", address)
        self.check_does_not_start("say --insecure", "podium-worker", "--coordinator", self.address, "--ici-listen",
                                  "tcp://10.0.0.1")

    def test_a_port_file_is_not_written_through_a_link_of_others(self):
        daemons = Daemons(pathlib.Path(tempfile.mkdtemp(prefix="podium-access-")))
        self.addCleanup(daemons.stop)
        victim = private_file(daemons.folder / "victim", "precious\n")

        def lay_link():  # Where the file will be written: they try all process ids.
            os.symlink(victim, daemons.folder / f"address0.{os.getpid()}")
            die_with_parent()

        start = daemons.start
        daemons.start = lambda *arguments: start(*arguments, preexec=lay_link)
        self.assertRegex(daemons.coordinator("--topology", "1x1"), r"^127\.0\.0\.1:\d+$")
        self.assertEqual(victim.read_text(), "precious\n")

    def test_files_of_secrets_that_others_can_read_are_refused(self):
        loose = private_file(self.folder / "loose_tokens", f"run alice {ALICE}\n", 0o644)
        self.check_does_not_start("chmod 600", "podium-coordinator", "--tokens-file", loose)
        loose = private_file(self.folder / "loose_secret", SECRET.hex() + "\n", 0o604)
        self.check_does_not_start("chmod 600", "podium-coordinator", "--secret-file", loose)
        self.check_does_not_start("chmod 600", "podium-worker", "--coordinator", self.address, "--secret-file", loose)

    def test_a_coordinators_own_token_goes_with_it(self):
        daemons = Daemons(pathlib.Path(tempfile.mkdtemp(prefix="podium-access-")))
        address = daemons.coordinator("--topology", "1x1")
        name = f"token-{address.rsplit(':', 1)[1]}"
        folders = [pathlib.Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / "podium",
                   pathlib.Path(f"/tmp/podium-{os.geteuid()}")]
        files = [folder / name for folder in folders if (folder / name).exists()]
        self.assertEqual(len(files), 1)
        first = files[0].read_text()
        daemons.stop()
        self.assertFalse(files[0].exists())
        # One that is killed leaves it behind, and it is good for nothing at the next one of the port.
        again = Daemons(pathlib.Path(tempfile.mkdtemp(prefix="podium-access-")))
        self.addCleanup(again.stop)
        self.assertEqual(again.coordinator("--topology", "1x1", "--listen", address), address)
        again.processes[0].kill()
        again.processes[0].wait()
        self.assertTrue(files[0].exists())
        left = files[0].read_text()
        self.assertEqual(again.coordinator("--topology", "1x1", "--listen", address), address)
        self.assertEqual(len({first, left, files[0].read_text()}), 3)
        with grpc.insecure_channel(address) as channel:
            stub = type(self.stub)(channel)
            with self.refused(UNAUTHENTICATED, "not one that this server knows"):
                stub.GetPod(self.pb.GetPodRequest(), metadata=bearer(left.strip()), timeout=WAIT_S)
            self.assertEqual(len(stub.GetPod(self.pb.GetPodRequest(), metadata=bearer(files[0].read_text().strip()),
                                             timeout=WAIT_S).devices), 1)

    def test_a_flood_of_strangers_is_a_line_a_second(self):
        before = self.daemons.log_path.read_text().count("a worker is refused")
        began = time.monotonic()
        for _ in range(300):
            with self.refused(UNAUTHENTICATED):
                self.attach(self.register())
        lines = self.daemons.log_path.read_text().count("a worker is refused") - before
        self.assertLessEqual(lines, time.monotonic() - began + 2)

    def test_no_secret_is_written_to_a_log_or_a_command_line(self):
        self.test_a_wrong_token_is_none()
        self.test_a_fake_worker_is_refused_and_expels_nobody()
        session = self.open(ALICE).session
        name = f"token-{self.address.rsplit(':', 1)[1]}"
        folders = [pathlib.Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / "podium",
                   pathlib.Path(f"/tmp/podium-{os.geteuid()}")]
        own = next(folder / name for folder in folders if (folder / name).exists()).read_text().strip()
        said = self.daemons.log_path.read_text()
        for process in self.daemons.processes:
            said += pathlib.Path(f"/proc/{process.pid}/cmdline").read_text()
        for secret in (READER, ALICE, BOB, SECRET.hex(), session.hex(), own):
            self.assertNotIn(secret, said)


if __name__ == "__main__":
    sys.argv[1:3] = []
    unittest.main()
