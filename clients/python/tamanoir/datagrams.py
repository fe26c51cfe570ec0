"""Streams over UDP: each datagram is one packet. What is lost stays lost, and nobody waits for the other."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Callable, Deque, Generator, Optional, Sequence, Tuple, Union, cast

from .errors import MalformedPacket, Refused, TamanoirError, wrong
from .opening import Parameters, Request, Token, request, resolve
from .packet import JSON_WEB_TOKEN, TYPE_CONTROL, TYPE_ERROR, Identifier, Options, Packet, decode_datagram, encode

PACKET_SIZE = 1400
"""Octets of a datagram unless said otherwise, headers included: what every link carries whole."""
_MOST_WAITING = 1024
_END_SECONDS = (0.02, 0.1)
"""When the mark of the end is sent again: any two of the three may be lost."""

Address = Any


class Datagrams:
    """
    A stream of datagrams from one of its ends. Each that is sent arrives as it is or not at all, perhaps twice or after a later one.
    Leaving its ``async with`` says that nothing more is sent, and waits for nobody.
    """

    def __init__(self, write: Callable[[bytes], None], free: asyncio.Event, options: Options, type_id: int, flags: int, packet_size: int) -> None:
        self.id = options.stream[0] if options.stream else 0
        self.type_id = type_id
        """The Type ID of the stream's first service."""
        self.options = options
        """Those that each datagram carries; at a listener those of the first that came, as the last node left it."""
        self._carried = options
        self.peer: Address = None
        self.sequence: Optional[int] = None
        """That of the datagram which was received last: the source counts from 0."""
        self.dropped = 0
        """Datagrams that came while as many waited as may: nobody has received them."""
        self._flags = flags
        self._packet_size = packet_size
        self._write = write
        self._free = free
        self._sent = 0
        self._waiting: Deque[Tuple[int, bytes]] = deque()
        self._arrival = asyncio.Event()
        self._input_ended = False
        self._output_ended = False
        self._failure: Optional[TamanoirError] = None
        self._told = False
        self._on_closed: Callable[[], None] = lambda: None

    async def send(self, data: Any) -> None:
        """Sends one datagram; waits while the socket takes no more. EE-408 if it is longer than ``packet_size`` allows, or empty."""
        self._check()
        if self._output_ended:
            raise wrong("this side of the stream is finished")
        payload = bytes(data)
        if not payload:
            raise wrong("a datagram without content is the end of a stream: finish says so")
        octets = self._packet(payload)
        if len(octets) > self._packet_size:
            raise wrong(f"{len(payload)} octets make a packet of {len(octets)}; {self._packet_size} is the most")
        await self._free.wait()
        self._write(octets)
        self._sent += 1

    async def receive(self) -> Optional[bytes]:
        """The content of the next datagram; None when the other side has said that it is finished."""
        while not self._waiting:
            self._check()
            if self._input_ended:
                return None
            self._arrival.clear()
            await self._arrival.wait()
        self.sequence, payload = self._waiting.popleft()
        return payload

    def __aiter__(self) -> Datagrams:
        return self

    async def __anext__(self) -> bytes:
        more = await self.receive()
        if more is None:
            raise StopAsyncIteration
        return more

    async def finish(self) -> None:
        """Says that nothing more comes, three times, since datagrams are lost. Receiving goes on."""
        if self._output_ended or self._failure is not None:
            return
        self._output_ended = True
        mark = self._packet(b"")
        self._write(mark)
        for seconds in _END_SECONDS:
            await asyncio.sleep(seconds)
            self._write(mark)

    def close(self) -> None:
        """Takes and sends nothing any more. The peer is not told."""
        self._told = True
        self._fail(TamanoirError("EE-211", "the stream was closed here"))
        self._on_closed()

    async def __aenter__(self) -> Datagrams:
        return self

    async def __aexit__(self, kind: Optional[type], error: Optional[BaseException], trace: object) -> None:
        try:
            if error is None and not self._told:
                self._check()
                await self.finish()
        finally:
            self.close()

    def _packet(self, payload: bytes) -> bytes:
        self._carried.stream = self.id, self._sent
        return encode(Packet(self.type_id, self._flags, self._carried, payload))

    def _check(self) -> None:
        if self._failure is not None:
            self._told = True
            raise self._failure

    def _fail(self, failure: TamanoirError) -> None:
        if self._failure is None:
            self._failure = failure
            self._arrival.set()

    def _take(self, packet: Packet) -> None:
        if packet.type_id == TYPE_ERROR:
            number, text = packet.options.error or (599, "an error packet without an error")
            self._fail(Refused(f"EE-{number:03d}", text))
        elif not packet.payload and packet.options.stream is not None:
            self._input_ended = True
        elif len(self._waiting) >= _MOST_WAITING:
            self.dropped += 1
        else:
            self._waiting.append((packet.options.stream[1] if packet.options.stream else 0, bytes(packet.payload)))
        self._arrival.set()


