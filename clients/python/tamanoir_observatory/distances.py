"""Distances between RSEs of Rucio from what transfers between them cost."""

import math
from dataclasses import dataclass
from typing import Dict, Iterable, List, Mapping, Optional

from .choice import host_of
from .client import Observatory

# Rucio's column is a 32-bit integer.
MOST = 2**31 - 1


@dataclass(frozen=True)
class Distance:
    """``new`` is in seconds, at least 1. ``old`` is Rucio's: None if it has none, or was not asked."""

    source: str
    destination: str
    new: int
    old: Optional[int] = None

    def differs(self, ratio: float) -> bool:
        return self.old is None or abs(self.new - self.old) > ratio * self.old


def distances(observatory: Observatory, hosts: Mapping[str, str], size: float, tolerance: float = 3600.0) -> List[Distance]:
    """The seconds that ``size`` octets take between each two RSEs, for the pairs that the observatory knows.

    Seconds rather than places in an order: Rucio adds the distances of the hops of a path.

    :param hosts: of each RSE
    """
    ranked = observatory.rank(sorted(set(hosts.values())), sorted(set(hosts.values())), size, tolerance=tolerance)
    seconds = {(each.host, to): each.value for to, replicas in ranked.items() for each in replicas if each.known}
    return [
        Distance(source, destination, min(MOST, max(1, math.ceil(seconds[hosts[source], hosts[destination]]))))
        for source in sorted(hosts)
        for destination in sorted(hosts)
        if source != destination and (hosts[source], hosts[destination]) in seconds
    ]


def read_hosts(lines: Iterable[str]) -> Dict[str, str]:
    """``RSE HOST``, one a line; what follows a ``#`` is left out."""
    hosts = {}
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if len(words) not in (0, 2):
            raise ValueError(f"line {number} is not 'RSE HOST': {line.strip()}")
        if words:
            hosts[words[0]] = words[1]
    return hosts


class Rucio:
    """What of Rucio's own client is used; ``rucio-clients`` 41.5.1 has it as here."""

    def __init__(self, client=None):
        if client is None:
            from rucio.client import Client

            client = Client()
        self._client = client

    def hosts(self, expression: Optional[str] = None) -> Dict[str, str]:
        """The host of each RSE, as the strategy finds it."""
        names = [each["rse"] for each in self._client.list_rses(expression)]
        hosts = {name: host_of(self._client.list_rse_attributes(name), self._client.get_rse(name)) for name in names}
        return {name: host for name, host in hosts.items() if host}

    def known(self, distance: Distance) -> Distance:
        """With the distance that Rucio has."""
        found = self._client.get_distance(distance.source, distance.destination)
        return Distance(distance.source, distance.destination, distance.new, found[0]["distance"] if found else None)

    def put(self, distance: Distance) -> None:
        change = self._client.add_distance if distance.old is None else self._client.update_distance
        change(distance.source, distance.destination, {"distance": distance.new})
