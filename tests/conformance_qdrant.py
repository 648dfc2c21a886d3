#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a Qdrant server must answer over REST, each case a test of its own.

    conformance_qdrant.py URL [CASE]...

QDRANT_API_KEY is sent when it is set. Collections are made with names of
their own and deleted again. A case that the server has no route for is
skipped by name. Needs nothing but Python's own library."""
import http.client
import json
import os
import sys
import traceback
import urllib.parse
import uuid

cases = []
base = None
made = []


class Skipped(Exception):
    """The server does not offer what the case is about."""


def case(function):
    cases.append(function)
    return function


def ask(method, path, body=None, headers=None):
    """Status, headers and body (parsed if it is JSON) of one request."""
    sent = {"Content-Type": "application/json"} if body is not None else {}
    if os.environ.get("QDRANT_API_KEY"):
        sent["api-key"] = os.environ["QDRANT_API_KEY"]
    sent.update(headers or {})
    kind = http.client.HTTPConnection
    if base.scheme == "https":
        kind = http.client.HTTPSConnection
    conn = kind(base.hostname, base.port, timeout=60)
    text = body if isinstance(body, (str, type(None))) else json.dumps(body)
    conn.request(method, path, text and text.encode(), sent)
    reply = conn.getresponse()
    data = reply.read()
    conn.close()
    if "json" in (reply.getheader("content-type") or ""):
        data = json.loads(data)
    else:
        data = data.decode()
    names = {key.lower(): value for key, value in reply.getheaders()}
    return reply.status, names, data


def ok(method, path, body=None):
    """The result of a request that must succeed."""
    status, _, data = ask(method, path, body)
    if status == 404 and data == "":
        raise Skipped(f"no route {method} {path.partition('?')[0]}")
    assert status == 200, (method, path, status, data)
    assert data["status"] == "ok" and data["time"] >= 0, data
    return data["result"]


def refused(wanted, method, path, body=None):
    """The text of a request that must be refused with this status."""
    status, _, data = ask(method, path, body)
    if status == 404 and data == "":
        raise Skipped(f"no route {method} {path.partition('?')[0]}")
    assert status == wanted, (method, path, body, status, data)
    assert "result" not in data or data["result"] is None, data
    return data["status"]["error"]


def same(got, wanted):
    assert got == wanted, f"{got!r} instead of {wanted!r}"


def name_of():
    name = "conformance-" + uuid.uuid4().hex[:12]
    made.append(name)
    return name


def create(body):
    name = name_of()
    same(ok("PUT", f"/collections/{name}", body), True)
    return f"/collections/{name}"


def dense(size=4, distance="Dot", **more):
    return create({"vectors": {"size": size, "distance": distance, **more}})


POINTS = [
    {"id": 1, "vector": [0.05, 0.61, 0.76, 0.74],
     "payload": {"city": "Berlin", "price": 1.99}},
    {"id": 2, "vector": [0.19, 0.81, 0.75, 0.11],
     "payload": {"city": ["Berlin", "London"], "price": 1.99}},
    {"id": 3, "vector": [0.36, 0.55, 0.47, 0.94],
     "payload": {"city": ["Berlin", "Moscow"], "price": [1.99, 2.99]}},
    {"id": 4, "vector": [0.18, 0.01, 0.85, 0.80],
     "payload": {"city": ["London", "Moscow"], "price": [1.99, 2.99]}},
    {"id": 5, "vector": [0.24, 0.18, 0.22, 0.44], "payload": {"count": 0}},
    {"id": 6, "vector": [0.35, 0.08, 0.11, 0.44]},
    {"id": 7, "vector": [0.25, 0.98, 0.14, 0.43],
     "payload": {"city": None, "price": None}},
    {"id": 8, "vector": [0.79, 0.53, 0.72, 0.15],
     "payload": {"city": [], "price": []}},
    {"id": 9, "vector": {"sparse-text": {"indices": [96, 5, 18],
                                         "values": [0.75, 0.25, 0.5]}},
     "payload": {"city": "Rome"}},
    {"id": 10, "vector": {"sparse-text": {"indices": [7], "values": [1.0]}},
     "payload": {"city": []}},
]


