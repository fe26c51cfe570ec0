"""One chain of nodes under a session, as far as it can be seen from here: a connection to its first node, or from its last."""

from __future__ import annotations

from collections import deque
from typing import Callable, Deque, Optional, Protocol

from .errors import MalformedPacket, TamanoirError
from .packet import DISCARD_UNKNOWN, END, TYPE_CONTROL, TYPE_ERROR, Mark, Options, Packet, bare_header, encode
from .ring import States
from .stream import DELIVER, REASON_SECONDS, Buffers, Stream, skip

_MOST_QUEUED = 256 << 10
"""Octets that may wait for the socket."""
_MOST_BUFFERS = 256
"""Buffers that leave by one system call; Linux takes 1,024."""
_FAREWELL_SECONDS = 1.0
"""How long the other side may take to end its side after this one has."""


class Legs(Protocol):
    """Whose leg it is. What is called last, after a read or where there is room again, is :meth:`settle`."""

    def on_octets(self, leg: Leg, octets: memoryview) -> None: ...

    def on_mark(self, leg: Leg, mark: Mark, states: States) -> None: ...

    def on_end(self, leg: Leg) -> None: ...

    def on_failure(self, leg: Leg, why: TamanoirError) -> None: ...

    def settle(self) -> None: ...


class Leg(Stream):
    """Its packets go to a session as they come; what it sends waits in the session's ring, and not here."""

    def __init__(self, on_opened: Optional[Callable[[Stream], None]] = None) -> None:
        super().__init__(on_opened)
        self.epoch = 0
        self._of: Optional[Legs] = None
        self._queue: Buffers = []
        self._queued = 0
        self._full = False
        self._ending = False
        self._over = False

    @property
    def failure(self) -> Optional[TamanoirError]:
        return self._failure

    def join(self, of: Legs, epoch: int) -> None:
        self._of, self.epoch = of, epoch

    # What the session says

    def packet(self, octets: memoryview) -> bool:
        """One packet, where its octets are, at the next :meth:`flush`. Whether more may follow."""
        header = bare_header(self.type_id, self._flags, len(octets))
        self._queue += (header, octets)
        self._queued += len(header) + len(octets)
        self._full = self._full or self._queued >= _MOST_QUEUED
        return not self._full

    def say(self, mark: Mark, states: States = ()) -> None:
        octets = encode(Packet(self.type_id, self._flags, Options(mark=mark, state=states)))
        self._queue.append(octets)
        self._queued += len(octets)

    def flush(self) -> bool:
        """Sends what the socket takes. Whether more may follow again."""
        if self._queue and not self._write_failed and not self._transport.is_closing():
            # What the transport has left must go first: the packet that begins the stream.
            if self._direct is None or self._transport.get_write_buffer_size() > 0:
                if not self._writing_paused:
                    self._transport.write(b"".join(self._queue))
                    self._queue, self._queued = [], 0
            else:
                self._flush_directly()
        if self._ending and not self._queue:
            self._finish()
        if self._full and self._queued < _MOST_QUEUED // 2 and not self._writing_paused and not self._write_failed:
            self._full = False
            return True
        return False

    def _flush_directly(self) -> None:
        assert self._direct is not None
        try:
            while self._queue:
                some = self._queue[:_MOST_BUFFERS]
                sent = self._direct.sendmsg(some)
                taken = len(some)
                skip(some, sent)
                self._queue[:taken] = some
                self._queued -= sent
            self._loop.remove_writer(self._direct.fileno())
        except (BlockingIOError, InterruptedError):
            self._loop.add_writer(self._direct.fileno(), self._way_is_free)
        except OSError as e:
            # A peer that refuses says why before it closes: its words may still be on their way.
            self._write_failed = True
            self._loop.remove_writer(self._direct.fileno())
            self._loop.call_later(REASON_SECONDS, self._fail, TamanoirError("EE-211", f"the connection to {self.peer} was lost: {e.strerror}"))

    def _way_is_free(self) -> None:
        if self._of is not None and not self._over:
            self._of.settle()
        else:
            self.flush()

    def read(self, on: bool) -> None:
        if on == self._reading_paused and not self._transport.is_closing():
            self._reading_paused = not on
            if on:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()

    def end(self) -> None:
        """Ends it after what was said; what still comes is not looked at."""
        self._over = self._ending = True
        self.read(True)
        self.flush()
        self._loop.call_later(_FAREWELL_SECONDS, self._close)

    def _finish(self) -> None:
        self._ending = False
        if self._secure:
            self._transport.write(encode(Packet(TYPE_CONTROL, DISCARD_UNKNOWN, Options(connection=(END, 0)))))
        elif not self._transport.is_closing():
            try:
                self._transport.write_eof()
            except OSError:
                pass  # The peer has gone already.
        self._output_ended = True
        self._linger(DELIVER)
        if self._input_ended:
            self._close()

    def reset(self) -> None:
        self._over = True
        super()._fail(TamanoirError("EE-211", "the chain of nodes was given up here"))

    def say_no(self, why: TamanoirError) -> None:
        """Says why there is no session on it."""
        self._over = True
        self._refuse(why.code, why.text)

    # What comes

    def buffer_updated(self, nbytes: int) -> None:
        self._received.added(nbytes)
        payloads: Deque[memoryview] = deque()
        whole = self._on_opened is None and self._received.take_payloads(payloads)
        for payload in payloads:
            self._take_payload(payload)
        if not whole:
            self._take_packets()
        if self._of is not None and not self._over:
            self._of.settle()

    def _take(self, type_id: int, flags: int, options: Optional[Options], payload: memoryview) -> None:
        if type_id in (TYPE_ERROR, TYPE_CONTROL):
            super()._take(type_id, flags, options, payload)
        elif options is not None and options.content_encoding is not None:
            raise MalformedPacket("EE-109", "the payload arrived encoded: the last node should have restored it")
        elif self._on_opened is not None:
            self._open_incoming(type_id, flags, options or Options())
        elif options is not None and options.mark is not None:
            if self._of is not None:
                self._of.on_mark(self, options.mark, options.state)
        elif payload:
            self._take_payload(payload)

    def _open_incoming(self, type_id: int, flags: int, options: Options) -> None:
        on_opened, self._on_opened = self._on_opened, None
        self.type_id, self._flags, self.options = type_id, flags, options
        self.id = options.stream[0] if options.stream else 0
        if on_opened is not None:
            on_opened(self)

    def _take_payload(self, payload: memoryview) -> None:
        if self._of is not None and not self._over:
            self._of.on_octets(self, payload)

    def _end_input(self) -> None:
        super()._end_input()
        if self._over:
            if not self._ending:
                self._close()
        elif self._of is not None:
            self._of.on_end(self)

    def _fail(self, failure: TamanoirError) -> None:
        super()._fail(failure)
        if not self._over:
            self._over = True
            if self._of is not None:
                self._of.on_failure(self, self._failure or failure)
