"""The two directions of a session: what was sent and is not acknowledged, what has come, and the checksums of both. No I/O."""

from __future__ import annotations

import importlib
from collections import deque
from itertools import chain
from typing import Any, Deque, Iterable, Optional, Tuple

from .errors import TamanoirError
from .packet import HEADER_SIZE, MAX_PACKET, Mark

States = Tuple[Tuple[str, bytes], ...]
"""What services on the way know, each with its label."""
DIFFERS, STATE = "EE-226", "EE-230"
MAX_PAYLOAD = MAX_PACKET - HEADER_SIZE
_GATHERED = 4096
"""Octets of a buffer for small writes, where the one before waits."""
_OVERHEAD = 256
"""Octets that Python needs for a buffer."""
_SUM_EVERY = 1024
"""A checksum is kept after so many octets at least."""


class Crc32c:
    """CRC-32C of octets, and of those that follow them. EE-501 where nothing is installed that computes it: Python itself is too slow."""

    def __init__(self) -> None:
        try:
            self._module: Any = importlib.import_module("crc32c")
        except ImportError:
            raise TamanoirError("EE-501", "streams that outlive their nodes need the package crc32c: pip install crc32c, or Debian's python3-crc32c") from None

    def __call__(self, octets: memoryview, before: int) -> int:
        return int(self._module.crc32c(octets, before))


class _Segment:
    """Octets in a row. An open one has room for more behind what is in it."""

    __slots__ = "start", "octets", "filled", "open"

    def __init__(self, start: int, octets: memoryview, filled: int, open: bool) -> None:
        self.start = start
        self.octets = octets
        self.filled = filled
        self.open = open

    @property
    def end(self) -> int:
        return self.start + self.filled


class OctetRing:
    """
    Octets by their offsets since the beginning of the session, how far they have been sent, and the checksums on the way. A large write is
    copied once, in packets, unless it is of bytes, which cannot change; small ones are gathered while they wait. Buffers count as a whole, so
    the bound is one of memory.
    """

    def __init__(self, most: int, payload: int, crc: Crc32c) -> None:
        self._most = max(most, MAX_PAYLOAD)
        self._payload = payload
        self._crc = crc
        self._sent: Deque[_Segment] = deque()
        self._waiting: Deque[_Segment] = deque()
        # Checksums of all octets before an offset; the first is that of what was acknowledged last.
        self._sums: Deque[Tuple[int, int]] = deque([(0, 0)])
        self._sum = 0
        self.written = 0
        """Where the next octet is written."""
        self.sent = 0
        """Everything before it has been sent on this leg or an earlier one."""
        self.held = 0
        """Octets of memory."""

    @property
    def acknowledged(self) -> int:
        """Everything before it is with the far end."""
        return self._sums[0][0]

    def write(self, octets: memoryview) -> int:
        """Takes as many octets as there is room for. 0: wait for an acknowledgement."""
        taken = 0
        while taken < len(octets):
            last = self._waiting[-1] if self._waiting else None
            rest = len(octets) - taken
            count = min(rest, self._payload)
            if last is not None and last.open and last.filled + rest <= len(last.octets):
                last.octets[last.filled:last.filled + rest] = octets[taken:]
                last.filled += rest
            else:
                gathers = last is not None and rest < _GATHERED <= self._payload
                size = _GATHERED if gathers else count
                if self.held and self.held + size + _OVERHEAD > self._most:
                    break
                self.held += size + _OVERHEAD
                buffer = octets[taken:taken + count]
                if gathers:
                    buffer = memoryview(bytearray(size))
                    buffer[:count] = octets[taken:]
                elif not isinstance(octets.obj, bytes):
                    buffer = memoryview(bytes(buffer))
                self._waiting.append(_Segment(self.written, buffer, count, gathers))
            taken += count
            self.written += count
        return taken

    def send(self, at_most: int) -> memoryview:
        """The next octets to send, of one packet; there must be some."""
        first = self._waiting[0]
        at = self.sent - first.start
        part = first.octets[at:min(at + at_most, first.filled)]
        self._sum = self._crc(part, self._sum)
        self.sent += len(part)
        if self.sent - self._sums[-1][0] >= _SUM_EVERY:
            self._sums.append((self.sent, self._sum))
        if self.sent == first.end:
            self._sent.append(self._waiting.popleft())
        return part

    def next_length(self) -> int:
        """Octets of the packet that is sent next; 0 if everything was sent."""
        return self._waiting[0].end - self.sent if self._waiting else 0

    def mark(self) -> int:
        """A mark stands here. The CRC-32C of all octets before it."""
        if self._sums[-1][0] < self.sent:
            self._sums.append((self.sent, self._sum))
        return self._sums[-1][1]

    def has(self, offset: int) -> bool:
        """Whether a far end can have everything before an offset, and what follows is still here."""
        return self.acknowledged <= offset <= self.sent

    def rewind(self, to: int) -> None:
        """Goes back to what another leg has to send first, which it :meth:`has`."""
        self._sum = self.checksum_at(to)
        self.sent = to
        while len(self._sums) > 1 and self._sums[-1][0] > to:
            self._sums.pop()
        while self._sent and self._sent[-1].end > to:
            self._waiting.appendleft(self._sent.pop())

    def checksum_at(self, offset: int) -> int:
        """The CRC-32C of all octets of the session before an offset that it :meth:`has`."""
        before, found = self._sums[0]
        if self._sums[-1][0] <= offset:
            before, found = self._sums[-1]
        else:
            for at, sum_there in self._sums:
                if at > offset:
                    break
                before, found = at, sum_there
        if before < offset:
            found = self._append(found, chain(self._sent, self._waiting), before, offset)
        return found

    def _append(self, before: int, segments: Iterable[_Segment], start: int, end: int) -> int:
        for segment in segments:
            if segment.start >= end:
                break
            if segment.end > start:
                before = self._crc(segment.octets[max(start, segment.start) - segment.start:min(end, segment.end) - segment.start], before)
        return before

    def acknowledge(self, up_to: int) -> None:
        """The far end has everything before an offset that was sent."""
        if up_to <= self.acknowledged:
            return
        here = up_to, self.checksum_at(up_to)
        while self._sums and self._sums[0][0] <= up_to:
            self._sums.popleft()
        self._sums.appendleft(here)
        while self._sent and self._sent[0].end <= up_to:
            self.held -= len(self._sent.popleft().octets) + _OVERHEAD

    def release(self) -> None:
        """The session is over."""
        self._sent.clear()
        self._waiting.clear()
        self.held = 0
        self.sent = self.written


