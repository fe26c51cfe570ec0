#!/usr/bin/env python3
"""The checksum of the vectors, computed without the Java code: RFC 1071 word by word, each carry added at once.

usage: checksum.py HEX   (the packet with its checksum field as 0000)
"""
import sys

octets = bytes.fromhex(sys.argv[1])
if len(octets) % 2:
    octets += b"\0"
total = 0
for i in range(0, len(octets), 2):
    total += octets[i] * 256 + octets[i + 1]
    if total > 0xFFFF:
        total -= 0xFFFF
print("%04X" % (0xFFFF - total))
