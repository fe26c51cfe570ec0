"""Streams from end to end without a node between: the listener is the first hop. What nodes do with them is in test_node.py."""

import array
import asyncio
import gc
import random
import socket
import struct
import tracemalloc
import unittest
from collections import deque
from typing import Any, Awaitable, Callable, Deque, List

import tamanoir
from tamanoir import packet
from tamanoir.receiving import ReceiveBuffer

PATIENCE = 60
SEED = 3322
HELLO = packet.encode(packet.Packet(0x5402, 0x80, packet.Options(stream=(42, 0))))


def name(listener: Any) -> str:
    return "{}:{}".format(*listener.address)


async def serve(handle: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]) -> "asyncio.base_events.Server":
    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handle(reader, writer)
        finally:
            writer.close()
    server: Any = await asyncio.start_server(one, "127.0.0.1", 0)
    return server  # type: ignore[no-any-return]


def at(server: Any) -> str:
    return "{}:{}".format(*server.sockets[0].getsockname())


async def echo(stream: tamanoir.Stream) -> None:
    async with stream:
        async for payload in stream:
            await stream.send(payload)


class Streams(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.listener = await tamanoir.listen("127.0.0.1:0")
        self.addAsyncCleanup(self.listener.close)

    def opened(self, **more: Any) -> Any:
        return tamanoir.open(via=name(self.listener), to="192.0.2.9:7000", services=["monitoring", 0x5501], **more)

    async def test_what_is_sent_comes_back_whole_and_each_direction_ends_on_its_own(self) -> None:
        sent = random.Random(SEED).randbytes(3_000_001)

        async def accept() -> None:
            async for stream in self.listener:
                self.assertEqual((stream.type_id, stream.options.chain, stream.options.delivery), (0x5402, (0x5501,), packet.Delivery(7000, False)))
                self.assertEqual((stream.id, stream.options.destination), (7, packet.Identifier.of("192.0.2.9")))
                await echo(stream)

        accepting = asyncio.ensure_future(accept())
        for packet_size in (60_000, 9, 1400):
            data = sent if packet_size > 9 else sent[:3_000]
            async with self.opened(packet_size=packet_size, stream_id=7) as stream:
                received = bytearray()

                async def take() -> None:
                    async for payload in stream:
                        received.extend(payload)
                taking = asyncio.ensure_future(take())
                await stream.send(data[:1])
                await stream.send(memoryview(data)[1:5])
                await stream.send(array.array("B", data[5:2001]))
                await stream.send(data[2001:])
                await stream.finish()
                await asyncio.wait_for(taking, PATIENCE)
            self.assertEqual((len(received), stream.sent_octets, stream.received_octets), (len(data), len(data), len(data)))
            self.assertEqual(received, data)
        await self.listener.close()
        await asyncio.wait_for(accepting, PATIENCE)

    async def test_a_stream_says_which_trace_it_belongs_to_and_what_it_asks_of_services_in_its_first_packet(self) -> None:
        text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        stream = await self.opened(traceparent=text, parameters={"compression": {"level": 9}})
        accepted = await self.listener.accept()
        self.assertEqual(str(accepted.options.trace), text)
        self.assertEqual([tuple(each) for each in accepted.options.parameters], [(0x5403, "level", "9")])
        for end in (stream, accepted):
            end.abort()

    async def test_arrays_of_numpy_go_and_come_without_a_copy(self) -> None:
        import numpy
        sent = numpy.arange(40_000, dtype=">f8").reshape(200, 200)
        async with self.opened() as stream, await asyncio.wait_for(self.listener.accept(), PATIENCE) as incoming:
            await stream.send(sent)
            with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-408 .*contiguous"):
                await stream.send(sent[:, ::2])
            await stream.finish()
            parts = [numpy.frombuffer(payload, dtype="u1") async for payload in incoming]
        self.assertFalse(any(part.flags.owndata or part.flags.writeable for part in parts))
        self.assertEqual(numpy.concatenate(parts).tobytes(), sent.tobytes())

    async def test_payloads_that_are_held_stay_as_they_came(self) -> None:
        sent = [random.Random(number).randbytes(50_000) for number in range(40)]
        async with self.opened() as stream, await asyncio.wait_for(self.listener.accept(), PATIENCE) as incoming:
            async def send() -> None:
                for each in sent:
                    await stream.send(each)
                await stream.finish()
            sending = asyncio.ensure_future(send())
            held = [payload[1:] async for payload in incoming]
            await sending
        self.assertEqual([bytes(each) for each in held], [each[1:] for each in sent])

    async def test_a_slow_receiver_makes_its_source_wait_in_bounded_memory(self) -> None:
        piece = bytes(1 << 20)
        async with self.opened() as stream, await asyncio.wait_for(self.listener.accept(), PATIENCE) as incoming:
            async def send() -> None:
                for _ in range(64):
                    await stream.send(piece)
                await stream.finish()
            gc.collect()
            tracemalloc.start()
            try:
                sending = asyncio.ensure_future(send())
                before = -1
                # Until nothing moves any more.
                while stream.sent_octets > before or incoming.received_octets == 0:
                    before = stream.sent_octets
                    await asyncio.sleep(0.5)
                self.assertLess(stream.sent_octets, 32 << 20)
                self.assertLess(incoming.received_octets, 3 << 20)
                self.assertLess(tracemalloc.get_traced_memory()[1], 6 << 20)
            finally:
                tracemalloc.stop()
            count = 0
            async for payload in incoming:
                count += len(payload)
            await sending
            self.assertEqual(count, 64 << 20)

    async def test_leaving_by_an_exception_resets_the_stream(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            async with self.opened() as stream:
                incoming = await asyncio.wait_for(self.listener.accept(), PATIENCE)
                await stream.send(b"half of it")
                self.assertEqual(bytes(await incoming.receive()), b"half of it")
                1 / 0
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-211"):
            await incoming.receive()

    async def test_a_receiver_refuses_in_words(self) -> None:
        with self.assertRaises(tamanoir.Refused) as caught:
            async with self.opened() as stream:
                incoming = await asyncio.wait_for(self.listener.accept(), PATIENCE)
                await stream.send(bytes(50_000))
                refusing = asyncio.ensure_future(incoming.refuse("EE-206", "not today"))
                while True:
                    await stream.send(bytes(100_000))
        await refusing
        self.assertEqual((caught.exception.code, caught.exception.text), ("EE-206", "not today"))

    async def test_more_streams_than_may_be_are_refused(self) -> None:
        async with tamanoir.listen("127.0.0.1:0", most_streams=1) as listener:
            _, writer = await asyncio.open_connection(*listener.address)
            with self.assertRaisesRegex(tamanoir.Refused, "EE-205"):
                async with tamanoir.open(via=name(listener), to="192.0.2.9:7000", services="monitoring") as stream:
                    await stream.receive()
            writer.close()

    async def test_who_says_nothing_is_not_waited_for(self) -> None:
        async with tamanoir.listen("127.0.0.1:0", open_timeout=0.1) as listener:
            reader, writer = await asyncio.open_connection(*listener.address)
            with self.assertRaises(ConnectionResetError):
                await asyncio.wait_for(reader.read(), PATIENCE)
            writer.close()

    async def test_a_send_that_is_given_up_inside_a_packet_is_not_gone_on_with(self) -> None:
        async with self.opened() as stream:
            incoming = await asyncio.wait_for(self.listener.accept(), PATIENCE)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(stream.send(bytes(64 << 20)), 0.5)
            with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-211"):
                await stream.send(b"more")
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-211"):
            async for _ in incoming:
                pass


class Peers(unittest.IsolatedAsyncioTestCase):
    """Those that are not what they should be."""

    async def against(self, octets: bytes, then_reset: bool = False) -> Any:
        """A stream to a peer that answers with these octets and ends."""
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.write(octets)
            await writer.drain()
            if then_reset:
                connection = writer.get_extra_info("socket")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
        server = await serve(answer)
        async with server:
            async with tamanoir.open(via=at(server), to="192.0.2.9:7000", services="monitoring") as stream:
                return [bytes(payload) async for payload in stream]

    async def test_octets_that_are_no_packet_end_the_stream_by_their_code(self) -> None:
        good = packet.bare_header(0x5402, 0, 3) + b"abc"
        self.assertEqual(await self.against(good), [b"abc"])
        for octets, code in ((b"HTTP/1.1", "EE-101"), (bytes.fromhex("0100540200010008"), "EE-102"), (good[:-1], "EE-211"),
                             (bytes.fromhex("01005403000400 12 C0080002 02000578 28B5"), "EE-109"),
                             (bytes.fromhex("01800000000400108009000200CA0000"), "EE-202"), (bytes.fromhex("0100000000020008"), "EE-599")):
            with self.subTest(code), self.assertRaises(tamanoir.TamanoirError) as caught:
                await self.against(good + octets)
            self.assertEqual(caught.exception.code, code)
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-211"):
            await self.against(good, then_reset=True)

    async def test_any_octets_end_a_stream_by_an_error_of_ours_or_not_at_all(self) -> None:
        some = random.Random(SEED)
        seen = set()
        for _ in range(60):
            octets = bytearray(HELLO + packet.bare_header(0x5402, 0, 40) + some.randbytes(40))
            for _ in range(some.choice((0, 1, 3))):
                octets[some.randrange(len(octets))] = some.randrange(256)
            try:
                await self.against(bytes(octets))
                seen.add("whole")
            except tamanoir.TamanoirError as e:
                seen.add(e.code)
        self.assertGreaterEqual(seen, {"whole", "EE-101", "EE-211"})

    async def test_requests_that_make_no_sense(self) -> None:
        for code, request in (("EE-408", {"services": "monitorring"}), ("EE-408", {"services": []}), ("EE-408", {"services": [0]}), ("EE-408", {"to": "192.0.2.9"}),
                              ("EE-408", {"to": "192.0.2.9:0"}), ("EE-408", {"via": "tls://127.0.0.1:1"}), ("EE-408", {"packet_size": 8}),
                              ("EE-408", {"parameters": {"compression": {"Level": 9}}}), ("EE-408", {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"}),
                              ("EE-501", {"via": "tls://127.0.0.1:1", "tls": tamanoir.Tls("/nowhere.pem")}), ("EE-204", {"to": "no-such-host.invalid:80"}), ("EE-204", {})):
            with self.subTest(request), self.assertRaises(tamanoir.TamanoirError) as caught:
                await tamanoir.open(**{"via": "127.0.0.1:1", "to": "192.0.2.9:80", "services": "monitoring", **request})
            self.assertEqual(caught.exception.code, code)

    async def test_a_token_stays_on_this_machine_unless_the_way_keeps_it(self) -> None:
        self.assertEqual(tamanoir.Token("a.b.c").to("127.0.0.1", False), "a.b.c")
        self.assertEqual(tamanoir.Token("a.b.c").to("192.0.2.1", True), "a.b.c")
        self.assertEqual(tamanoir.Token("a.b.c", in_clear=True).to("192.0.2.1", False), "a.b.c")
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-222"):
            tamanoir.Token("a.b.c").to("192.0.2.1", False)


class OverUdp(unittest.IsolatedAsyncioTestCase):
    """Datagrams from end to end without a node between."""

    async def asyncSetUp(self) -> None:
        self.listener = await tamanoir.listen_datagrams("127.0.0.1:0", most_streams=2, idle_timeout=1.0)
        self.addAsyncCleanup(self.listener.close)

    def opened(self, **more: Any) -> Any:
        return tamanoir.open_datagrams(**{"via": name(self.listener), "to": "192.0.2.9:7000", "services": ["monitoring", 0x5501], **more})

    async def test_datagrams_keep_their_bounds_in_both_directions(self) -> None:
        async with self.opened(stream_id=7, parameters={"monitoring": {"interval": "1s"}}) as stream:
            await stream.send(b"a")
            async with await asyncio.wait_for(self.listener.accept(), PATIENCE) as incoming:
                self.assertEqual([tuple(each) for each in incoming.options.parameters], [(0x5402, "interval", "1s")])
                self.assertEqual((incoming.id, incoming.type_id, incoming.options.chain, incoming.options.delivery), (7, 0x5402, (0x5501,), packet.Delivery(7000, False)))
                for each in (b"b" * 1300, array.array("B", b"c")):
                    await stream.send(each)
                    await incoming.send(each)
                    self.assertEqual(await asyncio.wait_for(stream.receive(), PATIENCE), bytes(each))
                with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-408 .*1400 is the most"):
                    await stream.send(bytes(1400))
                with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-408 .*finish"):
                    await stream.send(b"")
                await stream.finish()
                self.assertEqual([(each, incoming.sequence) async for each in incoming], [(b"a", 0), (b"b" * 1300, 1), (b"c", 2)])
            self.assertIsNone(await asyncio.wait_for(stream.receive(), PATIENCE))
        self.assertEqual(self.listener.malformed, 0)

    async def test_what_is_no_packet_is_counted_and_one_stream_too_many_is_not_taken(self) -> None:
        some = random.Random(SEED)
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(stranger.close)
        opened = [await self.opened() for _ in range(3)]
        for at_once, stream in enumerate(opened):
            for octets in (some.randbytes(40), HELLO[:-1], HELLO + b"x"):
                stranger.sendto(octets, self.listener.address)
            await stream.send(b"%d" % at_once)
        accepted = [await asyncio.wait_for(self.listener.accept(), PATIENCE) for _ in range(2)]
        self.assertEqual([await each.receive() for each in accepted], [b"0", b"1"])
        while self.listener.refused == 0:
            await asyncio.sleep(0.01)
        self.assertEqual((self.listener.malformed, self.listener.refused), (9, 1))
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-208"):
            await asyncio.wait_for(accepted[0].receive(), PATIENCE)
        for stream in opened:
            stream.close()

    async def test_a_node_that_asks_whether_the_source_is_there_is_answered_and_believed(self) -> None:
        asked = packet.encode(packet.Packet(packet.TYPE_CONTROL, 0x80, packet.Options(stream=(42, 0), cookie=0x0123456789ABCDEF)))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as node:
            node.bind(("127.0.0.1", 0))
            node.settimeout(PATIENCE)
            async with self.opened(via="127.0.0.1:%d" % node.getsockname()[1], stream_id=42) as stream:
                await stream.send(b"a")
                loop = asyncio.get_running_loop()
                _, source = await loop.run_in_executor(None, node.recvfrom, 2000)
                node.sendto(asked.replace(bytes([42]), bytes([43])), source)
                node.sendto(asked, source)
                self.assertEqual((await loop.run_in_executor(None, node.recv, 2000)), asked)
                node.sendto(packet.encode(packet.Packet(0, 0, packet.Options(stream=(42, 0), error=(202, "no route")))), source)
                with self.assertRaisesRegex(tamanoir.Refused, "EE-202 no route"):
                    await asyncio.wait_for(stream.receive(), PATIENCE)


class Buffers(unittest.TestCase):
    def test_packets_are_found_however_they_are_cut(self) -> None:
        some = random.Random(SEED)
        payloads = [some.randbytes(some.choice((1, 7, 1400, 60_000, 65_527))) for _ in range(200)]
        wire = memoryview(b"".join(packet.bare_header(0x5402, 0, len(each)) + each for each in payloads))
        buffer = ReceiveBuffer()
        found: List[memoryview] = []
        at = 0
        while at < len(wire):
            room = buffer.room()
            count = min(len(room), len(wire) - at, some.choice((1, 5, 1000, 100_000, 1 << 20)))
            room[:count] = wire[at:at + count]
            at += count
            buffer.added(count)
            # Either way, as they come.
            payloads_found: Deque[memoryview] = deque()
            if some.random() < 0.5:
                buffer.take_payloads(payloads_found)
            found += payloads_found
            found += [payload for _, _, _, payload in buffer.packets()]
        self.assertEqual(buffer.incomplete, 0)
        self.assertEqual([bytes(each) for each in found], payloads)


if __name__ == "__main__":
    unittest.main()
