"""An observatory that answers as one has answered, and one that lives."""

import json
import os
import re
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded" / "calls.json"
# Of a running observatory; tests/integration and with_rucio.py set it.
LIVE = os.environ.get("TAMANOIR_OBSERVATORY_UNDER_TEST")
MEGABITS = {("se.naples.example", "se.pisa.example"): 80.0, ("se.rome.example", "se.pisa.example"): 400.0, ("se.naples.example", "se.rome.example"): 100.0}


def masked(answer):
    """Without the ages of samples, which differ from one observatory to the next."""
    text = re.sub(r", \d+ \w+ old", ", old", json.dumps(answer, sort_keys=True))
    return json.loads(re.sub(r'"(time|boot)": \d+', r'"\1": 0', text))


def feed(url: str) -> None:
    """Samples of throughput between three hosts, from theodolites of their names."""

    def send(method: str, path: str, body: str) -> None:
        urllib.request.urlopen(urllib.request.Request(url + path, body.encode(), method=method), timeout=30).read()

    for number, ((source, destination), megabits) in enumerate(MEGABITS.items(), 1):
        send("PUT", f"/v1/theodolites/{source}", '{"node": "n", "anep": "h:1", "software": "test"}')
        sample = {"theodolite": source, "boot": 1, "number": number, "session": f"flow/be/{source}/{destination}", "kind": "throughput", "time": int(time.time() * 1000) - 1000, "values": {"mbits": megabits}}
        send("POST", "/v1/samples", json.dumps(sample) + "\n")


class Recorded:
    """Answers the requests of ``recorded/calls.json``, and 404 to all others; ``asked`` has all bodies. ``behave`` may do something else."""

    def __init__(self, behave=None):
        calls = {(each["method"], each["path"], json.dumps(each["body"], sort_keys=True)): each for each in json.loads(RECORDED.read_text(encoding="utf-8"))}
        self.asked = []
        recorded = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length)) if length else None
                recorded.asked.append((self.command, self.path, body, dict(self.headers)))
                if behave:
                    behave(self)
                    return
                call = calls.get((self.command, self.path, json.dumps(body, sort_keys=True)))
                self.reply(call["status"] if call else 404, call["answer"] if call else {"code": "EE-407", "message": f"not recorded: {self.path} {body}"})

            def reply(self, status, answer):
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
