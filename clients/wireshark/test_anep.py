"""
The golden vectors through tshark: captures are made of them, and every field that tshark shows is compared with what they say. Run by ./test.
"""

import ipaddress
import pathlib
import ssl
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from typing import Dict, List, NamedTuple, Optional, Tuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "python/tests/streams")]
import anep_vectors  # noqa: E402
from tamanoir import packet  # noqa: E402

GOOD = list(anep_vectors.read("good.txt"))
MALFORMED = list(anep_vectors.read("malformed.txt"))
TCP, UDP = 6, 17
USES = ("OFFER", "ACCEPT", "END", "READY")
ANSWERS = ("QUESTION", "TAKES", "DRAINING")


class Segment(NamedTuple):
    protocol: int
    source: int
    sequence: int
    octets: bytes


def capture(segments: List[Segment], snap: int = 1 << 16) -> bytes:
    """A file of libpcap with raw IPv4 (link type 101), one packet each, to port 3322."""
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snap, 101)]
    for at, segment in enumerate(segments):
        if segment.protocol == TCP:
            inner = struct.pack(">HHIIBBHHH", segment.source, 3322, segment.sequence, 1, 5 << 4, 0x10, 65535, 0, 0) + segment.octets
        else:
            inner = struct.pack(">HHHH", segment.source, 3322, 8 + len(segment.octets), 0) + segment.octets
        whole = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(inner), at & 0xFFFF, 0, 64, segment.protocol, 0, bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2])) + inner
        out.append(struct.pack("<IIII", at, 0, min(snap, len(whole)), len(whole)) + whole[:snap])
    return b"".join(out)


def tshark(segments: List[Segment], *more: str, snap: int = 1 << 16) -> "xml.Element":
    """What tshark shows of a capture, as its PDML."""
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(capture(segments, snap))
        file.flush()
        shown = subprocess.run(["tshark", "-X", f"lua_script:{HERE / 'anep.lua'}", "-r", file.name, "-n", "-T", "pdml", *more], capture_output=True, timeout=300, check=True)
    # Where the dissector itself goes wrong tshark says so in the tree or beside it, and ends with 0.
    if b"Lua Error" in shown.stdout or b"lua" in shown.stderr.lower():
        raise AssertionError(shown.stderr.decode() or shown.stdout.decode())
    return xml.fromstring(shown.stdout)


def packets(tree: "xml.Element") -> List[List["xml.Element"]]:
    """Of each frame the ANEP packets in it."""
    return [[proto for proto in frame.iter("proto") if proto.get("name") == "anep"] for frame in tree.iter("packet")]


def code(proto: "xml.Element") -> Optional[str]:
    found = [field.get("name", "") for field in proto.iter("field") if field.get("name", "").startswith("anep.ee")]
    return f"EE-{found[0][len('anep.ee'):]}" if found else None


