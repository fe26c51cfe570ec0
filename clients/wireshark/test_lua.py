"""
The dissector under both versions of Lua that Wireshark has, without Wireshark: 5.2 up to 4.2, 5.4 since 4.4. Run by ./test, and by
TheDissectorTest alone.
"""

import pathlib
import re
import subprocess
import sys
import unittest
from typing import List

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "python/tests/streams")]
import anep_vectors  # noqa: E402

GOOD = list(anep_vectors.read("good.txt"))
MALFORMED = list(anep_vectors.read("malformed.txt"))


def shown(lua: str, lines: List[str]) -> List[str]:
    ran = subprocess.run([lua, str(HERE / "standin.lua")], input="\n".join(lines), capture_output=True, text=True, timeout=60)
    if ran.returncode:
        raise AssertionError(f"{lua}: {ran.stderr}")
    return ran.stdout.splitlines()


class InBothVersions(unittest.TestCase):
    def test_both_show_the_same_of_every_vector_and_the_code_of_what_is_malformed(self) -> None:
        # A datagram without octets is not given to anybody.
        vectors = GOOD + [vector for vector in MALFORMED if vector.octets]
        for kind, key in (("tcp", "stream"), ("udp", "datagram")):
            lines = [f"{kind} {bytes(vector.octets).hex()}" for vector in vectors]
            old, new = shown("lua5.2", lines), shown("lua5.4", lines)
            self.assertEqual(len(new), len(vectors))
            self.assertEqual(old, new)
            for vector, line in zip(vectors, new):
                joined = [found[7:] for found in vector.lines if found.startswith("joined ")]
                self.assertEqual(re.findall(r"anep\.joined=([0-9a-f]+)", line), joined)
                expected = vector in MALFORMED and (vector.value(key) or vector.value("stream"))
                with self.subTest(vector.name, kind=kind):
                    self.assertEqual([f"EE-{code}" for code in re.findall(r"anep\.ee(\d+) ", line)], [] if expected in (False, "waits") else [expected])

    def test_both_show_what_an_announcement_of_dyram_says(self) -> None:
        vectors = list(anep_vectors.read("good.txt", anep_vectors.DYRAM))
        lines = [f"udp {bytes(vector.octets).hex()}" for vector in vectors]
        old, new = shown("lua5.2", lines), shown("lua5.4", lines)
        self.assertEqual(old, new)
        by_name = {vector.name: line for vector, line in zip(vectors, new)}
        self.assertTrue(all("anep.dyram.kind=" in line for line in new))
        self.assertEqual([name for name, line in by_name.items() if "anep.dyram.tag=a0a1" in line and "anep.dyram.group.ipv4=ef010203" in line],
                         ["announce", "announce with a choice of services", "announce with services that are not known yet"])
        self.assertNotIn("anep.dyram.services", by_name["announce"])
        self.assertIn("anep.dyram.services.source=27 |  (detect, aggregate, subcast, repair-timer) | anep.dyram.services.others=2e |"
                      "  (aggregate, subcast, elect-hosts, repair-timer)", by_name["announce with a choice of services"])
        self.assertIn("anep.dyram.services.source=ff |  (all) | anep.dyram.services.others=c0 |  (service-6, service-7)",
                      by_name["announce with services that are not known yet"])
        # One octet less or more is none.
        announce = next(vector.octets for vector in vectors if vector.name == "announce with a choice of services")
        for other in (announce[:-1], announce + b"\0"):
            octets = other[:6] + len(other).to_bytes(2, "big") + other[8:]
            self.assertNotIn("anep.dyram.tag", shown("lua5.4", [f"udp {octets.hex()}"])[0])


if __name__ == "__main__":
    unittest.main()
