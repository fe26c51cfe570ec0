"""ANEP packets as docs/anep.md has them: header, options, payload. No I/O, and nothing but MalformedPacket for octets that are no packet."""

from __future__ import annotations

import ipaddress
import re
import struct
from dataclasses import dataclass, field
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from .errors import MalformedPacket

Octets = Union[bytes, bytearray, memoryview]

VERSION = 1
DISCARD_UNKNOWN = 0x80
HEADER_SIZE = 8
MAX_PACKET = 0xFFFF
MAX_CHAIN = 15
MAX_ERROR_TEXT = 1024
MAX_STATE = 60_000
MAX_PARAMETERS = 1024
TYPE_ERROR = 0
TYPE_CONTROL = 0x5400
# Schemes of addresses, and that of an authenticator which is a JSON Web Token.
IPV4, IPV6, IEEE_802_3 = 1, 2, 3
JSON_WEB_TOKEN = 0x4A575400
# What option 10 is.
OFFER, ACCEPT, END, READY = 0, 1, 2, 3
# A content encoding (option 8): the payload is whole packets.
JOINED = 3

HEADER = struct.Struct(">BBHHH")
_TAG = struct.Struct(">HH")
_ADDRESS_SIZES = {IPV4: 4, IPV6: 16, IEEE_802_3: 6}


class Identifier(NamedTuple):
    """An address (options 1 and 2) or an authenticator (option 4): a scheme and its octets."""

    scheme: int
    octets: bytes

    @classmethod
    def of(cls, address: str) -> Identifier:
        ip = ipaddress.ip_address(address)
        return cls(IPV4 if ip.version == 4 else IPV6, ip.packed)

    @property
    def ip(self) -> Optional[str]:
        known = self.scheme in (IPV4, IPV6) and len(self.octets) == _ADDRESS_SIZES[self.scheme]
        return str(ipaddress.ip_address(self.octets)) if known else None


class Delivery(NamedTuple):
    port: int
    raw: bool


class Resumption(NamedTuple):
    """Option 13: a chain of nodes that begins a session or goes on with it. ``received`` octets have come, with that CRC-32C."""

    session: int
    token: bytes
    epoch: int
    fresh: bool
    received: int
    checksum: int


class Mark(NamedTuple):
    """
    Option 14: kind 0 is a welcome, 1 a mark. ``over`` is the code of why the session is over, 0 where it goes on. ``done`` is the last word of an end that knows that
    both have everything.
    """

    kind: int
    last: bool
    kept_last: bool
    over: int
    offset: int
    checksum: int
    kept: int
    done: bool = False


class TraceContext(NamedTuple):
    """Option 18: which trace a stream belongs to, and the span before it; W3C Trace Context, version 0."""

    trace: bytes
    parent: bytes
    flags: int

    @classmethod
    def of(cls, traceparent: str) -> TraceContext:
        """Reads the text of the HTTP field ``traceparent``. ValueError if it is no context."""
        found = re.fullmatch("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", traceparent)
        if found is None or found[1] == "ff" or found[1] == "00" and found[5] is not None:
            raise ValueError(f"'{traceparent}' is not 00-TRACE-PARENT-FLAGS with 32, 16 and 2 hexadecimal digits in lower case")
        context = cls(bytes.fromhex(found[2]), bytes.fromhex(found[3]), int(found[4], 16))
        if not context.is_whole:
            raise ValueError("the id of a trace, or that of a span, is 0")
        return context

    @property
    def is_whole(self) -> bool:
        """Whether neither id is 0: of 0 nobody makes a span."""
        return any(self.trace) and any(self.parent)

    def __str__(self) -> str:
        return f"00-{self.trace.hex()}-{self.parent.hex()}-{self.flags:02x}"


