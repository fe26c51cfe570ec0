"""Sources are ordered, and nothing that goes wrong with the observatory holds a transfer up."""

import importlib
import sys
import threading
import time
import types
import unittest

from support import Recorded

from tamanoir_observatory import Observatory, Replica
from tamanoir_observatory.choice import Choice, host_of
from tamanoir_observatory.condor import quoted, rank_expression
from tamanoir_observatory.distances import Distance, Rucio


class Answers:
    """An observatory of which only the answer counts."""

    def __init__(self, **seconds):
        self.seconds, self.asked = seconds, 0

    def rank(self, hosts, destinations, size, **_):
        self.asked += 1
        known = [Replica(host, self.seconds[host], 0, True) for host in hosts if host in self.seconds]
        return {destinations[0]: known + [Replica(host, 1e300, 0, False) for host in hosts if host not in self.seconds]}


class ChoiceTest(unittest.TestCase):
    def test_the_best_costs_nothing_and_like_ones_cost_the_same(self):
        choice = Choice(Answers(near=10.0, like=10.9, twice=20.0, slow=100.0))
        costs = choice.costs({"1": "near", "2": "like", "3": "twice", "4": "slow"}, "here", 1)
        self.assertEqual((costs["1"], costs["2"]), (0, 0))
        self.assertEqual(costs["3"], 7)
        self.assertGreater(costs["4"], costs["3"])

    def test_what_is_not_known_is_neither_preferred_nor_given_up(self):
        self.assertEqual(Choice(Answers(near=10.0, slow=100.0)).costs({"n": "near", "s": "slow", "u": "unknown", "none": None}, "here", 1), {"n": 0, "s": 24, "u": 24, "none": 24})
        self.assertEqual(Choice(Answers()).costs({"u": "unknown"}, "here", 1), {})
        self.assertEqual(Choice(Answers(near=1.0)).costs({"n": "near"}, None, 1), {})
        self.assertEqual(Choice(Answers(same=0.0, near=1.0)).costs({"s": "same", "n": "near"}, "here", 1)["s"], 0)

    def test_one_that_hangs_is_left_after_the_timeout_and_then_not_asked(self):
        hang, clock = threading.Event(), [0.0]
        self.addCleanup(hang.set)
        with Recorded(lambda handler: hang.wait(60)) as server:
            choice = Choice(Observatory(server.url, timeout=60), timeout=0.2, pause=30, now=lambda: clock[0])
            begin = time.monotonic()
            with self.assertLogs(level="WARNING") as logged:
                self.assertEqual(choice.costs({"n": "near"}, "here", 1), {})
            self.assertLess(time.monotonic() - begin, 30)
            self.assertIn("no answer in 0.2 s", logged.output[0])
            for _ in range(100):
                self.assertEqual(choice.costs({"n": "near"}, "here", 1), {})
            self.assertLessEqual(len(server.asked), 1)
            hang.set()

    def test_it_is_asked_again_after_the_pause(self):
        clock, answers = [0.0], Answers(near=1.0)
        away = Observatory("127.0.0.1:1")
        choice = Choice(away, pause=30, now=lambda: clock[0])
        with self.assertLogs(level="WARNING"):
            choice.costs({"n": "near"}, "here", 1)
        choice._observatory = answers
        clock[0] = 29.0
        self.assertEqual((choice.costs({"n": "near"}, "here", 1), answers.asked), ({}, 0))
        clock[0] = 30.0
        self.assertEqual(choice.costs({"n": "near"}, "here", 1), {"n": 0})

    def test_whatever_it_answers_is_no_error_of_the_transfer(self):
        for status, answer in ((200, []), (200, {"ranked": {}}), (200, {"ranked": {"here": [{}]}}), (500, {"code": "EE-783", "message": "away"}), (401, {"code": "EE-403"})):
            with Recorded(lambda handler: handler.reply(status, answer)) as server, self.assertLogs(level="WARNING"):
                self.assertEqual(Choice(Observatory(server.url)).costs({"n": "near"}, "here", 1), {})

    def test_the_host_of_an_rse(self):
        def protocol(host, third_party):
            return {"hostname": host, "domains": {"wan": {"third_party_copy_read": third_party}}}

        settings = {"protocols": [protocol("never", 0), protocol("second", 2), protocol("first", 1), {"hostname": ""}]}
        self.assertEqual(host_of({}, settings), "first")
        self.assertEqual(host_of({"observatory_host": "dtn"}, settings), "dtn")
        self.assertEqual(host_of({}, {"protocols": [protocol("only", 0)]}), "only")
        self.assertIsNone(host_of({}, {"protocols": []}))


