"""Where octets are received, and the packets in them. No I/O."""

from __future__ import annotations

from typing import Deque, Iterator, Optional, Tuple

from .packet import HEADER, HEADER_SIZE, TYPE_CONTROL, TYPE_ERROR, VERSION, Options, decode_options, packet_length

SIZE = 256 << 10
"""Octets of a buffer, of which two take turns: four packets of the largest size."""
FAST_SIZE = 1 << 20
"""The same once a read has filled one: the more a read takes, the less it costs."""
_LEAST_ROOM = 64 << 10

Found = Tuple[int, int, Optional[Options], memoryview]
"""Type ID, flags, options if the packet has any, and the payload."""


class ReceiveBuffer:
    """
    Octets are received in place, and payloads are read-only views of them: nothing is copied but the beginning of a packet whose end
    finds no room. A payload that somebody still holds when its buffer's turn comes again keeps that buffer, and another takes its place.
    """

    def __init__(self) -> None:
        self._octets = bytearray()
        self._view = memoryview(self._octets)
        self._readable = self._view.toreadonly()
        self._spare: Optional[bytearray] = None
        self._size = SIZE
        self._start = 0
        self._end = 0

    def room(self) -> memoryview:
        """Where the next octets go."""
        if len(self._octets) - self._end < _LEAST_ROOM:
            self._turn()
        return self._view[self._end:]

    def _turn(self) -> None:
        rest = self._view[self._start:self._end]
        full, self._octets = self._octets, _free(self._spare, self._size)
        self._view = memoryview(self._octets)
        self._readable = self._view.toreadonly()
        self._end = len(rest)
        self._view[:self._end] = rest
        self._start = 0
        self._spare = full or None

    def added(self, count: int) -> None:
        self._end += count
        if self._end == len(self._octets):
            self._size = FAST_SIZE

    @property
    def incomplete(self) -> int:
        """Octets of a packet whose end has not come."""
        return self._end - self._start

    def forget(self) -> None:
        """Throws away what has come."""
        self._start = self._end

    def take_payloads(self, into: Deque[memoryview]) -> bool:
        """
        Takes the payloads of the packets that are bare headers and content, which are nearly all of a stream, without a call for each. False
        where :meth:`packets` has to look at what comes next.
        """
        view, unpack, at, end = self._readable, HEADER.unpack_from, self._start, self._end
        whole = True
        while end - at >= HEADER_SIZE:
            version, _, type_id, words, length = unpack(view, at)
            if version != VERSION or words != 2 or length <= HEADER_SIZE or type_id == TYPE_CONTROL or type_id == TYPE_ERROR:
                whole = False
                break
            if length > end - at:
                break
            into.append(view[at + HEADER_SIZE:at + length])
            at += length
        self._start = at
        # A beginning can be wrong before its header is whole.
        return whole and (end == at or end - at >= HEADER_SIZE)

    def packets(self) -> Iterator[Found]:
        """Each whole packet, once. MalformedPacket at the first thing that is none."""
        view = self._readable
        while self._end - self._start >= HEADER_SIZE:
            at = self._start
            _, flags, type_id, words, length = HEADER.unpack_from(view, at)
            if packet_length(view, at, self._end) == 0:
                return
            self._start = at + length
            packet = view[at:self._start]
            yield type_id, flags, decode_options(packet, words * 4) if words > 2 else None, packet[words * 4:]
        packet_length(view, self._start, self._end)


def _free(spare: Optional[bytearray], size: int) -> bytearray:
    """The buffer before, if it is as large and nobody holds a view of it any more; otherwise another."""
    if spare is not None and len(spare) == size:
        try:
            # What somebody has a view of cannot change its size. This changes it without moving anything.
            spare.append(spare.pop())
            return spare
        except BufferError:
            pass
    return bytearray(size)