def filled():
    c = create({"vectors": {"size": 4, "distance": "Dot"},
                "sparse_vectors": {"sparse-text": {}}})
    result = ok("PUT", f"{c}/points?wait=true", {"points": POINTS})
    same(result["status"], "completed")
    return c


def scroll(c, **body):
    return ok("POST", f"{c}/points/scroll", {"limit": 100, **body})


def ids(points):
    return [point["id"] for point in points]


def matching(c, *must):
    return ids(scroll(c, filter={"must": list(must)})["points"])


def query(c, **body):
    return ok("POST", f"{c}/points/query", body)["points"]


def point(c, id):
    return ok("GET", f"{c}/points/{id}")


def payload(c, id):
    return point(c, id)["payload"]


def value(key, wanted):
    return {"key": key, "match": {"value": wanted}}


@case
def root_tells_title_and_version():
    status, _, data = ask("GET", "/")
    same(status, 200)
    assert data["title"] == "qdrant - vector search engine", data
    assert len(data["version"].split(".")) == 3, data
    assert set(data) <= {"title", "version", "commit"}, data


@case
def probes_answer_plain_text():
    for path, text in (("/healthz", "healthz check passed"),
                       ("/livez", "healthz check passed"),
                       ("/readyz", "all shards are ready")):
        status, headers, data = ask("GET", path)
        same((status, data), (200, text))
        assert headers["content-type"].startswith("text/plain"), headers


@case
def existence_is_never_404():
    c = dense()
    same(ok("GET", f"{c}/exists"), {"exists": True})
    same(ok("GET", "/collections/no-such-one/exists"), {"exists": False})
    same(ok("DELETE", "/collections/no-such-one"), False)
    refused(404, "GET", "/collections/no-such-one")


@case
def points_are_retrieved_searched_and_scrolled():
    c = filled()
    same(point(c, 2)["payload"], POINTS[1]["payload"])
    refused(404, "GET", f"{c}/points/777")
    same(ids(ok("POST", f"{c}/points", {"ids": [2, 1, 2, 77]})), [2, 1])
    same(ok("GET", c)["points_count"], 10)
    found = query(c, query=[0.2, 0.1, 0.9, 0.7], limit=3)
    same(ids(found), [4, 1, 3])
    assert abs(found[0]["score"] - 1.362) < 1e-5, found
    same(len(query(c, query=[0.2, 0.1, 0.9, 0.7], limit=3,
                   filter={"should": [value("city", "London")]})), 2)
    page = scroll(c, offset=2, limit=2)
    same((ids(page["points"]), page["next_page_offset"]), ([2, 3], 4))


@case
def searches_go_in_batches():
    c = filled()
    one = {"query": [0.2, 0.1, 0.9, 0.7], "limit": 3}
    two = {"query": [0.2, 0.1, 0.9, 0.7], "limit": 3,
           "filter": {"should": [value("city", "London")]}}
    result = ok("POST", f"{c}/points/query/batch", {"searches": [one, two]})
    same([len(each["points"]) for each in result], [3, 2])
    same(ok("POST", f"{c}/points/query/batch", {"searches": []}), [])


@case
def empty_and_null_are_told_apart():
    c = filled()
    same(matching(c, {"is_empty": {"key": "city"}}), [5, 6, 7, 8, 10])
    same(matching(c, {"key": "city", "is_empty": True}), [5, 6, 7, 8, 10])
    same(matching(c, {"is_null": {"key": "city"}}), [7])
    same(matching(c, {"key": "city", "is_null": True}), [7])


@case
def a_single_condition_and_the_alias_of_with_vector_are_taken():
    c = filled()
    same(ids(scroll(c, filter={"must": value("city", "London")})["points"]),
         [2, 4])
    same(scroll(c, with_vector=True), scroll(c, with_vectors=True))


