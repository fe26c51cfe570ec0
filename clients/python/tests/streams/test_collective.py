"""Frames of the service collect as the vectors of the Java module have them, and a member beside a node that the test is. Real nodes: ABarrierOfMembersTest."""

import array
import asyncio
import os
import pathlib
import struct
import unittest
from typing import Dict, List

import tamanoir
from tamanoir import collective
from test_streams import PATIENCE, at, serve

VECTORS = pathlib.Path(__file__).resolve().parents[4] / "ee-core/collective/src/test/resources/vectors.txt"


def vectors() -> Dict[str, bytes]:
    lines = [line.split(" ", 1) for line in VECTORS.read_text().splitlines() if not line.startswith("#")]
    return {name: bytes.fromhex(octets) for name, octets in lines}


class Frames(unittest.IsolatedAsyncioTestCase):
    def test_a_member_writes_what_the_vectors_say(self) -> None:
        known = vectors()
        self.assertEqual(collective.join_frame("g", 1, 16, 3), known["join"])
        self.assertEqual(collective.frame(collective.LEAVE), known["leave"])
        self.assertEqual(collective.frame(collective.ASK), known["ask"])
        self.assertEqual(collective.frame(collective.SAVED, struct.pack(">Q", 7)), known["saved"])
        self.assertEqual(collective.ranks_octets([8, 16]), bytes.fromhex("0001 0002 0101"))
        self.assertEqual(collective.ranks_at(bytes.fromhex("0001 0002 0101"), 0), ({8, 16}, 6))


# ABarrierOfMembersTest starts the nodes.
if "TAMANOIR_COLLECT" in os.environ:

    class ThroughNodes(unittest.IsolatedAsyncioTestCase):
        async def test_all_operations(self) -> None:
            via, to = os.environ["TAMANOIR_COLLECT"].split()

            async def member(rank: int) -> List[object]:
                async with tamanoir.join(via, to, "python", rank=rank, size=4) as group:
                    await group.barrier()
                    sums = await group.all_reduce(array.array("d", [rank + 0.5] * 50_000))
                    most = await group.all_reduce([rank, -rank], "max")
                    octets = await group.broadcast(b"x" * 100_000 if rank == 2 else None, source=2)
                    gathered = await group.gather(b"%d" % rank)
                    one = await group.reduce([1], target=3)
                    top = await group.top([(rank, rank)], 2)
                    quantiles = await group.quantiles(float(value) for value in range(rank, 4000, 4))
                    await group.ask_for_cut()
                    while not group.is_cut:
                        await group.barrier()
                    number = await group.saved()
                    await group.wait_until_safe(number)
                    return [sums[49_999], list(most), len(octets), gathered, one and list(one), top, round(quantiles[50], -2), group.safe == number]
            results = await asyncio.wait_for(asyncio.gather(*[member(rank) for rank in range(4)]), PATIENCE)
            for rank, result in enumerate(results):
                self.assertEqual(result, [8.0, [3, 0], 100_000, [b"0", b"1", b"2", b"3"], [4] if rank == 3 else None, [(3.0, 3), (2.0, 2)], 2000.0, True])

        async def test_whoever_vanishes_is_named(self) -> None:
            via, to = os.environ["TAMANOIR_COLLECT"].split()

            async def member(rank: int) -> None:
                group = await tamanoir.join(via, to, "python2", rank=rank, size=3)
                if rank == 1:
                    group.abort()
                else:
                    await group.barrier()
            results = await asyncio.wait_for(asyncio.gather(*[member(rank) for rank in range(3)], return_exceptions=True), PATIENCE)
            self.assertIsNone(results[1])
            for failed in (results[0], results[2]):
                assert isinstance(failed, tamanoir.GroupFailed), failed
                self.assertEqual((failed.missing, failed.code), ({1}, "EE-211"))


class BesideANodeThatTheTestIs(unittest.IsolatedAsyncioTestCase):
    async def test_an_end_is_told(self) -> None:
        async def end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.close()
        async with await serve(end) as server:
            with self.assertRaises(tamanoir.TamanoirError):
                await asyncio.wait_for(tamanoir.join(at(server), at(server), "g", rank=0, size=1)._join(), PATIENCE)

    async def test_what_makes_no_sense_is_not_asked(self) -> None:
        with self.assertRaises(tamanoir.TamanoirError) as caught:
            await tamanoir.join("127.0.0.1:1", "127.0.0.1:1", "g", rank=1, size=1)
        self.assertEqual(caught.exception.code, "EE-408")
