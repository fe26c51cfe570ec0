"""Two ends of a session, chains of nodes between them that die in several ways, an application at each end, and a clock that jumps."""

import heapq
import itertools
import random
from collections import deque
from typing import Callable, Deque, List, Optional, Tuple

from tamanoir.errors import TamanoirError
from tamanoir.packet import Mark, Resumption
from tamanoir.ring import States
from tamanoir.session import MARK, WELCOME, SessionEnd

WINDOW = 60.0
TOKEN = bytes(range(16))
# Both ends are told; one is; nobody is, and nothing comes; nothing comes but late; nothing comes for a while.
RESET, HALF, SILENT, LATE, PAUSE = DEATHS = ("reset", "half", "silent", "late", "pause")


class Simulation:
    def __init__(self, seed: int, most: int) -> None:
        self.random = random.Random(seed)
        self.most = most
        self.now = 0.0
        self.delay = 0.001 + self.random.uniform(0, 0.04)
        self.events: List[Tuple[float, int, Callable[[], None]]] = []
        self.order = itertools.count()
        self.chains: List[Chain] = []
        self.knowing = False
        """Whether chains have a service that knows how many octets of each direction it has seen."""
        self.service = "count 1"
        self.lie: Optional[Callable[[Mark], Mark]] = None
        """What a service makes of the next mark."""
        self.opener, self.acceptor = Side(self, True), Side(self, False)
        self.opener.end = SessionEnd(0.0, self.opener, 7, TOKEN, True, most, window=WINDOW, some=random.Random(seed + 1))
        self.touch(self.opener)

    def at(self, time: float, action: Callable[[], None]) -> None:
        heapq.heappush(self.events, (max(self.now, time), next(self.order), action))

    def run(self, seconds: float) -> None:
        until = self.now + seconds
        while self.events and self.events[0][0] <= until:
            self.now, _, action = heapq.heappop(self.events)
            action()
        self.now = max(self.now, until)

    def touch(self, side: "Side") -> None:
        end = side.end
        if end is not None and end.deadline != float("inf"):
            def look() -> None:
                if side.end is end and end.deadline <= self.now:
                    end.on_timer(self.now)
                    self.touch(side)
            self.at(end.deadline, look)

    def reached(self, chain: "Chain", first: Resumption, states: States) -> None:
        """A leg has reached the far end."""
        acceptor, opener = self.acceptor, self.opener
        try:
            states = chain.begun(states, first.fresh, True)
            if acceptor.is_forgotten:
                raise TamanoirError("EE-223", "forgotten")
            if acceptor.end is None:
                acceptor.end = SessionEnd.acceptor(self.now, acceptor, first, self.most, window=WINDOW)
            welcome, known = acceptor.end.resume(self.now, first, states)
        except TamanoirError as e:
            code = e.code

            def refused() -> None:
                assert opener.end is not None
                if code not in ("EE-225", "EE-230"):
                    opener.end.refused(chain.epoch, code)
                opener.end.lost(self.now, chain.epoch)
                self.touch(opener)
            chain.carry(False, refused)
            return
        acceptor.epoch = first.epoch

        def welcomed() -> None:
            assert opener.end is not None
            opener.end.welcomed(self.now, chain.epoch, welcome, chain.begun(known, first.fresh, False))
            self.touch(opener)
        chain.carry(False, welcomed)
        acceptor.end.answered(self.now)
        if not acceptor.writing:
            acceptor.writing = True
            acceptor.write()
        self.touch(acceptor)

    def check(self) -> None:
        """Both directions are as they were written, as far as they have come."""
        for source, sink in ((self.opener, self.acceptor), (self.acceptor, self.opener)):
            assert len(sink.got) <= source.written and sink.got == source.to_write[:len(sink.got)], (len(sink.got), source.written)


class Chain:
    """What goes in at one end comes out at the other, in order, later."""

    def __init__(self, of: Simulation, epoch: int) -> None:
        self.of = of
        self.epoch = epoch
        self.dead = False
        self.delivers = [True, True]
        self.late = 0.0
        self.last_arrival = [0.0, 0.0]
        self.under_way: Tuple[Deque[Callable[[], None]], Deque[Callable[[], None]]] = (deque(), deque())
        self.passed = [0, 0]
        self.counts = of.service

    def carry(self, forward: bool, arrival: Callable[[], None]) -> None:
        if self.dead:
            return
        self.last_arrival[forward] = max(self.last_arrival[forward] + 1e-9, self.of.now + self.of.delay * self.of.random.uniform(1, 1.25))
        self.under_way[forward].append(arrival)
        self.of.at(self.last_arrival[forward], lambda: self.arrive(forward))

    def arrive(self, forward: bool) -> None:
        if self.late > self.of.now:
            self.of.at(self.late, lambda: self.arrive(forward))
            return
        arrival = self.under_way[forward].popleft()
        if self.delivers[forward]:
            arrival()

    def counted(self, mark: Mark, forward: bool) -> States:
        return ((self.counts, self.passed[forward].to_bytes(8, "big")),) if self.of.knowing and not mark.over else ()

    def begun(self, states: States, fresh: bool, forward: bool) -> States:
        """The service says that it knows something, or is given what it knew of the other way."""
        if not self.of.knowing:
            return states
        if fresh:
            return states + ((self.counts, b""),)
        (label, octets), = states
        if label != self.counts:
            raise TamanoirError("EE-230", "other services")
        self.passed[not forward] = int.from_bytes(octets, "big")
        return ()

    def seen(self, octets: bytes, forward: bool) -> None:
        """What the service sees is what follows what it knows."""
        source = self.of.opener if forward else self.of.acceptor
        start = self.passed[forward]
        assert not self.of.knowing or octets == source.to_write[start:start + len(octets)], f"after {start} octets the service is shown others than those that follow"
        self.passed[forward] += len(octets)

    def die(self, how: str) -> None:
        if self.dead:
            return
        self.dead = how != PAUSE
        if how == RESET:
            self.delivers = [False, False]
            self.tell(self.of.opener)
            self.tell(self.of.acceptor)
        elif how == HALF:
            forward = self.of.random.random() < 0.5
            self.delivers = [not forward, forward]
            self.tell(self.of.opener if forward else self.of.acceptor)
        elif how == SILENT:
            self.delivers = [False, False]
        else:
            self.late = self.of.now + (self.of.random.uniform(6, 20) if how == LATE else self.of.random.uniform(0, 6))

    def tell(self, side: "Side") -> None:
        def lost() -> None:
            if side.end is not None:
                side.end.lost(self.of.now, self.epoch)
                self.of.touch(side)
        self.of.at(self.of.now + self.of.delay, lost)