class Parameter(NamedTuple):
    """Option 19: what the source of a stream asks of one service."""

    type_id: int
    name: str
    value: str

    def check(self) -> Parameter:
        """Itself. ValueError for what is no parameter."""
        if not 0 < self.type_id < 0x10000 or re.fullmatch("[a-z][a-z0-9-]{0,63}", self.name) is None or _CONTROL.search(self.value):
            raise ValueError(f"{self.name}={self.value} is no parameter: a name has lower-case letters, digits and dashes, a value no control characters")
        return self


_CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f]")


@dataclass
class Options:
    """The options of a packet; None for those that it does not carry. Numbers of 64 bits are unsigned."""

    source: Optional[Identifier] = None
    destination: Optional[Identifier] = None
    checksum: bool = False
    authentication: Optional[Identifier] = None
    stream: Optional[Tuple[int, int]] = None
    """Stream id and sequence number."""
    delivery: Optional[Delivery] = None
    chain: Tuple[int, ...] = ()
    previous_node: Optional[Tuple[int, int]] = None
    """Node id and the port of its code server."""
    hops: Optional[int] = None
    handed_over: bool = False
    qos_session: Optional[int] = None
    timestamp: Optional[int] = None
    content_encoding: Optional[Tuple[int, int]] = None
    """Encoding (1 gzip, 2 zstd, 3 joined packets) and octets before it."""
    error: Optional[Tuple[int, str]] = None
    connection: Optional[Tuple[int, int]] = None
    """What is said of the connection, and for an offer who offers."""
    cookie: Optional[int] = None
    hop_check: Optional[Tuple[int, int]] = None
    resume: Optional[Resumption] = None
    mark: Optional[Mark] = None
    reach: bool = False
    state: Tuple[Tuple[str, bytes], ...] = ()
    connected: bool = False
    trace: Optional[TraceContext] = None
    parameters: Tuple[Parameter, ...] = ()
    unknown: List[Tuple[int, bytes]] = field(default_factory=list)
    """First 16 bits and value of options that this client does not know."""


@dataclass
class Packet:
    type_id: int
    flags: int = 0
    options: Options = field(default_factory=Options)
    payload: Octets = b""


def packet_length(octets: Octets, start: int, end: int) -> int:
    """The length of the packet that begins at ``start``, or 0 while the octets up to ``end`` do not hold all of it."""
    if end - start < HEADER_SIZE:
        if end > start and octets[start] != VERSION:
            raise MalformedPacket("EE-101", f"version {octets[start]}; only {VERSION} is known")
        return 0
    version, _, _, words, length = HEADER.unpack_from(octets, start)
    if version != VERSION:
        raise MalformedPacket("EE-101", f"version {version}; only {VERSION} is known")
    if words < 2:
        raise MalformedPacket("EE-102", f"header length {words} words; the least is 2")
    if words * 4 > length:
        raise MalformedPacket("EE-103", f"header of {words} words in a packet of {length} octets")
    return int(length) if length <= end - start else 0


def decode_datagram(octets: Octets) -> Packet:
    """Reads octets that are exactly one packet."""
    if len(octets) < HEADER_SIZE or packet_length(octets, 0, len(octets)) != len(octets):
        raise MalformedPacket("EE-105", f"{len(octets)} octets are not one whole packet")
    return decode(octets)


def decode(octets: Octets) -> Packet:
    """Reads a whole packet whose header :func:`packet_length` has checked. The payload is a slice of what is given."""
    _, flags, type_id, words, _ = HEADER.unpack_from(octets)
    return Packet(type_id, flags, decode_options(octets, words * 4), octets[words * 4:])


def joined(packet: Packet) -> Iterator[Octets]:
    """The packets in a joined one (content encoding 3), each whole and as it stands there; ends before what is no whole packet."""
    at, end = 0, len(packet.payload)
    if packet.options.content_encoding is None or packet.options.content_encoding[0] != JOINED:
        return
    while at < end:
        try:
            length = packet_length(packet.payload, at, end)
        except MalformedPacket:
            return
        if length == 0:
            return
        yield packet.payload[at:at + length]
        at += length