class StrategyTest(unittest.TestCase):
    """By the published signature of Rucio 41.5.1; with_rucio.py has Rucio's own class."""

    def setUp(self):
        transfer = types.ModuleType("rucio.core.transfer")

        class RequestRankingContext:
            def __init__(self, strategy, rws):
                self.strategy, self.rws = strategy, rws

            def apply(self, source):
                return self.strategy.apply(self, source)

        class SourceRankingStrategy:
            filter_only = False
            external_name = "ObservatoryCost"

        transfer.RequestRankingContext, transfer.SourceRankingStrategy, transfer.FailureRate = RequestRankingContext, SourceRankingStrategy, object
        config = types.ModuleType("rucio.common.config")
        config.config_get = lambda section, option, raise_exception, default, check_config_table: default
        modules = {"rucio": types.ModuleType("rucio"), "rucio.core": types.ModuleType("rucio.core"), "rucio.common": types.ModuleType("rucio.common"), "rucio.core.transfer": transfer, "rucio.common.config": config}
        modules["rucio.core"].transfer = transfer
        sys.modules.update(modules)
        self.transfer = transfer
        self.strategy = importlib.import_module("tamanoir_observatory.rucio_strategy")
        for name in (*modules, "tamanoir_observatory.rucio_strategy"):
            self.addCleanup(sys.modules.pop, name)

    @staticmethod
    def rse(name):
        return types.SimpleNamespace(id=name, attributes={"observatory_host": name}, info={})

    def test_it_asks_once_for_a_request_and_costs_its_sources(self):
        answers = Answers(near=1.0, far=3.0)
        sources = [types.SimpleNamespace(rse=self.rse(name)) for name in ("far", "near", "unknown")]
        request = types.SimpleNamespace(dest_rse=self.rse("here"), byte_count=10)
        context = self.strategy.ObservatoryCost(Choice(answers), stats_manager=None).for_request(request, sources, logger=None, session=None)
        self.assertEqual([context.apply(source) for source in sources], [11, 0, 11])
        self.assertEqual(answers.asked, 1)

    def test_it_takes_the_place_of_a_strategy(self):
        self.strategy.install()
        self.assertIs(self.transfer.FailureRate, self.strategy.ObservatoryCost)
        with self.assertRaisesRegex(ValueError, "no strategy Nothing"):
            self.strategy.install("Nothing")
        with self.assertRaisesRegex(ValueError, r"no 'url' in \[observatory\]"):
            self.strategy.ObservatoryCost(stats_manager=None)


class Client:
    """The calls of Rucio's client that are used, as Rucio 41.5.1 has them."""

    def __init__(self):
        self.distances, self.done = {("A", "B"): 100, ("B", "A"): 10}, []

    def list_rses(self, rse_expression=None):
        return iter([{"rse": "A"}, {"rse": "B"}, {"rse": "TAPE"}])

    def get_rse(self, rse):
        return {"protocols": [] if rse == "TAPE" else [{"hostname": rse.lower() + ".example"}]}

    def list_rse_attributes(self, rse):
        return {rse: True}

    def get_distance(self, source, destination):
        known = self.distances.get((source, destination))
        return [] if known is None else [{"distance": known, "ranking": known}]

    def add_distance(self, source, destination, parameters, bidirectional=False):
        self.done.append(("add", source, destination, parameters))

    def update_distance(self, source, destination, parameters, bidirectional=False):
        self.done.append(("update", source, destination, parameters))


class DistancesTest(unittest.TestCase):
    def test_rucio_is_asked_and_changed_by_its_own_client(self):
        rucio = Rucio(Client())
        self.assertEqual(rucio.hosts(), {"A": "a.example", "B": "b.example"})
        near, far = rucio.known(Distance("A", "B", 110)), rucio.known(Distance("B", "A", 110))
        self.assertEqual((near.old, near.differs(0.2), far.old, far.differs(0.2)), (100, False, 10, True))
        rucio.put(far)
        rucio.put(rucio.known(Distance("A", "C", 5)))
        self.assertEqual(rucio._client.done, [("update", "B", "A", {"distance": 110}), ("add", "A", "C", {"distance": 5})])


class CondorTest(unittest.TestCase):
    def test_a_name_cannot_leave_its_literal(self):
        self.assertEqual(quoted('a"b\\'), '"a\\"b\\\\"')
        with self.assertRaises(ValueError):
            quoted("a\nb")
        self.assertEqual(rank_expression({}, ["a"], "X"), "0.0")
        self.assertEqual(rank_expression({"a": 1, "b": 2, "c": 3}, ["a", "b", "c"], "X"), 'TARGET.X =?= "a" ? -1.000 : TARGET.X =?= "b" ? -2.000 : -3.000')


if __name__ == "__main__":
    unittest.main()
