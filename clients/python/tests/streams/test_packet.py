"""The wire format: the golden vectors of every implementation, and octets that are none."""

import random
import unittest

import anep_vectors
from tamanoir import MalformedPacket, packet

SEED = 3322
GOOD = list(anep_vectors.read("good.txt"))
MALFORMED = list(anep_vectors.read("malformed.txt"))


def stream(octets: bytes) -> str:
    """What a stream of these octets comes to: a code, or 'waits' for more."""
    at = 0
    try:
        while True:
            length = packet.packet_length(octets, at, len(octets))
            if length == 0:
                return "waits"
            packet.decode(memoryview(octets)[at:at + length])
            at += length
    except MalformedPacket as e:
        return e.code


class GoldenVectors(unittest.TestCase):
    def test_good(self) -> None:
        for vector in GOOD:
            with self.subTest(vector.name):
                found = packet.decode_datagram(vector.octets)
                header = len(vector.octets) - len(found.payload)
                self.assertEqual(anep_vectors.fields(found, header), vector.lines)
                self.assertEqual(packet.encode(found).hex(), vector.again.hex())

    def test_malformed(self) -> None:
        for vector in MALFORMED:
            with self.subTest(vector.name):
                on_stream = vector.value("stream")
                self.assertEqual(stream(vector.octets), on_stream)
                with self.assertRaises(MalformedPacket) as caught:
                    packet.decode_datagram(vector.octets)
                self.assertEqual(caught.exception.code, vector.value("datagram") or on_stream)

    def test_every_option_and_every_code_has_a_vector(self) -> None:
        self.assertEqual({code for vector in MALFORMED for code in (vector.value("stream"), vector.value("datagram")) if code and code != "waits"},
                         {f"EE-10{number}" for number in range(1, 9)})
        found = [packet.decode_datagram(vector.octets).options for vector in GOOD]
        unset = packet.Options()
        for name in vars(unset):
            self.assertTrue(any(getattr(options, name) != getattr(unset, name) for options in found), name)


class Traces(unittest.TestCase):
    def test_the_text_of_a_trace_is_that_of_w3c(self) -> None:
        good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        self.assertEqual(str(packet.TraceContext.of(good)), good)
        self.assertEqual(str(packet.TraceContext.of("cc" + good[2:] + "-what-the-future-will-be-like")), good)
        for bad in ("", good[:-1], good + "-", good.upper(), "ff" + good[2:], good.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0" * 32),
                    good.replace("00f067aa0ba902b7", "0" * 16), good + "\n"):
            with self.subTest(bad), self.assertRaises(ValueError):
                packet.TraceContext.of(bad)


class AnyOctets(unittest.TestCase):
    """Wrong: any other exception than MalformedPacket, or what is read and cannot be written."""

    def test_random_and_mutated_packets_are_read_or_refused(self) -> None:
        some = random.Random(SEED)
        refused = 0
        for _ in range(20_000):
            octets = self.mutated(some) if some.random() < 0.9 else some.randbytes(some.randrange(60))
            stream(octets)
            try:
                found = packet.decode_datagram(octets)
            except MalformedPacket:
                refused += 1
            else:
                again = packet.decode_datagram(packet.encode(found))
                self.assertEqual(again.payload, found.payload, octets.hex())
        self.assertGreater(refused, 5_000)
        self.assertLess(refused, 19_000)

    def mutated(self, some: random.Random) -> bytes:
        octets = bytearray(some.choice(GOOD if some.random() < 0.7 else MALFORMED).octets)
        for _ in range(some.choice((0, 1, 1, 2, 8))):
            if octets:
                # Lengths and tags are where a reader can go wrong.
                octets[some.randrange(len(octets))] = some.choice((0, 1, 2, 0x7F, 0x80, 0xFF, some.randrange(256)))
        if some.random() < 0.2:
            del octets[some.randrange(len(octets) + 1):]
        elif some.random() < 0.2:
            octets += some.randbytes(some.randrange(9))
        return bytes(octets)

    def test_the_checksum_is_that_of_rfc_1071(self) -> None:
        some = random.Random(SEED)
        for length in (*range(40), 1499, 65535):
            octets = bytearray(some.randbytes(length))
            total = sum(octets[at] << 8 | (octets[at + 1] if at + 1 < length else 0) for at in range(0, length, 2))
            while total >> 16:
                total = (total & 0xFFFF) + (total >> 16)
            self.assertEqual(packet._checksum(octets), 0xFFFF - total)
        self.assertEqual(packet._checksum(bytes(8)), 0xFFFF)


if __name__ == "__main__":
    unittest.main()
