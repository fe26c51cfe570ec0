"""Takes the streams that nodes deliver here."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from typing import Any, AsyncIterator, Deque, Dict, Optional, Set, Tuple

from .chains import Session
from .errors import TamanoirError
from .legs import Leg
from .opening import Tls, host_port
from .packet import Options
from .resuming import Resume, ResumableStream
from .ring import Crc32c
from .session import NOT_RESUMABLE
from .stream import RESET, Stream

_MORE_LEGS = 256
"""Connections beyond those of the sessions: late ones, and such as have not said what they are."""


class Listener:
    """Streams that are delivered as ANEP packets. Get one by :func:`listen`."""

    def __init__(self, most_streams: int, open_timeout: float, tls: Optional[Tls]) -> None:
        self._tls = tls
        self._most = most_streams
        self._open_timeout = open_timeout
        self._open: Set[_Incoming] = set()
        self._waiting: Deque[Stream] = deque()
        self._arrival: Optional[asyncio.Future[None]] = None
        self._closed = False
        self._server: Optional[asyncio.AbstractServer] = None
        self.refused = 0
        """Streams that were refused because there were as many as may be."""

    async def _listen(self, host: str, port: int) -> None:
        context = None if self._tls is None else self._tls.context(listens=True)
        try:
            self._server = await asyncio.get_running_loop().create_server(self._incoming, host, port, ssl=context)
        except OSError as e:
            raise TamanoirError("EE-502", f"cannot listen on {host}:{port}: {e.strerror or e}") from e
        # Connections have it from here: who speaks no TLS where it is needed must not take the end of the connection for that of its stream.
        for listening in self._server.sockets:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def _incoming(self) -> _Incoming:
        return _Incoming(self)

    @property
    def address(self) -> Tuple[str, int]:
        """Where this listens."""
        assert isinstance(self._server, asyncio.base_events.Server)
        name: Any = self._server.sockets[0].getsockname()
        return name[0], name[1]

    async def accept(self) -> Optional[Stream]:
        """The next stream, when its first packet has come; None when the listener is closed. ``async with`` it."""
        if self._arrival is not None:
            raise RuntimeError("another task is accepting")
        while not self._waiting:
            if self._closed:
                return None
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None
        return self._waiting.popleft()

    async def __aiter__(self) -> AsyncIterator[Stream]:
        stream = await self.accept()
        while stream is not None:
            yield stream
            stream = await self.accept()

    async def close(self) -> None:
        """Stops listening. Streams that were accepted go on; those that nobody has accepted are refused."""
        self._closed = True
        if self._server is not None:
            self._server.close()
        self._wake()
        left = [stream for stream in self._open if stream in self._waiting or not stream.opened]
        self._waiting.clear()
        await asyncio.gather(*(stream.refuse("EE-205", "the receiver takes no more streams") for stream in left))

    async def __aenter__(self) -> Listener:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    def _connected(self, stream: _Incoming) -> None:
        if self._tls is not None and not self._tls.admits(stream._transport):
            stream._refuse("EE-215", f"the receiver expects {self._tls.node_id}")
        elif len(self._open) >= self._most or self._closed:
            self.refused += 1
            stream._refuse("EE-205", f"the receiver holds {len(self._open)} streams")
        self._open.add(stream)

    def _opened(self, stream: Stream) -> None:
        self._waiting.append(stream)
        self._wake()

    def _lost(self, stream: _Incoming) -> None:
        self._open.discard(stream)

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)


class _Incoming(Stream):
    def __init__(self, listener: Listener) -> None:
        super().__init__(self._on_first_packet)
        self._listener = listener
        self._late = self._loop.call_later(listener._open_timeout, self._on_timeout)
        self.opened = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._listener._connected(self)

    def _on_first_packet(self, _: Stream) -> None:
        self._late.cancel()
        self.opened = True
        self._listener._opened(self)

    def _on_timeout(self) -> None:
        self._fail(TamanoirError("EE-207", "no packet came in time"))

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self._late.cancel()
        super().connection_lost(exc)
        self._listener._lost(self)


class ResumableListener(Listener):
    """
    Takes streams that outlive their nodes, and remembers each until both ends know that it is over, or nobody has come for it for its window.
    ``refused`` also counts chains of nodes that were not taken: late, foreign, unknown.
    """

    def __init__(self, most_streams: int, open_timeout: float, tls: Optional[Tls], resume: Resume) -> None:
        Crc32c()
        super().__init__(most_streams + _MORE_LEGS, open_timeout, tls)
        self._resume = resume
        self._most_sessions = most_streams
        self._sessions: Dict[int, Session] = {}

    def _incoming(self) -> _Incoming:
        return _IncomingLeg(self)

    async def close(self) -> None:
        """The same. No other chain of nodes reaches a stream that was accepted: it goes on by the one that it has."""
        waiting = list(self._waiting)
        await super().close()
        for stream in waiting:
            await stream.refuse("EE-205", "the receiver takes no more streams")

    def _first_packet(self, leg: _IncomingLeg, options: Options) -> None:
        asked = options.resume
        try:
            if asked is None:
                raise TamanoirError(NOT_RESUMABLE, "here is a receiver of streams that outlive their nodes; this one does not")
            session = self._sessions.get(asked.session)
            if session is not None:
                session.accept(leg, asked, options.state)
                return
            # Those that are over stay until the other end knows.
            if self._closed or sum(not each.is_over for each in self._sessions.values()) >= self._most_sessions or len(self._sessions) >= 2 * self._most_sessions:
                raise TamanoirError("EE-205", f"the receiver holds {self._most_sessions} streams" if not self._closed else "the receiver takes no more streams")
            stream = ResumableStream.accepted(leg, asked, options, self._resume)
            stream._session.accept(leg, asked, options.state)
        except TamanoirError as e:
            self.refused += 1
            leg.say_no(e)
            return
        self._remember(asked.session, stream._session)
        self._opened(stream)

    def _remember(self, number: int, session: Session) -> None:
        self._sessions[number] = session

        def forget() -> None:
            if self._sessions.get(number) is session:
                del self._sessions[number]

        def over() -> None:
            if session.core.is_complete:
                # Until then the other end may ask for the last word once more.
                asyncio.get_running_loop().call_later(self._resume.window, forget)
            else:
                forget()
        session.on_over = over
        session.on_forgotten = forget


class _IncomingLeg(_Incoming, Leg):
    def __init__(self, listener: ResumableListener) -> None:
        super().__init__(listener)
        self._sessions = listener

    def _on_first_packet(self, _: Stream) -> None:
        self._late.cancel()
        self.opened = True
        self._sessions._first_packet(self, self.options)


class Listening:
    """A listener that is being opened: ``async with`` or ``await`` it."""

    def __init__(self, host: str, port: int, listener: Listener) -> None:
        self._at = host, port
        self._listener = listener

    async def _listen(self) -> Listener:
        await self._listener._listen(*self._at)
        return self._listener

    def __await__(self) -> Any:
        return self._listen().__await__()

    async def __aenter__(self) -> Listener:
        return await self._listen()

    async def __aexit__(self, *error: object) -> None:
        await self._listener.close()


def listen(at: str, *, tls: Optional[Tls] = None, most_streams: int = 1024, open_timeout: float = 30.0, resume: Optional[Resume] = None) -> Listening:
    """
    Listens for streams over TCP that nodes deliver as packets.

    :param at: ``HOST:PORT``; port 0 for any
    :param tls: the listener's certificate, and whose nodes may connect: by TLS alone then
    :param most_streams: at a time; one more is refused with EE-205
    :param open_timeout: seconds that the first packet of a stream may take (EE-207)
    :param resume: takes streams that outlive their nodes, and no others (EE-229): each is a :class:`ResumableStream`

    TamanoirError: EE-501 if a certificate or key is of no use, or for ``resume`` without the package crc32c, EE-502 if the address cannot be listened on.
    """
    return Listening(*host_port(at), Listener(most_streams, open_timeout, tls) if resume is None else ResumableListener(most_streams, open_timeout, tls, resume))
