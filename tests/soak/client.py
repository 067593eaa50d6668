#!/usr/bin/python3
"""One of the soak's clients: Debian's grpcio, nothing of ours but the .proto files.

Usage: client.py ADDRESS SECONDS SEED FOLDER TOKEN_FILE     FOLDER has the code made of the .proto files.
Prints how many values it has checked; ends with 1 when something was wrong.
"""
import random
import sys
import time

import grpc
import numpy

WAIT_S = 120
MODULE = """
module @soak_stock {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<16x8xi32>
    return %0 : tensor<16x8xi32>
  }
}
"""


def main(address, seconds, seed, folder, token_file):
    sys.path.insert(0, folder)
    from podium.v1 import podium_pb2 as pb, podium_pb2_grpc, types_pb2 as types
    dice = random.Random(seed)
    metadata = [("authorization", "Bearer " + open(token_file).read().strip())]
    end, checked = time.monotonic() + seconds, 0
    with grpc.insecure_channel(address) as channel:
        stub = podium_pb2_grpc.PodiumStub(channel)
        while time.monotonic() < end:
            stream = stub.OpenSession(pb.OpenSessionRequest(client="soak stock", wait_for_pod=True), metadata=metadata)
            session = next(stream).session
            text = MODULE.encode()
            executable = stub.Compile(iter([pb.CompileRequest(session=session, file_name="soak.mlir", size_bytes=len(text)),
                                            pb.CompileRequest(text=text)]), timeout=WAIT_S, metadata=metadata).executable
            for _ in range(dice.randrange(1, 20)):
                values = numpy.array([dice.randrange(1 << 15) for _ in range(128)], numpy.int32).reshape(16, 8)
                array = stub.PutArray(iter([pb.PutArrayRequest(session=session, executable=executable),
                                            pb.PutArrayRequest(data=values.tobytes())]), timeout=WAIT_S,
                                      metadata=metadata).array
                done = stub.Execute(pb.ExecuteRequest(session=session, executable=executable, arguments=[array]),
                                    timeout=WAIT_S, metadata=metadata)
                messages = list(stub.FetchArray(pb.FetchArrayRequest(session=session, array=done.results[0]),
                                                timeout=WAIT_S, metadata=metadata))
                got = numpy.frombuffer(b"".join(message.data for message in messages[1:]), numpy.int32).reshape(16, 8)
                numpy.testing.assert_array_equal(got, values * values)
                checked += values.size
                stub.FreeHandles(pb.FreeHandlesRequest(session=session, arrays=[array, done.results[0]]),
                                 timeout=WAIT_S, metadata=metadata)
            stream.cancel()
    print(checked)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5])
