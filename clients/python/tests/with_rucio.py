"""Rucio's own server, client and conveyor with an observatory: ``with_rucio.py URL``, where ``rucio`` is installed. ``test-with-rucio`` does both.

The server has a database of SQLite in a temporary folder and listens on a free port of loopback.
"""

import importlib.metadata
import io
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from support import feed

OBSERVATORY = sys.argv.pop()
DIRECTORY = tempfile.TemporaryDirectory()
CONFIGURATION = Path(DIRECTORY.name) / "rucio.cfg"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


PORT = free_port()
CONFIGURATION.write_text(
    f"""[common]
loglevel = INFO
[database]
default = sqlite:///{DIRECTORY.name}/rucio.db
[client]
rucio_host = http://127.0.0.1:{PORT}
auth_host = http://127.0.0.1:{PORT}
account = root
auth_type = userpass
username = ddmlab
password = secret
auth_token_file_path = {DIRECTORY.name}/token
[bootstrap]
userpass_identity = ddmlab
userpass_pwd = secret
[policy]
permission = generic
schema = generic
[transfers]
source_ranking_strategies = SkipSchemeMissmatch,ObservatoryCost,PathDistance
[conveyor]
transfertool = mock
[observatory]
url = {OBSERVATORY}
""",
    encoding="utf-8",
)
os.environ["RUCIO_CONFIG"] = str(CONFIGURATION)

from rucio.client import Client  # noqa: E402
from rucio.common.types import InternalAccount, InternalScope  # noqa: E402
from rucio.core import replica, rule  # noqa: E402
from rucio.core.request import list_and_mark_transfer_requests_and_source_replicas  # noqa: E402
from rucio.core.rse import get_rse_id  # noqa: E402
from rucio.core.topology import Topology  # noqa: E402
from rucio.core.transfer import ProtocolFactory, SourceRankingStrategy, build_transfer_paths  # noqa: E402
from rucio.db.sqla import models, session  # noqa: E402
from rucio.db.sqla.util import create_base_vo, create_root_account  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402

from tamanoir_observatory import rucio_strategy  # noqa: E402
from tamanoir_observatory.command import main  # noqa: E402

HOSTS = {"NAPLES": "se.naples.example", "ROME": "se.rome.example", "PISA": "se.pisa.example", "FAR": "far.example"}


