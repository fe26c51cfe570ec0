"""Writes ``recorded/calls.json`` anew, from a running observatory: ``record.py URL``. Its requests are those below."""

import json
import sys

from support import RECORDED, feed

from tamanoir_observatory import Observatory, ObservatoryError

A, B, C = "se.naples.example", "se.rome.example", "se.pisa.example"


def rank(replicas, destinations, size=1e9, function="time", **options):
    return "POST", "/v1/rank", {"size": size, "replicas": replicas, "destinations": destinations, "function": function, **options}


CALLS = [
    ("GET", f"/v1/costs?from={A}&to={C}&size=1000000000.0", None),
    ("GET", f"/v1/costs?from={A}&to={C}&size=1000000000.0&tolerance=3600.0", None),
    ("GET", "/v1/matrix", None),
    rank([A, B, "far.example"], [C]),
    rank([A, B, "far.example"], [C], tolerance=3600.0, explain=True),
    rank([A], [C], 0, "best"),
    rank([A, B], ["far.example", C, B], tolerance=3600.0),
    rank([A, C, B], [A, C, B], tolerance=3600.0),
    rank([A, B], [C], 5e8, tolerance=3600.0),
    rank(["far.example"], [C], 5e8, tolerance=3600.0),
]


def main():
    feed(sys.argv[1])
    observatory, calls = Observatory(sys.argv[1]), []
    for method, path, body in CALLS:
        try:
            answer, status = observatory._ask(method, path, body), 200
        except ObservatoryError as error:
            answer, status = {"code": error.code, "message": str(error)[len(error.code) + 1 :]}, error.status
        calls.append({"method": method, "path": path, "body": body, "status": status, "answer": answer})
    RECORDED.write_text("[\n" + ",\n".join(json.dumps(each) for each in calls) + "\n]\n", encoding="utf-8")


main()
