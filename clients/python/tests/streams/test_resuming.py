"""Streams that outlive their nodes, where relays that can be cut stand for the nodes."""

import asyncio
import contextlib
import random
import unittest
from typing import Any, AsyncIterator, List, Optional, Set
from unittest import mock

import tamanoir
from tamanoir.packet import Delivery, Options, Packet, Resumption, bare_header, decode, encode, packet_length
from test_streams import PATIENCE, at, echo, name

SENT = random.Random(8).randbytes(12_000_000)
RESUME = tamanoir.Resume(ring=4 << 20)


class Relay:
    """Carries connections to a listener, and can cut them."""

    def __init__(self, to: str) -> None:
        self.to = to.rpartition(":")
        self.connections = 0
        self.carried = 0
        self.cut_after = 1 << 60
        self.open: Set[asyncio.StreamWriter] = set()
        self.tasks: List["asyncio.Task[Any]"] = []
        self.server: Any = None

    async def __aenter__(self) -> "Relay":
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        self.cut()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def cut(self) -> None:
        for writer in self.open:
            writer.transport.abort()
        self.open.clear()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        back, to = await asyncio.open_connection(self.to[0], int(self.to[2]))
        self.open |= {writer, to}
        self.tasks += [asyncio.ensure_future(self.carry(reader, to)), asyncio.ensure_future(self.carry(back, writer))]

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while True:
                octets = await reader.read(1 << 16)
                self.carried += len(octets)
                if self.carried > self.cut_after:
                    self.cut_after = 1 << 60
                    self.cut()
                    return
                if not octets:
                    writer.write_eof()
                    return
                writer.write(octets)
                await writer.drain()


async def take(stream: tamanoir.Stream) -> bytes:
    received = bytearray()
    async for payload in stream:
        received += payload
    return bytes(received)