class Shown:
    """The fields of one packet."""

    def __init__(self, proto: "xml.Element") -> None:
        self.fields: Dict[str, List[str]] = {}
        for field in proto.iter("field"):
            self.fields.setdefault(field.get("name", ""), []).append(field.get("show", ""))

    def text(self, name: str) -> str:
        return self.fields["anep." + name][0]

    def number(self, name: str) -> int:
        return int(self.text(name), 0)

    def truth(self, name: str) -> bool:
        return {"1": True, "0": False, "True": True, "False": False}[self.text(name)]

    def octets(self, name: str) -> bytes:
        return bytes.fromhex(self.text(name).replace(":", "")) if "anep." + name in self.fields else b""

    def has(self, name: str) -> bool:
        return "anep." + name in self.fields

    def identifier(self, name: str) -> Optional[packet.Identifier]:
        if not self.has(name + ".scheme"):
            return None
        for form in ("ipv4", "ipv6"):
            if self.has(f"{name}.{form}"):
                return packet.Identifier(self.number(name + ".scheme"), ipaddress.ip_address(self.text(f"{name}.{form}")).packed)
        return packet.Identifier(self.number(name + ".scheme"), self.octets(name + ".ether") or self.octets(name + ".octets"))

    def packet(self) -> packet.Packet:
        """The packet, of these fields alone."""
        options = packet.Options(
            source=self.identifier("source"), destination=self.identifier("destination"), checksum=self.has("checksum"), authentication=self.identifier("authentication"),
            chain=tuple(int(service, 0) for service in self.fields.get("anep.chain", [])), reach=self.has("reach"), connected=self.has("connected"))
        if self.has("stream.id"):
            options.stream = self.number("stream.id"), self.number("stream.sequence")
        if self.has("delivery.port"):
            options.delivery = packet.Delivery(self.number("delivery.port"), self.number("delivery.form") == 1)
        if self.has("previous_node.id"):
            options.previous_node = self.number("previous_node.id"), self.number("previous_node.code_port")
        if self.has("hops"):
            options.hops, options.handed_over = self.number("hops"), self.truth("hops.handed_over")
        options.qos_session = self.number("qos_session") if self.has("qos_session") else None
        options.timestamp = self.number("timestamp") if self.has("timestamp") else None
        if self.has("content_encoding"):
            options.content_encoding = self.number("content_encoding"), self.number("content_encoding.original")
        if self.has("error.code"):
            options.error = self.number("error.code"), self.text("error.text") if self.has("error.text") else ""
        if self.has("connection.use"):
            options.connection = self.number("connection.use"), self.number("connection.node") if self.has("connection.node") else 0
        options.cookie = self.number("cookie") if self.has("cookie") else None
        if self.has("hop_check.says"):
            options.hop_check = self.number("hop_check.says"), self.number("hop_check.number")
        if self.has("resume.session"):
            options.resume = packet.Resumption(self.number("resume.session"), self.octets("resume.token"), self.number("resume.epoch"), self.truth("resume.fresh"),
                                               self.number("resume.received"), self.number("resume.crc"))
        if self.has("mark.kind"):
            options.mark = packet.Mark(self.number("mark.kind"), self.truth("mark.last"), self.truth("mark.kept_last"), self.number("mark.code"),
                                       self.number("mark.octets"), self.number("mark.crc"), self.number("mark.kept"), self.truth("mark.done"))
        if self.has("trace.id"):
            trace = packet.TraceContext(self.octets("trace.id"), self.octets("trace.parent"), self.number("trace.flags"))
            options.trace = trace if trace.is_whole else None
        options.parameters = tuple(packet.Parameter(int(service, 0), *text.split("=", 1)) for service, text in zip(self.fields.get("anep.parameter.service", []),
                                                                                                                  self.fields.get("anep.parameter.text", [])))
        options.state = tuple(self.states())
        return packet.Packet(self.number("type_id"), self.number("flags"), options, self.octets("payload"))

    def states(self) -> List[Tuple[str, bytes]]:
        labels = self.fields.get("anep.state.service", [])
        known = [bytes.fromhex(octets.replace(":", "")) for octets in self.fields.get("anep.state.octets", [])]
        return [(label, known[at] if at < len(known) else b"") for at, label in enumerate(labels)]


