# SPDX-License-Identifier: Apache-2.0
"""Every call of Qdrant's client for Python that a server of ours offers:
qdrant_python.py URL. QDRANT_API_KEY is sent when it is set."""
import importlib.metadata
import os
import sys
import traceback
import uuid
import warnings

warnings.filterwarnings("ignore", message="Api key is used with an insecure")

from qdrant_client import QdrantClient, models as m
from qdrant_client.http.exceptions import UnexpectedResponse

tests = []
name = "client-" + uuid.uuid4().hex[:12]
client = QdrantClient(url=sys.argv[1], prefer_grpc=False, timeout=60,
                      api_key=os.environ.get("QDRANT_API_KEY") or None)
ONE = "6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11"


def test(function):
    tests.append(function)
    return function


def same(got, wanted):
    assert got == wanted, f"{got!r} instead of {wanted!r}"


def ids(points):
    return [point.id for point in points]


def get(id):
    found = client.retrieve(name, [id], with_payload=True, with_vectors=True)
    return found[0] if found else None


def all_ids(*must, **more):
    found, _ = client.scroll(name, m.Filter(must=list(must), **more),
                             limit=100)
    return ids(found)


def field(key, **operators):
    return m.FieldCondition(key=key, **operators)


@test
def a_wrong_key_is_refused():
    if not os.environ.get("QDRANT_API_KEY"):
        return
    other = QdrantClient(url=sys.argv[1], api_key="wrong",
                         check_compatibility=False)
    try:
        other.get_collections()
    except UnexpectedResponse as refusal:
        same(refusal.status_code, 401)
        return
    raise AssertionError("it was let in")


@test
def the_server_tells_its_version():
    assert client.info().version.startswith("1."), client.info()


@test
def a_collection_is_made():
    same(client.collection_exists(name), False)
    same(client.create_collection(
        name,
        vectors_config={"": m.VectorParams(size=4, distance=m.Distance.DOT),
                        "text": m.VectorParams(
                            size=2, distance=m.Distance.COSINE)},
        sparse_vectors_config={"words": m.SparseVectorParams()}), True)
    same(client.collection_exists(name), True)
    assert name in [each.name for each in client.get_collections().collections]


@test
def points_are_upserted_as_structs_and_as_columns():
    result = client.upsert(name, [
        m.PointStruct(id=1, vector=[1, 0, 0, 0],
                      payload={"city": "Berlin", "n": 1, "open": True,
                               "at": "2024-02-29T12:00:00Z"}),
        m.PointStruct(id=2, vector={"": [0, 1, 0, 0], "text": [3, 4],
                                    "words": m.SparseVector(
                                        indices=[7, 3], values=[0.5, 2])},
                      payload={"city": ["Berlin", "London"], "n": 2}),
    ], wait=True)
    same(result.status, m.UpdateStatus.COMPLETED)
    client.upsert(name, m.Batch(
        ids=[2**64 - 1, ONE], vectors=[[0, 0, 1, 0], [0, 0, 0, 1]],
        payloads=[{"city": "London", "n": 3, "rooms": [
            {"kind": "bed", "size": 12}]}, {}]), wait=True)
    same(client.count(name, exact=True).count, 4)


@test
def points_are_retrieved():
    same(get(1).payload["city"], "Berlin")
    same(get(1).vector, [1, 0, 0, 0])
    two = get(2).vector
    same(two[""], [0, 1, 0, 0])
    assert abs(two["text"][0] - 0.6) < 1e-6, two
    same((two["words"].indices, two["words"].values), ([3, 7], [2, 0.5]))
    same(get(2**64 - 1).id, 2**64 - 1)
    same(get(ONE).id, ONE)
    same(get(999), None)


@test
def points_are_scrolled_page_by_page():
    seen, offset = [], None
    while True:
        page, offset = client.scroll(name, limit=3, offset=offset,
                                     with_payload=["city"])
        seen += ids(page)
        if offset is None:
            break
    same(seen, [1, 2, 2**64 - 1, ONE])
    same(page[-1].payload, {})