@case
def uuids_are_ids():
    c = dense()
    one = "6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11"
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": one.upper(), "vector": [1, 2, 3, 4]},
        {"id": 18446744073709551615, "vector": [1, 2, 3, 4]}]})
    same(point(c, one)["id"], one)
    same(point(c, one.replace("-", ""))["id"], one)
    same(ids(scroll(c)["points"]), [18446744073709551615, one])
    for wrong in (1.0, -1, "1", "nobody", None):
        refused(400, "PUT", f"{c}/points?wait=true",
                {"points": [{"id": wrong, "vector": [1, 2, 3, 4]}]})


@case
def points_are_deleted_by_filter_and_by_id():
    c = filled()
    ok("POST", f"{c}/points/delete?wait=true",
       {"filter": {"must": [{"has_id": [5]}]}})
    same(len(scroll(c)["points"]), 9)
    ok("POST", f"{c}/points/delete?wait=true", {"points": [1, 2, 3, 4]})
    same(len(scroll(c)["points"]), 5)
    refused(400, "POST", f"{c}/points/delete?wait=true", {})


@case
def payloads_are_set_overwritten_deleted_and_cleared():
    c = filled()

    def change(method, path, **body):
        for _ in range(2):
            ok(method, f"{c}/points/payload{path}?wait=true",
               {"points": [6], **body})
        return payload(c, 6)

    same(payload(c, 6), {})
    same(change("POST", "", payload={"a": {"x": 1}, "b": 2}),
         {"a": {"x": 1}, "b": 2})
    same(change("POST", "", payload={"b": 3, "l": [{"n": 1}, {"n": 2}]}),
         {"a": {"x": 1}, "b": 3, "l": [{"n": 1}, {"n": 2}]})
    same(change("POST", "", payload={"y": 2}, key="a"),
         {"a": {"x": 1, "y": 2}, "b": 3, "l": [{"n": 1}, {"n": 2}]})
    same(change("POST", "", payload={"m": 7}, key="l[0]")["l"],
         [{"n": 1, "m": 7}, {"n": 2}])
    same(change("POST", "", payload={"k": 8}, key="l[]")["l"],
         [{"n": 1, "m": 7, "k": 8}, {"n": 2, "k": 8}])
    same(change("POST", "/delete", keys=["a.x", "l[].k", "b"]),
         {"a": {"y": 2}, "l": [{"n": 1, "m": 7}, {"n": 2}]})
    same(change("PUT", "", payload={"z": 1}), {"z": 1})
    same(change("POST", "/clear"), {})
    refused(400, "POST", f"{c}/points/payload?wait=true",
            {"payload": {"a": 1}})
    ok("POST", f"{c}/points/payload?wait=true",
       {"payload": {"all": True}, "filter": {}})
    same(len(matching(c, value("all", True))), 10)


@case
def parts_of_payloads_are_exact():
    c = dense()
    whole = {"name": "x", "deep": {"a": 1, "b": {"c": 2, "d": 3}},
             "list": [{"n": 1, "m": 2}, {"n": 3}]}
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": 1, "vector": [1, 2, 3, 4], "payload": whole}]})

    def part(selector):
        return scroll(c, with_payload=selector)["points"][0].get("payload")

    same(part(True), whole)
    same(part(False), None)
    same(part(["name"]), {"name": "x"})
    same(part({"include": ["deep.b.c", "list[].n"]}),
         {"deep": {"b": {"c": 2}}, "list": [{"n": 1}, {"n": 3}]})
    same(part({"exclude": ["deep.b.c", "list[].n", "name"]}),
         {"deep": {"a": 1, "b": {"d": 3}}, "list": [{"m": 2}, {}]})
    refused(400, "POST", f"{c}/points/scroll",
            {"with_payload": {"include": [], "more": 1}})