class WithRucio(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        models.register_models(session.get_engine())
        create_base_vo()
        create_root_account()
        from rucio.web.rest.flaskapi.v1.main import application

        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        cls.server = make_server("127.0.0.1", PORT, application, threaded=True)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.client = Client()
        usable = {"read": 1, "write": 1, "delete": 1}
        for name, host in HOSTS.items():
            cls.client.add_rse(name)
            cls.client.add_protocol(name, {"scheme": "https", "hostname": host, "port": 443, "prefix": "/data/", "impl": "rucio.rse.protocols.gfal.Default",
                                           "domains": {"lan": usable, "wan": {**usable, "third_party_copy_read": 1, "third_party_copy_write": 1}}})
            cls.client.add_rse_attribute(name, "fts", "https://fts.example:8446")
        cls.client.set_local_account_limit("root", "PISA", 10**15)
        # By distance the slow source is the first one.
        for source, distance in (("NAPLES", 1), ("ROME", 30), ("FAR", 2)):
            cls.client.add_distance(source, "PISA", {"distance": distance})
        feed(OBSERVATORY)
        rucio_strategy.install()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()

    def sources_in_order(self, name):
        """Of a file at all the others that Rucio would copy to PISA."""
        root, scope = InternalAccount("root"), InternalScope("tests")
        if name == "one":
            self.client.add_scope("root", "tests")
        file = {"scope": scope, "name": name, "type": "FILE", "bytes": 10**9, "adler32": "beefdead"}
        for source in ("NAPLES", "ROME", "FAR"):
            replica.add_replicas(rse_id=get_rse_id(source), files=[file], account=root)
        rule.add_rule(dids=[{"scope": scope, "name": name}], account=root, copies=1, rse_expression="PISA", grouping="ALL", weight=None, lifetime=None, locked=False, subscription_id=None)
        rses = [get_rse_id(each) for each in HOSTS]
        topology = Topology(rse_ids=rses)
        requests = list_and_mark_transfer_requests_and_source_replicas(rse_collection=topology, rses=rses)
        wanted = [each for each in requests.values() if each.name == name]
        paths, *_ = build_transfer_paths(topology=topology, protocol_factory=ProtocolFactory(), requests_with_sources=wanted)
        [candidates] = paths.values()
        return [path[0].src.rse.name for path in candidates]

    def test_1_the_fastest_source_comes_first_and_without_an_observatory_the_nearest(self):
        self.assertTrue(issubclass(rucio_strategy.ObservatoryCost, SourceRankingStrategy))
        self.assertEqual(self.sources_in_order("one"), ["ROME", "NAPLES", "FAR"])
        rucio_strategy._configured.cache_clear()
        configured = rucio_strategy._configured()
        configured._observatory = type(configured._observatory)("127.0.0.1:1")
        with self.assertLogs(level="WARNING"):
            self.assertEqual(self.sources_in_order("two"), ["NAPLES", "FAR", "ROME"])

    def test_2_the_submitter_of_rucio_runs_with_it(self):
        ran = subprocess.run([sys.executable, "-m", "tamanoir_observatory", "rucio-run", "rucio-conveyor-submitter", "--run-once", "--total-threads", "1"], capture_output=True, text=True, timeout=120,
                             env={**os.environ, "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]})
        self.assertEqual(ran.returncode, 0, ran.stderr[-2000:])
        self.assertRegex(ran.stdout + ran.stderr, r"3 ordered sources: ROME:0:30, NAPLES:16:1")

    def test_3_distances_are_printed_and_then_set(self):
        def distance(source):
            return self.client.get_distance(source, "PISA")[0]["distance"]

        def export(*more):
            out = io.StringIO()
            with redirect_stdout(out), redirect_stderr(io.StringIO()):
                self.assertEqual(main(["distances", "--observatory", OBSERVATORY, "--size", "1000000000", *more]), 0)
            return out.getvalue()

        self.assertEqual(export(), "NAPLES PISA 100 was 1\nROME PISA 20 was 30\n")
        self.assertEqual(distance("NAPLES"), 1)
        export("--apply")
        self.assertEqual((distance("NAPLES"), distance("ROME"), distance("FAR")), (100, 20, 2))
        self.assertEqual(self.client.get_distance("NAPLES", "ROME"), [])
        self.assertEqual(export("--add", "--apply"), "NAPLES ROME 80 was none\n")
        self.assertEqual(self.client.get_distance("NAPLES", "ROME")[0]["distance"], 80)

    def test_4_a_rank_means_to_htcondor_what_it_should(self):
        import classad2

        out = io.StringIO()
        with redirect_stdout(out):
            main(["condor-rank", "--observatory", OBSERVATORY, "--input", "1000000000=se.naples.example,se.rome.example", "--site", "PISA=se.pisa.example", "--site", "ROME=se.rome.example", "--attribute", "Site"])
        text = out.getvalue().split(" = ", 1)[1]
        for machine, rank in (("ROME", 0.0), ("PISA", -20.0), ("ELSEWHERE", -20.0)):
            job = classad2.ClassAd()
            job["Rank"] = classad2.ExprTree(text)
            self.assertEqual(job.lookup("Rank").simplify(job, classad2.ClassAd({"Site": machine})).eval(), rank, machine)
        self.assertEqual(classad2.ExprTree(text).simplify(classad2.ClassAd(), classad2.ClassAd({"Memory": 1})).eval(), -20.0)


if __name__ == "__main__":
    print("Rucio", importlib.metadata.version("rucio"), "HTCondor", importlib.metadata.version("htcondor"), flush=True)
    unittest.main(verbosity=2)