@test
def filters_choose_points():
    same(all_ids(field("city", match=m.MatchValue(value="London"))),
         [2, 2**64 - 1])
    same(all_ids(field("city", match=m.MatchAny(any=["Berlin"]))), [1, 2])
    same(all_ids(field("city", match=m.MatchExcept(
        **{"except": ["Berlin"]}))), [2, 2**64 - 1])
    same(all_ids(field("city", match=m.MatchText(text="erli"))), [1, 2])
    same(all_ids(field("open", match=m.MatchValue(value=True))), [1])
    same(all_ids(field("n", range=m.Range(gte=2))), [2, 2**64 - 1])
    same(all_ids(field("at", range=m.DatetimeRange(gt="2024-02-29"))), [1])
    same(all_ids(field("city", values_count=m.ValuesCount(gt=1))), [2])
    same(all_ids(m.IsEmptyCondition(is_empty=m.PayloadField(key="n"))), [ONE])
    same(all_ids(m.IsNullCondition(is_null=m.PayloadField(key="n"))), [])
    same(all_ids(m.HasIdCondition(has_id=[1, ONE, 2**64 - 1])),
         [1, 2**64 - 1, ONE])
    same(all_ids(m.HasVectorCondition(has_vector="text")), [2])
    same(all_ids(m.NestedCondition(nested=m.Nested(
        key="rooms", filter=m.Filter(must=[
            field("kind", match=m.MatchValue(value="bed"))])))), [2**64 - 1])
    same(all_ids(must_not=[field("n", range=m.Range(lt=3))]),
         [2**64 - 1, ONE])
    same(all_ids(min_should=m.MinShould(min_count=2, conditions=[
        field("n", range=m.Range(gt=0)), field("n", range=m.Range(gt=1))])),
        [2, 2**64 - 1])


@test
def queries_find_by_vector_and_by_id():
    found = client.query_points(name, query=[1, 2, 0, 0], limit=2,
                                with_payload=True).points
    same((ids(found), found[0].score), ([2, 1], 2.0))
    same(found[0].payload["n"], 2)
    same(ids(client.query_points(name, query=[1, 2, 0, 0],
                                 score_threshold=1.5).points), [2])
    same(ids(client.query_points(name, query=[1, 0], using="text").points),
         [2])
    same(ids(client.query_points(
        name, query=m.SparseVector(indices=[3], values=[1]),
        using="words").points), [2])
    same(1 in ids(client.query_points(name, query=1).points), False)
    same(len(client.query_points(name).points), 4)
    same(ids(client.query_points(name, offset=1, limit=2).points),
         [2, 2**64 - 1])


@test
def queries_are_fused_sampled_and_recommended():
    found = client.query_points(name, prefetch=[
        m.Prefetch(query=[1, 0, 0, 0], limit=2),
        m.Prefetch(query=[1, 2, 0, 0], limit=2)],
        query=m.FusionQuery(fusion=m.Fusion.RRF)).points
    assert 1 in ids(found) and 2 in ids(found), found
    same(len(client.query_points(name, query=m.SampleQuery(
        sample=m.Sample.RANDOM)).points), 4)
    for strategy in (m.RecommendStrategy.AVERAGE_VECTOR,
                     m.RecommendStrategy.BEST_SCORE):
        found = client.query_points(name, query=m.RecommendQuery(
            recommend=m.RecommendInput(positive=[1], negative=[2],
                                       strategy=strategy))).points
        same(1 in ids(found), False)


@test
def queries_go_in_batches_and_in_groups():
    replies = client.query_batch_points(name, [
        m.QueryRequest(query=[1, 0, 0, 0], limit=1),
        m.QueryRequest(query=[0, 1, 0, 0], limit=2)])
    same([len(reply.points) for reply in replies], [1, 2])
    groups = client.query_points_groups(
        name, group_by="n", query=[3, 2, 1, 0], limit=2, group_size=1).groups
    same([(group.id, ids(group.hits)) for group in groups],
         [(1, [1]), (2, [2])])


@test
def indexes_are_made_shown_and_used():
    for key, kind in (("city", "keyword"), ("n", "integer")):
        client.create_payload_index(name, key, kind, wait=True)
    shown = client.get_collection(name).payload_schema
    same({key: shown[key].data_type.value for key in shown},
         {"city": "keyword", "n": "integer"})
    hits = client.facet(name, "city", exact=True).hits
    same([(hit.value, hit.count) for hit in hits],
         [("Berlin", 2), ("London", 2)])
    found, offset = client.scroll(name, limit=2, order_by=m.OrderBy(
        key="n", direction=m.Direction.DESC))
    same((ids(found), offset), ([2**64 - 1, 2], None))
    client.delete_payload_index(name, "n", wait=True)
    same(list(client.get_collection(name).payload_schema), ["city"])