@case
def a_batch_of_changes_goes_in_order():
    c = filled()
    result = ok("POST", f"{c}/points/batch?wait=true", {"operations": [
        {"upsert": {"points": [{"id": 21, "vector": [1, 2, 3, 4]}]}},
        {"delete": {"points": [21]}},
        {"upsert": {"points": [{"id": 21, "vector": [4, 3, 2, 1],
                                "payload": {"a": 1}}]}},
        {"set_payload": {"payload": {"b": 2}, "points": [21]}},
        {"delete_payload": {"keys": ["a"], "points": [21]}},
        {"update_vectors": {"points": [
            {"id": 21, "vector": {"sparse-text": {"indices": [3, 1],
                                                  "values": [0.5, 2]}}}]}},
    ]})
    same([each["status"] for each in result], ["completed"] * 6)
    now = point(c, 21)
    same(now["payload"], {"b": 2})
    same(now["vector"], {"": [4, 3, 2, 1],
                         "sparse-text": {"indices": [1, 3],
                                         "values": [2, 0.5]}})
    ok("POST", f"{c}/points/batch?wait=true", {"operations": [
        {"delete_vectors": {"vector": ["", "sparse-text"], "points": [21]}},
        {"clear_payload": {"points": [21]}}]})
    same((point(c, 21)["vector"], payload(c, 21)), ({}, {}))
    same(ok("POST", f"{c}/points/batch?wait=true", {"operations": []}), [])


@case
def updates_can_be_conditional():
    c = filled()

    def upsert(id, mark, **more):
        ok("PUT", f"{c}/points?wait=true", {"points": [
            {"id": id, "vector": [1, 2, 3, 4], "payload": {"mark": mark}}],
            **more})

    upsert(1, "new", update_mode="insert_only")
    same(payload(c, 1), POINTS[0]["payload"])
    upsert(999, "new", update_mode="update_only")
    refused(404, "GET", f"{c}/points/999")
    upsert(1, "updated", update_mode="update_only")
    same(payload(c, 1), {"mark": "updated"})
    upsert(1, "blocked", update_filter={"must": value("mark", "other")})
    same(payload(c, 1), {"mark": "updated"})
    upsert(1, "allowed", update_filter={"must": value("mark", "updated")})
    same(payload(c, 1), {"mark": "allowed"})


@case
def counts_are_exact_when_asked():
    c = filled()
    either = {"should": [value("city", "London"), value("city", "Berlin")]}
    same(ok("POST", f"{c}/points/count", {"filter": either, "exact": True}),
         {"count": 4})
    about = ok("POST", f"{c}/points/count", {"filter": either, "exact": False})
    assert 1 <= about["count"] <= 9, about
    same(ok("POST", f"{c}/points/count", {}), {"count": 10})


@case
def facets_come_by_count_and_value():
    c = filled()
    refused(400, "POST", f"{c}/facet", {"key": "city"})
    for field, kind in (("city", "keyword"), ("n", "integer"),
                        ("b", "bool"), ("u", "uuid")):
        ok("PUT", f"{c}/index?wait=true",
           {"field_name": field, "field_schema": kind})

    def facet(key, **more):
        hits = ok("POST", f"{c}/facet", {"key": key, **more})["hits"]
        return [(hit["value"], hit["count"]) for hit in hits]

    same(facet("city", filter={"must": [{"has_id": [1, 2, 3, 4]}]}),
         [("Berlin", 3), ("London", 2), ("Moscow", 2)])
    same(facet("city", limit=1), [("Berlin", 3)])
    one = "6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11"
    ok("POST", f"{c}/points/payload?wait=true",
       {"payload": {"n": 7, "b": True, "u": one}, "points": [1, 2]})
    ok("POST", f"{c}/points/payload?wait=true",
       {"payload": {"n": -7, "b": False}, "points": [3]})
    same(facet("n", exact=True), [(7, 2), (-7, 1)])
    same(facet("b", exact=True), [(True, 2), (False, 1)])
    same(facet("u", exact=True), [(one, 2)])


@case
def scrolling_goes_in_the_order_of_a_field():
    c = dense()
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": i, "vector": [1, 2, 3, 4], "payload": {"n": 100 - 10 * i}}
        for i in range(10)]})
    status, _, data = ask("POST", f"{c}/points/scroll", {"order_by": "n"})
    same(status, 400)
    ok("PUT", f"{c}/index?wait=true",
       {"field_name": "n", "field_schema": "integer"})
    page = ok("POST", f"{c}/points/scroll", {"order_by": "n", "limit": 3})
    same((ids(page["points"]), page["next_page_offset"]), ([9, 8, 7], None))
    same(page["points"][0]["order_value"], 10)
    seen, start = [], None
    while True:
        order = {"key": "n", "direction": "desc"}
        if start is not None:
            order["start_from"] = start
        page = ok("POST", f"{c}/points/scroll", {
            "order_by": order, "limit": 4,
            "filter": {"must_not": [{"has_id": seen}]}})["points"]
        if not page:
            break
        seen += ids(page)
        start = page[-1]["payload"]["n"]
    same(seen, list(range(10)))
    refused(400, "POST", f"{c}/points/scroll", {"order_by": "n", "offset": 3})


