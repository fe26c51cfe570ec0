"""
One end of a session, a stream that outlives its nodes: takes what happened and when, says what to do. No I/O. docs/anep.md has the
messages, docs/decisions/0039-both-ends-remember.md the reasons; SessionEnd.java is the same in Java.
"""

from __future__ import annotations

import hmac
import random
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Optional, Protocol, Tuple

from .errors import TamanoirError
from .packet import Mark, Resumption
from .ring import DIFFERS, MAX_PAYLOAD, STATE, Crc32c, OctetRing, Received, States

WELCOME, MARK = 0, 1

MARK_SECONDS = 0.05
"""What was not said yet is said after so long."""
HEARTBEAT = 2.0
"""An end that has nothing to say says so as often."""
SILENCE = 5.0
"""A leg on which nothing comes for so long is given up, and so is the opening of one; after some that failed it has longer."""
_PAUSES_TO_OPEN = 8
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0
_MARK_OCTETS = 1 << 20
_MARKS_OF_RING = 4

UNKNOWN, FOREIGN, SUPERSEDED, LOST, ABANDONED, NOT_RESUMABLE = "EE-223", "EE-224", "EE-225", "EE-227", "EE-228", "EE-229"
_TEXTS = {
    UNKNOWN: "the session is not known here: it is over, or this end has begun anew",
    FOREIGN: "the session belongs to somebody else",
    SUPERSEDED: "a later chain of nodes carries the session",
    DIFFERS: "the session has other octets here",
    STATE: "the services on the way are not those that know something of the session",
}


class Io(Protocol):
    """What a session does."""

    def open(self, epoch: int) -> None:
        """Opens a leg: :meth:`SessionEnd.opening` has its first packet. The opener alone."""

    def send(self, octets: memoryview) -> bool:
        """One packet for the current leg. Whether more may follow; if not, :meth:`SessionEnd.room` says when."""

    def say(self, mark: Mark) -> None:
        """A mark for the current leg."""

    def close(self, clean: bool) -> None:
        """The current leg is over: after what was sent on it, or at once."""

    def deliver(self, octets: memoryview) -> None:
        """Octets for the application. :meth:`SessionEnd.kept` follows once they are where they shall be."""

    def deliver_end(self) -> None:
        """The other direction has ended, whole."""

    def everything_kept(self) -> None:
        """The far end has kept everything that was written here, its end included."""

    def done(self) -> None:
        """Both directions are finished, and both ends know."""

    def forgotten(self) -> None:
        """The opener knows that it is done: nobody will ask for the session again. The acceptor alone."""

    def failed(self, code: str) -> None:
        """The session is over before its time. Its leg is closed."""


@dataclass
class Losses:
    """What lost legs have cost: legs after the first, octets sent more than once, seconds without a leg."""

    resumptions: int = 0
    sent_again: int = 0
    stalled: float = 0.0


class _Leg(Enum):
    NONE, OPENING, UP = range(3)


def refusal(code: str) -> TamanoirError:
    return TamanoirError(code, _TEXTS[code])


