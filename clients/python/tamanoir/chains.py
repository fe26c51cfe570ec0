"""Which chain of nodes carries a session just now, and what is done when it is gone."""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING, Callable, Optional, Protocol, Set

from .errors import Refused, TamanoirError
from .legs import Leg
from .packet import Mark, Resumption
from .ring import DIFFERS, STATE, States
from .session import ABANDONED, FOREIGN, LOST, MARK, NOT_RESUMABLE, SILENCE, UNKNOWN, SessionEnd

if TYPE_CHECKING:
    from .opening import Request

_AVOIDED_SECONDS = 10.0
"""A node at which something failed is tried after the others for so long."""
_FINAL = {UNKNOWN, FOREIGN, DIFFERS, NOT_RESUMABLE}
"""What ends a session however many other ways there are."""
_OF_THE_WAY = {"EE-204", "EE-205", "EE-207", "EE-208", "EE-209", "EE-210", "EE-211", "EE-215", "EE-234"}
"""What another way may not suffer from, for a session that has not begun yet."""
_TEXTS = {
    ABANDONED: "the program at the other end has given the stream up",
    STATE: "a service on the way that knows something of the stream has failed, and what it knew is lost",
    DIFFERS: "what has arrived is not what was sent: a service or a node on the way has changed it",
}


class Program(Protocol):
    """At whose end the session is."""

    def on_octets(self, octets: memoryview) -> None: ...

    def on_end(self) -> None: ...

    def on_progress(self) -> None:
        """Something has come, or there is room for more."""

    def is_full(self) -> bool:
        """Whether it has more to take than it should; :meth:`Session.read` follows."""

    def on_done(self) -> None: ...

    def on_failure(self, why: TamanoirError) -> None: ...


