#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""STAMP by RFC 8762 and RFC 8972 alone, for tests: shares nothing with the node.

stamp.py reflect HOST            a stateful reflector of RFC 8762 without extensions; prints READY PORT
stamp.py send HOST PORT COUNT    probes with a class of service field and padding; prints a line of fields for each answer
stamp.py light HOST PORT         one probe of TWAMP Light with 27 octets of padding; prints the same
"""
import socket
import struct
import sys
import time

SINCE_1900 = 2208988800


def ntp(when):
    return struct.pack("!II", int(when) + SINCE_1900, int((when % 1) * 2**32))


def seconds(octets):
    whole, fraction = struct.unpack("!II", octets)
    return whole - SINCE_1900 + fraction / 2**32


def reflect(host):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IP, 12, 1)  # IP_RECVTTL
    s.bind((host, 0))
    print("READY", s.getsockname()[1], flush=True)
    number = 0
    while True:
        probe, control, _, peer = s.recvmsg(2048, 256)
        arrived = time.time()
        ttl = struct.unpack("i", control[0][2])[0]
        answer = struct.pack("!I", number) + ntp(time.time()) + struct.pack("!BBH", 0x00 | 20, 1, 0) + ntp(arrived)
        answer += probe[0:14] + b"\0\0" + struct.pack("!B3x", ttl)
        s.sendto(answer + bytes(len(probe) - len(answer)), peer)
        number += 1


def send(host, port, count, fields, mbz, size):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(2)
    s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 46 << 2)
    s.setsockopt(socket.IPPROTO_IP, 13, 1)  # IP_RECVTOS
    s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 99)
    for number in range(count):
        probe = struct.pack("!I", number) + ntp(time.time()) + b"\x8a\x05" + mbz + fields
        assert len(probe) == size
        s.sendto(probe, (host, port))
        answer, control, _, _ = s.recvmsg(2048, 256)
        here = time.time()
        assert answer[24:38] == probe[0:14], "the sender's fields come back"
        assert answer[41:44] == bytes(len(answer[41:44])) and answer[38:40] == b"\0\0", "what must be zero is"
        left, arrived, back = seconds(answer[28:36]), seconds(answer[16:24]), seconds(answer[4:12])
        assert left - 0.001 <= arrived <= back <= here + 0.001, "times in order"
        print("answer", "number", struct.unpack("!I", answer[0:4])[0], "size", len(answer), "ttl", answer[40], "tos", control[0][2][0],
              "session", answer[14:16].hex(), "fields", answer[44:60].hex() or "none", flush=True)


if sys.argv[1] == "reflect":
    reflect(sys.argv[2])
elif sys.argv[1] == "send":
    # Class of service with DSCP1 10, twelve octets of padding, and a location field (type 2), which nobody has to know.
    extra = bytes.fromhex("80040004" + "28000000" + "8001000c" + "5a" * 12 + "80020004" + "00000000")
    send(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), extra, b"\x12\x34" + bytes(28), 44 + len(extra))
else:
    send(sys.argv[2], int(sys.argv[3]), 1, b"", bytes(27), 41)
