# SPDX-License-Identifier: Apache-2.0
"""The same calls through HMS's SDK and through Vecwire's tool, against a server
that writes them down: method, path, headers and JSON must mean the same, and
the numbers be the same float32. Run by test_sdk.sh in an environment that has
the SDK.
    sdk_compare.py TOOL [URL]   URL: a server to store and find rows on as well
"""
import http.server
import json
import math
import os
import random
import struct
import subprocess
import sys
import threading
import urllib.parse

import holographic_sdk

KEY = "sesame-7391"
TENANT = "Tenant_1-a"
PASSPHRASE = "correct horse \u00e9"
SALT = bytes(range(20))
MATCHES = {
    "matches": [
        {"id": "a/\u00e9", "text": "one", "metadata": {"n": 1}, "score": 0.75},
        {"id": "b", "text": "", "metadata": {}, "score": -0.1},
    ]
}


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests = []
    no_batch = False  # as servers that have no such route

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.requests.append((self.command, self.path, dict(self.headers), body))
        status, reply = 200, {"deleted": True}
        if self.path.endswith("/query"):
            reply = MATCHES
        elif self.path.endswith("/batch") and self.no_batch:
            status, reply = 404, {"error": {"code": "not_found", "message": "no"}}
        elif self.command == "POST":
            sent = json.loads(body)
            reply = {"added": len(sent) if isinstance(sent, list) else 1}
        text = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = do_PUT = answer

    def log_message(self, *args):
        pass


class Compare:
    def __init__(self, tool, url):
        self.tool = tool
        self.url = url
        self.failed = 0
        self.passed = 0

    def verdict(self, good, name, why=""):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED: {name}: {why[:2000]}")

    def run(self, *words, url=None, extra=None, check=True):
        """The tool's standard output."""
        done = subprocess.run(
            [self.tool, *words, "--url", url or self.url],
            capture_output=True,
            text=True,
            env={**os.environ, **(extra or {})},
            check=False,
        )
        if check:
            self.verdict(done.returncode == 0, " ".join(words[:2]), done.stderr)
        return done.stdout

    def record(self, call):
        """The requests that a call makes."""
        Recorder.requests.clear()
        call()
        return list(Recorder.requests)

    def has(self, command, option):
        """Does the tool offer it?"""
        done = subprocess.run(
            [self.tool, command, "--help"], capture_output=True, text=True, check=True
        )
        return option in done.stdout

    def same(self, name, ours, theirs):
        """The requests say the same."""
        self.verdict(len(ours) == len(theirs) > 0, name, f"{ours} {theirs}")
        for one, other in zip(ours, theirs):
            self.same_request(name, one, other)

    def same_request(self, name, ours, theirs):
        self.verdict(ours[0] == theirs[0], name, f"{ours[0]} {theirs[0]}")
        ours_path, theirs_path = decoded(ours[1]), decoded(theirs[1])
        self.verdict(ours_path == theirs_path, name, f"{ours_path} {theirs_path}")
        for header in "Authorization", "X-Tenant-ID", "Host":
            one, other = find(ours[2], header), find(theirs[2], header)
            self.verdict(one == other, f"{name}: {header}", f"{one} {other}")
        if not theirs[3]:
            self.verdict(not ours[3], name, "a body")
            return
        one, other = find(ours[2], "Content-Type"), find(theirs[2], "Content-Type")
        self.verdict(one == other, f"{name}: Content-Type", f"{one} {other}")
        one, other = meaning(ours[3]), meaning(theirs[3])
        self.verdict(one == other, name, f"\n    ours   {one}\n    theirs {other}")


def find(headers, name):
    for key, value in headers.items():
        if key.lower() == name.lower():
            return value
    return None


def decoded(path):
    return [urllib.parse.unquote(segment) for segment in path.split("/")]


def bits(vector):
    """The float32 that each number of JSON stands for."""
    return [struct.pack("<f", float(number)) for number in vector]


