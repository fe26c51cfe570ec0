"""Takes the datagrams that nodes deliver here."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from typing import Any, AsyncIterator, Deque, Dict, Generator, List, Optional, Tuple

from .datagrams import PACKET_SIZE, Address, Datagrams, PacketSocket
from .errors import TamanoirError
from .opening import host_port
from .packet import DISCARD_UNKNOWN, TYPE_CONTROL, TYPE_ERROR, Options, Packet

_MOST_ENDED = 1024
"""Ended streams that are remembered, so that the second and third mark of an end open nothing."""

Key = Tuple[Address, int]


class DatagramListener(PacketSocket):
    """Streams of datagrams that arrive at one socket, told apart by sender and stream id. Get one by :func:`listen_datagrams`."""

    def __init__(self, most_streams: int, idle_timeout: float) -> None:
        super().__init__()
        self.refused = 0
        """Datagrams of streams that were one too many."""
        self._most = most_streams
        self._idle = idle_timeout
        self._streams: Dict[Key, Datagrams] = {}
        self._late: Dict[Key, asyncio.TimerHandle] = {}
        self._ended: OrderedDict[Key, None] = OrderedDict()
        self._opened: Deque[Datagrams] = deque()
        self._arrival = asyncio.Event()
        self._closed = False

    @property
    def address(self) -> Tuple[str, int]:
        """Where this listens."""
        name: List[Any] = self._transport.get_extra_info("sockname")
        return name[0], name[1]

    async def accept(self) -> Optional[Datagrams]:
        """The next stream, when its first datagram has come; None when the listener is closed."""
        while not self._opened:
            if self._closed:
                return None
            self._arrival.clear()
            await self._arrival.wait()
        return self._opened.popleft()

    async def __aiter__(self) -> AsyncIterator[Datagrams]:
        stream = await self.accept()
        while stream is not None:
            yield stream
            stream = await self.accept()

    async def close(self) -> None:
        """Closes the socket: streams that are open end with EE-211."""
        self._closed = True
        for stream in list(self._streams.values()):
            stream.close()
        self._opened.clear()
        self._arrival.set()
        self._transport.close()

    def _on_packet(self, packet: Packet, data: bytes, sender: Address) -> None:
        key = sender, packet.options.stream[0] if packet.options.stream else 0
        stream = self._streams.get(key)
        if packet.type_id == TYPE_CONTROL or key in self._ended or stream is None and packet.type_id == TYPE_ERROR:
            return
        if stream is None:
            if len(self._streams) >= self._most:
                self.refused += 1
                return
            stream = self._open(key, packet)
        stream._take(packet)
        self._late.pop(key).cancel()
        self._wait_for_more(key)

    def _open(self, key: Key, packet: Packet) -> Datagrams:
        """What goes back needs no more than the stream's id: the nodes on the way know it."""
        stream = Datagrams(lambda octets: None if self._transport.is_closing() else self._transport.sendto(octets, key[0]), self._free, Options(stream=(key[1], 0)), packet.type_id,
                           packet.flags & DISCARD_UNKNOWN, PACKET_SIZE)
        stream.options = packet.options
        stream.peer = key[0]
        stream._on_closed = lambda: self._forget(key)
        self._streams[key] = stream
        self._wait_for_more(key)
        self._opened.append(stream)
        self._arrival.set()
        return stream

    def _wait_for_more(self, key: Key) -> None:
        self._late[key] = asyncio.get_running_loop().call_later(self._idle, self._on_idle, key)

    def _on_idle(self, key: Key) -> None:
        self._streams[key]._fail(TamanoirError("EE-208", f"nothing came for {self._idle} s: the end of the stream is lost, or its source is"))

    def _forget(self, key: Key) -> None:
        if self._streams.pop(key, None) is not None:
            self._late.pop(key).cancel()
            self._ended[key] = None
            if len(self._ended) > _MOST_ENDED:
                self._ended.popitem(last=False)


class ListeningForDatagrams:
    """A listener that is being opened: ``async with`` or ``await`` it."""

    def __init__(self, host: str, port: int, most_streams: int, idle_timeout: float) -> None:
        self._at = host, port
        self._limits = most_streams, idle_timeout

    def __await__(self) -> Generator[Any, None, DatagramListener]:
        return self._listen().__await__()

    async def _listen(self) -> DatagramListener:
        try:
            _, self._listener = await asyncio.get_running_loop().create_datagram_endpoint(lambda: DatagramListener(*self._limits), local_addr=self._at)
        except OSError as e:
            raise TamanoirError("EE-502", f"cannot listen on {self._at[0]}:{self._at[1]}: {e.strerror or e}") from e
        return self._listener

    async def __aenter__(self) -> DatagramListener:
        return await self._listen()

    async def __aexit__(self, *error: object) -> None:
        await self._listener.close()


def listen_datagrams(at: str, *, most_streams: int = 1024, idle_timeout: float = 30.0) -> ListeningForDatagrams:
    """
    Listens for streams over UDP that nodes deliver as packets.

    :param at: ``HOST:PORT``; port 0 for any
    :param most_streams: at a time; datagrams of one more are counted and thrown away
    :param idle_timeout: seconds after which a stream of which nothing comes has failed (EE-208)

    TamanoirError: EE-502 if the address cannot be listened on.
    """
    return ListeningForDatagrams(*host_port(at), most_streams, idle_timeout)
