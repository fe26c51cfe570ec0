"""A member of a group that does collective operations through the service ``collect``; services/collect/README.md has the frames."""

from __future__ import annotations

import array
import asyncio
import struct
import sys
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple, Union

from .errors import MalformedPacket, TamanoirError, wrong
from .opening import Tls, Token
from .opening import open as open_stream
from .stream import Stream, octets_of

JOIN, READY, FAILED, PART, RESULT, DATA, LEAVE, ASK, SAVED, SAFE, REFUSED = 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 14
BARRIER, REDUCE, BROADCAST, GATHER, TOP, QUANTILES = 1, 2, 3, 4, 5, 6
ELEMENTS = {"q": 1, "f": 2, "d": 3}
"""Type codes of the module array, and as a frame has them."""
REDUCTIONS = {"sum": 1, "min": 2, "max": 3, "product": 4, "and": 5, "or": 6}
ALL = 0xFFFFFFFF
PIECE = 32_768
LAST, SAVE = 1, 2
LONGEST = 36 + PIECE + 1
MOST_OCTETS = 1 << 30
_FIELDS = struct.Struct(">BBBBQIIQQ")


class GroupFailed(TamanoirError):
    """The group is broken. Those who remain may make its next epoch."""

    def __init__(self, code: str, text: str, missing: Set[int], safe: int) -> None:
        super().__init__(code, text)
        self.missing = missing
        """Ranks that are missing; empty if that is not known."""
        self.safe = safe
        """The operation behind which all have saved what they know; 0 for none."""


def ranks_octets(ranks: Iterable[int]) -> bytes:
    bits = sum(1 << rank for rank in ranks)
    octets = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    kept = octets.lstrip(b"\0")
    return struct.pack(">HH", len(octets) - len(kept), len(kept)) + kept


def ranks_at(body: bytes, at: int) -> Tuple[Set[int], int]:
    """The ranks that stand there, and what comes behind them."""
    skipped, length = struct.unpack_from(">HH", body, at)
    end = at + 4 + length
    if end > len(body):
        raise MalformedPacket("EE-109", "a frame is shorter than its fields")
    return {(skipped + i) * 8 + bit for i, octet in enumerate(body[at + 4:end]) for bit in range(8) if octet >> bit & 1}, end


def frame(kind: int, fields: bytes = b"") -> bytes:
    return struct.pack(">IB", len(fields) + 1, kind) + fields


def join_frame(group: str, epoch: int, size: int, rank: int) -> bytes:
    name = group.encode()
    return frame(JOIN, struct.pack(">BBIIH", 1, 0, epoch, size, len(name)) + name + ranks_octets([rank]))


class _Operation:
    """What has come of one operation."""

    def __init__(self) -> None:
        self.vector = bytearray()
        self.data: Dict[int, bytearray] = {}
        self.complete: Optional[int] = None
        """Flags of its last result."""


