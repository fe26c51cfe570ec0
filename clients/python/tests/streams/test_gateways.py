"""The data server of SciStream, as its control server calls it, with real gateways through the node that APythonProgramTest has started."""

import os
import shlex
import socket
import threading
import unittest
from typing import Any, List

from tamanoir_scistream import Gateways, S2dsError, Way, stop, take_the_place_of_haproxy

WAY = Way([os.environ["TAMANOIR_NODE"]], "monitoring", shlex.split(os.environ["TAMANOIR_COMMAND"]))
PATIENCE = 60


class Server:
    """Says its name to whoever connects, and gives back what comes."""

    def __init__(self, name: bytes) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.at = "127.0.0.1:{}".format(self.socket.getsockname()[1])
        self.name = name
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                connection.sendall(self.name)
                while octets := connection.recv(1 << 16):
                    connection.sendall(octets)


def ports(number: int) -> List[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    free = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return free


class DataServer(unittest.TestCase):
    def setUp(self) -> None:
        self.servers = [Server(name) for name in (b"one", b"two")]
        for server in self.servers:
            self.addCleanup(server.socket.close)

    def says(self, listener: str) -> bytes:
        host, port = listener.rsplit(":", 1)
        with socket.create_connection((host, int(port)), PATIENCE) as program:
            program.sendall(b"-back")
            program.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: program.recv(1 << 16), b""))

    def test_each_port_of_a_request_leads_to_its_own_by_a_gateway_until_it_is_released(self) -> None:
        class module:
            HaproxySubprocess: Any = None
        take_the_place_of_haproxy(module, WAY)
        entry = module.HaproxySubprocess(None).start(2, "127.0.0.1", ports(3))
        self.addCleanup(stop, entry["s2ds_proc"], True)
        other = module.HaproxySubprocess(None)
        other.start(1, "127.0.0.1", ports(1))
        # SciStream calls the instance of the newest request, whosever the call is.
        other.update_listeners([server.at for server in self.servers], entry["s2ds_proc"], "uid", "PROD")
        self.assertEqual([self.says(listener) for listener in entry["listeners"]], [b"one-back", b"two-back"])
        processes = list(entry["s2ds_proc"])
        other.release(entry)
        other.release(None)
        self.assertEqual([process.wait(PATIENCE) for process in processes], [0, 0])

    def test_what_cannot_be_had_is_raised_and_leaves_no_gateway(self) -> None:
        gateways = Gateways(WAY)
        with self.assertRaisesRegex(S2dsError, "1 ports are left"):
            gateways.start(2, "127.0.0.1", ports(1))
        entry = gateways.start(2, "127.0.0.1", ports(2))
        with self.assertRaisesRegex(S2dsError, "'--proxy:1' is no HOST:PORT"):
            gateways.update_listeners([self.servers[0].at, "--proxy:1"], entry["s2ds_proc"], "uid", "CONS")
        host, taken = entry["listeners"][1].rsplit(":", 1)
        started: List[Any] = []
        with socket.create_server((host, int(taken))):
            with self.assertRaisesRegex(S2dsError, "ended with 1"):
                gateways.update_listeners([server.at for server in self.servers], Recorded(entry["s2ds_proc"].listeners, started), "uid", "CONS")
        self.assertEqual((len(started), [process.wait(PATIENCE) for process in started]), (2, [0, 1]))


class Recorded(List[Any]):
    def __init__(self, listeners: List[str], started: List[Any]) -> None:
        super().__init__()
        self.listeners = listeners
        self.started = started

    def append(self, process: Any) -> None:
        self.started.append(process)
        super().append(process)


if __name__ == "__main__":
    unittest.main()
