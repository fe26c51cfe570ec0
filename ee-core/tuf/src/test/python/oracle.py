"""python-tuf answers questions, one JSON object a line: what it would sign, which paths a pattern has, what its client makes of some files."""

import base64
import datetime
import hashlib
import json
import os
import sys
import tempfile
import traceback

from securesystemslib.formats import encode_canonical
from securesystemslib.signer import SSlibKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from tuf.api.exceptions import DownloadHTTPError
from tuf.api.metadata import DelegatedRole
from tuf.ngclient import FetcherInterface, Updater

CLIENTS = {}


class Files(FetcherInterface):
    """Serves what the question has."""

    def __init__(self, files):
        self.files = files

    def _fetch(self, url):
        name = url[len("http://files/"):]
        if name not in self.files:
            raise DownloadHTTPError("no such file", 404)
        yield base64.b64decode(self.files[name])


def canonical(question):
    """Values that no JSON may hold come as text that is JSON."""
    return [encode_canonical(json.loads(value)).encode("utf-8").hex() for value in question["values"]]


def matches(question):
    return [DelegatedRole._is_target_in_pathpattern(path, pattern) for pattern, path in question["pairs"]]


def key_ids(question):
    return [SSlibKey.from_crypto(load_pem_public_key(pem.encode())).keyid for pem in question["keys"]]


def update(question):
    """A client with a memory of its own, by its name; the time is the question's."""
    directory = CLIENTS.setdefault(question["client"], tempfile.mkdtemp(dir=os.environ["ORACLE_DIRECTORY"]))
    files = {"metadata/" + name: content for name, content in question["files"].items()}
    now = datetime.datetime.fromisoformat(question["now"].replace("Z", "+00:00"))
    updater = None
    answer = {"found": {}}
    try:
        updater = Updater(directory, "http://files/metadata/", fetcher=Files(files), bootstrap=base64.b64decode(question["root"]))
        updater._trusted_set.reference_time = now
        updater.refresh()
    except Exception as error:  # Whatever it is, it is the answer.
        answer["error"] = type(error).__name__ + ": " + str(error)
    if updater is not None:
        trusted = updater._trusted_set
        answer["versions"] = {role: trusted[role].version for role in ("root", "timestamp", "snapshot", "targets") if role in trusted}
    if "error" not in answer:
        for path in question["paths"]:
            try:
                target = updater.get_targetinfo(path)
                answer["found"][path] = None if target is None else target.hashes["sha256"]
            except Exception as error:
                answer["found"][path] = "error " + type(error).__name__ + ": " + str(error)
    return answer


def download(question):
    """The client as its authors ship it, with its own HTTP."""
    directory = CLIENTS.setdefault(question["client"], tempfile.mkdtemp(dir=os.environ["ORACLE_DIRECTORY"]))
    answer = {"found": {}}
    try:
        updater = Updater(directory, question["url"] + "/tuf/", target_dir=directory, target_base_url=question["url"] + "/tuf/targets/",
                          bootstrap=base64.b64decode(question["root"]))
        updater.refresh()
    except Exception as error:
        answer["error"] = type(error).__name__ + ": " + str(error)
        return answer
    for path in question["paths"]:
        try:
            target = updater.get_targetinfo(path)
            if target is None:
                answer["found"][path] = None
                continue
            with open(updater.download_target(target), "rb") as file:
                answer["found"][path] = hashlib.sha256(file.read()).hexdigest()
        except Exception as error:
            answer["found"][path] = "error " + type(error).__name__ + ": " + str(error)
    return answer


QUESTIONS = {"download": download, "canonical": canonical, "matches": matches, "key_ids": key_ids, "update": update}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        print(json.dumps({"answer": QUESTIONS[asked["ask"]](asked)}), flush=True)
    except Exception:
        print(json.dumps({"failure": traceback.format_exc()}), flush=True)
