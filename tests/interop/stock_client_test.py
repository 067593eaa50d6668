"""A stock gRPC client (Debian's python3-grpcio) against our server.

Usage: stock_client_test.py SERVER GENERATED_FOLDER. The stubs in the folder are protoc's.
"""
import os
import queue
import signal
import subprocess
import sys
import threading
import unittest

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

SERVER, GENERATED = sys.argv[1:3]
sys.path.insert(0, GENERATED)
import echo_pb2  # noqa: E402
import echo_pb2_grpc  # noqa: E402
from grpc_interop.health.v1 import health_pb2, health_pb2_grpc  # noqa: E402
from grpc_interop.reflection.v1 import reflection_pb2 as reflection_v1  # noqa: E402
from grpc_interop.reflection.v1 import reflection_pb2_grpc as reflection_v1_grpc  # noqa: E402
from grpc_interop.reflection.v1alpha import reflection_pb2 as reflection_v1alpha  # noqa: E402
from grpc_interop.reflection.v1alpha import reflection_pb2_grpc as reflection_v1alpha_grpc  # noqa: E402

MIB = 1 << 20
PATIENCE_S = 60  # Bounds a hang; nothing measures time with it.
OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
Payload = echo_pb2.Payload


class StockClient(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([SERVER], stdout=subprocess.PIPE, text=True)
        self.address = self.server.stdout.readline().strip()
        self.is_terminated = False
        self.channel = grpc.insecure_channel(self.address, options=OPTIONS)
        self.echo = echo_pb2_grpc.EchoStub(self.channel)

    def tearDown(self):
        self.channel.close()
        self.terminate()
        try:
            self.assertEqual(self.server.wait(PATIENCE_S), 0)
        finally:
            self.server.kill()
            self.server.stdout.close()

    def terminate(self):
        """Once: a second signal may find the server past its handler, on its way out."""
        if not self.is_terminated:
            self.is_terminated = True
            self.server.send_signal(signal.SIGTERM)

    def fails(self, code, call, *args, **kwargs):
        with self.assertRaises(grpc.RpcError) as caught:
            result = call(*args, timeout=kwargs.pop("timeout", PATIENCE_S), **kwargs)
            if not isinstance(result, Payload):
                list(result)
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return caught.exception

    def test_unary(self):
        for size in (0, 1, 1000, 100000, 3 * MIB, 15 * MIB):
            sent = Payload(data=os.urandom(size), count=size, text="größe")
            self.assertEqual(self.echo.Unary(sent, timeout=PATIENCE_S), sent)

    def test_client_stream_of_64_mib(self):
        data = os.urandom(MIB)
        answer = self.echo.Collect((Payload(data=data) for _ in range(64)), timeout=PATIENCE_S)
        self.assertEqual(answer.count, 64 * MIB)

    def test_client_stream_of_nothing(self):
        self.assertEqual(self.echo.Collect(iter(()), timeout=PATIENCE_S).count, 0)

    def test_server_stream_of_64_mib(self):
        data = os.urandom(MIB)
        count = 64
        for answer in self.echo.Produce(Payload(data=data, count=count), timeout=PATIENCE_S):
            self.assertEqual((answer.count, answer.data), (count, data))
            count -= 1
        self.assertEqual(count, 0)

    def test_bidirectional_in_turn(self):
        outgoing = queue.Queue()
        answers = self.echo.Chat(iter(outgoing.get, None), timeout=PATIENCE_S)
        for count in range(100):
            outgoing.put(Payload(count=count, data=b"x" * (count * 1000)))
            self.assertEqual(next(answers).count, count)
        outgoing.put(None)
        self.assertRaises(StopIteration, next, answers)
        self.assertEqual(answers.code(), grpc.StatusCode.OK)

    def test_bidirectional_of_64_mib_each_way(self):
        data = os.urandom(MIB)
        answers = self.echo.Chat((Payload(data=data) for _ in range(64)), timeout=PATIENCE_S)
        self.assertEqual(sum(answer.data == data for answer in answers), 64)

    def hung(self):
        return self.echo.Hung(Payload(), timeout=PATIENCE_S)

    def wait_for_hung(self, **wanted):
        """Round trips until the server has seen so many calls begin or end."""
        for _ in range(10000):
            answer = self.hung()
            if all(getattr(answer, key) == value for key, value in wanted.items()):
                return answer
        self.fail(f"the server never saw {wanted}")

    def test_deadline_at_both_ends(self):
        # Long enough for the call to begin also on a busy machine.
        call = self.echo.Hang.future(Payload(), timeout=2)
        self.wait_for_hung(begun=1)
        self.assertEqual(call.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        # The server's own clock or the client's RST_STREAM, whichever came first.
        self.assertIn(self.wait_for_hung(count=1).code, (1, 4))

    def test_cancellation_reaches_the_handler(self):
        call = self.echo.Hang.future(Payload(), timeout=PATIENCE_S)
        self.assertEqual(self.wait_for_hung(begun=1).count, 0)
        call.cancel()
        self.assertRaises(grpc.FutureCancelledError, call.result)
        self.assertEqual(self.wait_for_hung(count=1).code, 1)

    def test_cancellation_of_a_stream_that_nobody_reads(self):
        answers = self.echo.Produce(Payload(data=b"x" * MIB, count=10**9))
        next(answers)
        answers.cancel()
        with self.assertRaises(grpc.RpcError):
            list(answers)
        self.assertEqual(self.hung().count, 0)  # Served as before.

    def test_metadata_text_and_binary(self):
        binary = bytes(range(256))
        _, call = self.echo.Unary.with_call(
            Payload(), timeout=PATIENCE_S, metadata=[("x-say", "two words"), ("x-say-bin", binary)])
        self.assertIn(("x-said", "two words"), [tuple(pair) for pair in call.initial_metadata()])
        self.assertIn(("x-said-bin", binary), [tuple(pair) for pair in call.trailing_metadata()])

    def test_metadata_over_the_bound(self):
        self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, self.echo.Unary, Payload(),
                   metadata=[("x-say", "y" * 20000)] * 4)

    def test_every_code_with_any_text(self):
        for code in grpc.StatusCode:
            if code == grpc.StatusCode.OK:
                continue
            for text in ("plain", "100% größer\nzweite Zeile \U0001F600", ""):
                error = self.fails(code, self.echo.Fail, Payload(code=code.value[0], text=text))
                self.assertEqual(error.details(), text)

    def test_a_long_text_is_cut_rather_than_lost(self):
        error = self.fails(grpc.StatusCode.INTERNAL, self.echo.Fail,
                           Payload(code=13, text="x" * 100000))
        self.assertTrue(error.details().startswith("xxxx"))
        self.assertTrue(error.details().endswith("..."))

    def test_unknown_method(self):
        call = self.channel.unary_unary("/interop.Echo/Nothing")
        self.fails(grpc.StatusCode.UNIMPLEMENTED, call, b"")

    def test_bytes_that_are_no_message(self):
        call = self.channel.unary_unary("/interop.Echo/Unary")
        self.fails(grpc.StatusCode.INTERNAL, call, b"\x0a\xff\xff")

    def test_a_message_over_the_bound(self):
        error = self.fails(grpc.StatusCode.RESOURCE_EXHAUSTED, self.echo.Unary,
                           Payload(data=b"x" * (17 * MIB)))
        self.assertIn("16777216", error.details())

    def test_compression_is_unimplemented(self):
        self.fails(grpc.StatusCode.UNIMPLEMENTED, self.echo.Unary, Payload(data=b"x" * 1000),
                   compression=grpc.Compression.Gzip)

    def test_five_hundred_calls_at_once(self):
        calls = [self.echo.Unary.future(Payload(count=i), timeout=PATIENCE_S) for i in range(500)]
        self.assertEqual([call.result().count for call in calls], list(range(500)))

    def test_a_call_under_way_survives_the_shutdown(self):
        outgoing = queue.Queue()
        answers = self.echo.Chat(iter(outgoing.get, None), timeout=PATIENCE_S)
        outgoing.put(Payload(count=1))
        self.assertEqual(next(answers).count, 1)
        health = health_pb2_grpc.HealthStub(self.channel)
        watch = health.Watch(health_pb2.HealthCheckRequest(), timeout=PATIENCE_S)
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.SERVING)
        self.terminate()
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.NOT_SERVING)
        outgoing.put(Payload(count=2))
        self.assertEqual(next(answers).count, 2)
        outgoing.put(None)
        self.assertEqual(list(answers), [])
        self.assertEqual(answers.code(), grpc.StatusCode.OK)

    def test_health(self):
        health = health_pb2_grpc.HealthStub(self.channel)
        for service in ("", "interop.Echo", "grpc.health.v1.Health"):
            answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=PATIENCE_S)
            self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING)
        self.fails(grpc.StatusCode.NOT_FOUND, health.Check, health_pb2.HealthCheckRequest(service="no"))
        watch = health.Watch(health_pb2.HealthCheckRequest(service="no"), timeout=PATIENCE_S)
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)
        watch.cancel()

    def reflect(self, messages, stub, **request):
        answers = stub.ServerReflectionInfo(
            iter([messages.ServerReflectionRequest(**request)]), timeout=PATIENCE_S)
        return next(answers)

    def test_reflection_in_both_versions(self):
        for messages, stubs in ((reflection_v1, reflection_v1_grpc),
                                (reflection_v1alpha, reflection_v1alpha_grpc)):
            stub = stubs.ServerReflectionStub(self.channel)
            listed = self.reflect(messages, stub, list_services="*").list_services_response
            names = {service.name for service in listed.service}
            self.assertLessEqual({"interop.Echo", "grpc.health.v1.Health",
                                  "grpc.reflection.v1.ServerReflection",
                                  "grpc.reflection.v1alpha.ServerReflection"}, names)
            answer = self.reflect(messages, stub, file_by_filename="nothing.proto")
            self.assertEqual(answer.error_response.error_code, 5)
            answer = self.reflect(messages, stub, file_containing_symbol="grpc.health.v1.Health.Check")
            self.call_by_reflection(answer.file_descriptor_response.file_descriptor_proto)

    def call_by_reflection(self, files):
        """As a generic tool does it: nothing known but what the server told."""
        pool = descriptor_pool.DescriptorPool()
        for data in files:
            pool.Add(descriptor_pb2.FileDescriptorProto.FromString(data))
        method = pool.FindServiceByName("grpc.health.v1.Health").methods_by_name["Check"]
        factory = message_factory.MessageFactory(pool)
        request = factory.GetPrototype(method.input_type)
        response = factory.GetPrototype(method.output_type)
        call = self.channel.unary_unary("/grpc.health.v1.Health/Check",
                                        request_serializer=request.SerializeToString,
                                        response_deserializer=response.FromString)
        self.assertEqual(call(request(), timeout=PATIENCE_S).status, 1)

    def test_reflection_answers_many_questions_in_one_stream(self):
        stub = reflection_v1_grpc.ServerReflectionStub(self.channel)
        request = reflection_v1.ServerReflectionRequest(file_containing_symbol="grpc.health.v1.Health")
        answers = stub.ServerReflectionInfo(iter([request] * 2000), timeout=PATIENCE_S)
        self.assertEqual(sum(1 for _ in answers), 2000)

    def test_many_clients_at_once(self):
        failures = []

        def work():
            with grpc.insecure_channel(self.address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
                stub = echo_pb2_grpc.EchoStub(channel)
                for i in range(20):
                    if stub.Unary(Payload(count=i), timeout=PATIENCE_S).count != i:
                        failures.append(i)

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