def meaning(body):
    """A body whose vectors are bits, and all else exact: 1 is not 1.0."""

    def walk(value, key=None):
        if key in ("vector", "query_vector") and isinstance(value, list):
            return ("float32", bits(value))
        if isinstance(value, dict):
            return {name: walk(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [walk(inner) for inner in value]
        return (type(value).__name__, value)

    # Python takes "-0" for an integer, which has no such zero.
    return walk(json.loads(body, parse_int=lambda text: -0.0 if text == "-0" else int(text)))


def some_floats(count, seed):
    """float32 values of all sizes, as Python has them."""
    source = random.Random(seed)
    values = [0.1, -0.0, 1.0, 1 / 3, 3.4028235e38, 1.17549435e-38, 1e-45, 16777216.0]
    while len(values) < count:
        raw = struct.unpack("<f", struct.pack("<I", source.getrandbits(32)))[0]
        plain = source.uniform(-1, 1)
        values.append(raw if math.isfinite(raw) and len(values) % 4 == 0 else plain)
    return [struct.unpack("<f", struct.pack("<f", v))[0] for v in values[:count]]


DOCUMENTS = [
    {
        "id": "a/\u00e9 1",
        "vector": some_floats(24, 1),
        "text": 'one "two"\n\u20ac\U0001f600\u2028',
        "metadata": {"n": 1, "x": 2.5, "l": [None, True, {}], "\u00e9": "\u00fc"},
    },
    {"id": "b", "vector": some_floats(24, 2), "text": "three"},
    {"id": "c", "vector": some_floats(24, 3), "metadata": {}},
    {"id": "d", "vector": some_floats(24, 4)},
]


def write_rows(documents, path="rows.jsonl"):
    """As `vecwire import` reads them."""
    with open(path, "w", encoding="utf-8") as rows:
        for document in documents:
            row = {k if k != "metadata" else "payload": v for k, v in document.items()}
            rows.write(json.dumps(row) + "\n")
    return path


def compare_queries(compare, client, options, extra):
    filters = {"n": 1, "\u00e9": "\u00fc\U0001f600", "list": [1, {"d": None}], "x": 1.0}
    for name, top_k, chosen in ("query", 7, None), ("filter", 100, filters):
        vector = some_floats(64, top_k)
        words = ["--vector", json.dumps(vector), "--top-k", str(top_k)]
        if chosen:
            words += ["--filter", json.dumps(chosen)]
        theirs = compare.record(lambda: client.query(vector, top_k, chosen))
        ours = compare.record(
            lambda: compare.run("query", *words, *options, extra=extra)
        )
        compare.same(name, ours, theirs)


def compare_writes(compare, client, options, extra):
    rows = write_rows(DOCUMENTS)
    ours = compare.record(lambda: compare.run("import", rows, *options, extra=extra))
    theirs = compare.record(lambda: client.add_documents(DOCUMENTS))
    compare.same("batch", ours, theirs)
    # On a server without the batch route the SDK goes on one by one.
    Recorder.no_batch = True
    ours = compare.record(
        lambda: compare.run(
            "import", rows, "--batch", "1", "--in-flight", "1", *options, extra=extra
        )
    )
    theirs = compare.record(lambda: client.add_documents(DOCUMENTS))
    compare.same("one by one", ours, theirs[1:])
    Recorder.no_batch = False


def compare_deletes(compare, client, options, extra):
    # What the SDK puts into a path without encoding it, and what arrives whole.
    for doc_id in "a", "a b", "\u00e9\u20ac\U0001f600", "a.b~c-d_e", "x:y@z", "a+b=c", "'(a)!":
        ours = compare.record(
            lambda: compare.run("delete", doc_id, *options, extra=extra)
        )
        theirs = compare.record(lambda: client.delete_document(doc_id))
        compare.same(f"delete {doc_id}", ours, theirs)
    # It does not encode these, so that they would name something else.
    for doc_id in "a/b", "a?b", "a#b", "100%", "%41", ".", "..", "batch":
        path = compare.record(
            lambda: compare.run("delete", doc_id, *options, extra=extra)
        )[0][1]
        segment = path[len("/api/v1/documents/") :]
        compare.verdict(
            urllib.parse.unquote(segment) == doc_id and "/" not in segment,
            f"delete {doc_id}",
            path,
        )
        compare.verdict(segment != "batch" and "." != segment[:1], doc_id, path)


def compare_replies(compare, client):
    theirs = client.query([1.0, 2.0], 5)["matches"]
    text = compare.run("query", "--vector", "[1,2]", "--with-payload", "--json")
    ours = json.loads(text)
    rows = ours.get("matches") or ours.get("hits") or ours.get("rows")
    compare.verdict(rows is not None and len(rows) == len(theirs), "rows", text)
    for mine, other in zip(rows or [], theirs):
        payload = mine.get("payload", mine.get("metadata"))
        compare.verdict(mine["id"] == other["id"], "reply: id", text)
        compare.verdict(mine["text"] == other["text"], "reply: text", text)
        compare.verdict(payload == other["metadata"], "reply: payload", text)
        compare.verdict(
            bits([mine["score"]]) == bits([other["score"]]), "reply: score", text
        )


def compare_text_queries(compare):
    """The SDK has none: against what the server documents."""
    if not compare.has("query", "--today"):
        print("SKIP test_sdk: text queries: this tool has none")
        return
    for words, body in (
        (["--text", "wer?"], {"query": "wer?", "top_k": 10}),
        (
            ["--text", "\u00e9 \"q\"", "--today", "2024-02-29", "--top-k", "5"],
            {"query": "\u00e9 \"q\"", "today": "2024-02-29", "top_k": 5},
        ),
    ):
        sent = compare.record(lambda: compare.run("query", *words))[0]
        got = meaning(sent[3])
        wanted = meaning(json.dumps(body))
        compare.verdict(sent[:2] == ("POST", "/api/v1/query"), "text", str(sent))
        compare.verdict(got == wanted, "text query", f"{got} {wanted}")


def compare_masks(compare, url):
    """What the SDK masks and what we mask, with and without a salt."""
    if not compare.has("query", "--mask-env"):
        print("SKIP test_sdk: vector masks: this tool has none")
        return
    for salt in None, SALT:
        client = holographic_sdk.HolographicClient(
            compare.url, zero_trust_key=PASSPHRASE, mask_salt=salt
        )
        options = ["--mask-env", "VECWIRE_MASK"]
        if salt:
            options += ["--mask-salt-hex", salt.hex()]
        extra = {"VECWIRE_MASK": PASSPHRASE}
        compare_queries(compare, client, options, extra)
        compare_writes(compare, client, options, extra)
        if url:
            live(compare, url, f"masked-{bool(salt)}", options, extra, salt)


def live(compare, url, tenant, options=(), extra=None, salt=None):
    """Rows that one has stored the other finds, on a real server."""
    client = holographic_sdk.HolographicClient(
        url,
        tenant_id=tenant,
        zero_trust_key=PASSPHRASE if options else "",
        mask_salt=salt,
    )
    source = random.Random(7)
    documents = [
        {**document, "vector": [source.uniform(-1, 1) for _ in range(16)]}
        for document in DOCUMENTS
    ]
    rows = write_rows(documents[:2])
    options = ["--tenant", tenant, *options]
    compare.run("import", rows, *options, url=url, extra=extra)
    client.add_documents(documents[2:])
    for document in documents:
        theirs = client.query(document["vector"], 4)["matches"]
        text = compare.run(
            "query",
            "--vector",
            json.dumps(document["vector"]),
            "--with-payload",
            "--json",
            *options,
            url=url,
            extra=extra,
        )
        ours = json.loads(text)
        ours = ours.get("matches") or ours.get("hits") or ours.get("rows")
        compare.verdict(theirs[0]["id"] == document["id"], tenant, str(theirs))
        compare.verdict(abs(theirs[0]["score"] - 1) < 1e-5, tenant, str(theirs[0]))
        compare.verdict(
            [row["id"] for row in ours] == [row["id"] for row in theirs], tenant, text
        )
    client.delete_document("b")
    text = compare.run("delete", "b", "c", *options, url=url, extra=extra)
    compare.verdict("deleted 1 of 2" in text, f"{tenant}: delete", text)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    compare = Compare(sys.argv[1], f"http://127.0.0.1:{server.server_port}")
    live_url = sys.argv[2] if len(sys.argv) > 2 else None
    os.environ["VECWIRE_KEY"] = KEY
    plain = holographic_sdk.HolographicClient(compare.url)
    named = holographic_sdk.HolographicClient(
        compare.url, api_key=KEY, tenant_id=TENANT
    )
    for client, options in (
        (plain, []),
        (named, ["--tenant", TENANT, "--api-key-env", "VECWIRE_KEY"]),
    ):
        compare_queries(compare, client, options, None)
        compare_writes(compare, client, options, None)
        compare_deletes(compare, client, options, None)
    compare_replies(compare, plain)
    compare_text_queries(compare)
    if live_url:
        live(compare, live_url, "plain")
    compare_masks(compare, live_url)
    print(f"{compare.passed} passed, {compare.failed} failed")
    return compare.failed > 0


if __name__ == "__main__":
    sys.exit(main())
