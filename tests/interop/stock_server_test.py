"""Our client against a stock gRPC server (Debian's python3-grpcio).

Usage: stock_server_test.py OUR_CLIENT_TEST GENERATED_FOLDER. Serves interop.Echo and
grpc.health.v1 and runs our client's test program against it, over TCP and over a unix socket.
"""
import os
import subprocess
import sys
import tempfile
import threading
from concurrent import futures

import grpc

CLIENT, GENERATED = sys.argv[1:3]
sys.path.insert(0, GENERATED)
import echo_pb2  # noqa: E402
import echo_pb2_grpc  # noqa: E402
from grpc_interop.health.v1 import health_pb2, health_pb2_grpc  # noqa: E402

Payload = echo_pb2.Payload
CODES = {code.value[0]: code for code in grpc.StatusCode}
PATIENCE_S = 240


class Echo(echo_pb2_grpc.EchoServicer):
    def __init__(self):
        self.begun_count = self.hung_count = 0
        self.lock = threading.Lock()

    def Unary(self, request, context):
        metadata = dict(context.invocation_metadata())
        if "x-say" in metadata:
            context.send_initial_metadata([("x-said", metadata["x-say"])])
        if "x-say-bin" in metadata:
            context.set_trailing_metadata([("x-said-bin", metadata["x-say-bin"])])
        return request

    def Collect(self, requests, context):
        return Payload(count=sum(len(request.data) for request in requests))

    def Produce(self, request, context):
        for left in range(request.count, 0, -1):
            yield Payload(data=request.data, count=left)

    def Chat(self, requests, context):
        yield from requests

    def Fail(self, request, context):
        context.abort(CODES[request.code], request.text)

    def Hang(self, request, context):
        with self.lock:
            self.begun_count += 1
        ended = threading.Event()
        if context.add_callback(ended.set):
            ended.wait(PATIENCE_S)
        with self.lock:
            self.hung_count += 1
        return Payload()

    def Hung(self, request, context):
        with self.lock:
            return Payload(begun=self.begun_count, count=self.hung_count)


class Health(health_pb2_grpc.HealthServicer):
    def Check(self, request, context):
        return health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)


def run_client(address):
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16), options=[
        ("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)])
    echo_pb2_grpc.add_EchoServicer_to_server(Echo(), server)
    health_pb2_grpc.add_HealthServicer_to_server(Health(), server)
    port = server.add_insecure_port(address)
    server.start()
    try:
        bound = address if address.startswith("unix:") else f"127.0.0.1:{port}"
        return subprocess.run([CLIENT, bound], timeout=PATIENCE_S, check=False).returncode
    finally:
        server.stop(None).wait()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        addresses = ["127.0.0.1:0", "unix:" + os.path.join(folder, "echo.sock")]
        sys.exit(any([run_client(address) for address in addresses]))
