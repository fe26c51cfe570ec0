"""What a session promises whatever happens to the chains under it: never an octet twice or missing, and no success before its time. As SessionEndTest."""

import random
import unittest
from typing import Callable, List, Tuple

from session_simulation import DEATHS, PAUSE, RESET, SILENT, TOKEN, WINDOW, Simulation
from tamanoir.errors import TamanoirError
from tamanoir.packet import Mark, Resumption
from tamanoir.ring import MAX_PAYLOAD, Crc32c, OctetRing
from tamanoir.session import MARK, SILENCE, WELCOME, SessionEnd

CRC = Crc32c()


def octets(some: random.Random, most: int) -> bytes:
    return some.randbytes(some.randrange(most))


def started(seed: int, most: int, count: int) -> Simulation:
    simulation = Simulation(seed, most)
    simulation.knowing = seed % 2 != 0
    simulation.opener.to_write = octets(simulation.random, count)
    simulation.acceptor.to_write = octets(simulation.random, count)
    simulation.opener.write()
    return simulation


class WhateverChainsDo(unittest.TestCase):
    def whole(self, simulation: Simulation) -> None:
        simulation.check()
        opener, acceptor = simulation.opener, simulation.acceptor
        for side, other in ((opener, acceptor), (acceptor, opener)):
            self.assertEqual((side.failure, side.is_done, side.kept), (None, True, True))
            self.assertTrue(side.got == other.to_write)
            self.assertEqual(side.end.held if side.end is not None else 0, 0)

    def test_everything_arrives_once_and_in_order_however_chains_die(self) -> None:
        """Chains die in every way, at any time, again and again; then they live. Half of them have a service that knows how many octets it has seen."""
        base = random.randrange(1 << 32)
        for seed in range(base, base + 150):
            with self.subTest(seed=seed):
                some = random.Random(seed)
                simulation = started(seed, some.choice((1 << 16, 1 << 20)), 400_000)
                for side in (simulation.opener, simulation.acceptor):
                    side.keeps_after = some.uniform(0, 0.3) if some.random() < 0.3 else 0.0
                deaths = some.randrange(12)
                for _ in range(deaths):
                    simulation.run(some.uniform(0, 3))
                    if simulation.chains:
                        simulation.chains[-1].die(some.choice(DEATHS))
                    simulation.check()
                    self.assertIn(simulation.opener.kept, (False, simulation.acceptor.got_end))
                    self.assertIn(simulation.acceptor.kept, (False, simulation.opener.got_end))
                simulation.run(200)
                self.whole(simulation)
                self.assertIn(simulation.acceptor.is_forgotten, (True, deaths == 0))
                assert simulation.opener.end is not None
                losses = simulation.opener.end.losses
                self.assertLessEqual(losses.sent_again, losses.resumptions * max(simulation.most, MAX_PAYLOAD))
                self.assertLessEqual(simulation.opener.most_held, max(simulation.most, MAX_PAYLOAD) + 256)

    def test_a_chain_that_dies_stalls_the_session_for_a_short_time(self) -> None:
        for how in DEATHS:
            if how != PAUSE:
                with self.subTest(how):
                    simulation = started(5, 1 << 20, 8_000_000)
                    simulation.delay = 0.01
                    simulation.run(1)
                    simulation.chains[-1].die(how)
                    simulation.run(8)
                    assert simulation.opener.end is not None
                    losses = simulation.opener.end.losses
                    self.assertEqual(losses.resumptions, 1)
                    self.assertLess(losses.stalled, 0.3 if how == RESET else 7.5)
                    simulation.run(100)
                    self.whole(simulation)

    def test_the_moment_of_a_death_makes_no_failure_of_a_success(self) -> None:
        for how in DEATHS:
            for moment in range(0, 400, 10):
                with self.subTest(how, moment=moment):
                    simulation = started(moment // 10, 1 << 20, 20_000)
                    simulation.delay = 0.01
                    simulation.run(moment / 1000)
                    simulation.chains[-1].die(how)
                    simulation.run(3 if how == RESET else 100)
                    self.whole(simulation)

    def test_a_session_without_a_leg_ends_when_its_time_is_over_and_not_before(self) -> None:
        simulation = started(6, 1 << 20, 8_000_000)
        simulation.run(1)
        died = simulation.now
        while simulation.now < died + WINDOW + 15:
            if simulation.now < died + WINDOW - 1:
                self.assertIsNone(simulation.opener.failure)
            simulation.chains[-1].die(SILENT)
            simulation.run(0.01)
        self.assertEqual((simulation.opener.failure, simulation.acceptor.failure), ("EE-227", "EE-227"))
        simulation.check()

    def test_what_services_know_goes_to_the_same_services_only(self) -> None:
        for back_in_time in (True, False):
            with self.subTest(back_in_time):
                simulation = started(9, 1 << 20, 8_000_000)
                simulation.run(1)
                simulation.service = "count 2"
                simulation.chains[-1].die(RESET)
                simulation.run(20)
                self.assertIsNone(simulation.opener.failure)
                simulation.service = "count 1" if back_in_time else "count 2"
                simulation.run(200)
                if back_in_time:
                    self.whole(simulation)
                self.assertEqual(simulation.opener.failure, None if back_in_time else "EE-227")

    def test_a_destination_that_came_back_empty_is_noticed_and_nothing_is_sent_to_it_again(self) -> None:
        simulation = started(7, 1 << 20, 8_000_000)
        simulation.run(1)
        got = len(simulation.acceptor.got)
        simulation.acceptor.end = None
        simulation.chains[-1].die(RESET)
        simulation.run(5)
        self.assertEqual(simulation.opener.failure, "EE-223")
        self.assertEqual(len(simulation.acceptor.got), got)
        self.assertGreater(got, 0)

    def test_a_mark_that_a_service_has_falsified_ends_the_session_at_both_ends(self) -> None:
        simulation = started(10, 1 << 20, 8_000_000)
        simulation.run(1)
        simulation.lie = lambda mark: mark._replace(checksum=mark.checksum ^ 1)
        simulation.run(10)
        self.assertEqual({simulation.opener.failure, simulation.acceptor.failure}, {"EE-226"})
        simulation.check()

    def test_a_clock_that_jumps_costs_a_leg_at_most(self) -> None:
        simulation = started(8, 1 << 20, 8_000_000)
        simulation.run(1)
        simulation.now += 30
        simulation.run(300)
        self.whole(simulation)


class Ears:
    """Somebody at the far end of a session that a test plays."""

    def __init__(self) -> None:
        self.heard: List[str] = []
        self.marks: List[Mark] = []

    def open(self, epoch: int) -> None:
        self.heard.append(f"open {epoch}")

    def send(self, octets: memoryview) -> bool:
        self.heard.append(f"octets {len(octets)}")
        return True

    def say(self, mark: Mark) -> None:
        self.marks.append(mark)
        self.heard.append(f"mark {mark.offset}" + (f" EE-{mark.over}" if mark.over else ""))

    def close(self, clean: bool) -> None:
        self.heard.append("end" if clean else "reset")

    def deliver(self, octets: memoryview) -> None:
        self.heard.append(f"deliver {len(octets)}")

    def deliver_end(self) -> None:
        self.heard.append("deliver-end")

    def everything_kept(self) -> None:
        self.heard.append("kept")

    def done(self) -> None:
        self.heard.append("done")

    def forgotten(self) -> None:
        self.heard.append("forgotten")

    def failed(self, code: str) -> None:
        self.heard.append(code)


def resumption(epoch: int, received: int = 0, checksum: int = 0, token: bytes = TOKEN) -> Resumption:
    return Resumption(7, token, epoch, epoch == 1, received, checksum)


def knowing_opener() -> SessionEnd:
    """One whose second leg is being opened."""
    end = SessionEnd(0, Ears(), 7, TOKEN, True, 1 << 20)
    end.on_timer(0)
    end.opening(0)
    end.welcomed(0, 1, Mark(WELCOME, False, False, 0, 0, 0, 0), (("count 1", b""),))
    end.lost(1, 1)
    end.on_timer(1)
    end.opening(1)
    return end


class WhatAnEndDoesNotBelieve(unittest.TestCase):
    def acceptor(self, states: Tuple[Tuple[str, bytes], ...] = ()) -> Tuple[SessionEnd, Ears]:
        ears = Ears()
        end = SessionEnd.acceptor(0, ears, resumption(1), 1 << 20)
        self.assertEqual(end.resume(0, resumption(1), states), (Mark(WELCOME, False, False, 0, 0, 0, 0), ()))
        end.answered(0)
        return end, ears

    def refuses(self, code: str, call: Callable[[], object]) -> None:
        with self.assertRaises(TamanoirError) as caught:
            call()
        self.assertEqual(caught.exception.code, code)

    def test_only_who_opened_a_session_resumes_it_and_only_with_a_later_epoch(self) -> None:
        end, ears = self.acceptor()
        end.octets(0, 1, memoryview(bytes(100)))
        for code, asked in (("EE-224", resumption(2, token=bytes(16))), ("EE-225", resumption(1)), ("EE-225", resumption(0)), ("EE-226", resumption(2, 1)),
                            ("EE-226", resumption(2, (1 << 64) - 1)), ("EE-226", resumption(2, 0, 1))):
            self.refuses(code, lambda: end.resume(1, asked))
        end.octets(2, 1, memoryview(bytes(50)))
        self.assertEqual(end.received, 150)
        self.assertEqual(end.resume(3, resumption(5))[0].offset, 150)
        self.assertEqual(ears.heard[-1], "reset")
        end.answered(3)
        end.octets(4, 1, memoryview(bytes(50)))
        self.assertEqual(end.received, 150)
        self.refuses("EE-225", lambda: end.resume(5, resumption(4)))
        self.refuses("EE-223", lambda: SessionEnd.acceptor(0, ears, resumption(2), 1))

    def test_a_mark_that_lies_ends_the_session(self) -> None:
        five = memoryview(b"\1\2\3\4\5")
        good = Mark(MARK, False, False, 0, 5, CRC(five, 0), 0)
        for lie in (good._replace(offset=4), good._replace(offset=6), good._replace(checksum=good.checksum ^ 1), good._replace(kept=1), good._replace(kept_last=True)):
            with self.subTest(lie):
                end, ears = self.acceptor()
                end.octets(0, 1, five)
                end.mark(0, 1, good)
                self.assertFalse(end.is_over)
                end.mark(0, 1, lie)
                self.assertEqual(ears.heard[-3:], ["mark 0 EE-226", "end", "EE-226"])
                end.octets(0, 1, five)
                self.assertEqual(end.received, 5)

    def test_the_last_word_is_said_when_everything_is_kept_and_answered(self) -> None:
        """Wrong: a far end that is believed to be done with what is not kept here, and an end that is forgotten before its opener knows."""
        end, ears = self.acceptor()
        end.mark(0, 1, Mark(MARK, True, False, 0, 0, 0, 0, True))
        self.assertEqual(ears.heard[-2:], ["end", "EE-226"])
        end, ears = self.acceptor()
        end.end(0)
        end.octets(0, 1, memoryview(b"x"))
        last = Mark(MARK, True, True, 0, 1, CRC(b"x", 0), 0)
        end.mark(0, 1, last)
        end.kept(1, 1)
        self.assertEqual((end.is_over, end.deadline), (False, 1))
        end.on_timer(1)
        self.assertEqual((ears.heard[-2:], ears.marks[-1].done), (["end", "done"], True))
        end.resume(2, resumption(2))
        end.answered(2)
        self.assertEqual((ears.heard[-1], ears.marks[-1].done, len(ears.marks)), ("end", True, 2))
        end.mark(3, 1, last._replace(done=True))
        self.assertNotIn("forgotten", ears.heard)
        end.mark(3, 2, last._replace(done=True))
        self.assertEqual(ears.heard[-1], "forgotten")

    def test_nothing_comes_after_an_end(self) -> None:
        end, ears = self.acceptor()
        end.mark(0, 1, Mark(MARK, True, False, 0, 0, 0, 0))
        end.octets(0, 1, memoryview(b"x"))
        self.assertEqual(ears.heard[-4:], ["deliver-end", "mark 0 EE-226", "end", "EE-226"])

    def test_what_services_know_is_neither_left_over_nor_missing(self) -> None:
        known = (("count 1", b"\0"),)
        end, ears = self.acceptor()
        self.refuses("EE-230", lambda: end.resume(1, resumption(2), known))
        end.mark(0, 1, Mark(MARK, False, False, 0, 0, 0, 0), known)
        self.assertEqual(ears.heard[-1], "EE-230")
        end, ears = self.acceptor(known)
        five = memoryview(b"\1\2\3\4\5")
        end.octets(0, 1, five)
        end.kept(0, 5)
        welcome, states = end.resume(1, resumption(2))
        self.assertEqual((welcome.offset, states), (0, known))
        end.answered(1)
        end.octets(1, 2, five)
        self.assertEqual(end.received, 5)
        self.assertEqual(ears.heard.count("deliver 5"), 1)
        later = (("count 1", b"\5"),)
        end.mark(1, 2, Mark(MARK, False, False, 0, 5, CRC(five, 0), 0), later)
        self.assertEqual(end.resume(2, resumption(3)), (Mark(WELCOME, False, False, 0, 5, CRC(five, 0), 0), later))
        end.answered(2)
        end.mark(2, 3, Mark(MARK, False, False, 0, 5, CRC(five, 0), 0))
        self.assertEqual(ears.heard[-1], "EE-230")
        opener = knowing_opener()
        self.refuses("EE-230", lambda: opener.welcomed(1, 2, Mark(WELCOME, False, False, 0, 0, 0, 0), known))
        self.assertFalse(opener.is_over)

    def test_octets_that_come_again_and_are_others_end_the_session(self) -> None:
        end, ears = self.acceptor((("count 1", b""),))
        end.octets(0, 1, memoryview(b"\1\2\3"))
        end.resume(1, resumption(2))
        end.answered(1)
        end.octets(1, 2, memoryview(b"\1\2"))
        self.assertFalse(end.is_over)
        end.octets(1, 2, memoryview(b"\4\5"))
        self.assertEqual(ears.heard[-1], "EE-226")
        self.assertEqual([what for what in ears.heard if what.startswith("deliver")], ["deliver 3"])

    def test_a_leg_has_longer_after_others_that_brought_nothing(self) -> None:
        end = SessionEnd(0, Ears(), 7, TOKEN, True, 1 << 20, window=1000)
        patience = []
        for _ in range(7):
            opened = end.deadline
            end.on_timer(opened)
            end.opening(opened)
            patience.append(round(end.deadline - opened, 1))
            end.on_timer(end.deadline)
        self.assertEqual(patience, [SILENCE, SILENCE, SILENCE, 6.4, 12.8, 16.0, 16.0])

    def test_a_full_ring_makes_its_writer_wait_and_asks_for_an_answer_once(self) -> None:
        ears = Ears()
        end = SessionEnd.acceptor(0, ears, resumption(1), 1)
        end.resume(0, resumption(1))
        end.answered(0)
        block = memoryview(bytes(60_000))
        self.assertEqual([end.write(0, block) for _ in range(3)], [60_000, 0, 0])
        self.assertEqual(ears.heard, ["octets 60000", "mark 60000"])
        end.mark(1, 1, Mark(MARK, False, False, 0, 0, 0, 60_000))
        self.assertEqual(end.held, 0)
        self.assertEqual(end.write(0, block), 60_000)


class WhenAnEndSpeaks(unittest.TestCase):
    def setUp(self) -> None:
        self.ears = Ears()
        self.end = SessionEnd(0, self.ears, 7, TOKEN, True, 16 << 20)
        self.end.on_timer(0)
        self.end.opening(0)
        self.end.welcomed(0, 1, Mark(WELCOME, False, False, 0, 0, 0, 0))
        self.said(0.05, Mark(MARK, False, False, 0, 0, 0, 0))

    def said(self, at: float, mark: Mark) -> None:
        """The next thing to do is this mark, at this time."""
        count = len(self.ears.marks)
        self.assertAlmostEqual(self.end.deadline, at)
        self.end.on_timer(at)
        self.assertEqual(self.ears.marks[count:], [mark])

    def test_what_is_new_is_said_50_ms_later_and_where_nothing_is_every_2_s(self) -> None:
        hello = memoryview(b"hello")
        mark = Mark(MARK, False, False, 0, 5, CRC(hello, 0), 0)
        self.end.write(1, hello)
        self.said(1.05, mark)
        self.said(3.05, mark)
        self.end.octets(4, 1, hello)
        self.said(5.05, mark)
        self.end.kept(6, 3)
        self.said(6.05, mark._replace(kept=3))
        self.end.mark(7, 1, Mark(MARK, False, False, 0, 5, CRC(hello, 0), 5))
        self.said(8.05, mark._replace(kept=3))
        self.end.end(9)
        self.said(9.05, mark._replace(kept=3, last=True))
        # The far end may wait for this alone.
        self.end.mark(10, 1, Mark(MARK, True, True, 0, 5, CRC(hello, 0), 5))
        self.end.kept(10, 5)
        self.assertEqual(self.ears.marks[-1], mark._replace(kept=5, last=True, kept_last=True))
        self.said(12, self.ears.marks[-1])
        last = Mark(MARK, True, True, 0, 5, CRC(hello, 0), 5)
        self.end.mark(12, 1, last._replace(done=True))
        self.assertEqual(self.ears.heard[-2:], ["end", "done"])
        self.assertEqual(self.ears.marks[-1], last._replace(done=True))

    def test_a_mark_stands_after_every_mebibyte_of_each_direction_between_whole_packets(self) -> None:
        block = memoryview(bytes(60_000))
        for _ in range(40):
            self.assertEqual(self.end.write(1, block), len(block))
            self.end.octets(1, 1, block)
        self.assertEqual([mark.offset for mark in self.ears.marks[1:]], [1_020_000, 2_040_000])
        self.assertEqual({what for what in self.ears.heard if what.startswith("octets")}, {"octets 60000"})
        for at in range(1, 41):
            self.end.kept(1, at * 60_000)
        self.assertEqual([mark.kept for mark in self.ears.marks[3:]], [1_080_000, 2_160_000])

    def test_silence_means_nothing_while_the_program_takes_nothing(self) -> None:
        self.end.reading(1, False)
        for at in (3, 5, 7, 9):
            self.end.on_timer(at)
        self.assertTrue(self.end.is_up)
        self.end.reading(10, True)
        self.end.on_timer(14.9)
        self.assertTrue(self.end.is_up)
        self.end.on_timer(15)
        self.assertEqual((self.end.is_up, self.ears.heard[-1]), (False, "reset"))

    def test_a_leg_that_stood_is_replaced_at_once_and_others_after_pauses(self) -> None:
        self.end.lost(5, 1)
        self.assertEqual(self.end.deadline, 5)
        self.end.on_timer(5)
        self.end.opening(5)
        self.end.lost(6, 2)
        self.assertGreaterEqual(self.end.deadline, 6.1)
        self.end.on_timer(7)
        self.end.opening(7)
        # Answers to another leg mean nothing.
        self.end.welcomed(7, 2, Mark(WELCOME, False, False, 0, 0, 0, 0))
        self.assertFalse(self.end.is_up)
        self.end.welcomed(7, 3, Mark(WELCOME, False, False, 0, 0, 0, 0))
        self.assertTrue(self.end.is_up)
        self.end.lost(8, 3)
        self.assertEqual(self.end.deadline, 8)
        self.assertEqual((self.end.losses.resumptions, self.end.losses.stalled), (1, 7))


class Rings(unittest.TestCase):
    def test_checksums_are_those_of_the_octets_wherever_one_looks(self) -> None:
        some = random.Random(4)
        ring = OctetRing(1 << 20, 50_000, CRC)
        all_octets = b""
        for _ in range(300):
            what = some.randrange(4)
            if what < 2:
                more = some.randbytes(some.randrange(1, some.choice((20, 5_000, 120_000))))
                all_octets += more[:ring.write(memoryview(more))]
            elif what == 2:
                while ring.next_length() and some.random() < 0.8:
                    ring.send(1 << 20)
            elif some.random() < 0.5:
                ring.rewind(some.randint(ring.acknowledged, ring.sent))
            else:
                ring.acknowledge(some.randint(ring.acknowledged, ring.sent))
            for at in (ring.acknowledged, some.randint(ring.acknowledged, ring.sent), ring.sent):
                self.assertEqual(ring.checksum_at(at), CRC(memoryview(all_octets[:at]), 0))
            self.assertEqual(ring.mark(), CRC(memoryview(all_octets[:ring.sent]), 0))
        self.assertGreater(ring.acknowledged, 0)


if __name__ == "__main__":
    unittest.main()