@case
def aliases_stand_for_collections():
    c = filled()
    name, alias = c.rsplit("/", 1)[1], name_of()

    def act(**action):
        return ok("POST", "/collections/aliases", {"actions": [action]})

    same(act(create_alias={"collection_name": name, "alias_name": alias}),
         True)
    wanted = {"alias_name": alias, "collection_name": name}
    same(ok("GET", f"{c}/aliases"), {"aliases": [wanted]})
    assert wanted in ok("GET", "/aliases")["aliases"]
    a = f"/collections/{alias}"
    same(len(query(a, query=[0.2, 0.1, 0.9, 0.7], limit=3)), 3)
    same(ok("GET", f"{a}/exists"), {"exists": True})
    refused(409, "POST", "/collections/aliases", {"actions": [
        {"create_alias": {"collection_name": name, "alias_name": name}}]})
    refused(400, "PUT", a, {"vectors": {"size": 4, "distance": "Dot"}})
    other = name_of()
    act(rename_alias={"old_alias_name": alias, "new_alias_name": other})
    same(ok("GET", f"{c}/aliases")["aliases"][0]["alias_name"], other)
    act(delete_alias={"alias_name": other})
    refused(404, "POST", f"/collections/{other}/points/query",
            {"query": [1, 2, 3, 4]})


@case
def indexes_are_shown_and_taken_away():
    c = filled()
    text = {"type": "text", "tokenizer": "prefix", "lowercase": True}
    for field, schema in (("city", "keyword"), ("note", text),
                          ("123", "integer"), ("a.b[]", "float")):
        result = ok("PUT", f"{c}/index?wait=true",
                    {"field_name": field, "field_schema": schema})
        same(result["status"], "completed")
    shown = ok("GET", c)["payload_schema"]
    same(shown["city"]["data_type"], "keyword")
    assert "params" not in shown["city"], shown
    same((shown["note"]["data_type"], shown["note"]["params"]), ("text", text))
    same(shown["note"]["points"], 0)
    same(set(shown), {"city", "note", "123", "a.b[]"})
    for field in shown:
        ok("DELETE", f"{c}/index/{urllib.parse.quote(field, '')}?wait=true")
    same(ok("GET", c)["payload_schema"], {})
    refused(400, "PUT", f"{c}/index",
            {"field_name": "x", "field_schema": "nonsense"})


@case
def what_is_out_of_range_is_422_and_of_a_wrong_type_400():
    fine = {"size": 4, "distance": "Dot"}
    refused(422, "PUT", "/collections/" + "n" * 256, {"vectors": fine})
    refused(422, "PUT", "/collections/" + urllib.parse.quote("a<b", ""),
            {"vectors": fine})
    c = f"/collections/{name_of()}"
    refused(422, "PUT", c, {"vectors": fine, "shard_number": 0})
    refused(400, "PUT", c, {"vectors": fine, "shard_number": -1})
    refused(422, "PUT", c, {"vectors": fine, "hnsw_config": {"ef_construct": 0}})
    refused(400, "PUT", c, {"vectors": {"size": 4, "distance": "dot"}})
    refused(422, "PUT", f"{c}?timeout=0", {"vectors": fine})
    c = filled()
    refused(422, "POST", f"{c}/points/query",
            {"query": [1, 2, 3, 4], "params": {"hnsw_ef": 0}})
    refused(422, "POST", f"{c}/points/scroll", {"limit": 0})
    refused(400, "POST", f"{c}/points/scroll", {"limit": "1"})
    for wait in ("true", "false"):
        path = f"{c}/points?wait={wait}"
        status, _, data = ask("PUT", path,
                              {"points": [{"id": 1, "vector": []}]})
        assert status in (400, 422), (status, data)
        refused(400, "PUT", path, '{"points":[')
    refused(400, "PUT", f"{c}/points?wait=yes",
            {"points": [{"id": 1, "vector": [1, 2, 3, 4]}]})


