"""The requests of those who choose: costs, replicas in order, the newest measurements."""

import http.client
import json
import ssl
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Optional, Tuple
from urllib.parse import urlencode, urlsplit

PORT = 3337
# As many pairs of hosts as one request may have.
MOST_PAIRS = 10_000
# No answer to a request that the observatory takes is longer.
MOST_OCTETS = 64 << 20


class ObservatoryError(Exception):
    """The observatory refuses a request. ``code`` is explained in docs/errors.md, ``status`` is that of HTTP."""

    def __init__(self, code: str, message: str, status: int = 0):
        super().__init__(f"{code} {message}")
        self.code = code
        self.status = status


class Unreachable(ObservatoryError):
    """Nobody answers, or what answers is no observatory."""

    def __init__(self, message: str):
        super().__init__("EE-786", message)


@dataclass(frozen=True)
class Cost:
    """What a transfer costs by one function. Without data ``known`` is false and ``why`` has what it knows, and what is missing."""

    value: float
    error: float
    unit: str
    known: bool
    why: Tuple[str, ...]


@dataclass(frozen=True)
class Replica:
    """A replica in its place among others. ``why`` is empty unless it was asked for."""

    host: str
    value: float
    error: float
    known: bool
    why: Tuple[str, ...] = ()


class Observatory:
    """An observatory at ``url``. Safe for use by several threads: each request has a connection of its own.

    :param token: a bearer token; not needed on the machine of the observatory
    :param timeout: seconds, of the connection and of each read
    :param context: authorities, and a certificate of one's own, for https
    """

    def __init__(self, url: str, token: Optional[str] = None, timeout: float = 10.0, context: Optional[ssl.SSLContext] = None):
        if "://" not in url:
            url = "http://" + (url if ":" in url else f"{url}:{PORT}")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"'{url}' is no URL of an observatory")
        self.url = url.rstrip("/")
        self._parts = parts
        self._port = parts.port
        self._token = token
        self._timeout = timeout
        self._context = context

    def costs(self, source: str, destination: str, size: float = 0, **options: Any) -> Dict[str, Cost]:
        """What it costs to bring ``size`` octets from one host to another, by each function: ``time``, ``closeness``, ``netcost``.

        :param options: ``class``, ``tolerance``, ``streams``, ``alpha``, ``mss``, ``forecast``
        """
        query = {"from": source, "to": destination, "size": size, **options}
        query = {key: str(value).lower() if isinstance(value, bool) else value for key, value in query.items()}
        answer = self._ask("GET", "/v1/costs?" + urlencode(query))
        return {name: Cost(each["value"], each["error"], each["unit"], each["known"], tuple(each["why"])) for name, each in answer["costs"].items()}

    def rank(self, replicas: Iterable[str], destinations: Iterable[str], size: float = 0, function: str = "time", **options: Any) -> Dict[str, List[Replica]]:
        """For each destination the replicas, the best first; those of which nothing is known come last.

        :param options: ``class``, ``tolerance``, ``streams``, ``alpha``, ``mss``, ``explain``
        """
        replicas, destinations = list(replicas), list(destinations)
        at_once = max(1, MOST_PAIRS // max(1, len(replicas)))
        ranked: Dict[str, List[Replica]] = {}
        for first in range(0, len(destinations), at_once):
            wanted = {"size": size, "replicas": replicas, "destinations": destinations[first : first + at_once], "function": function, **options}
            answer = self._ask("POST", "/v1/rank", wanted)
            for destination, all_of_it in answer["ranked"].items():
                ranked[destination] = [Replica(each["replica"], each["value"], each["error"], each["known"], tuple(each.get("why", ()))) for each in all_of_it]
        return ranked

    def matrix(self) -> List[Dict[str, Any]]:
        """The newest sample of every session."""
        return self._ask("GET", "/v1/matrix")

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            connection = self._connection()
            try:
                connection.request(method, self._parts.path.rstrip("/") + path, content, headers)
                response = connection.getresponse()
                text = response.read(MOST_OCTETS + 1)
            finally:
                connection.close()
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self.url} does not answer: {error or type(error).__name__}") from error
        if len(text) > MOST_OCTETS:
            raise Unreachable(f"{self.url} answers with more than {MOST_OCTETS} octets")
        try:
            answer = json.loads(text)
        except ValueError as error:
            raise Unreachable(f"{self.url} answers {response.status} and no JSON: it is no observatory") from error
        if response.status // 100 != 2:
            error_of_it = answer if isinstance(answer, dict) else {}
            raise ObservatoryError(str(error_of_it.get("code", "EE-786")), str(error_of_it.get("message", f"{self.url} answers {response.status}")), response.status)
        return answer

    def _connection(self) -> http.client.HTTPConnection:
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(self._parts.hostname, self._port, timeout=self._timeout, context=self._context)
        return http.client.HTTPConnection(self._parts.hostname, self._port, timeout=self._timeout)
