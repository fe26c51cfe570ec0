"""
Streams through real nodes, which APythonProgramTest starts: TAMANOIR_NODE is one, TAMANOIR_PID its process, TAMANOIR_OTHER_NODE another like it;
TAMANOIR_COMMAND is the program; TAMANOIR_TLS_NODE is a node that knows users
by TAMANOIR_TOKEN, and TAMANOIR_AUTHORITIES those that have certified it as TAMANOIR_TLS_ID, and a receiver with
TAMANOIR_CERTIFICATE and TAMANOIR_KEY; what goes to 192.0.2.7 that node sends to TAMANOIR_TLS_RECEIVER by TLS.
"""

import asyncio
import contextlib
import io
import os
import pathlib
import random
import shlex
import signal
import tempfile
import unittest
from typing import Any, AsyncIterator, Tuple

import tamanoir
from test_streams import PATIENCE, at, echo, name, serve

NODE = os.environ["TAMANOIR_NODE"]
DOC = pathlib.Path(__file__).resolve().parents[4] / "docs/python.md"
SENT = random.Random(5).randbytes(5_000_000)


class ThroughANode(unittest.IsolatedAsyncioTestCase):
    async def back(self, stream: tamanoir.Stream, octets: bytes = SENT) -> None:
        """All of it comes back, while it is sent."""
        received = bytearray()

        async def take() -> None:
            async for payload in stream:
                received.extend(payload)
        taking = asyncio.ensure_future(take())
        await stream.send(octets)
        await stream.finish()
        await asyncio.wait_for(taking, PATIENCE)
        self.assertEqual((len(received), received == octets), (len(octets), True))

    async def test_an_echo_gives_back_every_octet(self) -> None:
        async with tamanoir.listen("127.0.0.1:0") as listener:
            async def accept() -> None:
                async for stream in listener:
                    await echo(stream)
            accepting = asyncio.ensure_future(accept())
            for services in (["monitoring"], ["monitoring", "compression"], ["forward"]):
                async with tamanoir.open(via=["127.0.0.1:1", NODE], to=name(listener), services=services) as stream:
                    await self.back(stream)
            accepting.cancel()

    async def test_an_ordinary_server_gets_the_octets_alone(self) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write((await reader.read()).upper())
            writer.write_eof()
        async with await serve(answer) as server:
            async with tamanoir.open(via=NODE, to=at(server), services="monitoring", raw=True) as stream:
                await stream.send(b"hello")
                await stream.finish()
                self.assertEqual(b"".join([bytes(payload) async for payload in stream]), b"HELLO")

    async def test_the_example_of_the_documentation_does_what_it_says(self) -> None:
        block = DOC.read_text().split("```python\n")[1].split("```")[0]
        async with tamanoir.listen("127.0.0.1:0") as free:
            to = name(free)
        code = compile(block.replace("127.0.0.1:3322", NODE).replace("127.0.0.1:7000", to), str(DOC), "exec")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            # It runs a loop of its own.
            await asyncio.get_running_loop().run_in_executor(None, exec, code, {})
        self.assertEqual(said.getvalue(), "1000000.0\n")

    async def test_what_a_node_says_is_raised(self) -> None:
        for request, code in (({"services": [0x57FE]}, "EE-3"), ({"to": "192.0.2.1:80"}, "EE-2")):
            with self.subTest(code), self.assertRaises(tamanoir.Refused) as caught:
                await asyncio.wait_for(self.sends_until_it_is_told(request), PATIENCE)
            self.assertTrue(caught.exception.code.startswith(code), caught.exception)

    async def sends_until_it_is_told(self, request: Any) -> None:
        async with tamanoir.open(**{"via": NODE, "to": "127.0.0.1:9", "services": "monitoring", **request}) as stream:
            while True:
                await stream.send(bytes(100_000))

    async def test_users_are_known_by_their_tokens_and_nodes_by_their_certificates(self) -> None:
        node, node_id = os.environ["TAMANOIR_TLS_NODE"], os.environ["TAMANOIR_TLS_ID"]
        token = tamanoir.Token(os.environ["TAMANOIR_TOKEN"])
        authorities = os.environ["TAMANOIR_AUTHORITIES"]
        for tls in (tamanoir.Tls(authorities, node_id=node_id), tamanoir.Tls(authorities)):
            async with tamanoir.listen("127.0.0.1:0") as listener:
                async with tamanoir.open(via="tls://" + node, to=name(listener), services="monitoring", tls=tls, token=token) as stream:
                    accepting = asyncio.ensure_future(listener.accept())
                    await stream.send(b"first")
                    incoming = await asyncio.wait_for(accepting, PATIENCE)
                    assert incoming is not None
                    self.assertIsNone(incoming.options.authentication)
                    echoing = asyncio.ensure_future(echo(incoming))
                    self.assertEqual(bytes(await stream.receive() or b""), b"first")
                    await self.back(stream)
                    await echoing
        with self.assertRaisesRegex(tamanoir.Refused, "EE-216"):
            async with tamanoir.open(via="tls://" + node, to="127.0.0.1:9", services="monitoring", tls=tls) as stream:
                await stream.receive()
        with self.assertRaisesRegex(tamanoir.Refused, "EE-217"):
            async with tamanoir.open(via="tls://" + node, to="127.0.0.1:9", services="monitoring", tls=tls, token=tamanoir.Token("a.b.c")) as stream:
                await stream.receive()
        for tls, via in ((tamanoir.Tls(authorities, node_id=node_id + "x"), node), (tamanoir.Tls(authorities), NODE)):
            with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-215"):
                await tamanoir.open(via="tls://" + via, to="127.0.0.1:9", services="monitoring", tls=tls)

    async def test_a_listener_by_tls_takes_streams_of_the_node_that_it_expects(self) -> None:
        node_id, authorities, receiver = os.environ["TAMANOIR_TLS_ID"], os.environ["TAMANOIR_AUTHORITIES"], os.environ["TAMANOIR_TLS_RECEIVER"]
        own = os.environ["TAMANOIR_CERTIFICATE"], os.environ["TAMANOIR_KEY"]

        def opened(via: str, *certificate: str, **more: Any) -> Any:
            return tamanoir.open(via="tls://" + via, to="192.0.2.7:7000", services="monitoring", tls=tamanoir.Tls(authorities, *certificate), token=tamanoir.Token(os.environ["TAMANOIR_TOKEN"]),
                                 **more)
        async with tamanoir.listen(receiver, tls=tamanoir.Tls(authorities, *own, node_id=node_id)) as listener:
            async with opened(os.environ["TAMANOIR_TLS_NODE"]) as stream:
                accepting = asyncio.ensure_future(listener.accept())
                await stream.send(b"first")
                incoming = await asyncio.wait_for(accepting, PATIENCE)
                assert incoming is not None
                echoing = asyncio.ensure_future(echo(incoming))
                self.assertEqual(bytes(await stream.receive() or b""), b"first")
                await self.back(stream)
                await echoing
            with self.assertRaisesRegex(tamanoir.Refused, "EE-215 .*expects"):
                async with opened(receiver, *own) as stream:
                    await stream.receive()
            for stranger in (opened(receiver), tamanoir.open(via=receiver, to="192.0.2.7:7000", services="monitoring")):
                with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-211"):
                    async with stranger as stream:
                        await stream.receive()
        async with tamanoir.listen(receiver, tls=tamanoir.Tls(authorities, *own, node_id=node_id), resume=tamanoir.Resume()) as listener:
            echoing = asyncio.ensure_future(echo_one(listener))
            async with opened(os.environ["TAMANOIR_TLS_NODE"], resume=tamanoir.Resume()) as stream:
                await self.back(stream)
            await asyncio.wait_for(echoing, PATIENCE)
            self.assertEqual(stream.losses.resumptions, 0)
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-501"):
            await tamanoir.listen("127.0.0.1:0", tls=tamanoir.Tls(authorities, own[0], authorities))
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-408 .*certificate"):
            await tamanoir.listen("127.0.0.1:0", tls=tamanoir.Tls(authorities))

    async def test_datagrams_pass_a_node_and_are_answered(self) -> None:
        async with tamanoir.listen_datagrams("127.0.0.1:0") as listener:
            async with tamanoir.open_datagrams(via=NODE, to=name(listener), services=["monitoring", "compression"]) as stream:
                await stream.send(SENT[:1000])
                async with await asyncio.wait_for(listener.accept(), PATIENCE) as incoming:
                    for number in range(100):
                        self.assertEqual(await asyncio.wait_for(incoming.receive(), PATIENCE), SENT[number:number + 1000])
                        await incoming.send(SENT[number:number + 1300])
                        self.assertEqual(await asyncio.wait_for(stream.receive(), PATIENCE), SENT[number:number + 1300])
                        await stream.send(SENT[number + 1:number + 1001])
                    await stream.finish()
                    await asyncio.wait_for(incoming.receive(), PATIENCE)
                    self.assertIsNone(await asyncio.wait_for(incoming.receive(), PATIENCE))
        with self.assertRaisesRegex(tamanoir.Refused, "EE-3"):
            async with tamanoir.open_datagrams(via=NODE, to="127.0.0.1:9", services=[0x57FE]) as stream:
                await stream.send(b"hello")
                await asyncio.wait_for(stream.receive(), PATIENCE)

    async def test_when_the_node_is_killed_both_ends_are_told_and_what_outlives_it_goes_on(self) -> None:
        """The last one, by its name: the node is gone."""
        resume = tamanoir.Resume(ring=2 << 20)
        async with tamanoir.listen("127.0.0.1:0") as listener, tamanoir.listen("127.0.0.1:0", resume=resume) as enduring, receiving_file() as (to, path, received):
            stream = await tamanoir.open(via=NODE, to=name(listener), services="monitoring")
            incoming = await self.begun(stream, listener)
            accepting = asyncio.ensure_future(echo_one(enduring))
            async with self.outliving(name(enduring), resume) as echoed, self.outliving(to, resume) as kept:
                going = [asyncio.ensure_future(self.back(echoed, 4 * SENT)), asyncio.ensure_future(self.all_sent(kept, 4 * SENT))]
                while min(echoed.received_octets, kept.sent_octets) < len(SENT):
                    await asyncio.sleep(0.001)
                self.assertFalse(any(each.done() for each in going))
                os.kill(int(os.environ["TAMANOIR_PID"]), signal.SIGKILL)
                await asyncio.wait_for(asyncio.gather(*going), PATIENCE)
                self.assertEqual((echoed.losses.resumptions, kept.losses.resumptions), (1, 1))
            await asyncio.wait_for(accepting, PATIENCE)
            self.assertEqual(await asyncio.wait_for(received.wait(), PATIENCE), 0)
            self.assertTrue(path.read_bytes() == 4 * SENT)
            with self.assertRaisesRegex(tamanoir.TamanoirError, "^EE-211"):
                while True:
                    await stream.send(SENT[:1000])
                    await asyncio.sleep(0)
            with self.assertRaisesRegex(tamanoir.TamanoirError, "^EE-211"):
                while await incoming.receive() is not None:
                    pass
        with self.assertRaisesRegex(tamanoir.TamanoirError, "EE-204"):
            await tamanoir.open(via=NODE, to="127.0.0.1:9", services="monitoring")

    def outliving(self, to: str, resume: tamanoir.Resume) -> Any:
        return tamanoir.open(via=[NODE, os.environ["TAMANOIR_OTHER_NODE"]], to=to, services="monitoring", resume=resume)

    async def begun(self, stream: tamanoir.Stream, listener: tamanoir.Listener) -> tamanoir.Stream:
        accepting = asyncio.ensure_future(listener.accept())
        await stream.send(SENT[:1000])
        incoming = await asyncio.wait_for(accepting, PATIENCE)
        assert incoming is not None
        self.assertEqual(bytes(await incoming.receive() or b""), SENT[:1000])
        return incoming

    async def all_sent(self, stream: tamanoir.Stream, octets: bytes) -> None:
        await stream.send(octets)
        await stream.complete()


async def echo_one(listener: tamanoir.Listener) -> None:
    stream = await listener.accept()
    assert stream is not None
    await echo(stream)


@contextlib.asynccontextmanager
async def receiving_file() -> AsyncIterator[Tuple[str, pathlib.Path, asyncio.subprocess.Process]]:
    """``tamanoir receive --resume``: where it listens, the file, the process."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "received"
        command = [*shlex.split(os.environ["TAMANOIR_COMMAND"]), "receive", "--resume", "--listen", "127.0.0.1:0", "--output", str(path)]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        try:
            assert process.stdout is not None
            line = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
            yield line.decode().split()[-1], path, process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


if __name__ == "__main__":
    unittest.main()
