"""Opens streams: through which node, to where, with which services."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import pathlib
import random
import socket
import ssl
from dataclasses import dataclass
from typing import Any, Callable, Generator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from .errors import TamanoirError, wrong
from .packet import DISCARD_UNKNOWN, HEADER_SIZE, JSON_WEB_TOKEN, MAX_CHAIN, MAX_PACKET, Delivery, Identifier, Options, Packet, Parameter, TraceContext, encode
from .resuming import Resume, ResumableStream
from .stream import PACKET_SIZE, Stream

_S = TypeVar("_S", bound=Stream)
SERVICES = {"forward": 0x5401, "monitoring": 0x5402, "compression": 0x5403, "qosinus": 0x5404, "aggregate": 0x5406, "cache": 0x540C, "interest": 0x540D, "collect": 0x540E, "transcode": 0x540F, "coalesce": 0x5410}
"""The services that come with Tamanoir and that applications ask for. Any other goes by its Type ID: 0x5501."""
Parameters = Mapping[Union[str, int], Mapping[str, object]]
"""What is asked of services: by service, by name."""
_OTHERS_SECONDS = 1.0
"""How long a node may take where there are others."""


@dataclass(frozen=True)
class Tls:
    """
    Files in PEM: the authorities that are believed, a certificate to show, and its key. For nodes named ``tls://HOST:PORT``, which may ask
    for a certificate; or for :func:`listen`, which needs one, and asks for one.
    """

    authorities: Union[str, "os.PathLike[str]"]
    certificate: Union[str, "os.PathLike[str]", None] = None
    key: Union[str, "os.PathLike[str]", None] = None
    node_id: Optional[str] = None
    """
    The SPIFFE ID that the node must have. None: the host or address by which it is named; for a listener any that the authorities have
    certified.
    """

    def context(self, listens: bool = False) -> ssl.SSLContext:
        """EE-501 if a file is of no use."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if listens else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = not listens and self.node_id is None
        context.verify_mode = ssl.CERT_REQUIRED
        if listens and self.certificate is None:
            raise wrong("a listener by TLS needs a certificate and its key")
        try:
            context.load_verify_locations(self.authorities)
            if self.certificate is not None:
                context.load_cert_chain(self.certificate, self.key)
        except OSError as e:
            raise TamanoirError("EE-501", f"a file for TLS is of no use: {e.strerror or e}") from e
        return context

    def admits(self, transport: asyncio.BaseTransport) -> bool:
        """Whether the peer is who it should be, beyond what its certificate has proved."""
        names = transport.get_extra_info("peercert").get("subjectAltName", ())
        return self.node_id is None or ("URI", self.node_id) in names


@dataclass(frozen=True)
class Token:
    """
    A JSON Web Token, as text or as the path of a file whose first line it is; read for each stream. Whoever sees it can use it, so
    it goes to other machines by TLS alone, unless ``in_clear`` says that the network between keeps secrets itself.
    """

    text: Union[str, pathlib.Path]
    in_clear: bool = False

    def to(self, peer: str, secure: bool) -> str:
        if not (secure or self.in_clear or ipaddress.ip_address(peer.partition("%")[0]).is_loopback):
            raise TamanoirError("EE-222", f"the token would go to {peer} without TLS, and others could use it")
        if isinstance(self.text, str):
            return self.text.strip()
        try:
            token = self.text.read_text().strip()
        except OSError as e:
            raise TamanoirError("EE-501", f"the token's file {self.text} cannot be read: {e.strerror}") from e
        if not token:
            raise TamanoirError("EE-501", f"there is no token in {self.text}")
        return token