class Resuming(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.listener = await tamanoir.listen("127.0.0.1:0", resume=RESUME)

    async def asyncTearDown(self) -> None:
        await self.listener.close()

    def opened(self, *via: str, resume: tamanoir.Resume = RESUME, **more: Any) -> Any:
        return tamanoir.open(via=via, to="127.0.0.1:9", services="monitoring", resume=resume, **more)

    async def accepted(self) -> tamanoir.ResumableStream:
        stream = await asyncio.wait_for(self.listener.accept(), PATIENCE)
        assert isinstance(stream, tamanoir.ResumableStream)
        return stream

    @contextlib.asynccontextmanager
    async def relays(self, count: int = 2) -> AsyncIterator[List[Relay]]:
        async with contextlib.AsyncExitStack() as stack:
            yield [await stack.enter_async_context(Relay(name(self.listener))) for _ in range(count)]

    async def test_both_directions_go_on_to_the_octet_however_often_connections_are_cut(self) -> None:
        seed = random.randrange(1 << 32)
        with self.subTest(seed=seed):
            some = random.Random(seed)
            async with self.relays() as relays:
                async with self.opened(*map(at, (relay.server for relay in relays))) as stream:
                    incoming = await self.accepted()
                    for relay in relays:
                        relay.cut_after = some.randrange(8_000_000)

                    async def cut_again() -> None:
                        for _ in range(5):
                            await asyncio.sleep(some.uniform(0, 0.1))
                            for relay in relays:
                                relay.cut()
                    cutting = asyncio.ensure_future(cut_again())

                    async def exchange(end: tamanoir.Stream, octets: bytes) -> bytes:
                        taking = asyncio.ensure_future(take(end))
                        await end.send(octets[:1000])
                        await end.send(bytearray(octets[1000:]))
                        await end.finish()
                        received = await taking
                        await end.complete()
                        return received
                    back = SENT[::-1]
                    there, here = await asyncio.wait_for(asyncio.gather(exchange(incoming, back), exchange(stream, SENT)), 3 * PATIENCE)
                    await cutting
                    self.assertTrue(there == SENT and here == back, (len(there), len(here)))
                    self.assertGreaterEqual(stream.losses.resumptions, 1)
                    self.assertEqual((stream.sent_octets, incoming.received_octets, incoming.id), (len(SENT), len(SENT), stream.id))
                self.assertGreater(sum(relay.connections for relay in relays), 1)

    async def test_a_slow_program_makes_its_source_wait_in_bounded_memory_and_success_waits_for_it(self) -> None:
        async with self.opened(name(self.listener)) as stream:
            incoming = await self.accepted()
            sending = asyncio.ensure_future(stream.send(SENT))
            before = -1
            while stream.sent_octets != before:
                before = stream.sent_octets
                await asyncio.sleep(0.3)
            self.assertFalse(sending.done())
            self.assertLessEqual(stream._session.core.held, RESUME.ring)
            self.assertLess(incoming.received_octets, 3 << 20)
            completing = asyncio.ensure_future(stream.complete())
            answering = asyncio.ensure_future(incoming.finish())
            received = bytearray()
            while len(received) < len(SENT):
                self.assertFalse(completing.done())
                payload: Any = await asyncio.wait_for(incoming.receive(), PATIENCE)
                received += payload
            self.assertTrue(received == SENT)
            await answering
            # The last payload is not kept before the end is asked for.
            await asyncio.sleep(0.2)
            self.assertFalse(completing.done())
            self.assertIsNone(await incoming.receive())
            await asyncio.wait_for(completing, PATIENCE)
            await sending

    async def test_an_echo_that_receives_only_when_it_has_sent_does_not_wait_for_itself(self) -> None:
        """What gives its ring room comes behind more octets than it wants to have untaken."""
        some = SENT[:3_000_000]
        async with tamanoir.listen("127.0.0.1:0", resume=tamanoir.Resume(ring=64 << 10)) as listener:
            async def accept() -> None:
                incoming = await listener.accept()
                assert incoming is not None
                await echo(incoming)
            echoing = asyncio.ensure_future(accept())
            async with self.opened(name(listener)) as stream:
                taking = asyncio.ensure_future(take(stream))
                await asyncio.wait_for(stream.send(some), PATIENCE)
                await stream.finish()
                self.assertTrue(await asyncio.wait_for(taking, PATIENCE) == some)
            await asyncio.wait_for(echoing, PATIENCE)
            self.assertEqual(stream.losses.resumptions, 0)

    async def test_who_gives_up_is_noticed_and_what_came_before_can_be_received(self) -> None:
        with self.assertRaisesRegex(ValueError, "mine"):
            async with self.opened(name(self.listener)) as stream:
                incoming = await self.accepted()
                await stream.send(b"before")
                raise ValueError("mine")
        self.assertEqual(bytes(await incoming.receive() or b""), b"before")
        with self.assertRaisesRegex(tamanoir.Refused, "EE-228"):
            await incoming.receive()

    async def test_a_session_that_finds_no_way_ends_after_its_window(self) -> None:
        async with self.relays(1) as (relay,):
            stream = await self.opened(at(relay.server), resume=tamanoir.Resume(window=1))
            await self.accepted()
            relay.server.close()
            relay.cut()
            with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-227 .*cannot be reached"):
                await asyncio.wait_for(stream.receive(), PATIENCE)

    async def test_what_cannot_begin_says_why_at_once(self) -> None:
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-204"):
            await asyncio.wait_for(self.opened("127.0.0.1:1", "127.0.0.1:2"), PATIENCE)
        with self.assertRaisesRegex(tamanoir.Refused, "EE-229"):
            async with tamanoir.open(via=name(self.listener), to="127.0.0.1:9", services="monitoring") as plain:
                await plain.receive()
        async with tamanoir.listen("127.0.0.1:0") as ordinary:
            with self.assertRaisesRegex(tamanoir.Refused, "EE-107"):
                await asyncio.wait_for(self.opened(name(ordinary)), PATIENCE)
        for resume in ({"window": 0}, {"ring": 0}):
            with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-408"):
                tamanoir.Resume(**resume)
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-408"):
            self.opened("127.0.0.1:1", raw=True)
        with mock.patch.dict("sys.modules", {"crc32c": None}):
            with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-501 .*python3-crc32c"):
                await self.opened("127.0.0.1:1")
            with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-501 .*python3-crc32c"):
                tamanoir.listen("127.0.0.1:0", resume=RESUME)

    async def test_strangers_and_late_chains_change_nothing(self) -> None:
        """Chains that a test plays: each is told why it is not taken, and the session goes on."""
        async with self.opened(name(self.listener)) as stream:
            incoming = await self.accepted()
            core = stream._session.core
            own = core.opening(stream._session.now())[0]
            for code, asked in ((224, own._replace(token=bytes(16), epoch=2)), (225, own), (226, own._replace(epoch=2, received=5)), (226, own._replace(epoch=2, checksum=1)),
                                (223, own._replace(session=own.session ^ 1, fresh=False))):
                self.assertEqual(await self.answer_to(asked), code)
            await stream.send(b"goes on")
            self.assertEqual(bytes(await incoming.receive() or b""), b"goes on")
            self.assertEqual((stream.losses.resumptions, self.listener.refused), (0, 5))
            completing = asyncio.ensure_future(incoming.complete())
            await asyncio.wait_for(stream.complete(), PATIENCE)
            await completing

    async def answer_to(self, asked: Resumption) -> Optional[int]:
        """The code in the error packet that answers a chain."""
        host, port = self.listener.address
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(encode(Packet(0x5402, 0, Options(delivery=Delivery(port, False), resume=asked))))
        octets = await asyncio.wait_for(reader.read(), PATIENCE)
        writer.close()
        self.assertEqual(packet_length(octets, 0, len(octets)), len(octets))
        error = decode(octets).options.error
        return error[0] if error else None

    async def test_a_node_that_changes_an_octet_ends_the_session_at_both_ends(self) -> None:
        async with self.relays(1) as (relay,):
            stream = await self.opened(at(relay.server))
            incoming = await self.accepted()
            # A packet between those of the stream, as a service would add one.
            to_listener = [writer for writer in relay.open if writer.get_extra_info("peername")[1] == self.listener.address[1]]
            to_listener[0].write(bare_header(0x5402, 0, 3) + b"bad")
            await stream.send(b"good")
            for end in (stream, incoming):
                with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-226"):
                    while await asyncio.wait_for(end.receive(), PATIENCE) is not None:
                        pass


if __name__ == "__main__":
    unittest.main()