class SessionEnd:
    """
    An *opener* opens legs, one at a time, each with a higher epoch; an *acceptor* is asked by :meth:`resume`. Times are seconds of one clock.
    """

    def __init__(self, now: float, io: Io, session: int, token: bytes, opener: bool, ring: int, payload: int = MAX_PAYLOAD, window: float = 60.0,
                 some: Optional[random.Random] = None) -> None:
        crc = Crc32c()
        self._io = io
        self._session = session
        self._token = token
        self._opener = opener
        self._window = window
        self._random = some or random.Random()
        self._ring = OctetRing(ring, payload, crc)
        self._received = Received(crc)
        self._mark_octets = max(MAX_PAYLOAD, min(_MARK_OCTETS, ring // _MARKS_OF_RING))
        self._leg = _Leg.NONE
        self.epoch = 0
        self.has_begun = False
        """Whether the far end has ever answered."""
        self.is_over = False
        self.losses = Losses()
        # What the leg that comes in has said, until it is answered.
        self._asking: Optional[Resumption] = None
        self._room = False
        self._reading = True
        self._ended = False
        self._all_kept = False
        self._marked_at = 0
        self._told_kept = 0
        self._told_end = False
        self._told_kept_last = False
        self._mark_due = inf
        self._spoke = now
        self._heard: Optional[float] = None
        self._open_at = now if opener else inf
        self._answer_due = inf
        self._pause = _FIRST_PAUSE
        self._legless = now

    @classmethod
    def acceptor(cls, now: float, io: Io, first: Resumption, ring: int, payload: int = MAX_PAYLOAD, window: float = 60.0) -> SessionEnd:
        """The end that a first resumption reaches; :meth:`resume` follows, for that one too. EE-223 if the session has begun elsewhere."""
        if not first.fresh:
            raise refusal(UNKNOWN)
        return cls(now, io, first.session, first.token, False, ring, payload, window)

    # The application

    def write(self, now: float, octets: memoryview) -> int:
        """Takes as many octets as there is room for. 0: wait, and try again after the next mark."""
        taken = self._ring.write(octets)
        self._pump(now)
        if taken < len(octets) and self._leg is _Leg.UP and self._ring.sent > self._marked_at and self._ring.acknowledged >= self._marked_at:
            # It is full, and would wait for the time of the next mark.
            self._say(now)
        return taken

    def end(self, now: float) -> None:
        """The application has written its last octet."""
        self._ended = True
        self._pump(now)

    def kept(self, now: float, octets: int) -> None:
        """So many octets of the other direction, since the beginning, are where they shall be. Also called from :meth:`Io.deliver`."""
        received = self._received
        received.keep(octets)
        if self._leg is _Leg.UP and self.is_complete and not self._opener:
            # The last word; not at once, as the application is in the midst of saying this.
            self._mark_due = now
        elif self._leg is _Leg.UP and (received.kept - self._told_kept >= self._mark_octets or received.is_kept and not self._told_kept_last):
            self._say(now)
        self._owe(now)

    def reading(self, now: float, on: bool) -> None:
        """Whether the application takes octets: without that nothing can come, and silence means nothing."""
        if on and not self._reading and self._leg is _Leg.UP:
            self._heard = now
        self._reading = on

    def give_up(self, now: float, code: str = ABANDONED) -> None:
        """The application has given up. The far end is told if there is a leg."""
        if not self.is_over:
            self._end(now, code)

    # The leg

    def opening(self, now: float) -> Tuple[Resumption, States]:
        """The first packet of a leg that :meth:`Io.open` asked for, which is opened now."""
        self._answer_due = now + max(SILENCE, _PAUSES_TO_OPEN * self._pause)
        received, checksum, states = self._received.position
        return Resumption(self._session, self._token, self.epoch, not self.has_begun, received, checksum), states

    def welcomed(self, now: float, epoch: int, welcome: Mark, states: States = ()) -> None:
        """The acceptor has answered. EE-230: the services on the leg are not those that the session has; the leg is to be shut, and is lost."""
        if self.is_over or epoch != self.epoch or self._leg is not _Leg.OPENING:
            return
        if not self.has_begun:
            self._received.begin(states)
        elif states:
            raise refusal(STATE)
        self.has_begun = True
        self._up(now, welcome.offset, welcome.checksum)

    def refused(self, epoch: int, code: str) -> None:
        """The leg of an epoch was refused, and another one would be too."""
        if self.is_over or epoch != self.epoch:
            return
        if self.is_complete:
            # The far end has everything, and may have forgotten it.
            self._finish()
        else:
            self._fail(code)

    def resume(self, now: float, asked: Resumption, states: States = ()) -> Tuple[Mark, States]:
        """
        A leg has come in. The one before it is shut when this returns; what still comes from it must not be handed over. The answer is to be
        sent before anything else; then :meth:`answered`. EE-223 to EE-226, EE-230: the leg is to be told and shut, the session is as it was.
        """
        self.check(asked, states)
        if asked.fresh:
            self._received.begin(states)
        if self._leg is not _Leg.NONE:
            self._io.close(False)
            self._down(now)
        self.epoch = asked.epoch
        self.has_begun = True
        self._answer_due = now + SILENCE
        self._leg = _Leg.OPENING
        self._asking = asked
        received, checksum, known = self._received.position
        return Mark(WELCOME, False, False, 0, received, checksum, 0), () if asked.fresh else known

    def check(self, asked: Resumption, states: States = ()) -> None:
        """EE-223 to EE-226, EE-230 if a resumption would not be taken."""
        if not hmac.compare_digest(asked.token, self._token):
            raise refusal(FOREIGN)
        if asked.epoch <= self.epoch:
            raise refusal(SUPERSEDED)
        if self.is_over and not self.is_complete:
            raise refusal(UNKNOWN)
        if not self._ring.has(asked.received) or self._ring.checksum_at(asked.received) != asked.checksum:
            raise refusal(DIFFERS)
        if states and (not asked.fresh or self._received.octets > 0):
            raise refusal(STATE)

    def answered(self, now: float) -> None:
        """The answer of :meth:`resume` has been given to the leg: octets may follow it."""
        asking, self._asking = self._asking, None
        if asking is None:
            return
        if self.is_over:
            # It was finished here, and the last word was lost.
            self._last_word(now)
            self._leg = _Leg.NONE
        elif self._leg is _Leg.OPENING:
            self._up(now, asking.received, asking.checksum)

    def _up(self, now: float, theirs: int, checksum: int) -> None:
        ring = self._ring
        if not ring.has(theirs) or ring.checksum_at(theirs) != checksum:
            self._fail(DIFFERS)
            return
        if self._heard is not None:
            self.losses.resumptions += 1
            self.losses.sent_again += ring.sent - theirs
            self.losses.stalled += now - self._heard
        ring.rewind(theirs)
        self._received.rewind()
        self._leg = _Leg.UP
        self._room = True
        self._pause = _FIRST_PAUSE
        self._marked_at = theirs
        self._told_kept = -1
        self._told_end = self._told_kept_last = False
        self._heard = self._spoke = now
        self._owe(now)
        self._pump(now)

    def lost(self, now: float, epoch: int) -> None:
        """A leg is gone, or could not be opened. That it ended cleanly says nothing: a proxy on the way may make that of a reset."""
        if not self.is_over and epoch == self.epoch and self._leg is not _Leg.NONE:
            self._down(now)

    def _down(self, now: float) -> None:
        if self._leg is _Leg.UP:
            self._legless = now
        self._leg = _Leg.NONE
        self._asking = None
        self._mark_due = inf
        if self._opener:
            self._open_at = now if self._pause == _FIRST_PAUSE else now + self._random.uniform(self._pause / 2, self._pause)
            self._pause = min(_LONGEST_PAUSE, 2 * self._pause)

    def room(self, now: float, epoch: int) -> None:
        """The current leg takes more."""
        if epoch == self.epoch and self._leg is _Leg.UP:
            self._room = True
            self._pump(now)

    def octets(self, now: float, epoch: int, octets: memoryview) -> None:
        """Octets have come on the leg of an epoch."""
        if self.is_over or epoch != self.epoch or self._leg is not _Leg.UP:
            return
        self._heard = now
        new = self._received.take(octets)
        if new is None:
            self._fail(DIFFERS)
            return
        if new:
            self._io.deliver(new)
        self._owe(now)

    def mark(self, now: float, epoch: int, mark: Mark, states: States = ()) -> None:
        """A mark has come on the leg of an epoch."""
        if self.is_over and epoch == self.epoch and mark.done:
            self._io.forgotten()
        if self.is_over or epoch != self.epoch or self._leg is not _Leg.UP:
            return
        self._heard = now
        if mark.over:
            self._io.close(False)
            self._leg = _Leg.NONE
            self._fail(f"EE-{mark.over:03d}")
            return
        ring, received = self._ring, self._received
        good = mark.kept <= ring.sent and (not mark.kept_last or self._ended and mark.kept == ring.written)
        wrong = received.mark(mark, states) if good else DIFFERS
        if wrong is not None:
            self._fail(wrong)
            return
        ring.acknowledge(mark.kept)
        if mark.last and not received.ended:
            received.ended = True
            self._io.deliver_end()
        self._owe(now)
        if mark.kept_last and not self._all_kept:
            self._all_kept = True
            self._io.everything_kept()
        self._pump(now)
        if self.is_over:
            return
        if mark.done and not self.is_complete:
            self._fail(DIFFERS)
        elif mark.done if self._opener else self.is_complete:
            self._last_word(now)
            self._finish()
        elif self._opener and received.is_kept and not self._told_kept_last:
            # The other end waits for nothing else.
            self._say(now)

    def _last_word(self, now: float) -> None:
        """Both ends have everything, and this one knows: the acceptor says so and leaves, then the opener."""
        self._say(now, done=True)
        self._io.close(True)

    @property
    def is_complete(self) -> bool:
        """Whether everything of both directions is where it shall be."""
        return self._all_kept and self._received.is_kept

    def _finish(self) -> None:
        self.is_over = True
        self._leg = _Leg.NONE
        self._ring.release()
        self._io.done()

    def _fail(self, code: str) -> None:
        self._end(self._spoke, code)
        self._io.failed(code)

    def _end(self, now: float, code: str) -> None:
        """Ends it here, and says why where somebody hears it."""
        up = self._leg is _Leg.UP
        if up:
            self._say(now, int(code[3:]))
        if self._leg is not _Leg.NONE:
            self._io.close(up)
        self.is_over = True
        self._leg = _Leg.NONE
        self._ring.release()

    # Sending

    def _pump(self, now: float) -> None:
        ring = self._ring
        while self._leg is _Leg.UP and self._room and not self.is_over and ring.sent < ring.written:
            if ring.sent > self._marked_at and ring.sent - self._marked_at + ring.next_length() > self._mark_octets:
                self._say(now)
            self._room = self._io.send(ring.send(self._mark_octets))
            self._spoke = now
        if self._leg is _Leg.UP and ring.sent - self._marked_at >= self._mark_octets:
            self._say(now)
        self._owe(now)

    def _owe(self, now: float) -> None:
        """The far end does not know everything that there is to know: a mark is due."""
        if self._leg is _Leg.UP and self._mark_due == inf:
            ring, received = self._ring, self._received
            if (ring.sent > self._marked_at or received.kept > self._told_kept or self._ended and ring.sent == ring.written and not self._told_end
                    or received.is_kept and not self._told_kept_last):
                self._mark_due = now + MARK_SECONDS

    def _say(self, now: float, over: int = 0, done: bool = False) -> None:
        ring, received = self._ring, self._received
        checksum = ring.mark()
        self._marked_at = ring.sent
        self._told_end = self._ended and ring.sent == ring.written
        self._told_kept = received.kept
        self._told_kept_last = received.is_kept
        self._mark_due = inf
        self._spoke = now
        self._io.say(Mark(MARK, self._told_end, self._told_kept_last, over, ring.sent, checksum, received.kept, done))

    # Time

    @property
    def deadline(self) -> float:
        """When :meth:`on_timer` has something to do; infinity: never."""
        if self.is_over:
            return inf
        if self._leg is _Leg.NONE:
            return min(self._open_at, self._legless + self._window)
        if self._leg is _Leg.OPENING:
            return min(self._answer_due, self._legless + self._window)
        assert self._heard is not None
        return min(self._mark_due, self._spoke + HEARTBEAT, self._heard + SILENCE if self._reading else inf)

    def on_timer(self, now: float) -> None:
        if self.is_over:
            return
        up = self._leg is _Leg.UP
        if not up and now >= self._legless + self._window:
            if self.is_complete:
                # Only the far end would want to know that.
                self._finish()
            else:
                self._fail(LOST)
        elif self._leg is _Leg.NONE and now >= self._open_at:
            self._open_at = self._answer_due = inf
            self.epoch += 1
            self._leg = _Leg.OPENING
            self._io.open(self.epoch)
        elif self._leg is _Leg.OPENING and now >= self._answer_due or up and self._reading and self._heard is not None and now >= self._heard + SILENCE:
            self._io.close(False)
            self._down(now)
        elif up and self.is_complete and not self._opener:
            self._last_word(now)
            self._finish()
        elif up and (now >= self._mark_due or now >= self._spoke + HEARTBEAT):
            self._say(now)

    # What can be seen

    @property
    def is_up(self) -> bool:
        """Whether a chain of nodes carries it."""
        return self._leg is _Leg.UP

    @property
    def unsent(self) -> int:
        """Octets that were written and have not been sent."""
        return self._ring.written - self._ring.sent

    @property
    def received(self) -> int:
        """Octets of the other direction that have come."""
        return self._received.octets

    @property
    def held(self) -> int:
        """Octets of memory in the ring."""
        return self._ring.held
