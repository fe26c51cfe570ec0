"""Prints what scapy makes of STAMP packets (RFC 8762, RFC 8972): a line of hexadecimal digits each, that of a sender first, then that of its reflector."""

import sys

from scapy.contrib.stamp import STAMPSessionReflectorTestUnauthenticated, STAMPSessionSenderTestUnauthenticated
from scapy.layers.inet import UDP


def error(estimate):
    return f"{estimate.S}/{estimate.Z}/{estimate.scale}/{estimate.multiplier}"


def fields(packet):
    """Flags, type and value of each that follows."""
    return " ".join(f"{int(each.flags):02x}:{each.type}:{bytes(each.value)[:4].hex()}+{each.len}" for each in packet.tlv_objects)


def read(octets, kind):
    """As the payload of UDP, whose length says how many fields there are. Scapy 2.5 does not name that parent by itself."""
    return kind(octets, _parent=UDP(len=8 + len(octets)))


sender, reflected = (bytes.fromhex(line) for line in sys.stdin.read().split())
probe = read(sender, STAMPSessionSenderTestUnauthenticated)
answer = read(reflected, STAMPSessionReflectorTestUnauthenticated)
print(f"probe number {probe.seq} time {float(probe.ts):.6f} error {error(probe.err_estimate)} session {probe.ssid} zeros {probe.mbz} fields {fields(probe)}")
print(
    f"answer number {answer.seq} time {float(answer.ts):.6f} error {error(answer.err_estimate)} session {answer.ssid} received {float(answer.ts_rx):.6f} of {answer.seq_sender} "
    f"{float(answer.ts_sender):.6f} {error(answer.err_estimate_sender)} ttl {answer.ttl_sender} zeros {answer.mbz1}{answer.mbz2} fields {fields(answer)}"
)
# What is made of it again is what came.
print(f"same {bytes(probe) == sender} {bytes(answer) == reflected}")
