"""The golden vectors that Java and C read too, and what this client finds in a packet, in their words."""

import pathlib
from typing import Iterator, List, NamedTuple, Optional

from tamanoir.packet import Identifier, Options, Packet, joined

CORE = pathlib.Path(__file__).resolve().parents[4] / "ee-core"
FOLDER = CORE / "anep/src/test/resources/vectors"
DYRAM = CORE / "dyram/src/test/resources/vectors"


class Vector(NamedTuple):
    name: str
    octets: bytes
    again: bytes
    lines: List[str]

    def value(self, word: str) -> Optional[str]:
        return next((line.partition(" ")[2] for line in self.lines if line.split(" ")[0] == word), None)


def read(name: str, folder: pathlib.Path = FOLDER) -> Iterator[Vector]:
    for block in (folder / name).read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            taken = {word: bytes.fromhex("".join(line[len(word):] for line in lines if line.startswith(word))) for word in ("octets", "again")}
            rest = [line for line in lines[1:] if not line.startswith(("octets", "again"))]
            yield Vector(lines[0], taken["octets"], taken["again"] or taken["octets"], rest)


def fields(packet: Packet, header: int) -> List[str]:
    """A line a field, as in good.txt."""
    lines = [f"type 0x{packet.type_id:04x}", f"flags 0x{packet.flags:02X}", f"header {header}", *_options(packet.options), f"payload {bytes(packet.payload).hex()}",
             *(f"joined {bytes(each).hex()}" for each in joined(packet))]
    return [line.strip() for line in lines]


def _options(options: Options) -> Iterator[str]:
    for name, address in (("source", options.source), ("destination", options.destination)):
        if address is not None:
            yield f"{name} {address.scheme} {address.octets.hex()} {_java(address)}"
    if options.checksum:
        yield "checksum"
    if options.authentication is not None:
        yield f"authentication {options.authentication.scheme} {options.authentication.octets.hex()}"
    if options.stream is not None:
        yield "stream {} {}".format(*options.stream)
    if options.delivery is not None:
        yield f"delivery {options.delivery.port} {'RAW' if options.delivery.raw else 'ANEP'}"
    if options.chain:
        yield "chain " + " ".join(f"0x{type_id:04x}" for type_id in options.chain)
    if options.previous_node is not None:
        yield "previousNode {} {}".format(*options.previous_node)
    if options.hops is not None:
        yield f"hops {options.hops}"
    if options.handed_over:
        yield "handedOver"
    if options.qos_session is not None:
        yield f"qosSession {options.qos_session}"
    if options.timestamp is not None:
        yield f"timestamp {options.timestamp}"
    if options.content_encoding is not None:
        yield f"contentEncoding {({1: 'GZIP', 2: 'ZSTD', 3: 'JOINED'})[options.content_encoding[0]]} {options.content_encoding[1]}"
    if options.error is not None:
        yield f"error EE-{options.error[0]:03d} {options.error[1]}"
    if options.connection is not None:
        yield f"connection {('OFFER', 'ACCEPT', 'END', 'READY')[options.connection[0]]} {options.connection[1]}"
    if options.cookie is not None:
        yield f"cookie {options.cookie}"
    if options.hop_check is not None:
        yield f"hopCheck {('QUESTION', 'TAKES', 'DRAINING')[options.hop_check[0]]} {options.hop_check[1]}"
    if options.connected:
        yield "connected"
    if options.trace is not None:
        yield f"trace {options.trace}"
    for each in options.parameters:
        yield f"parameter 0x{each.type_id:04x} {each.name} {each.value}"
    if options.reach:
        yield "reach"
    yield from _session(options)
    for tag, value in options.unknown:
        yield f"unknown {tag:04x} {value.hex()}"


def _session(options: Options) -> Iterator[str]:
    resume, mark = options.resume, options.mark
    if resume is not None:
        high, low = (int.from_bytes(half, "big", signed=True) for half in (resume.token[:8], resume.token[8:]))
        yield f"resume {resume.session} {high} {low} {resume.epoch} {_word(resume.fresh)} {resume.received} {resume.checksum:x}"
    elif mark is not None and mark.kind == 0:
        yield f"welcome {mark.offset} {mark.checksum:x}"
    elif mark is not None:
        over = f"EE-{mark.over:03d}" if mark.over else "null"
        yield f"mark {mark.offset} {mark.checksum:x} {_word(mark.last)} {mark.kept} {_word(mark.kept_last)} {_word(mark.done)} {over}"
    for label, octets in options.state:
        yield f"state {label}={octets.hex()}"


def _java(address: Identifier) -> str:
    """An address as Java writes it: IPv6 without shortening."""
    if address.ip is None:
        return f"scheme {address.scheme} {address.octets.hex()}"
    if ":" not in address.ip:
        return address.ip
    return ":".join(f"{int.from_bytes(address.octets[at:at + 2], 'big'):x}" for at in range(0, 16, 2))


def _word(value: bool) -> str:
    return str(value).lower()
