"""Whole numbers that order sources, for schedulers that compare such numbers."""

import logging
import math
import queue
import sys
import threading
import time
from typing import Any, Callable, Dict, Mapping, Optional

from .client import Observatory

LOG = logging.getLogger(__name__)
# Transfers within a LAN may take no time at all by the measurements.
LEAST_SECONDS = 1e-3
# An attribute of an RSE that names its host, where the host of its protocols is not what theodolites measure.
HOST_ATTRIBUTE = "observatory_host"


def host_of(attributes: Mapping[str, Any], settings: Mapping[str, Any]) -> Optional[str]:
    """The host that stands for an RSE of Rucio; None if it has none."""
    named = attributes.get(HOST_ATTRIBUTE)
    if named:
        return str(named)
    protocols = [each for each in settings.get("protocols", []) if each.get("hostname")]
    # As Rucio orders them for copies by third parties; one with 0 is never used for them.
    protocols.sort(key=lambda each: each.get("domains", {}).get("wan", {}).get("third_party_copy_read") or sys.maxsize)
    return protocols[0]["hostname"] if protocols else None


class Choice:
    """Asks an observatory once for all sources of a request, and never holds it up.

    If no answer has come in ``timeout`` seconds all sources cost the same, and for ``pause`` seconds nobody is asked.

    :param step: sources whose times differ by less than this ratio may cost the same, so that whatever else orders them decides
    """

    def __init__(self, observatory: Observatory, timeout: float = 2.0, pause: float = 60.0, step: float = 0.1, tolerance: float = 3600.0, now: Callable[[], float] = time.monotonic):
        self._observatory = observatory
        self._timeout = timeout
        self._pause = pause
        self._step = step
        self._tolerance = tolerance
        self._now = now
        self._silent_until = -math.inf

    def costs(self, sources: Mapping[str, Optional[str]], destination: Optional[str], size: float) -> Dict[str, int]:
        """0 for the best, more for those that are slower.

        :param sources: the host of each source, or None if nobody knows it
        :returns: empty if the observatory knows nothing of any, or does not answer. A source of which it knows nothing costs as much as the
            slowest that it knows: it is neither preferred nor given up.
        """
        hosts = sorted({host for host in sources.values() if host})
        if not hosts or not destination or self._now() < self._silent_until:
            return {}
        seconds = self._seconds(hosts, destination, size)
        known = {name: seconds[host] for name, host in sources.items() if host in seconds}
        if not known:
            return {}
        best, worst = min(known.values()), max(known.values())
        return {name: self._steps(known.get(name, worst), best) for name in sources}

    def _steps(self, seconds: float, best: float) -> int:
        return int(math.log(max(seconds, LEAST_SECONDS) / max(best, LEAST_SECONDS)) / math.log1p(self._step))

    def _seconds(self, hosts, destination: str, size: float) -> Dict[str, float]:
        """Of each host that is known. In a thread, since a name server may take longer than any timeout of a socket."""
        answers: "queue.Queue" = queue.Queue()

        def ask() -> None:
            try:
                answers.put(self._observatory.rank(hosts, [destination], size, tolerance=self._tolerance)[destination])
            except Exception as error:  # Whatever it is, a transfer must not fail for it.
                answers.put(error)

        threading.Thread(target=ask, name="observatory", daemon=True).start()
        try:
            answer = answers.get(timeout=self._timeout)
        except queue.Empty:
            answer = TimeoutError(f"no answer in {self._timeout:g} s")
        if isinstance(answer, Exception):
            self._silent_until = self._now() + self._pause
            LOG.warning("sources are not ordered by the observatory for %g s: %s", self._pause, answer)
            return {}
        return {each.host: each.value for each in answer if each.known}