class Collective:
    """One member: :func:`join` makes it. For one task at a time; each call waits for its operation."""

    def __init__(self, stream: Stream, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size
        self.safe = 0
        """The operation behind which all members have saved what they know, as far as this one has heard; 0 for none."""
        self._stream = stream
        self._operations: Dict[int, _Operation] = {}
        self._number = 0
        self._cut = False
        self._ready = False
        self._failure: Optional[BaseException] = None
        self._ended = False
        self._news = asyncio.Condition()
        self._buffer = bytearray()
        self._reading = asyncio.ensure_future(self._read())

    async def barrier(self) -> None:
        """Waits until all members are here."""
        await self._run(BARRIER, 0)

    async def all_reduce(self, values: Any, reduction: str = "sum") -> "array.array[Any]":
        """The sum, min, max, product, and, or of each element, for all; see :meth:`reduce`."""
        result = await self.reduce(values, reduction, None)
        assert result is not None
        return result

    async def reduce(self, values: Any, reduction: str = "sum", target: Optional[int] = 0) -> "Optional[array.array[Any]]":
        """
        One vector of the vectors of all, for the rank ``target``, or for all if that is None; the others get None.

        :param values: numbers: whole ones become integers of 64 bits, others doubles; or an array of type q, f or d. As many at each member
        """
        vector = _vector(values)
        if vector.typecode not in ELEMENTS or reduction not in REDUCTIONS:
            raise wrong(f"{reduction} of an array of type {vector.typecode!r}")
        own = array.array(vector.typecode, vector)
        _turn(own)
        octets = await self._run(REDUCE, ALL if target is None else target, own.tobytes(), ELEMENTS[own.typecode], REDUCTIONS[reduction])
        if target is not None and target != self.rank:
            return None
        result = array.array(own.typecode, bytes(octets.vector))
        _turn(result)
        return result

    async def broadcast(self, octets: Any = None, source: int = 0) -> bytes:
        """What the rank ``source`` has, for all; the others leave ``octets`` out."""
        own = b"" if octets is None else bytes(octets_of(octets))
        operation = await self._run(BROADCAST, source, own)
        return own if source == self.rank else bytes(operation.data.get(source, b""))

    async def gather(self, octets: Any, target: Optional[int] = None) -> Optional[List[bytes]]:
        """What each has, in the order of the ranks; for the rank ``target``, or for all if that is None. The others get None."""
        own = bytes(octets_of(octets))
        operation = await self._run(GATHER, ALL if target is None else target, own)
        if target is not None and target != self.rank:
            return None
        return [own if rank == self.rank else bytes(operation.data.get(rank, b"")) for rank in range(self.size)]

    async def top(self, entries: Sequence[Tuple[float, int]], most: int) -> List[Tuple[float, int]]:
        """The ``most`` largest of the scores of all, and the integers beside them."""
        own = sorted(entries, key=lambda entry: (-entry[0], entry[1]))[:most]
        operation = await self._run(TOP, most, b"".join(struct.pack(">dq", *entry) for entry in own))
        return [(score, tag) for score, tag in struct.iter_unpack(">dq", operation.vector)]

    async def quantiles(self, values: Iterable[float]) -> List[float]:
        """The values of all at 0, 1, … 100 per cent of their ranks, each within one per cent."""
        own = array.array("d", values)
        _turn(own)
        operation = await self._run(QUANTILES, 0, own.tobytes())
        return list(struct.unpack(">101d", operation.vector[16:]))

    async def ask_for_cut(self) -> None:
        """Behind one of the next operations all members are told to save what they know: :attr:`is_cut` says so."""
        await self._stream.send(frame(ASK))

    @property
    def is_cut(self) -> bool:
        """Whether a cut is behind the last operation: save what this program knows, then call :meth:`saved`."""
        return self._cut

    async def saved(self) -> int:
        """What this program knows behind its last operation is saved. Returns the number of that operation."""
        self._cut = False
        await self._stream.send(frame(SAVED, struct.pack(">Q", self._number)))
        return self._number

    async def wait_until_safe(self, number: int) -> None:
        """Until all members have saved what they know behind this operation."""
        await self._until(lambda: self.safe >= number)

    async def leave(self) -> None:
        """This member has done what it wanted; without this its end breaks the group."""
        await self._stream.send(frame(LEAVE))
        await self._stream.finish()
        await self._reading
        self._stream.abort()

    def abort(self) -> None:
        """Gives the group up: the others are told."""
        self._reading.cancel()
        self._stream.abort()

    # What is sent

    async def _run(self, operation: int, argument: int, own: bytes = b"", element: int = 0, reduction: int = 0) -> _Operation:
        self._check()
        self._number += 1
        number = self._number
        current = self._operations.setdefault(number, _Operation())
        combined = operation in (REDUCE, TOP, QUANTILES)

        async def send(kind: int, octets: bytes, rank: int) -> None:
            view = memoryview(octets)
            for at in range(0, max(len(octets), 1), PIECE):
                fields = _FIELDS.pack(0, operation, element, reduction, number, argument, rank, len(octets), at)
                await self._stream.send(frame(kind, fields + view[at:at + PIECE]))
        try:
            if not combined and (operation == GATHER and argument != self.rank or operation == BROADCAST and argument == self.rank):
                await send(DATA, own, self.rank)
            await send(PART, own if combined else b"", 0)
        except TamanoirError:
            # What the node has said before is the reason.
            await asyncio.wait([self._reading], timeout=1)
            self._check()
            raise
        await self._until(lambda: current.complete is not None)
        del self._operations[number]
        self._cut = bool(current.complete is not None and current.complete & SAVE)
        return current

    # What comes

    async def _until(self, holds: Any) -> None:
        async with self._news:
            while not holds():
                self._check()
                await self._news.wait()

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._ended:
            raise TamanoirError("EE-211", "the node has ended the stream")

    async def _read(self) -> None:
        try:
            async for payload in self._stream:
                self._buffer += payload
                while len(self._buffer) >= 4:
                    length = int.from_bytes(self._buffer[:4], "big")
                    if not 1 <= length <= LONGEST:
                        raise MalformedPacket("EE-109", f"a frame of {length} octets")
                    if len(self._buffer) < 4 + length:
                        break
                    body = bytes(self._buffer[4:4 + length])
                    del self._buffer[:4 + length]
                    self._frame(body)
                async with self._news:
                    self._news.notify_all()
        except struct.error:
            self._failure = MalformedPacket("EE-109", "a frame is shorter than its fields")
        except TamanoirError as e:
            self._failure = self._failure or e
        finally:
            self._ended = True
            async with self._news:
                self._news.notify_all()

    def _frame(self, body: bytes) -> None:
        kind = body[0]
        if kind == READY:
            self._ready = True
        elif kind in (RESULT, DATA):
            self._piece(kind, body)
        elif kind == SAFE:
            self.safe = struct.unpack_from(">Q", body, 1)[0]
        elif kind in (FAILED, REFUSED):
            code, = struct.unpack_from(">H", body, 1)
            safe = struct.unpack_from(">Q", body, 3)[0] if kind == FAILED else 0
            ranks, at = ranks_at(body, 11 if kind == FAILED else 3)
            text = body[at + 2:].decode(errors="replace")
            self.safe = max(self.safe, safe)
            self._failure = GroupFailed(f"EE-{code}", text, ranks if kind == FAILED else set(), self.safe)
        else:
            raise MalformedPacket("EE-109", f"a frame of kind {kind}")

    def _piece(self, kind: int, body: bytes) -> None:
        flags, _, _, _, number, _, rank, total, offset = _FIELDS.unpack_from(body, 1)
        data = memoryview(body)[1 + _FIELDS.size:]
        # What others have sent ahead of this member's own part is kept for it.
        operation = self._operations.setdefault(number, _Operation()) if kind == DATA and number > self._number else self._operations.get(number)
        if operation is None or total > MOST_OCTETS:
            raise MalformedPacket("EE-109", f"a piece of operation {number}, which is not under way")
        into = operation.vector if kind == RESULT else operation.data.setdefault(rank, bytearray())
        if len(data) and len(into) != offset:
            raise MalformedPacket("EE-109", f"octets {offset} of a result; {len(into)} come next")
        into += data
        if kind == RESULT and flags & LAST:
            operation.complete = flags

    async def __aenter__(self) -> "Collective":
        return self

    async def __aexit__(self, kind: Optional[type], error: Optional[BaseException], trace: object) -> None:
        if error is None:
            await self.leave()
        else:
            self.abort()


class Joining:
    """A group that is being joined: ``async with`` it, or ``await`` it for a member that leaves by itself."""

    def __init__(self, arguments: Dict[str, Any], group: str, epoch: int, size: int, rank: int) -> None:
        self._arguments = arguments
        self._who = (group, epoch, size, rank)
        self._member: Optional[Collective] = None

    def __await__(self) -> Any:
        return self._join().__await__()

    async def _join(self) -> Collective:
        group, epoch, size, rank = self._who
        if not (0 <= rank < size and 1 <= epoch <= 0xFFFFFFFF and 1 <= len(group) <= 128):
            raise wrong("a rank is from 0 and below the size, an epoch from 1, and a name has 1 to 128 characters")
        stream = await open_stream(**self._arguments)
        member = Collective(stream, rank, size)
        try:
            await stream.send(join_frame(group, epoch, size, rank))
            await member._until(lambda: member._ready)
        except BaseException:
            member.abort()
            raise
        return member

    async def __aenter__(self) -> Collective:
        self._member = await self
        return self._member

    async def __aexit__(self, kind: Optional[type], error: Optional[BaseException], trace: object) -> None:
        assert self._member is not None
        await self._member.__aexit__(kind, error, trace)


def join(via: Union[str, Sequence[str]], to: str, group: str, *, rank: int, size: int, epoch: int = 1, tls: Optional[Tls] = None, token: Optional[Token] = None) -> Joining:
    """
    Joins a group, and waits until all its members are there.

    :param via: the node beside this program; or several, which are tried in turn
    :param to: the root of the group, a node; the same at all members
    :param group: its name
    :param rank: which of the members this is, from 0
    :param size: how many there are
    :param epoch: from 1; the next one after a failure

    Leaving its ``async with`` leaves the group; leaving by an exception breaks it for all. :class:`GroupFailed` says who is missing: EE-208 for one that is
    silent, EE-211 for one that has vanished; TamanoirError EE-318 if the rank is taken.
    """
    return Joining({"via": via, "to": to, "services": "collect", "tls": tls, "token": token}, group, epoch, size, rank)


def _vector(values: Any) -> "array.array[Any]":
    if isinstance(values, array.array):
        return values
    listed = list(values)
    return array.array("q" if all(isinstance(value, int) for value in listed) else "d", listed)


def _turn(vector: "array.array[Any]") -> None:
    """To the order of the network, or back."""
    if sys.byteorder == "little":
        vector.byteswap()