@case
def filters_of_a_wrong_shape_are_refused():
    c = filled()

    def wrong(status, filter):
        refused(status, "POST", f"{c}/points/scroll", {"filter": filter})

    wrong(422, {"must": [{"key": "city"}]})
    wrong(400, {"min_should": {"conditions": []}})
    wrong(400, {"musts": []})
    wrong(400, {"must": [{"key": "city", "match": {"value": 1.5}}]})
    two = {"conditions": [value("city", "Berlin"), value("city", "London"),
                          value("city", "Moscow")], "min_count": 2}
    same(ids(scroll(c, filter={"min_should": two})["points"]), [2, 3, 4])


@case
def slices_cover_all_points_once():
    c = filled()
    parts = [matching(c, {"slice": {"total": 3, "index": i}})
             for i in range(3)]
    same(sorted(sum(parts, [])), list(range(1, 11)))
    refused(422, "POST", f"{c}/points/scroll",
            {"filter": {"must": [{"slice": {"total": 3, "index": 3}}]}})
    refused(400, "POST", f"{c}/points/scroll",
            {"filter": {"must": [{"slice": {"total": 0, "index": 0}}]}})


@case
def named_vectors_may_be_absent():
    c = create({"vectors": {"image": {"size": 4, "distance": "Dot"},
                            "text": {"size": 2, "distance": "Cosine"}}})
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": 1, "vector": {"image": [1, 2, 3, 4]}},
        {"id": 2, "vector": {"image": [4, 3, 2, 1], "text": [3, 4]}}]})
    same(point(c, 1)["vector"], {"image": [1, 2, 3, 4]})
    text = point(c, 2)["vector"]["text"]
    assert abs(text[0] - 0.6) < 1e-6 and abs(text[1] - 0.8) < 1e-6, text
    same(ids(query(c, query=[1, 0], using="text")), [2])
    same(matching(c, {"has_vector": "text"}), [2])
    ok("PUT", f"{c}/points/vectors?wait=true",
       {"points": [{"id": 1, "vector": {"text": [0, 2]}}]})
    same(point(c, 1)["vector"], {"image": [1, 2, 3, 4], "text": [0, 1]})
    ok("POST", f"{c}/points/vectors/delete?wait=true",
       {"vector": ["image"], "points": [1]})
    same(point(c, 1)["vector"], {"text": [0, 1]})
    refused(404, "PUT", f"{c}/points/vectors?wait=true", {"points": [
        {"id": 424242424242424242, "vector": {"text": [0, 2]}}]})
    refused(422, "PUT", f"{c}/points/vectors?wait=true", {"points": []})
    refused(400, "POST", f"{c}/points/query",
            {"query": [1, 0], "using": "audio"})


@case
def sparse_vectors_are_checked_and_sorted():
    c = create({"sparse_vectors": {"text": {}}})

    def sparse(indices, values):
        return {"points": [{"id": 1, "vector": {
            "text": {"indices": indices, "values": values}}}]}

    for wrong in (sparse([1, 2], [1.0]), sparse([1, 1], [1.0, 2.0])):
        status, _, data = ask("PUT", f"{c}/points?wait=true", wrong)
        assert status in (400, 422), (status, data)
    ok("PUT", f"{c}/points?wait=true", sparse([55, 20, 101], [1, 2, 3]))
    same(point(c, 1)["vector"]["text"],
         {"indices": [20, 55, 101], "values": [2, 1, 3]})
    found = query(c, query={"indices": [101, 20], "values": [10, 1]},
                  using="text")
    same((ids(found), found[0]["score"]), ([1], 32))


