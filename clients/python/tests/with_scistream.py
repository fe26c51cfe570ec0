"""
SciStream's own control servers, one at the producer's site and one at the consumer's, with gateways as their data servers: what a consumer gets through both
is what the producer has sent. Called by test-with-scistream: with_scistream.py NODE COMMAND.
"""

import contextlib
import random
import socket
import subprocess
import sys
import threading
import time
import uuid

import grpc
from src.proto import scistream_pb2, scistream_pb2_grpc

NODE, COMMAND = sys.argv[1:]
PATIENCE = 60
SENT = random.Random(6).randbytes(20_000_000)
CONNECTIONS = 2


def control(port, ports):
    """A control server, and a stub to it. Without TLS, on this machine."""
    server = subprocess.Popen([sys.executable, "-m", "tamanoir_scistream", "--via", NODE, "--service", "monitoring", "--command", COMMAND, "--",
                               f"--port={port}", f"--port_range={ports}", "--listener_ip=127.0.0.1", "--ssl=False"])
    channel = grpc.insecure_channel(f"127.0.0.1:{port}")
    grpc.channel_ready_future(channel).result(PATIENCE)
    return server, scistream_pb2_grpc.ControlStub(channel)


def request(stub, uid, role, destinations):
    """What s2uc does: a request, which waits for the application's word, then where its connections lead."""
    answer = stub.req.future(scistream_pb2.Request(uid=uid, role=role, num_conn=CONNECTIONS, rate=10000))
    for _ in range(100):
        time.sleep(0.1)
        try:
            stub.hello(scistream_pb2.Hello(uid=uid, role="PROD", prod_listeners=destinations))
            break
        except grpc.RpcError:
            # The request has not come yet.
            continue
    listeners = list(answer.result(PATIENCE).listeners)
    stub.update(scistream_pb2.UpdateTargets(uid=uid, remote_listeners=destinations, role=role), timeout=PATIENCE)
    return listeners


def produce(server):
    while True:
        connection, _ = server.accept()
        # Who only looks whether a gateway listens is a consumer that goes away.
        with connection, contextlib.suppress(OSError):
            connection.sendall(SENT)


def consume(listener):
    host, port = listener.rsplit(":", 1)
    with socket.create_connection((host, int(port)), PATIENCE) as consumer:
        consumer.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: consumer.recv(1 << 20), b""))


def refuses(listener):
    host, port = listener.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
        return False
    except ConnectionRefusedError:
        return True


producers = [socket.create_server(("127.0.0.1", 0)) for _ in range(CONNECTIONS)]
for producer in producers:
    threading.Thread(target=produce, args=(producer,), daemon=True).start()
there, producing = control(5391, "5400-5409")
here, consuming = control(5392, "5410-5419")
try:
    uid = str(uuid.uuid1())
    far = request(producing, uid, "PROD", [f"127.0.0.1:{producer.getsockname()[1]}" for producer in producers])
    near = request(consuming, uid, "CONS", far)
    print(f"consumers connect to {near}, their control server's gateways to {far}")
    for listener in near:
        got = consume(listener)
        assert got == SENT, f"{len(got)} octets came of {len(SENT)}"
    print(f"{len(near)} times {len(SENT)} octets through both, the same")
    consuming.release(scistream_pb2.Release(uid=uid))
    end = time.monotonic() + PATIENCE
    while not all(refuses(listener) for listener in near) and time.monotonic() < end:
        time.sleep(0.2)
    assert all(refuses(listener) for listener in near), "a gateway listens after its release"
    print("nobody listens after the release")
finally:
    for server in (there, here):
        server.terminate()
        server.wait(PATIENCE)
end = time.monotonic() + PATIENCE
while not all(refuses(listener) for listener in far) and time.monotonic() < end:
    time.sleep(0.2)
assert all(refuses(listener) for listener in far), "a gateway outlives its control server"
print("nor after the control server has been told to stop")
