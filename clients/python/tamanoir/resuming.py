"""Streams that outlive their nodes (docs/survive.md)."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from .chains import Session, Ways
from .errors import TamanoirError, wrong
from .legs import Leg
from .packet import HEADER_SIZE, Options, Resumption
from .session import Losses, SessionEnd
from .stream import BATCH, CLOSING_SECONDS, MOST_PAYLOADS, MOST_UNTAKEN, PACKET_SIZE, TURN, Stream, octets_of, wake

if TYPE_CHECKING:
    from .opening import Request

_MOST_UNSENT = 256 << 10
"""Octets that may wait for the chain before the program is asked to wait: what waits for an acknowledgement has a ring of its own."""


@dataclass(frozen=True)
class Resume:
    """
    What a stream that outlives its nodes may need: the seconds that it lives without a chain of nodes, and the octets that may wait for an
    acknowledgement, which are the rate times the round trip and 50 ms.
    """

    window: float = 60.0
    ring: int = 16 << 20

    def __post_init__(self) -> None:
        if self.window <= 0 or self.ring <= 0:
            raise wrong(f"a window of {self.window} s and a ring of {self.ring} octets: both must be more than 0")


class ResumableStream(Stream):
    """
    A stream that outlives its nodes, with the methods of every stream. A payload is *kept*, and acknowledged, when the next one is asked
    for; :meth:`complete` returns when both ends have kept everything. Cuts between packets may move where a stream goes on by other nodes.
    """

    def __init__(self, payload: int) -> None:
        super().__init__()
        self._payload = payload
        self._taken = 0
        self._kept = 0
        self._wants_room = False
        self._begun: asyncio.Future[None] = self._loop.create_future()
        self._session: Session

    @classmethod
    async def opened(cls, request: Request, resume: Resume) -> ResumableStream:
        """Returns when the far end has answered."""
        stream = cls(request.packet_size - HEADER_SIZE)
        stream.id = request.stream_id or secrets.randbits(63) + 1
        stream.type_id = request.types[0]
        stream.options = await request.options()
        stream.options.stream = stream.id, 0
        session = stream._session = Session(stream, Ways(request))
        session.core = SessionEnd(session.now(), session, stream.id, secrets.token_bytes(16), True, resume.ring, stream._payload, resume.window)
        session.settle()
        try:
            await stream._begun
            stream._check()
        except BaseException:
            stream.abort()
            raise
        return stream

    @classmethod
    def accepted(cls, leg: Leg, asked: Resumption, options: Options, resume: Resume) -> ResumableStream:
        """For a leg that begins one. EE-223 if the session has begun elsewhere."""
        stream = cls(PACKET_SIZE - HEADER_SIZE)
        stream.id, stream.type_id, stream.options = asked.session, leg.type_id, options
        session = stream._session = Session(stream, None)
        session.core = SessionEnd.acceptor(session.now(), session, asked, resume.ring, stream._payload, resume.window)
        return stream

    @property
    def losses(self) -> Losses:
        """What lost chains of nodes have cost so far."""
        return self._session.core.losses

    async def send(self, data: Any) -> None:
        view = memoryview(octets_of(data))
        session = self._session
        async with self._sending:
            try:
                while view:
                    self._check_sending()
                    taken = 0
                    if session.core.unsent < _MOST_UNSENT:
                        taken = session.core.write(session.now(), view[:self._payload * BATCH])
                        self.sent_octets += taken
                        view = view[taken:]
                        session.settle()
                    if not taken:
                        self._check_sending()
                        self._wants_room = True
                        self._read_on()
                        await self._wait_for_way()
                    elif self.sent_octets - self._sent_at_turn >= TURN:
                        self._sent_at_turn = self.sent_octets
                        await asyncio.sleep(0)
            finally:
                self._wants_room = False

    async def receive(self) -> Optional[memoryview]:
        if self._arrival is not None:
            raise RuntimeError("another task is receiving from this stream")
        session = self._session
        if self._taken > self._kept and not session.is_over:
            self._kept = self._taken
            session.core.kept(session.now(), self._kept)
            session.settle()
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
        self._taken += len(payload)
        self._untaken -= len(payload)
        if self._untaken <= MOST_UNTAKEN // 2 and len(self._payloads) <= MOST_PAYLOADS // 2:
            self._read_on()
        return payload

    def _read_on(self) -> None:
        if self._reading_paused:
            self._reading_paused = False
            if not self._session.is_over:
                self._session.read()

    async def __anext__(self) -> memoryview:
        payload = await self.receive()
        if payload is None:
            raise StopAsyncIteration
        return payload

    async def finish(self) -> None:
        async with self._sending:
            if not self._output_ended:
                self._check_sending()
                self._output_ended = True
                self._session.core.end(self._session.now())
                self._session.settle()

    async def complete(self) -> None:
        """Finishes, and waits until both ends have kept everything. What still comes is thrown away."""
        await self.finish()
        while await self.receive() is not None:
            pass
        await asyncio.wait([self._closed])
        self._check()
        await self._gone()

    async def refuse(self, code: str, text: str) -> None:
        """Ends the stream with an error. The far end is told its code."""
        self._told = True
        if not self._session.is_over:
            self._session.give_up(code)
            self.on_failure(TamanoirError(code, text))
        await self._gone()

    def abort(self) -> None:
        self._told = True
        if not self._session.is_over:
            self._session.give_up()
            self.on_failure(TamanoirError("EE-211", "the stream was given up here"))

    # The session says

    def on_octets(self, octets: memoryview) -> None:
        self._payloads.append(octets)
        self._untaken += len(octets)
        self.received_octets += len(octets)
        wake(self._arrival)

    def on_end(self) -> None:
        self._end_input()

    def is_full(self) -> bool:
        """
        Not while a send waits: the acknowledgement that gives it room may be behind what has not been taken, and the program may take
        nothing before it has sent. What comes meanwhile is less than the ring of the other end.
        """
        if self._wants_room:
            return False
        if self._untaken >= MOST_UNTAKEN or len(self._payloads) >= MOST_PAYLOADS:
            self._reading_paused = True
        return self._reading_paused

    def on_progress(self) -> None:
        leg = self._session.leg
        if leg is not None:
            self.peer = leg.peer
        if self._session.core.has_begun:
            wake(self._begun)
        self._way_is_free()

    def on_done(self) -> None:
        wake(self._closed)

    def on_failure(self, why: TamanoirError) -> None:
        """The first failure counts. What has arrived before it can still be received."""
        if self._failure is None:
            self._failure = why
            wake(self._arrival)
            if self._way is not None and not self._way.done():
                self._way.set_exception(why)
        wake(self._closed)
        wake(self._begun)

    async def _gone(self) -> None:
        """Waits until the last words are with the other side, but not for long."""
        leg = self._session.leg
        if leg is not None:
            await asyncio.wait([leg._closed], timeout=CLOSING_SECONDS)