@case
def dimensions_are_checked_before_anything_waits():
    c = dense()
    for wait in ("true", "false"):
        refused(400, "PUT", f"{c}/points?wait={wait}",
                {"points": [{"id": 1, "vector": [1, 2, 3]}]})
    refused(400, "POST", f"{c}/points/query", {"query": [1, 2, 3]})
    same(ok("POST", f"{c}/points/count", {}), {"count": 0})


@case
def multi_vectors_come_back_as_lists_of_vectors():
    name = name_of()
    status, _, data = ask("PUT", f"/collections/{name}", {"vectors": {
        "size": 2, "distance": "Dot",
        "multivector_config": {"comparator": "max_sim"}}})
    if status == 400:
        raise Skipped("no multi-vectors: " + data["status"]["error"])
    c = f"/collections/{name}"
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": 1, "vector": [[1, 2], [3, 4]]}, {"id": 2, "vector": [5, 6]}]})
    same(point(c, 1)["vector"], [[1, 2], [3, 4]])
    same(point(c, 2)["vector"], [[5, 6]])
    for wrong in ([[]], [[1, 2], [3]], []):
        status, _, data = ask("PUT", f"{c}/points?wait=true",
                              {"points": [{"id": 3, "vector": wrong}]})
        assert status in (400, 422), (status, data)


@case
def distances_ascend_and_their_threshold_is_an_upper_one():
    c = dense(2, "Euclid")
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": 1, "vector": [1, 0]}, {"id": 2, "vector": [1, 1]},
        {"id": 3, "vector": [2, 2]}]})
    found = query(c, query=[0, 0])
    same(ids(found), [1, 2, 3])
    for hit, wanted in zip(found, (1, 1.414214, 2.828427)):
        assert abs(hit["score"] - wanted) < 1e-5, found
    same(ids(query(c, query=[0, 0], score_threshold=1.5)), [1, 2])
    c = dense(2, "Manhattan")
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": 1, "vector": [1, 0]}, {"id": 2, "vector": [1, 1]}]})
    same([hit["score"] for hit in query(c, query=[0, 0])], [1, 2])


@case
def queries_that_make_no_sense_are_400():
    c = filled()

    def wrong(**body):
        return refused(400, "POST", f"{c}/points/query", body)

    wrong(prefetch={"query": [1, 2, 3, 4]})
    wrong(score_threshold=1)
    wrong(query={"nonsense": 1})
    wrong(query={"fusion": "rrf"})
    refused(404, "POST", f"{c}/points/query", {"query": 777})
    refused(404, "POST", "/collections/no-such-one/points/query",
            {"query": [1, 2, 3, 4]})
    refused(404, "POST", f"{c}/points/query",
            {"query": 1, "lookup_from": {"collection": "no-such-one"}})


@case
def fusion_adds_reciprocal_ranks():
    c = dense(2, "Dot")
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": 1, "vector": [3, 1]}, {"id": 2, "vector": [2, 2]},
        {"id": 3, "vector": [1, 3]}]})
    found = query(c, prefetch=[{"query": [1, 0]}, {"query": [0, 1]}],
                  query={"fusion": "rrf"}, limit=3)
    scores = {hit["id"]: hit["score"] for hit in found}
    for id, wanted in ((1, 1 / 2 + 1 / 4), (2, 1 / 3 + 1 / 3),
                       (3, 1 / 4 + 1 / 2)):
        assert abs(scores[id] - wanted) < 1e-5, scores
    same(len(query(c, prefetch=[{"query": [1, 0]}, {"query": [0, 1]}],
                   query={"fusion": "dbsf"})), 3)


@case
def queries_go_by_id_recommendation_and_order():
    c = dense(2, "Cosine")
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": 1, "vector": [1, 0]}, {"id": 2, "vector": [0.9, 0.1]},
        {"id": 3, "vector": [0, 1]}]})
    same(ids(query(c, query=1)), [2, 3])
    for strategy in ("average_vector", "best_score"):
        found = query(c, query={"recommend": {
            "positive": [1], "negative": [3], "strategy": strategy}})
        same(ids(found), [2])
    plain = query(c)
    same(ids(plain), [1, 2, 3])
    same({hit["score"] for hit in plain}, {1.0})
    same(sorted(ids(query(c, query={"sample": "random"}))), [1, 2, 3])


