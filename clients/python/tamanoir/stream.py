"""A stream from one of its ends, over a TCP connection of its own."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import deque
from itertools import islice
from typing import Any, Callable, Deque, List, Optional, Union

from .errors import MalformedPacket, Refused, TamanoirError, wrong
from .packet import DISCARD_UNKNOWN, END, HEADER, HEADER_SIZE, TYPE_CONTROL, TYPE_ERROR, VERSION, Options, Packet, bare_header, encode
from .receiving import ReceiveBuffer

PACKET_SIZE = 60_000
"""Octets of a packet unless said otherwise: 13 octets of headers in a hundred thousand."""
MOST_UNTAKEN = 1 << 20
MOST_PAYLOADS = 1024
BATCH = 16
"""Packets that leave by one system call."""
TURN = 1 << 20
"""Octets after which a sender lets other tasks run."""
REASON_SECONDS = 0.25
"""After a failed write, how long the peer's reason for it may take to arrive."""
CLOSING_SECONDS = 2.0
RESET = struct.pack("ii", 1, 0)
DELIVER = struct.pack("ii", 0, 0)

Buffers = List[Union[bytes, memoryview]]


class Stream(asyncio.BufferedProtocol):
    """
    Packets out, packets in, each direction finished on its own.

    One task may send while another receives. What has not been taken is bounded: a slow receiver makes its source wait. Leaving the
    stream's ``async with`` completes it; leaving by an exception resets it, so that nobody takes what came for all.
    """

    def __init__(self, on_opened: Optional[Callable[[Stream], None]] = None) -> None:
        self.id = 0
        self.type_id = 0
        """The Type ID of the stream's first service."""
        self.options = Options()
        """Those of the first packet, as the last node left them; for a stream that was opened here, as it was opened."""
        self.peer: Any = None
        """Address of the next hop, or of whoever sent the stream here."""
        self.sent_octets = 0
        self.received_octets = 0
        self._sent_at_turn = 0
        self._flags = DISCARD_UNKNOWN
        self._packet_size = PACKET_SIZE
        self._loop = asyncio.get_running_loop()
        self._on_opened = on_opened
        self._transport: asyncio.Transport = asyncio.Transport()
        self._socket: Any = None
        self._direct: Optional[socket.socket] = None
        self._secure = False
        self._received = ReceiveBuffer()
        self._payloads: Deque[memoryview] = deque()
        self._untaken = 0
        self._reading_paused = False
        self._discarding = False
        self._refusing = False
        self._told = False
        self._input_ended = False
        self._output_ended = False
        self._write_failed = False
        self._failure: Optional[TamanoirError] = None
        self._sending = asyncio.Lock()
        self._arrival: Optional[asyncio.Future[None]] = None
        self._way: Optional[asyncio.Future[None]] = None
        self._writing_paused = False
        self._closed: asyncio.Future[None] = self._loop.create_future()

    # What a program calls

    async def send(self, data: Any) -> None:
        """
        Sends octets, cut into packets, and waits while the way is full. ``data`` is anything with a buffer: bytes, a memoryview, an
        array of numpy. It is not copied, and may be changed when this returns.
        """
        octets = data if type(data) is bytes else octets_of(data)
        if not octets:
            return
        most = self._packet_size - HEADER_SIZE
        rest = self._send_at_once(octets) if len(octets) <= most else None
        if rest is not None:
            if rest:
                async with self._sending:
                    await self._write(rest, began=len(rest) < 2 or len(rest[0]) < HEADER_SIZE, full=True)
            return
        view = memoryview(octets)
        async with self._sending:
            for start in range(0, len(view), most * BATCH):
                self._check_sending()
                await self._write(self._packets(view[start:start + most * BATCH], most))
                # A sender that never waits would keep other tasks waiting.
                if self.sent_octets - self._sent_at_turn >= TURN:
                    self._sent_at_turn = self.sent_octets
                    await asyncio.sleep(0)

    async def receive(self) -> Optional[memoryview]:
        """
        The next payload, at least one octet, or None when the other side has finished. It is a read-only view of where it was received,
        good for as long as you hold it; ``numpy.frombuffer`` makes an array of it without a copy.
        """
        if self._arrival is not None:
            raise RuntimeError("another task is receiving from this stream")
        while not self._payloads:
            self._check()
            if self._input_ended:
                return None
            self._arrival = self._loop.create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None
        payload = self._payloads.popleft()
        self._untaken -= len(payload)
        if self._reading_paused and self._untaken <= MOST_UNTAKEN // 2 and len(self._payloads) <= MOST_PAYLOADS // 2:
            self._reading_paused = False
            self._transport.resume_reading()
        return payload

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> memoryview:
        if self._payloads and not self._reading_paused:
            payload = self._payloads.popleft()
            self._untaken -= len(payload)
            return payload
        more = await self.receive()
        if more is None:
            raise StopAsyncIteration
        return more

    async def finish(self) -> None:
        """Half-close: the other side sees the end of the stream after everything that was sent. Receiving goes on."""
        async with self._sending:
            if self._output_ended:
                return
            self._check_sending()
            if self._secure:
                # Of a TLS connection only both directions can be closed (docs/anep.md).
                await self._write([encode(Packet(TYPE_CONTROL, DISCARD_UNKNOWN, Options(connection=(END, 0))))])
            else:
                try:
                    self._transport.write_eof()
                except OSError as e:
                    await self._write_error(e)
                self._linger(DELIVER)
            self._output_ended = True

    async def complete(self) -> None:
        """Finishes, and waits until the other side has finished too: then the far end has everything. What still comes is thrown away."""
        await self.finish()
        while await self.receive() is not None:
            pass
        self._linger(DELIVER)
        self._close()
        await self._gone()

    async def refuse(self, code: str, text: str) -> None:
        """Ends the stream with an error, such as ``EE-205``, that the peer and, through its nodes, the source is told."""
        self._told = True
        if self._failure is None and not self._output_ended:
            self._refuse(code, text)
        await self._gone()

    def abort(self) -> None:
        """Gives the stream up. The peer sees a reset, not an end: what it has is not all."""
        self._told = True
        self._fail(TamanoirError("EE-211", "the stream was given up here"))

    async def __aenter__(self) -> Stream:
        return self

    async def __aexit__(self, kind: Optional[type], error: Optional[BaseException], trace: object) -> None:
        try:
            if error is None and not self._told:
                self._check()
                await self.complete()
        finally:
            self.abort()
            await self._gone()

    def _begin(self, type_id: int, flags: int, packet_size: int) -> None:
        """Sends the first packet, which has the options and no payload."""
        self.type_id, self._flags, self._packet_size = type_id, flags, packet_size
        self._transport.write(encode(Packet(type_id, flags, self.options)))

    # Sending

    def _send_at_once(self, octets: Union[bytes, memoryview]) -> Optional[Buffers]:
        """One packet, without what takes time where the socket has room for it. Returns what it did not take; None if it could not be tried."""
        if (self._direct is None or self._sending.locked() or self._failure is not None or self._output_ended
                or self.sent_octets - self._sent_at_turn >= TURN or self._transport.get_write_buffer_size() > 0):
            return None
        length = HEADER_SIZE + len(octets)
        buffers: Buffers = [HEADER.pack(VERSION, self._flags, self.type_id, 2, length), octets]
        try:
            sent = self._direct.sendmsg(buffers)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError:
            return None
        self.sent_octets += len(octets)
        if sent == length:
            return []
        skip(buffers, sent)
        return buffers

    def _packets(self, view: memoryview, most: int) -> Buffers:
        """Headers and payloads in turn."""
        self.sent_octets += len(view)
        if len(view) <= most:
            return [bare_header(self.type_id, self._flags, len(view)), view]
        header = bare_header(self.type_id, self._flags, most)
        buffers: Buffers = []
        for at in range(0, len(view) - most + 1, most):
            buffers += (header, view[at:at + most])
        rest = len(view) % most
        if rest:
            buffers += (bare_header(self.type_id, self._flags, rest), view[-rest:])
        return buffers

    def _check(self) -> None:
        if self._failure is not None:
            self._told = True
            raise self._failure

    def _check_sending(self) -> None:
        self._check()
        if self._output_ended:
            raise wrong("this side of the stream is finished")

    async def _write(self, buffers: Buffers, began: bool = False, full: bool = False) -> None:
        """Waits before it tries where the socket is known to be full."""
        if self._direct is None or self._transport.get_write_buffer_size() > 0:
            self._transport.write(b"".join(buffers))
            while self._writing_paused:
                await self._wait_for_way()
            self._check_sending()
            return
        try:
            while buffers:
                if not full:
                    try:
                        sent = self._direct.sendmsg(buffers)
                        began = True
                    except (BlockingIOError, InterruptedError):
                        sent = 0
                    skip(buffers, sent)
                full = False
                if buffers:
                    self._loop.add_writer(self._direct.fileno(), self._way_is_free)
                    try:
                        await self._wait_for_way()
                    finally:
                        if self._direct.fileno() >= 0:
                            self._loop.remove_writer(self._direct.fileno())
        except OSError as e:
            await self._write_error(e)
        except asyncio.CancelledError:
            if began and buffers:
                self._fail(TamanoirError("EE-211", "a send was given up in the middle of a packet"))
            raise

    async def _wait_for_way(self) -> None:
        self._way = self._loop.create_future()
        try:
            await self._way
        finally:
            self._way = None

    def _way_is_free(self) -> None:
        if self._way is not None and not self._way.done():
            self._way.set_result(None)

    async def _write_error(self, error: OSError) -> None:
        """A peer that refuses says why before it closes: its words may still be on their way."""
        self._write_failed = True
        if self._reading_paused:
            self._discarding = True
            self._transport.resume_reading()
        await asyncio.wait([self._closed], timeout=REASON_SECONDS)
        self._fail(TamanoirError("EE-211", f"the connection to {self.peer} was lost: {error.strerror}"))
        self._check()

    def pause_writing(self) -> None:
        self._writing_paused = True

    def resume_writing(self) -> None:
        self._writing_paused = False
        self._way_is_free()

    # Receiving

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._secure = transport.get_extra_info("sslcontext") is not None
        self.peer = transport.get_extra_info("peername")
        self._socket = transport.get_extra_info("socket")
        # Until this side has finished its end is a reset, also if the process is killed.
        self._linger(RESET)
        if not self._secure and hasattr(socket.socket, "sendmsg"):
            # Past the transport: it would copy what does not fit the socket, and send header and payload by two system calls.
            self._direct = self._socket.dup()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._received.room()

    def buffer_updated(self, nbytes: int) -> None:
        self._received.added(nbytes)
        if self._failure is not None or self._input_ended:
            self._received.forget()
        waiting = len(self._payloads)
        if self._on_opened is not None or not self._received.take_payloads(self._payloads):
            self._take_packets()
        if len(self._payloads) > waiting:
            count = sum(map(len, islice(self._payloads, waiting, None)))
            self._untaken += count
            self.received_octets += count
            wake(self._arrival)
        if self._discarding:
            self._payloads.clear()
            self._untaken = 0
        elif self._payloads and not self._reading_paused and (self._untaken >= MOST_UNTAKEN or len(self._payloads) >= MOST_PAYLOADS):
            self._reading_paused = True
            self._transport.pause_reading()

    def _take_packets(self) -> None:
        try:
            for type_id, flags, options, payload in self._received.packets():
                self._take(type_id, flags, options, payload)
                if self._failure is not None or self._input_ended:
                    self._received.forget()
        except MalformedPacket as e:
            self._received.forget()
            self._fail(e)

    def _take(self, type_id: int, flags: int, options: Optional[Options], payload: memoryview) -> None:
        if type_id == TYPE_ERROR:
            number, text = (options.error if options else None) or (599, "an error packet without an error")
            self._fail(Refused(f"EE-{number:03d}", text))
            return
        if type_id == TYPE_CONTROL:
            if options is not None and options.connection == (END, 0):
                self._end_input()
            return
        if options is not None and options.content_encoding is not None:
            raise MalformedPacket("EE-109", "the payload arrived encoded: the last node should have restored it")
        if self._on_opened is not None:
            self._open_incoming(type_id, flags, options or Options())
        if len(payload) > 0:
            self._payloads.append(payload)

    def _open_incoming(self, type_id: int, flags: int, options: Options) -> None:
        on_opened, self._on_opened = self._on_opened, None
        self.type_id, self._flags, self.options = type_id, flags, options
        self.id = options.stream[0] if options.stream else 0
        if options.resume is not None:
            self._refuse("EE-107", "streams that outlive their nodes are not taken here")
        elif on_opened is not None:
            on_opened(self)

    def eof_received(self) -> bool:
        if self._input_ended:
            return not self._secure
        if self._secure:
            self._fail(TamanoirError("EE-211", "the connection ended, and the node has not said that the stream does"))
        elif self._write_failed:
            # The kernel gives a reset to whoever meets it first; what reads after that finds what looks like an end.
            self._fail(TamanoirError("EE-211", f"the connection to {self.peer} was reset"))
        elif self._received.incomplete:
            self._fail(TamanoirError("EE-211", f"the stream ended inside a packet: {self._received.incomplete} octets of it had come"))
        else:
            self._end_input()
        return not self._secure

    def _end_input(self) -> None:
        self._input_ended = True
        wake(self._arrival)

    def connection_lost(self, exc: Optional[Exception]) -> None:
        if not (self._input_ended and self._output_ended):
            why = f": {exc}" if exc else " before the stream was over"
            self._fail(TamanoirError("EE-211", f"the connection was lost{why}"))
        self._close_direct()
        wake(self._closed)

    # Ends

    def _fail(self, failure: TamanoirError) -> None:
        """The first failure counts. What has arrived before it can still be received."""
        if self._failure is None and not (self._input_ended and self._output_ended):
            self._failure = failure
            self._writing_paused = False
            wake(self._arrival)
            if self._way is not None and not self._way.done():
                self._way.set_exception(failure)
        if not self._refusing and not self._transport.is_closing():
            if self._failure is not None:
                self._linger(RESET)
            self._close_direct()
            self._transport.abort()

    def _refuse(self, code: str, text: str) -> None:
        """A close with unread octets is a reset that may overtake the packet: finish first, and go on reading for a while."""
        self._on_opened = None
        stream = (self.id, 0) if self.id else None
        self._linger(DELIVER)
        self._transport.write(encode(Packet(TYPE_ERROR, DISCARD_UNKNOWN, Options(stream=stream, error=(int(code[3:]), text)))))
        try:
            if self._transport.can_write_eof() and not self._transport.is_closing():
                self._transport.write_eof()
        except OSError:
            pass  # The peer has gone already.
        self._refusing = self._discarding = True
        self._fail(TamanoirError(code, text))
        if self._reading_paused:
            self._transport.resume_reading()
        self._loop.call_later(1, self._close)

    def _close(self) -> None:
        self._close_direct()
        self._transport.close()

    def _close_direct(self) -> None:
        if self._direct is not None and self._direct.fileno() >= 0:
            self._loop.remove_writer(self._direct.fileno())
            self._direct.close()

    def _linger(self, how: bytes) -> None:
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, how)
        except OSError:
            pass  # It is closed already: there is nobody to tell.

    async def _gone(self) -> None:
        """Waits until the connection is closed. By TLS the peer has a say in that, but not for long."""
        await asyncio.wait([self._closed], timeout=CLOSING_SECONDS)
        if not self._closed.done():
            self._transport.abort()


def octets_of(data: Any) -> memoryview:
    """The octets of whatever has a buffer."""
    view = memoryview(data)
    if not view.c_contiguous:
        raise wrong("what is sent must be contiguous in memory: numpy.ascontiguousarray makes it so")
    return view if view.ndim == 1 and view.format == "B" else view.cast("B") if view.nbytes else memoryview(b"")


def skip(buffers: Buffers, octets: int) -> None:
    """Takes from the front what has been sent."""
    whole = 0
    while whole < len(buffers) and octets >= len(buffers[whole]):
        octets -= len(buffers[whole])
        whole += 1
    del buffers[:whole]
    if octets:
        buffers[0] = memoryview(buffers[0])[octets:]


def wake(future: Optional[asyncio.Future[None]]) -> None:
    if future is not None and not future.done():
        future.set_result(None)
