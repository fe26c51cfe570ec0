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


if __name__ == "__main__":
    unittest.main()