def open_datagrams(via: str, to: str, services: Union[str, int, Sequence[Union[str, int]]], *, raw: bool = False, token: Optional[Token] = None, packet_size: int = PACKET_SIZE,
                   discard_unknown: bool = True, qos_session: int = 0, stream_id: int = 0,
                   parameters: Optional[Parameters] = None) -> OpeningDatagrams:
    """
    Opens a stream over UDP. The arguments are those of :func:`tamanoir.open`; ``packet_size`` is the most that a datagram may have, its headers included.

    Nobody answers: a node that refuses the stream says so in an error packet, if that is not lost, and the next call raises it.
    """
    if via.startswith("tls://"):
        raise wrong("datagrams do not go by TLS")
    return OpeningDatagrams(request([via], to, services, raw, None, token, packet_size, discard_unknown, qos_session, stream_id, 0, parameters=parameters))


class PacketSocket(asyncio.DatagramProtocol):
    """Packets of a UDP socket. What is no packet is counted, and changes nothing else."""

    def __init__(self) -> None:
        self.malformed = 0
        self._transport = asyncio.DatagramTransport()
        self._free = asyncio.Event()
        self._free.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Before Python 3.12 it is no DatagramTransport by its class.
        self._transport = cast(asyncio.DatagramTransport, transport)

    def pause_writing(self) -> None:
        self._free.clear()

    def resume_writing(self) -> None:
        self._free.set()

    def datagram_received(self, data: bytes, addr: Address) -> None:
        try:
            packet = decode_datagram(data)
            if packet.options.content_encoding is not None:
                raise MalformedPacket("EE-109", "the payload arrived encoded: the last node should have restored it")
        except MalformedPacket:
            self.malformed += 1
            return
        self._on_packet(packet, data, addr)

    def _on_packet(self, packet: Packet, data: bytes, sender: Address) -> None:
        raise NotImplementedError


class _Source(PacketSocket):
    """The socket of one stream that was opened here."""

    def __init__(self, options: Options, request: Request, token: Optional[str]) -> None:
        super().__init__()
        self._token = token
        self.stream = Datagrams(self._send, self._free, options, request.types[0], request.flags, request.packet_size)

    def _send(self, octets: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.sendto(octets)

    def _on_packet(self, packet: Packet, data: bytes, sender: Address) -> None:
        if packet.type_id != TYPE_CONTROL:
            self.stream._take(packet)
        elif packet.options.cookie is not None and packet.options.stream is not None and packet.options.stream[0] == self.stream.id:
            # The node asks whether this program is where its datagrams say.
            if self._token is not None:
                packet.options.authentication = Identifier(JSON_WEB_TOKEN, self._token.encode())
                data = encode(packet)
            self._send(data)

    def error_received(self, exc: Exception) -> None:
        self.stream._fail(TamanoirError("EE-204", f"nobody takes datagrams at {self.stream.peer}: {exc}"))

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self.stream._fail(TamanoirError("EE-211", "the socket was closed"))


class OpeningDatagrams:
    """A stream of datagrams that is being opened: ``async with`` or ``await`` it."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def __await__(self) -> Generator[Any, None, Datagrams]:
        return self._open().__await__()

    async def __aenter__(self) -> Datagrams:
        self._stream = await self
        return self._stream

    async def __aexit__(self, kind: Optional[type], error: Optional[BaseException], trace: object) -> None:
        await self._stream.__aexit__(kind, error, trace)

    async def _open(self) -> Datagrams:
        request = self._request
        options = await request.options()
        host, port = request.nodes[0]
        address = await resolve(host, port)
        token = None if request.token is None else request.token.to(address, False)
        transport, source = await asyncio.get_running_loop().create_datagram_endpoint(lambda: _Source(options, request, token), remote_addr=(address, port))
        source.stream.peer = address, port
        source.stream._on_closed = transport.close
        return source.stream