class Side:
    """One end and its application."""

    def __init__(self, of: Simulation, is_opener: bool) -> None:
        self.of = of
        self.is_opener = is_opener
        self.end: Optional[SessionEnd] = None
        self.epoch = 0
        self.to_write = b""
        self.written = 0
        self.end_written = False
        self.got = bytearray()
        self.got_end = self.kept = self.is_done = self.is_forgotten = self.writing = False
        self.failure: Optional[str] = None
        self.keeps_after = 0.0
        self.most_held = 0

    def chain(self) -> Chain:
        return next((chain for chain in reversed(self.of.chains) if chain.epoch == self.epoch), None) or Chain(self.of, self.epoch)

    def write(self) -> None:
        """The application writes some octets every now and then."""
        if self.end is None or self.end.is_over or self.end_written:
            return
        some = self.of.random
        if self.written < len(self.to_write):
            most = some.choice((10, 40_000, 150_000))
            self.written += self.end.write(self.of.now, memoryview(self.to_write)[self.written:self.written + some.randint(1, most)])
            self.most_held = max(self.most_held, self.end.held)
        else:
            self.end_written = True
            self.end.end(self.of.now)
        self.of.touch(self)
        self.of.at(self.of.now + some.uniform(0, 0.02), self.write)

    def other(self, do: Callable[[SessionEnd], None]) -> Callable[[], None]:
        to = self.of.acceptor if self.is_opener else self.of.opener

        def arrives() -> None:
            if to.end is not None:
                do(to.end)
                self.of.touch(to)
        return arrives

    def open(self, epoch: int) -> None:
        assert self.end is not None
        self.epoch = epoch
        chain = Chain(self.of, epoch)
        self.of.chains.append(chain)
        first, states = self.end.opening(self.of.now)
        chain.carry(True, lambda: self.of.reached(chain, first, states))

    def send(self, octets: memoryview) -> bool:
        chain, epoch, copy = self.chain(), self.epoch, bytes(octets)

        def arrive(end: SessionEnd) -> None:
            chain.seen(copy, self.is_opener)
            end.octets(self.of.now, epoch, memoryview(copy))
        chain.carry(self.is_opener, self.other(arrive))
        if self.of.random.random() < 0.25:
            def room() -> None:
                if self.end is not None:
                    self.end.room(self.of.now, epoch)
                    self.of.touch(self)
            self.of.at(self.of.now + 0.005, room)
            return False
        return True

    def say(self, mark: Mark) -> None:
        assert mark.kind == MARK != WELCOME
        chain, epoch = self.chain(), self.epoch

        def arrive(end: SessionEnd) -> None:
            said, lie = mark, self.of.lie
            if lie is not None:
                self.of.lie, said = None, lie(mark)
            end.mark(self.of.now, epoch, said, chain.counted(mark, self.is_opener))
        chain.carry(self.is_opener, self.other(arrive))

    def close(self, clean: bool) -> None:
        chain, epoch = self.chain(), self.epoch
        if clean:
            chain.carry(self.is_opener, self.other(lambda end: end.lost(self.of.now, epoch)))
        else:
            chain.die(self.of.random.choice((RESET, LATE)))

    def deliver(self, octets: memoryview) -> None:
        self.got += octets
        end, upto = self.end, len(self.got)
        assert end is not None
        if not self.keeps_after:
            end.kept(self.of.now, upto)
            return

        def keep() -> None:
            if self.end is end and not end.is_over:
                end.kept(self.of.now, upto)
                self.of.touch(self)
        self.of.at(self.of.now + self.keeps_after, keep)

    def deliver_end(self) -> None:
        assert not self.got_end
        self.got_end = True

    def everything_kept(self) -> None:
        self.kept = True

    def done(self) -> None:
        self.is_done = True

    def forgotten(self) -> None:
        assert self.is_done and not self.is_opener
        self.is_forgotten = True
        self.end = None

    def failed(self, code: str) -> None:
        self.failure = code
