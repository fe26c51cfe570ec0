"""What is asked and understood, by recorded answers; and that an observatory still answers so."""

import json
import os
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from support import LIVE, RECORDED, Recorded, feed, masked

from tamanoir_observatory import Observatory, ObservatoryError, Unreachable
from tamanoir_observatory.command import main

A, B, C = "se.naples.example", "se.rome.example", "se.pisa.example"


def command(url, *arguments):
    """The exit code, what it prints, and what it says of errors."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([arguments[0], "--observatory", url, *arguments[1:]])
        except SystemExit as exit_of_parser:
            code = exit_of_parser.code
    return code, out.getvalue(), err.getvalue()


class ByRecordedCalls(unittest.TestCase):
    def setUp(self):
        self.server = Recorded()
        self.addCleanup(self.server.__exit__)
        self.url = self.server.url

    def test_costs(self):
        costs = Observatory(self.url).costs(A, C, 1e9)
        self.assertEqual(sorted(costs), ["closeness", "netcost", "time"])
        self.assertEqual((costs["time"].value, costs["time"].unit, costs["time"].known), (100.0, "s", True))
        self.assertFalse(costs["netcost"].known)
        self.assertIn("median 80 Mbit/s", costs["time"].why[1])

    def test_replicas_in_order(self):
        ranked = Observatory(self.url).rank([A, B, "far.example"], [C], 1e9)
        self.assertEqual([(each.host, each.known) for each in ranked[C]], [(B, True), (A, True), ("far.example", False)])
        self.assertEqual(ranked[C][0].value, 20.0)

    def test_matrix(self):
        self.assertEqual({each["session"]: each["values"]["mbits"] for each in Observatory(self.url).matrix()}[f"flow/be/{A}/{C}"], 80.0)

    def test_a_refusal_has_its_code(self):
        with self.assertRaises(ObservatoryError) as raised:
            Observatory(self.url).rank([A], [C], 0, "best")
        self.assertEqual((raised.exception.code, raised.exception.status), ("EE-408", 400))
        self.assertNotIsInstance(raised.exception, Unreachable)

    def test_commands(self):
        code, out, err = command(self.url, "rank", "--size", "1000000000", "--to", C, A, B, "far.example")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([line.split()[0] for line in out.splitlines()], [B, A, "far.example"])
        self.assertIn("not known", out)
        self.assertEqual(json.loads(command(self.url, "costs", "--json", "--size", "1000000000", A, C)[1])["time"]["value"], 100.0)
        self.assertIn(f"flow/be/{A}/{C} mbits=80", command(self.url, "matrix")[1])

    def test_condor_rank(self):
        code, out, err = command(self.url, "condor-rank", "--input", f"1000000000={A},{B}", "--site", f"HERE={C}", "--site", f"THERE={B}", "--site", "FAR=far.example")
        self.assertEqual((code, out), (0, 'rank = TARGET.GLIDEIN_Site =?= "THERE" ? -0.000 : -20.000\n'))
        self.assertIn("nothing is known of a way to FAR", err)

    def test_distances_are_printed_only(self):
        with tempfile.TemporaryDirectory() as directory:
            rses = os.path.join(directory, "rses")
            with open(rses, "w", encoding="utf-8") as file:
                file.write(f"# ours\nA_DISK {A}\nB_DISK {B}\nC_DISK {C}\n\n")
            code, out, err = command(self.url, "distances", "--rses", rses, "--size", "1000000000")
            self.assertEqual((code, out), (0, "A_DISK B_DISK 80\nA_DISK C_DISK 100\nB_DISK C_DISK 20\n"))
            self.assertIn("nothing was changed", err)
            with open(rses, "a", encoding="utf-8") as file:
                file.write("three words here\n")
            self.assertEqual(command(self.url, "distances", "--rses", rses)[0], 2)

    def test_a_token_is_shown(self):
        with tempfile.NamedTemporaryFile("w", suffix=".token") as token:
            token.write("secret-of-a-reader\n")
            token.flush()
            command(self.url, "matrix", "--token-file", token.name)
        self.assertEqual(self.server.asked[-1][3]["Authorization"], "Bearer secret-of-a-reader")

    def test_what_is_wrong_is_said_and_has_an_exit_code(self):
        code, _, err = command("127.0.0.1:1", "matrix")
        self.assertEqual(code, 5)
        self.assertRegex(err, "EE-786 http://127.0.0.1:1 does not answer")
        self.assertEqual(command(self.url, "costs", A, "nowhere.example")[0], 3)
        self.assertEqual(command("ftp://x", "matrix")[0], 2)
        self.assertEqual(command(self.url, "rank", "--to", C, "--size", "much", A)[0], 2)

    def test_what_is_no_observatory_is_said(self):
        for status, text in ((200, b"<html>hello</html>"), (502, b""), (500, b"[]")):
            def behave(handler):
                handler.send_response(status)
                handler.send_header("Content-Length", str(len(text)))
                handler.end_headers()
                handler.wfile.write(text)

            with Recorded(behave) as other, self.assertRaises(ObservatoryError) as raised:
                Observatory(other.url).matrix()
            self.assertIn("EE-786", str(raised.exception))

    def test_every_command_has_help_with_an_example(self):
        for name in ("costs", "rank", "matrix", "distances", "condor-rank", "rucio-run"):
            out = StringIO()
            with redirect_stdout(out), self.assertRaises(SystemExit) as ended:
                main([name, "--help"])
            self.assertEqual(ended.exception.code, 0)
            self.assertIn(f"Example:\n  tamanoir-observatory {name} ", out.getvalue())


@unittest.skipUnless(LIVE, "no observatory runs for it; ./tamanoir test has one")
class ByAnObservatory(unittest.TestCase):
    """Wrong: answers that were recorded once and that no observatory gives any more."""

    def test_it_answers_as_was_recorded(self):
        feed(LIVE)
        observatory = Observatory(LIVE)
        for each in json.loads(RECORDED.read_text(encoding="utf-8")):
            with self.subTest(each["path"]):
                try:
                    answer, status = observatory._ask(each["method"], each["path"], each["body"]), 200
                except ObservatoryError as refused:
                    answer, status = {"code": refused.code, "message": str(refused)[len(refused.code) + 1 :]}, refused.status
                if each["path"] == "/v1/matrix":
                    answer = [one for one in answer if one["from"] in (A, B)]
                self.assertEqual((masked(answer), status), (masked(each["answer"]), each["status"]))
        code, out, _ = command(LIVE, "rank", "--size", "1G", "--to", C, A, B)
        self.assertEqual((code, [line.split()[0] for line in out.splitlines()]), (0, [B, A]))


if __name__ == "__main__":
    unittest.main()