class Ways:
    """The nodes by which one session is opened, in order: one at which it has failed is the last choice for a while."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._avoided_until = [-inf] * len(request.nodes)
        self._tried: Set[int] = set()
        self._node = 0

    async def open(self, now: float, session: int, first: Resumption, states: States) -> Leg:
        self._node = min(range(len(self._avoided_until)), key=lambda node: max(0.0, self._avoided_until[node] - now))
        self._tried.add(self._node)
        options = await self.request.options()
        options.stream, options.resume, options.state = (session, 0), first, states
        leg = await self.request.connect(self._node, Leg, others=len(self._avoided_until) > 1)
        self.request.begin(leg, options)
        return leg

    def failed(self, now: float) -> None:
        self._avoided_until[self._node] = now + _AVOIDED_SECONDS

    def reached(self) -> None:
        self._avoided_until[self._node] = -inf

    @property
    def tried_all(self) -> bool:
        return len(self._tried) == len(self._avoided_until)


class Session:
    """Carries out what the core says, and tells it what happens: on the leg that it has just now, at its program, and in time."""

    def __init__(self, program: Program, ways: Optional[Ways]) -> None:
        self._program = program
        self._ways = ways
        self._loop = asyncio.get_running_loop()
        self.core: SessionEnd
        self.leg: Optional[Leg] = None
        """The one that it has just now, or the last one once it is over."""
        self._opening: Optional[asyncio.Task[None]] = None
        self._timer: Optional[asyncio.TimerHandle] = None
        self._last: Optional[TamanoirError] = None
        self.is_over = False
        self.on_over: Callable[[], None] = lambda: None
        self.on_forgotten: Callable[[], None] = lambda: None
        """When nobody will ask for it again."""

    def now(self) -> float:
        return self._loop.time()

    # The core says

    def open(self, epoch: int) -> None:
        self._opening = self._loop.create_task(self._open(epoch))

    async def _open(self, epoch: int) -> None:
        assert self._ways is not None
        mine = self._opening
        first, states = self.core.opening(self.now())
        self.settle()
        try:
            leg = await self._ways.open(self.now(), first.session, first, states)
        except TamanoirError as e:
            if self._opening is mine:
                self._opening = None
                self._lost(epoch, e)
            return
        if self._opening is not mine:
            leg.reset()
            return
        self._opening = None
        if leg.failure is None:
            self._take(leg, epoch)
        else:
            self._lost(epoch, leg.failure)

    def _take(self, leg: Leg, epoch: int) -> None:
        self.leg = leg
        self.core.reading(self.now(), True)
        leg.join(self, epoch)

    def send(self, octets: memoryview) -> bool:
        assert self.leg is not None
        return self.leg.packet(octets)

    def say(self, mark: Mark) -> None:
        assert self.leg is not None
        self.leg.say(mark)

    def close(self, clean: bool) -> None:
        opening, self._opening = self._opening, None
        if opening is not None:
            opening.cancel()
        if self.leg is not None and clean:
            self.leg.end()
        elif self.leg is not None:
            self.leg.reset()
            self.leg = None

    def deliver(self, octets: memoryview) -> None:
        self._program.on_octets(octets)

    def deliver_end(self) -> None:
        self._program.on_end()

    def everything_kept(self) -> None:
        pass

    def done(self) -> None:
        self._end()
        self._program.on_done()

    def forgotten(self) -> None:
        self.on_forgotten()

    def failed(self, code: str) -> None:
        self._end()
        if self._last is not None and self._last.code == code:
            why = self._last
        elif code == LOST:
            why = TamanoirError(code, "the session found no chain of nodes in its time" + (f"; last: {self._last}" if self._last else ""))
        else:
            why = (Refused if code == ABANDONED else TamanoirError)(code, _TEXTS.get(code, "the session is over"))
        self._program.on_failure(why)

    def _end(self) -> None:
        self.is_over = True
        if self._timer is not None:
            self._timer.cancel()
        if self._opening is not None:
            self._opening.cancel()
        self.on_over()

    # The program says

    def give_up(self, code: str = ABANDONED) -> None:
        if not self.is_over:
            self.core.give_up(self.now(), code)
            self._end()

    # A leg says

    def accept(self, leg: Leg, asked: Resumption, states: States) -> None:
        """One has come in. EE-223 to EE-226, EE-230 if it is to be told no."""
        welcome, known = self.core.resume(self.now(), asked, states)
        self._take(leg, asked.epoch)
        leg.say(welcome, known)
        self.core.answered(self.now())
        self.settle()

    def on_octets(self, leg: Leg, octets: memoryview) -> None:
        if leg is self.leg:
            self.core.octets(self.now(), leg.epoch, octets)

    def on_mark(self, leg: Leg, mark: Mark, states: States) -> None:
        # Of a session that is over, it may be the last word of the other end.
        if leg is not self.leg and not self.is_over:
            return
        if mark.kind == MARK:
            self.core.mark(self.now(), leg.epoch, mark, states)
        elif self._ways is not None:
            self._ways.reached()
            try:
                self.core.welcomed(self.now(), leg.epoch, mark, states)
                self._last = None
            except TamanoirError as e:
                self.leg = None
                leg.reset()
                self._lost(leg.epoch, e)
        self._program.on_progress()

    def on_end(self, leg: Leg) -> None:
        if leg is self.leg:
            leg.end()
            self.leg = None
            self._note(TamanoirError("EE-211", "the chain of nodes ended before the session did"))
            self.core.lost(self.now(), leg.epoch)
            self.settle()

    def on_failure(self, leg: Leg, why: TamanoirError) -> None:
        if leg is self.leg:
            self.leg = None
            self._lost(leg.epoch, why)

    def _lost(self, epoch: int, why: TamanoirError) -> None:
        """A leg is gone, or could not be opened."""
        if self.is_over:
            return
        self._note(why)
        ways = self._ways
        if ways is not None and (why.code in _FINAL or not self.core.has_begun and (why.code not in _OF_THE_WAY or ways.tried_all)):
            self.core.refused(epoch, why.code)
        else:
            self.core.lost(self.now(), epoch)
        self.settle()

    def _note(self, why: TamanoirError) -> None:
        # That one node is not there says less than what another has against the session.
        if self._last is None or why.code not in _OF_THE_WAY or self._last.code in _OF_THE_WAY:
            self._last = why
        if self._ways is not None:
            self._ways.failed(self.now())

    # Time

    def settle(self) -> None:
        """After whatever the core has done: sends what it has written, and looks when it wants to be called."""
        leg = self.leg
        while leg is not None and leg.flush() and leg is self.leg and not self.is_over:
            self.core.room(self.now(), leg.epoch)
        if self.is_over:
            return
        self._program.on_progress()
        if leg is not None and self.core.is_up and self._program.is_full():
            leg.read(False)
            self.core.reading(self.now(), False)
        deadline = self.core.deadline
        if deadline < (self._timer.when() if self._timer is not None else inf):
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(deadline, self._on_timer)

    def read(self) -> None:
        """The program takes more."""
        if self.leg is not None:
            self.leg.read(True)
        self.core.reading(self.now(), True)

    def _on_timer(self) -> None:
        self._timer = None
        if self.is_over:
            return
        had = self.leg is not None or self._opening is not None
        epoch = self.core.epoch
        if self.core.deadline <= self.now():
            self.core.on_timer(self.now())
        if not self.is_over and had and self.leg is None and self._opening is None:
            self._note(TamanoirError("EE-204", f"nothing has come for {SILENCE:.0f} s or more"))
            if self._ways is not None and not self.core.has_begun and self._ways.tried_all:
                self.core.refused(epoch, "EE-204")
        self.settle()