@case
def groups_come_best_first():
    c = dense(2, "Dot")
    ok("PUT", f"{c}/points?wait=true", {"points": [
        {"id": i, "vector": [i, 0], "payload": {"doc": "ab"[i % 2]}}
        for i in range(1, 7)]})
    groups = ok("POST", f"{c}/points/query/groups", {
        "query": [1, 0], "group_by": "doc", "group_size": 2})["groups"]
    same([(group["id"], ids(group["hits"])) for group in groups],
         [("a", [6, 4]), ("b", [5, 3])])
    same(ok("POST", f"{c}/points/query/groups", {
        "query": [1, 0], "group_by": "none"}), {"groups": []})


@case
def a_vector_has_at_most_65536_coordinates():
    dense(65536)
    refused(422, "PUT", f"/collections/{name_of()}",
            {"vectors": {"size": 65537, "distance": "Dot"}})
    refused(422, "PUT", f"/collections/{name_of()}",
            {"vectors": {"size": 0, "distance": "Dot"}})


@case
def columns_are_points_too():
    c = dense(2, "Dot")
    ok("PUT", f"{c}/points?wait=true", {"batch": {
        "ids": [1, 2], "vectors": [[1, 2], [3, 4]],
        "payloads": [{"a": 1}, None]}})
    same((point(c, 1)["payload"], point(c, 2)["payload"]), ({"a": 1}, {}))
    same(point(c, 2)["vector"], [3, 4])
    refused(422, "PUT", f"{c}/points?wait=true",
            {"batch": {"ids": [1, 2], "vectors": [[1, 2]]}})


@case
def a_name_is_taken_once_and_paths_are_lenient():
    c = dense()
    refused(409, "PUT", c, {"vectors": {"size": 4, "distance": "Dot"}})
    same(ok("GET", c + "/")["points_count"], 0)
    same(ok("GET", c.replace("/conf", "//conf"))["points_count"], 0)
    names = [each["name"] for each in ok("GET", "/collections")["collections"]]
    assert c.rsplit("/", 1)[1] in names, names
    same(ok("PATCH", c, {"metadata": {"owner": "x"}}), True)
    same(ok("GET", c)["config"]["metadata"], {"owner": "x"})


@case
def what_a_vector_is_cannot_be_changed():
    c = dense()
    same(ok("PATCH", c, {"vectors": {"": {"on_disk": True}}}), True)
    about = ok("GET", c)["config"]["params"]["vectors"]
    same((about["size"], about["distance"]), (4, "Dot"))
    refused(400, "PATCH", c, {"vectors": {"": 1}})


@case
def a_score_beyond_float32_is_null():
    c = dense(2, "Dot")
    ok("PUT", f"{c}/points?wait=true",
       {"points": [{"id": 1, "vector": [1e38, 1e38]}]})
    same(query(c, query=[1e38, 1e38])[0]["score"], None)


@case
def snapshots_are_listed():
    c = dense()
    same(ok("GET", f"{c}/snapshots"), [])


def run(function):
    """0: passed, 1: failed, 2: skipped."""
    try:
        function()
    except Skipped as why:
        print(f"SKIPPED {function.__name__}: {why}")
        return 2
    except Exception:
        print(f"FAILED {function.__name__}")
        traceback.print_exc(file=sys.stdout)
        return 1
    finally:
        while made:
            ask("DELETE", f"/collections/{made.pop()}")
    print(f"passed {function.__name__}")
    return 0


def main():
    global base
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    base = urllib.parse.urlsplit(sys.argv[1])
    wanted = sys.argv[2:]
    counts = [0, 0, 0]
    for function in cases:
        if not wanted or function.__name__ in wanted:
            counts[run(function)] += 1
    ran = counts[0] + counts[1]
    print(f"{counts[2]} skipped")
    # As Check says it, so that each case counts.
    print(f"{100 * counts[0] // max(ran, 1)}%: Checks: {ran}, "
          f"Failures: {counts[1]}, Errors: 0")
    return counts[1] != 0 or ran == 0


if __name__ == "__main__":
    sys.exit(main())