class Opening:
    """A stream that is being opened: ``async with`` it, or ``await`` it for a stream that you end yourself."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._stream: Optional[Stream] = None

    def __await__(self) -> Generator[Any, None, Stream]:
        return self._request.open().__await__()

    async def __aenter__(self) -> Stream:
        self._stream = await self
        return self._stream

    async def __aexit__(self, kind: Optional[type], error: Optional[BaseException], trace: object) -> None:
        assert self._stream is not None
        await self._stream.__aexit__(kind, error, trace)


def open(via: Union[str, Sequence[str]], to: str, services: Union[str, int, Sequence[Union[str, int]]], *, raw: bool = False,
         tls: Optional[Tls] = None, token: Optional[Token] = None, packet_size: int = PACKET_SIZE, discard_unknown: bool = True,
         qos_session: int = 0, stream_id: int = 0, connect_timeout: float = 10.0, resume: Optional[Resume] = None, traceparent: Optional[str] = None,
         parameters: Optional[Parameters] = None) -> Opening:
    """
    Opens a stream over TCP.

    :param via: the first node, ``HOST:PORT`` or ``tls://HOST:PORT``; or several, which are tried in turn
    :param to: where the last node delivers, ``HOST:PORT``
    :param services: what every node applies, in order: names such as ``monitoring``, or Type IDs such as ``0x5501``
    :param raw: whether the last node delivers the payloads alone, for a server that knows nothing of packets
    :param tls: for nodes named ``tls://``
    :param token: shows whose stream it is
    :param packet_size: octets of a packet, its header of 8 octets included
    :param discard_unknown: whether a node that cannot get a service discards the stream, or passes it on without
    :param qos_session: the QoS session that the stream belongs to; 0 for none
    :param stream_id: 0 for a random one
    :param connect_timeout: seconds that a node may take to accept the connection; a second at most where there are others
    :param resume: for a stream that outlives its nodes: a :class:`ResumableStream`, which has been accepted at the far end when it is there
    :param parameters: what is asked of services for this stream alone: ``{"compression": {"level": 9}}``; which there are is for the service to say
    :param traceparent: the trace that the stream belongs to, ``00-TRACE-PARENT-FLAGS`` as in the HTTP field of that name; None for none

    A node may still refuse the stream: the next call on it says so. TamanoirError: EE-204 for a node that cannot be reached, EE-215 for one
    that is not who it should be, EE-222 for a token that would be exposed, EE-408 for a request that makes no sense, EE-501 for ``resume`` without the package crc32c.
    """
    nodes = [via] if isinstance(via, str) else list(via)
    secure = {node.startswith("tls://") for node in nodes}
    if len(secure) != 1:
        raise wrong("name a node, or several that are all reached by TLS or all in the clear")
    if resume is not None and raw:
        raise wrong("a stream that outlives its nodes is delivered as packets: leave raw out, or have an endpoint in front of the server")
    if True in secure and tls is None:
        raise wrong("a node named tls://HOST:PORT needs to know whom to believe: give tls")
    return Opening(request([node[6:] if node.startswith("tls://") else node for node in nodes], to, services, raw, tls if True in secure else None, token, packet_size,
                           discard_unknown, qos_session, stream_id, connect_timeout, resume, traceparent, parameters))


def request(nodes: Sequence[str], to: str, services: Union[str, int, Sequence[Union[str, int]]], raw: bool, tls: Optional[Tls], token: Optional[Token], packet_size: int,
            discard_unknown: bool, qos_session: int, stream_id: int, connect_timeout: float, resume: Optional[Resume] = None, traceparent: Optional[str] = None,
            parameters: Optional[Parameters] = None) -> Request:
    """What somebody asks for. EE-408 if it makes no sense."""
    types = [type_id(service) for service in ([services] if isinstance(services, (str, int)) else services)]
    if qos_session and SERVICES["qosinus"] not in types:
        types.insert(0, SERVICES["qosinus"])
    if not 1 <= len(types) <= MAX_CHAIN + 1:
        raise wrong(f"{len(types)} services; a stream has from 1 to {MAX_CHAIN + 1}")
    if not HEADER_SIZE < packet_size <= MAX_PACKET:
        raise wrong(f"packet size {packet_size} octets: it must be from {HEADER_SIZE + 1} to {MAX_PACKET}")
    try:
        trace = None if traceparent is None else TraceContext.of(traceparent)
        asked = tuple(Parameter(type_id(service), name, str(value)).check() for service, each in (parameters or {}).items() for name, value in each.items())
    except ValueError as e:
        raise wrong(str(e)) from None
    return Request([host_port(node) for node in nodes], host_port(to), types, raw, tls, token, packet_size, DISCARD_UNKNOWN if discard_unknown else 0, qos_session, stream_id,
                   connect_timeout, resume, trace, asked)


@dataclass(frozen=True)
class Request:
    nodes: List[Tuple[str, int]]
    to: Tuple[str, int]
    types: List[int]
    raw: bool
    tls: Optional[Tls]
    token: Optional[Token]
    packet_size: int
    flags: int
    qos_session: int
    stream_id: int
    connect_timeout: float
    resume: Optional[Resume] = None
    trace: Optional[TraceContext] = None
    parameters: Tuple[Parameter, ...] = ()

    async def options(self) -> Options:
        """Those of the first packet."""
        destination = Identifier.of(await resolve(*self.to))
        return Options(destination=destination, stream=(self.stream_id or random.getrandbits(63) + 1, 0), delivery=Delivery(self.to[1], self.raw), chain=tuple(self.types[1:]),
                       qos_session=self.qos_session or None, trace=self.trace, parameters=self.parameters)

    async def open(self) -> Stream:
        if self.resume is not None:
            return await ResumableStream.opened(self, self.resume)
        options = await self.options()
        for at in range(len(self.nodes)):
            try:
                stream = await self.connect(at, Stream, others=at + 1 < len(self.nodes))
                break
            except TamanoirError:
                if at + 1 == len(self.nodes):
                    raise
        self.begin(stream, options)
        return stream

    def begin(self, stream: Stream, options: Options) -> None:
        """Sends the first packet on a new connection."""
        try:
            if self.token is not None:
                options.authentication = Identifier(JSON_WEB_TOKEN, self.token.to(stream.peer[0], self.tls is not None).encode())
            assert options.stream is not None
            stream.id = options.stream[0]
            stream.options = options
            stream._begin(self.types[0], self.flags, self.packet_size)
        except BaseException:
            stream.abort()
            raise

    async def connect(self, node: int, make: Callable[[], _S], others: bool) -> _S:
        """Connects to one of the nodes. EE-204, EE-215, EE-501."""
        host, port = self.nodes[node]
        seconds = min(self.connect_timeout, _OTHERS_SECONDS) if others else self.connect_timeout
        context = None if self.tls is None else self.tls.context()
        try:
            transport, stream = await asyncio.wait_for(asyncio.get_running_loop().create_connection(make, host, port, ssl=context), seconds)
        except ssl.SSLError as e:
            why = getattr(e, "verify_message", None) or e.reason or str(e)
            raise TamanoirError("EE-215", f"no TLS with {host}:{port}: {why}") from e
        except asyncio.TimeoutError as e:
            raise TamanoirError("EE-204", f"{host}:{port} did not answer in time") from e
        except OSError as e:
            raise TamanoirError("EE-204", f"{host}:{port} cannot be reached: {e.strerror or e}") from e
        if self.tls is not None and not self.tls.admits(transport):
            stream.abort()
            raise TamanoirError("EE-215", f"no TLS with {host}:{port}: it is not {self.tls.node_id}")
        return stream


def type_id(service: Union[str, int]) -> int:
    """The Type ID of a service, by its name or number. EE-408 if it is neither."""
    try:
        number = service if isinstance(service, int) else SERVICES.get(service) or int(service, 0)
    except ValueError:
        raise wrong(f"there is no service '{service}'; known are {', '.join(SERVICES)}, any other goes by its Type ID: 0x5501") from None
    if not 0 < number <= 0xFFFF:
        raise wrong(f"Type ID {number} is not between 1 and 65535")
    return number


def host_port(text: str) -> Tuple[str, int]:
    """Host and port of ``HOST:PORT`` or ``[IPv6]:PORT``. EE-408 if it is neither."""
    host, colon, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 0xFFFF:
        raise wrong(f"'{text}' is not HOST:PORT")
    if host.startswith("[") and host.endswith("]"):
        return host[1:-1], int(port)
    if ":" in host:
        raise wrong(f"write an IPv6 address as [{host}]:PORT")
    return host, int(port)


async def resolve(host: str, port: int) -> str:
    """The address of a host that can be connected to."""
    if port == 0:
        raise wrong("port 0 cannot be connected to")
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as e:
        raise TamanoirError("EE-204", f"host '{host}' has no address") from e
    return str(found[0][4][0])