def decode_options(packet: Octets, end: int) -> Options:
    """Reads the options of a packet, which end at ``end``."""
    options = Options()
    seen = set()
    at = HEADER_SIZE
    while at < end:
        tag, words = _TAG.unpack_from(packet, at)
        size = words * 4
        if size == 0 or at + size > end:
            raise MalformedPacket("EE-104", f"an option of {size} octets with {end - at} octets of header left")
        key = tag & 0xBFFF
        reader = _READERS.get(key)
        value = bytes(packet[at + 4:at + size])
        at += size
        if reader is None:
            if tag & 0x4000:
                raise MalformedPacket("EE-107", f"{'private' if tag & 0x8000 else 'public'} option {tag & 0x3FFF} is not known and asks for a discard")
            options.unknown.append((tag, value))
            continue
        # A packet that begins a session has no mark of it.
        excluded = {0x800D: 0x800E, 0x800E: 0x800D}.get(key, key)
        try:
            if key in seen or excluded in seen:
                raise ValueError
            reader(options, value)
        except (ValueError, struct.error) as e:
            raise MalformedPacket("EE-108", f"option {key & 0x3FFF} of {len(value)} octets holds a value that it cannot have, or stands twice") from e
        seen.add(key)
    if options.checksum and _checksum(packet) != 0:
        raise MalformedPacket("EE-106", "the checksum does not match")
    return options


def _checksum(octets: Octets) -> int:
    """RFC 1071. As a number to the base 65536 the octets are, modulo 65535, the sum of their words."""
    number = int.from_bytes(octets, "big") << (len(octets) % 2 * 8)
    # The one's complement of both zeros of that arithmetic: 0xFFFF stands for a sum that is not empty.
    return 0xFFFF - ((number - 1) % 0xFFFF + 1 if number else 0)


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError


def _exactly(form: str, value: bytes) -> Tuple[int, ...]:
    """The numbers of an option that has no other size."""
    return struct.unpack(">" + form, value)