class Received:
    """
    What has come of one direction, what of it is kept, and where another chain would go on: behind the last octet, or behind the last mark
    where services know something of the stream. What follows that mark they have to see again; here it is compared, and not handed over.
    """

    def __init__(self, crc: Crc32c) -> None:
        self._crc = crc
        self.octets = 0
        self._sum = 0
        self.ended = False
        self._kept = 0
        self._point: Optional[Tuple[int, int, States]] = None
        # Where the leg is, and the checksum there: before `octets` it brings what is here.
        self._at = 0
        self._again = 0

    def begin(self, knowing: States) -> None:
        """The first chain stands."""
        self._point = (0, 0, knowing) if knowing else None

    def rewind(self) -> None:
        """Another chain stands, and goes on where this said."""
        self._at, self._again, _ = self.position

    def take(self, more: memoryview) -> Optional[memoryview]:
        """Takes octets of the leg. What of them is new; None if they cannot be so."""
        known = min(len(more), self.octets - self._at)
        if known > 0:
            self._again = self._crc(more[:known], self._again)
            self._at += known
            if self._at == self.octets and self._again != self._sum:
                return None
            more = more[known:]
        if more:
            if self.ended:
                return None
            self._sum = self._crc(more, self._sum)
            self.octets += len(more)
            self._at = self.octets
        return more

    def mark(self, mark: Mark, states: States) -> Optional[str]:
        """What is wrong with a mark of the leg."""
        here = self._sum if self._at == self.octets else self._again
        if mark.offset != self._at or mark.checksum != here or mark.last and self._at != self.octets:
            return DIFFERS
        if len(states) != (len(self._point[2]) if self._point else 0):
            return STATE
        if self._point:
            self._point = self._at, here, states
        return None

    def keep(self, up_to: int) -> None:
        if up_to > self.octets:
            raise ValueError(f"{up_to} octets cannot be kept, {self.octets} have come")
        self._kept = max(self._kept, up_to)

    @property
    def kept(self) -> int:
        """Octets that need not be sent again."""
        return min(self._kept, self._point[0]) if self._point else self._kept

    @property
    def is_kept(self) -> bool:
        """Whether everything has come and is kept, the end too."""
        return self.ended and self.kept == self.octets

    @property
    def position(self) -> Tuple[int, int, States]:
        """Where another chain would go on, the CRC-32C of what is before that, and what services knew there."""
        return self._point or (self.octets, self._sum, ())
