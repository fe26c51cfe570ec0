"""
A data server of SciStream (S2DS) whose connections are streams through nodes: a ``tamanoir gateway`` for each listener.

SciStream's control server gives ports to two of its own classes alone, so this one takes the place of ``HaproxySubprocess``; ``python -m tamanoir_scistream``
does that and starts the control server.
"""

import logging
import re
import subprocess
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence

__all__ = ["Gateways", "S2dsError", "Way", "take_the_place_of_haproxy"]

#: A gateway lets open connections end for 10 s when it is told to stop.
STOP_SECONDS = 20
_HOST_PORT = re.compile(r"(?!-)(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")


class S2dsError(Exception):
    """What a user of SciStream asks for cannot be had; the text says why, with the code of docs/errors.md where there is one."""


@dataclass(frozen=True)
class Way:
    """By which node connections go, and by which services; ``more`` are further options of ``tamanoir gateway``."""

    via: Sequence[str]
    services: str
    command: Sequence[str] = ("tamanoir",)
    more: Sequence[str] = ()

    def gateway(self, listener: str, destination: str) -> List[str]:
        # The check would be a connection without an octet, which a server for one connection takes for its client.
        via = [word for node in self.via for word in ("--via", node)]
        return [*self.command, "gateway", "--listen", listener, *via, "--to", destination, "--service", self.services, "--check", "0", *self.more]


class Processes(List[Any]):
    """
    The gateways of a request, and where they listen. SciStream keeps this list and hands it back; the instance that it calls may be that of
    another request, so that nothing is kept there.
    """

    def __init__(self, listeners: Sequence[str]) -> None:
        super().__init__()
        self.listeners = list(listeners)


class Gateways:
    """What SciStream's control server calls, in the order start, update_listeners (any number of times), release."""

    def __init__(self, way: Way, logger: Optional[logging.Logger] = None) -> None:
        self.way = way
        self.logger = logger or logging.getLogger(__name__)

    def start(self, num_conn: int, listener_ip: str, ports: Sequence[int]) -> Dict[str, Any]:
        """Says where the program will connect; nothing listens before its destination is known."""
        if len(ports) < num_conn:
            raise S2dsError(f"{num_conn} connections were asked for, and {len(ports)} ports are left")
        host = f"[{listener_ip}]" if ":" in listener_ip else listener_ip
        listeners = [f"{host}:{port}" for port in ports[:num_conn]]
        return {"s2ds_proc": Processes(listeners), "listeners": list(listeners)}

    def update_listeners(self, listeners: Sequence[str], s2ds_proc: Processes, uid: str, role: str) -> None:
        """Starts a gateway from each port to its destination, in the place of those of an earlier call; comes back when all listen."""
        for destination in listeners:
            if not _HOST_PORT.fullmatch(destination):
                raise S2dsError(f"'{destination}' is no HOST:PORT")
        stop(s2ds_proc, wait=True)
        try:
            for listener, destination in zip(s2ds_proc.listeners, listeners):
                command = self.way.gateway(listener, destination)
                # Its words go where those of the control server go; what it prints when it is ready is read here.
                s2ds_proc.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))
            for gateway, destination in zip(s2ds_proc, listeners):
                ready = gateway.stdout.readline()
                if not ready.startswith("READY "):
                    raise S2dsError(f"the gateway to {destination} ended with {gateway.wait()}; the log of the control server says why")
                self.logger.info(f"{uid} ({role}): {ready.strip()[6:]} leads to {destination}")
        except Exception:
            stop(s2ds_proc, wait=False)
            raise

    def release(self, entry: Optional[Dict[str, Any]]) -> None:
        """Stops the gateways: open connections have 10 s to end."""
        if entry:
            stop(entry["s2ds_proc"], wait=False)


def stop(processes: Processes, wait: bool) -> None:
    """Tells gateways to stop, and forgets them."""
    stopping = list(processes)
    processes.clear()
    for process in stopping:
        process.terminate()
    for process in stopping:
        if wait:
            _end(process)
        else:
            threading.Thread(target=_end, args=(process,), daemon=True).start()


def _end(process: Any) -> None:
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def take_the_place_of_haproxy(module: Any, way: Way) -> None:
    """Has SciStream's module ``src.s2ds.s2ds`` make these where it would make a ``HaproxySubprocess``."""
    make: Callable[..., Gateways] = lambda logger=None: Gateways(way, logger)
    module.HaproxySubprocess = make
