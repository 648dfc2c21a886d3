// SPDX-License-Identifier: Apache-2.0
// Every call of Qdrant's client for JavaScript that a server of ours offers:
// qdrant_js.mjs URL MODULES. QDRANT_API_KEY is sent when it is set.
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';

const [url, modules] = process.argv.slice(2);
const home = `${modules}/node_modules/@qdrant/js-client-rest`;
const {QdrantClient} = await import(`${home}/dist/esm/index.js`);
const apiKey = process.env.QDRANT_API_KEY || undefined;
// The client says that a key goes over plain HTTP.
console.warn = () => {};
const client = new QdrantClient({url, apiKey, checkCompatibility: false});
const name = `client-${randomUUID()}`;
const one = '6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11';
const wait = true;
const same = assert.deepEqual;
const ids = points => points.map(point => point.id);
const get = async id =>
    (await client.retrieve(
        name, {ids: [id], with_payload: true, with_vector: true}))[0];
const allIds = async filter =>
    ids((await client.scroll(name, {filter, limit: 100})).points);
const refused = async (status, promise) => {
    await assert.rejects(promise, error => {
        assert.equal(error.status, status, String(error));
        return true;
    });
};

const tests = {
    async a_wrong_key_is_refused() {
        if (apiKey === undefined)
            return;
        const other = new QdrantClient(
            {url, apiKey: 'wrong', checkCompatibility: false});
        await refused(401, other.getCollections());
    },

    async the_server_tells_its_version() {
        assert.match((await client.versionInfo()).version, /^1\./);
    },

    async a_collection_is_made() {
        same(await client.collectionExists(name), {exists: false});
        same(await client.createCollection(name, {
            vectors: {
                '': {size: 4, distance: 'Dot'},
                text: {size: 2, distance: 'Cosine'},
            },
            sparse_vectors: {words: {}},
        }), true);
        same(await client.collectionExists(name), {exists: true});
        const {collections} = await client.getCollections();
        assert(collections.some(each => each.name === name));
    },

    async points_are_upserted_as_rows_and_as_columns() {
        const result = await client.upsert(name, {wait, points: [
            {id: 1, vector: [1, 0, 0, 0],
                payload: {city: 'Berlin', n: 1, at: '2024-02-29T12:00:00Z'}},
            {id: 2, payload: {city: ['Berlin', 'London'], n: 2}, vector: {
                '': [0, 1, 0, 0], text: [3, 4],
                words: {indices: [7, 3], values: [0.5, 2]}}},
        ]});
        same(result.status, 'completed');
        await client.upsert(name, {wait, batch: {
            ids: [3, one], vectors: [[0, 0, 1, 0], [0, 0, 0, 1]],
            payloads: [{city: 'London', n: 3}, {}]}});
        same(await client.count(name, {exact: true}), {count: 4});
    },

    async points_are_retrieved() {
        same((await get(1)).vector, [1, 0, 0, 0]);
        const {vector} = await get(2);
        same(vector[''], [0, 1, 0, 0]);
        same(vector.words, {indices: [3, 7], values: [2, 0.5]});
        assert(Math.abs(vector.text[0] - 0.6) < 1e-6);
        same((await get(one)).id, one);
        same(await get(999), undefined);
    },

    async points_are_scrolled_page_by_page() {
        const seen = [];
        let offset;
        do {
            const page = await client.scroll(
                name, {limit: 3, offset, with_payload: ['n']});
            seen.push(...ids(page.points));
            offset = page.next_page_offset;
        } while (offset !== null);
        same(seen, [1, 2, 3, one]);
    },

    async filters_choose_points() {
        const london = {key: 'city', match: {value: 'London'}};
        same(await allIds({must: [london]}), [2, 3]);
        same(await allIds({must_not: [london]}), [1, one]);
        same(await allIds({must: [{key: 'n', range: {gte: 2}}]}), [2, 3]);
        same(await allIds({must: [
            {key: 'at', range: {gt: '2024-02-29'}}]}), [1]);
        same(await allIds({must: [{is_empty: {key: 'n'}}]}), [one]);
        same(await allIds({must: [{has_id: [1, one]}]}), [1, one]);
        same(await allIds({must: [{has_vector: 'text'}]}), [2]);
        same(await allIds({min_should: {min_count: 2, conditions: [
            london, {key: 'n', range: {gt: 2}}]}}), [3]);
    },

    async queries_find_by_vector_and_by_id() {
        const {points} = await client.query(
            name, {query: [1, 2, 0, 0], limit: 2, with_payload: true});
        same([ids(points), points[0].score], [[2, 1], 2]);
        same(points[0].payload.n, 2);
        same(ids((await client.query(
            name, {query: [1, 0], using: 'text'})).points), [2]);
        same(ids((await client.query(name, {
            query: {indices: [3], values: [1]}, using: 'words'})).points), [2]);
        assert(!ids((await client.query(name, {query: 1})).points).includes(1));
        same((await client.query(name, {})).points.length, 4);
    },

    async queries_are_fused_and_recommended() {
        const fused = await client.query(name, {
            prefetch: [{query: [1, 0, 0, 0], limit: 2},
                {query: [1, 2, 0, 0], limit: 2}],
            query: {fusion: 'rrf'}});
        assert(ids(fused.points).includes(1));
        const near = await client.query(
            name, {query: {recommend: {positive: [1], negative: [2]}}});
        assert(!ids(near.points).includes(1));
    },

    async queries_go_in_batches_and_in_groups() {
        const replies = await client.queryBatch(name, {searches: [
            {query: [1, 0, 0, 0], limit: 1},
            {query: [0, 1, 0, 0], limit: 2}]});
        same(replies.map(reply => reply.points.length), [1, 2]);
        const {groups} = await client.queryGroups(name, {
            group_by: 'n', query: [3, 2, 1, 0], limit: 2, group_size: 1});
        same(groups.map(group => [group.id, ids(group.hits)]),
            [[1, [1]], [2, [2]]]);
    },

    async indexes_are_made_shown_and_used() {
        for (const [field_name, field_schema] of
            [['city', 'keyword'], ['n', 'integer']])
            await client.createPayloadIndex(
                name, {wait, field_name, field_schema});
        const {payload_schema} = await client.getCollection(name);
        same(payload_schema.city.data_type, 'keyword');
        same((await client.facet(name, {key: 'city', exact: true})).hits,
            [{value: 'Berlin', count: 2}, {value: 'London', count: 2}]);
        const page = await client.scroll(
            name, {limit: 2, order_by: {key: 'n', direction: 'desc'}});
        same([ids(page.points), page.next_page_offset], [[3, 2], null]);
        await client.deletePayloadIndex(name, 'n', {wait});
        same(Object.keys((await client.getCollection(name)).payload_schema),
            ['city']);
    },

    async payloads_are_changed() {
        const points = [one];
        await client.setPayload(
            name, {wait, points, payload: {a: {x: 1}, b: 2}});
        await client.setPayload(
            name, {wait, points, payload: {y: 2}, key: 'a'});
        same((await get(one)).payload, {a: {x: 1, y: 2}, b: 2});
        await client.deletePayload(name, {wait, points, keys: ['a.x', 'b']});
        same((await get(one)).payload, {a: {y: 2}});
        await client.overwritePayload(name, {wait, points, payload: {c: 3}});
        same((await get(one)).payload, {c: 3});
        await client.clearPayload(name, {wait, points});
        same((await get(one)).payload, {});
    },

    async vectors_are_changed() {
        await client.updateVectors(
            name, {wait, points: [{id: 1, vector: {text: [0, 2]}}]});
        same((await get(1)).vector, {'': [1, 0, 0, 0], text: [0, 1]});
        await client.deleteVectors(name, {wait, points: [1], vector: ['text']});
        same((await get(1)).vector, [1, 0, 0, 0]);
    },

    async a_batch_of_changes_goes_in_order() {
        const results = await client.batchUpdate(name, {wait, operations: [
            {upsert: {points: [
                {id: 50, vector: [1, 1, 1, 1], payload: {a: 1}}]}},
            {set_payload: {payload: {b: 2}, points: [50]}},
            {delete_payload: {keys: ['a'], points: [50]}},
        ]});
        same(results.length, 3);
        same((await get(50)).payload, {b: 2});
    },

    async points_are_deleted() {
        await client.delete(name, {wait, points: [1]});
        await client.delete(name, {wait, filter: {must: [
            {key: 'n', range: {gte: 3}}]}});
        same(await allIds({}), [2, 50, one]);
    },

    async aliases_are_changed_and_listed() {
        const alias_name = `${name}-alias`;
        same(await client.updateCollectionAliases({actions: [
            {create_alias: {collection_name: name, alias_name}}]}), true);
        same((await client.count(alias_name)).count, 3);
        same((await client.getCollectionAliases(name)).aliases,
            [{alias_name, collection_name: name}]);
        await client.updateCollectionAliases({actions: [
            {delete_alias: {alias_name}}]});
        const {aliases} = await client.getAliases();
        assert(!aliases.some(each => each.alias_name === alias_name));
    },

    async a_collection_is_changed_and_described() {
        same(await client.updateCollection(
            name, {optimizers_config: {indexing_threshold: 10000}}), true);
        const about = await client.getCollection(name);
        same([about.status, about.points_count], ['green', 3]);
        same(about.config.params.vectors.text.size, 2);
        same(await client.listSnapshots(name), []);
    },

    async errors_are_qdrants() {
        await refused(404, client.getCollection('no-such-one'));
        await refused(400, client.query(name, {query: [1, 2]}));
        await refused(404, client.query(name, {query: 987654}));
        await refused(409, client.createCollection(name, {vectors: {}}));
    },

    async a_collection_is_deleted() {
        same(await client.deleteCollection(name), true);
        same(await client.collectionExists(name), {exists: false});
    },
};

const {version} = JSON.parse(readFileSync(`${home}/package.json`));
console.log(`@qdrant/js-client-rest ${version}`);
let failed = 0;
for (const [test, run] of Object.entries(tests)) {
    try {
        await run();
        console.log('passed', test);
    } catch (error) {
        failed++;
        console.log('FAILED', test);
        console.log(error);
    }
}
const n = Object.keys(tests).length;
console.log(`${Math.floor(100 * (n - failed) / n)}%: Checks: ${n}, ` +
    `Failures: ${failed}, Errors: 0`);
process.exitCode = failed === 0 ? 0 : 1;