@test
def payloads_are_changed():
    client.set_payload(name, {"a": {"x": 1}, "b": 2}, points=[ONE], wait=True)
    client.set_payload(name, {"y": 2}, points=[ONE], key="a", wait=True)
    same(get(ONE).payload, {"a": {"x": 1, "y": 2}, "b": 2})
    client.delete_payload(name, ["a.x", "b"], points=[ONE], wait=True)
    same(get(ONE).payload, {"a": {"y": 2}})
    client.overwrite_payload(name, {"c": 3.5}, points=m.Filter(
        must=[m.HasIdCondition(has_id=[ONE])]), wait=True)
    same(get(ONE).payload, {"c": 3.5})
    client.clear_payload(name, points_selector=[ONE], wait=True)
    same(get(ONE).payload, {})


@test
def vectors_are_changed():
    client.update_vectors(name, [m.PointVectors(
        id=1, vector={"text": [0, 2]})], wait=True)
    same(get(1).vector, {"": [1, 0, 0, 0], "text": [0, 1]})
    client.delete_vectors(name, vectors=["text"], points=[1], wait=True)
    same(get(1).vector, [1, 0, 0, 0])


@test
def a_batch_of_changes_goes_in_order():
    results = client.batch_update_points(name, [
        m.UpsertOperation(upsert=m.PointsList(points=[
            m.PointStruct(id=50, vector=[1, 1, 1, 1], payload={"a": 1})])),
        m.SetPayloadOperation(set_payload=m.SetPayload(
            payload={"b": 2}, points=[50])),
        m.DeletePayloadOperation(delete_payload=m.DeletePayload(
            keys=["a"], points=[50])),
    ], wait=True)
    same(len(results), 3)
    same(get(50).payload, {"b": 2})


@test
def rows_are_uploaded_in_many_requests():
    client.upload_points(name, (m.PointStruct(
        id=1000 + i, vector=[i, 1, 2, 3], payload={"i": i})
        for i in range(500)), batch_size=64, wait=True)
    same(client.count(name, m.Filter(
        must=[field("i", range=m.Range(gte=0))])).count, 500)


@test
def points_are_deleted():
    client.delete(name, [1], wait=True)
    client.delete(name, m.FilterSelector(filter=m.Filter(
        must=[field("i", range=m.Range(gte=0))])), wait=True)
    same(all_ids(), [2, 50, 2**64 - 1, ONE])


@test
def aliases_are_changed_and_listed():
    alias = name + "-alias"
    client.update_collection_aliases([m.CreateAliasOperation(
        create_alias=m.CreateAlias(collection_name=name, alias_name=alias))])
    same(client.count(alias).count, 4)
    same([each.alias_name
          for each in client.get_collection_aliases(name).aliases], [alias])
    client.update_collection_aliases([m.DeleteAliasOperation(
        delete_alias=m.DeleteAlias(alias_name=alias))])
    same([each for each in client.get_aliases().aliases
          if each.alias_name == alias], [])


@test
def a_collection_is_changed_and_described():
    same(client.update_collection(
        name, optimizers_config=m.OptimizersConfigDiff(
            indexing_threshold=10000)), True)
    about = client.get_collection(name)
    same((about.status, about.points_count),
         (m.CollectionStatus.GREEN, 4))
    same(about.config.params.vectors["text"].size, 2)
    same(client.list_snapshots(name), [])


@test
def errors_are_qdrants():
    def refused(status, call, *args, **more):
        try:
            call(*args, **more)
        except UnexpectedResponse as refusal:
            same(refusal.status_code, status)
            return
        raise AssertionError(f"no {status}")

    refused(404, client.get_collection, "no-such-one")
    refused(400, client.query_points, name, query=[1, 2])
    refused(404, client.query_points, name, query=987654)
    refused(409, client.create_collection, name, vectors_config={})


@test
def a_collection_is_deleted():
    same(client.delete_collection(name), True)
    same(client.collection_exists(name), False)


def main():
    failed = 0
    print("qdrant-client", importlib.metadata.version("qdrant-client"))
    for function in tests:
        try:
            function()
            print("passed", function.__name__)
        except Exception:
            failed += 1
            print("FAILED", function.__name__)
            traceback.print_exc(file=sys.stdout)
    print(f"{100 * (len(tests) - failed) // len(tests)}%: "
          f"Checks: {len(tests)}, Failures: {failed}, Errors: 0")
    return failed != 0


sys.exit(main())