def _identifier(value: bytes, sizes: Dict[int, int]) -> Identifier:
    (scheme,) = _exactly("I", value[:4])
    size = sizes.get(scheme)
    if size is None:
        return Identifier(scheme, value[4:])
    _require(len(value) == 4 + (size + 3) // 4 * 4)
    return Identifier(scheme, value[4:4 + size])


def _source(options: Options, value: bytes) -> None:
    options.source = _identifier(value, _ADDRESS_SIZES)


def _destination(options: Options, value: bytes) -> None:
    options.destination = _identifier(value, _ADDRESS_SIZES)


def _read_checksum(options: Options, value: bytes) -> None:
    _exactly("4x", value)
    options.checksum = True


def _authentication(options: Options, value: bytes) -> None:
    options.authentication = _identifier(value, {})


def _stream(options: Options, value: bytes) -> None:
    stream_id, sequence = _exactly("QQ", value)
    options.stream = stream_id, sequence


def _delivery(options: Options, value: bytes) -> None:
    port, form = _exactly("HBx", value)
    _require(port > 0 and form <= 1)
    options.delivery = Delivery(port, form == 1)


def _chain(options: Options, value: bytes) -> None:
    _require(len(value) <= 2 * (MAX_CHAIN + 1))
    chain = list(_exactly(f"{len(value) // 2}H", value))
    while chain and chain[-1] == 0:
        chain.pop()
    _require(0 < len(chain) <= MAX_CHAIN and 0 not in chain)
    options.chain = tuple(chain)


def _previous_node(options: Options, value: bytes) -> None:
    node, port = _exactly("QH2x", value)
    options.previous_node = node, port


def _hops(options: Options, value: bytes) -> None:
    options.hops, bits = _exactly("BB2x", value)
    options.handed_over = bits & 0x80 != 0


def _qos_session(options: Options, value: bytes) -> None:
    (options.qos_session,) = _exactly("Q", value)


def _timestamp(options: Options, value: bytes) -> None:
    (options.timestamp,) = _exactly("Q", value)


def _content_encoding(options: Options, value: bytes) -> None:
    encoding, original = _exactly("BxH", value)
    _require(encoding in (1, 2, 3))
    options.content_encoding = encoding, original


def _error(options: Options, value: bytes) -> None:
    code, length = _exactly("HH", value[:4])
    _require(length <= MAX_ERROR_TEXT and 0 <= len(value) - 4 - length < 4)
    options.error = code, value[4:4 + length].decode()


def _connection(options: Options, value: bytes) -> None:
    use = value[0] if value else -1
    _require(OFFER <= use <= READY)
    who = _exactly("4xQ" if use == OFFER else "4x", value)
    options.connection = use, who[0] if who else 0


def _cookie(options: Options, value: bytes) -> None:
    (options.cookie,) = _exactly("Q", value)


def _hop_check(options: Options, value: bytes) -> None:
    says, number = _exactly("B3xQ", value)
    _require(says <= 2)
    options.hop_check = says, number


def _resume(options: Options, value: bytes) -> None:
    session, token, epoch, bits, received, checksum = struct.unpack(">Q16sIB3xQI", value)
    options.resume = Resumption(session, token, epoch, bits & 0x80 != 0, received, checksum)


def _mark(options: Options, value: bytes) -> None:
    kind, bits, over, offset, checksum, kept = _exactly("BBHQIQ", value)
    _require(kind <= 1)
    options.mark = Mark(kind, bits & 0x80 != 0, bits & 0x40 != 0, over, offset, checksum, kept, bits & 0x20 != 0)


def _reach(options: Options, value: bytes) -> None:
    _require(not value)
    options.reach = True


def _state(options: Options, value: bytes) -> None:
    _require(len(value) <= MAX_STATE)
    states = []
    at = 0
    while at < len(value):
        label, octets = _TAG.unpack_from(value, at)
        middle = at + 4 + label
        at += 4 + (label + octets + 3) // 4 * 4
        _require(at <= len(value))
        states.append((value[middle - label:middle].decode(), value[middle:middle + octets]))
    options.state = tuple(states)


def _connected(options: Options, value: bytes) -> None:
    _require(not value)
    options.connected = True


def _trace(options: Options, value: bytes) -> None:
    version, trace, parent, flags = struct.unpack(">B16s8sB2x", value)
    _require(version != 0xFF)
    context = TraceContext(trace, parent, flags)
    options.trace = context if context.is_whole else None


def _parameters(options: Options, value: bytes) -> None:
    _require(0 < len(value) <= MAX_PARAMETERS)
    found = []
    at = 0
    while at < len(value):
        type_id, length = _TAG.unpack_from(value, at)
        text = value[at + 4:at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
        _require(at <= len(value) and b"=" in text)
        name, _, said = text.decode().partition("=")
        found.append(Parameter(type_id, name, said).check())
    options.parameters = tuple(found)


# By the first 16 bits without the one that asks for a discard: of a known option it plays no part.
_READERS: Dict[int, Callable[[Options, bytes], None]] = {
    0x0001: _source, 0x0002: _destination, 0x0003: _read_checksum, 0x0004: _authentication,
    0x8001: _stream, 0x8002: _delivery, 0x8003: _chain, 0x8004: _previous_node, 0x8005: _hops, 0x8006: _qos_session,
    0x8007: _timestamp, 0x8008: _content_encoding, 0x8009: _error, 0x800A: _connection, 0x800B: _cookie, 0x800C: _hop_check,
    0x800D: _resume, 0x800E: _mark, 0x800F: _reach, 0x8010: _state, 0x8011: _connected, 0x8012: _trace, 0x8013: _parameters,
}


def bare_header(type_id: int, flags: int, payload: int) -> bytes:
    """The header of a packet without options, in front of so many octets of payload."""
    return HEADER.pack(VERSION, flags, type_id, 2, HEADER_SIZE + payload)


def encode(packet: Packet) -> bytes:
    """A packet in octets. ValueError if it is longer than a packet can be."""
    written = _encode_options(packet.options)
    header = HEADER_SIZE + sum(map(len, written))
    length = header + len(packet.payload)
    if length > MAX_PACKET:
        raise ValueError(f"a packet of {length} octets; {MAX_PACKET} fit")
    octets = b"".join([HEADER.pack(VERSION, packet.flags, packet.type_id, header // 4, length), *written, packet.payload])
    if not packet.options.checksum:
        return octets
    at = HEADER_SIZE + sum(len(option) for option in written[:next(i for i, option in enumerate(written) if option[:2] == b"\0\3")]) + 4
    return octets[:at] + _checksum(octets).to_bytes(2, "big") + octets[at + 2:]


def _encode_options(options: Options) -> List[bytes]:
    """Each option in octets, in the order of docs/anep.md."""
    written: List[bytes] = []

    def put(tag: int, value: bytes) -> None:
        padded = value + bytes(-len(value) % 4)
        written.append(_TAG.pack(tag, len(padded) // 4 + 1) + padded)

    def put_if(tag: int, form: str, values: Optional[Tuple[object, ...]]) -> None:
        if values is not None:
            put(tag, struct.pack(">" + form, *values))

    def one(value: Optional[int]) -> Optional[Tuple[int]]:
        return None if value is None else (value,)

    for tag, identifier in ((1, options.source), (2, options.destination), (4, options.authentication)):
        if tag == 4 and options.checksum:
            put(3, bytes(4))
        if identifier is not None:
            put(tag, struct.pack(">I", identifier.scheme) + identifier.octets)
    put_if(0x8001, "QQ", options.stream)
    put_if(0xC002, "HBx", options.delivery)
    if options.chain:
        put(0xC003, struct.pack(f">{len(options.chain)}H", *options.chain))
    put_if(0x8004, "QH2x", options.previous_node)
    if options.hops is not None:
        put(0x8005, bytes((options.hops, 0x80 if options.handed_over else 0, 0, 0)))
    put_if(0x8006, "Q", one(options.qos_session))
    put_if(0x8007, "Q", one(options.timestamp))
    put_if(0xC008, "BxH", options.content_encoding)
    if options.error is not None:
        text = options.error[1].encode()[:MAX_ERROR_TEXT].decode(errors="ignore").encode()
        put(0x8009, struct.pack(">HH", options.error[0], len(text)) + text)
    if options.connection is not None:
        use, who = options.connection
        put(0x800A, struct.pack(">B3xQ", use, who) if use == OFFER else bytes((use, 0, 0, 0)))
    put_if(0x800B, "Q", one(options.cookie))
    put_if(0x800C, "B3xQ", options.hop_check)
    if options.resume is not None:
        resume = options.resume
        put(0xC00D, struct.pack(">Q16sIB3xQI", resume.session, resume.token, resume.epoch, 0x80 if resume.fresh else 0, resume.received, resume.checksum))
    if options.mark is not None:
        mark = options.mark
        bits = (0x80 if mark.last else 0) | (0x40 if mark.kept_last else 0) | (0x20 if mark.done else 0)
        put(0x800E, struct.pack(">BBHQIQ", mark.kind, bits, mark.over, mark.offset, mark.checksum, mark.kept))
    if options.state:
        named = [(label.encode(), octets) for label, octets in options.state]
        entries = [struct.pack(">HH", len(label), len(octets)) + label + octets for label, octets in named]
        put(0xC010, b"".join(entry + bytes(-len(entry) % 4) for entry in entries))
    if options.reach:
        put(0x800F, b"")
    if options.connected:
        put(0xC011, b"")
    if options.trace is not None:
        put(0x8012, struct.pack(">x16s8sB2x", *options.trace))
    if options.parameters:
        texts = [(each.type_id, f"{each.name}={each.value}".encode()) for each in map(Parameter.check, options.parameters)]
        put(0xC013, b"".join(_TAG.pack(type_id, len(text)) + text + bytes(-len(text) % 4) for type_id, text in texts))
    for tag, value in options.unknown:
        put(tag, value)
    return written