class TheDissector(unittest.TestCase):
    def lines(self, proto: "xml.Element") -> List[str]:
        shown = Shown(proto)
        found = shown.packet()
        # Options that are not known have the same names each: they are told by their branches.
        for branch in proto.iter("field"):
            if branch.get("name") == "anep.option" and "not known" in branch.get("show", "") + branch.get("showname", ""):
                inner = {field.get("name"): field.get("value", "") for field in branch}
                tag = int(branch.get("value", "")[:4], 16)
                found.options.unknown.append((tag, bytes.fromhex(inner.get("anep.option.value") or "")))
        self.assertEqual(shown.number("version"), 1)
        self.assertEqual([octets.replace(":", "") for octets in shown.fields.get("anep.joined", [])], [bytes(each).hex() for each in packet.joined(found)])
        return anep_vectors.fields(found, shown.number("header_length") * 4)

    def test_every_field_of_every_good_vector_over_udp_and_tcp(self) -> None:
        for protocol in (UDP, TCP):
            tree = tshark([Segment(protocol, 10_000 + at, 1, vector.octets) for at, vector in enumerate(GOOD)])
            frames = packets(tree)
            self.assertEqual([len(frame) for frame in frames], [1] * len(GOOD))
            for vector, (proto,) in zip(GOOD, frames):
                with self.subTest(vector.name, protocol=protocol):
                    self.assertEqual(self.lines(proto), vector.lines)
                    self.assertIsNone(code(proto))

    def test_malformed_vectors_have_their_codes(self) -> None:
        for protocol, word in ((UDP, "datagram"), (TCP, "stream")):
            # A datagram without octets is not given to anybody.
            vectors = [vector for vector in MALFORMED if vector.octets]
            tree = tshark([Segment(protocol, 10_000 + at, 1, vector.octets) for at, vector in enumerate(vectors)])
            for vector, frame in zip(vectors, packets(tree)):
                with self.subTest(vector.name, protocol=protocol):
                    expected = vector.value(word) or vector.value("stream")
                    codes = [each for each in map(code, frame) if each]
                    self.assertEqual(codes, [] if expected == "waits" else [expected])

    def test_streams_are_found_however_they_are_cut(self) -> None:
        wire = b"".join(vector.octets for vector in GOOD)
        for size in (1, 7, 100, 1460):
            cut = [Segment(TCP, 10_000, 1 + at, wire[at:at + size]) for at in range(0, len(wire), size)]
            found = [proto for frame in packets(tshark(cut)) for proto in frame]
            with self.subTest(size=size):
                self.assertEqual([self.lines(proto) for proto in found], [vector.lines for vector in GOOD])

    def test_what_a_capture_has_cut_off_is_no_error(self) -> None:
        frames = packets(tshark([Segment(protocol, 10_000, 1, vector.octets) for protocol in (TCP, UDP) for vector in GOOD[:9]], snap=50))
        self.assertEqual([code(proto) for frame in frames for proto in frame if code(proto)], [])

    def test_an_announcement_of_dyram_with_its_choice_of_services(self) -> None:
        vectors = list(anep_vectors.read("good.txt", anep_vectors.DYRAM))
        frames = packets(tshark([Segment(UDP, 10_000 + at, 1, vector.octets) for at, vector in enumerate(vectors)]))
        found = {vector.name: Shown(proto) for vector, (proto,) in zip(vectors, frames)}
        chosen = found["announce with a choice of services"]
        self.assertEqual([chosen.number("dyram." + name) for name in ("kind", "hops", "number", "packet_size", "packets", "rate", "salt", "group.port")],
                         [1, 16, 8, 1024, 256, 50_000_000, 0x1122334455667788, 5405])
        self.assertEqual([chosen.truth("dyram." + name) for name in ("started", "to_group", "chooses")], [False, False, True])
        self.assertEqual(chosen.text("dyram.group.ipv4"), "239.1.2.3")
        self.assertEqual([chosen.number("dyram.services." + name) for name in ("source", "others")], [0x27, 0x2E])
        self.assertEqual(chosen.octets("dyram.tag").hex(), "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
        self.assertTrue(all(shown.has("dyram.kind") for shown in found.values()))
        self.assertEqual([name for name, shown in found.items() if shown.has("dyram.tag")],
                         ["announce", "announce with a choice of services", "announce with services that are not known yet"])
        self.assertFalse(found["announce"].has("dyram.services.source"))

    def test_an_error_packet_and_tls_on_the_same_port(self) -> None:
        hello = ssl.MemoryBIO()
        with self.assertRaises(ssl.SSLWantReadError):
            ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), hello, server_hostname="node.example.org").do_handshake()
        error = next(vector for vector in GOOD if vector.value("error"))
        tree = tshark([Segment(TCP, 10_000, 1, hello.read()), Segment(TCP, 10_001, 1, error.octets)])
        tls, told = tree.iter("packet")
        self.assertIn("tls", [proto.get("name") for proto in tls.iter("proto")])
        self.assertIn("anep.reported", [field.get("name") for field in told.iter("field")])

    def test_any_octets_are_shown_or_refused(self) -> None:
        """Wrong: an error of Lua's, or another verdict than that of the Python client, which the vectors hold."""
        from test_packet import AnyOctets, SEED, stream
        import random
        some = random.Random(SEED)
        octets = [each for each in (AnyOctets().mutated(some) for _ in range(3_000)) if each]
        for protocol in (UDP, TCP):
            frames = packets(tshark([Segment(protocol, 10_000 + at, 1, each) for at, each in enumerate(octets)]))
            for each, frame in zip(octets, frames):
                if protocol == TCP:
                    expected: Optional[str] = stream(each)
                    expected = None if expected == "waits" else expected
                else:
                    try:
                        packet.decode_datagram(each)
                        expected = None
                    except packet.MalformedPacket as e:
                        expected = e.code
                found = [one for one in map(code, frame) if one]
                self.assertEqual(found, [expected] if expected else [], (protocol, each.hex()))


if __name__ == "__main__":
    unittest.main()
