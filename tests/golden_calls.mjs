// SPDX-License-Identifier: Apache-2.0
// The requests of tests/golden_qdrant as calls of Qdrant's client for
// JavaScript, by name.

const goods = 'goods';
const one = '6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11';
const dense = [0.1, -2, 1e-7, 3.4028235e38];
const priced = {must: [{key: 'price', range: {gte: 1.5, lt: 9}}]};
const berlin = {
    should: [{key: 'city', match: {value: 'Berlin'}},
        {is_empty: {key: 'city'}}],
    must_not: [{has_id: [1, 2]}]};
const params = {
    hnsw_ef: 128, exact: false, indexed_only: true,
    quantization: {ignore: false, rescore: true, oversampling: 2},
    acorn: {enable: true, max_selectivity: 0.4}};
const lookup_from = {collection: 'other', vector: 'image'};
const near = [0.1, -2];
const deepest = {query: near, limit: 100};
const prefetch = [
    {query: near, using: 'image', filter: priced, params, prefetch: [deepest],
        limit: 50, score_threshold: -1},
    {query: {indices: [3, 70000], values: near}, using: 'words'},
    {query: 42, lookup_from}];
const search = args => client => client.query(goods, args);

const queries = {
    query: search({query: dense, limit: 5}),
    query_full: client => client.query('größe & co', {
        query: dense, limit: 7, filter: priced, using: 'image',
        with_payload: true, with_vector: true, shard_key: ['a', 7],
        consistency: 'quorum', timeout: 3}),
    query_selectors: search({
        query: dense, with_payload: {include: ['a.b', 'c[].d']},
        with_vector: ['image', 'words'], consistency: 2}),
    search_full: search({
        query: dense, using: 'image', filter: priced, params, lookup_from,
        limit: 20, score_threshold: 0.3, offset: 40, with_payload: true,
        with_vector: true, shard_key: {target: 'a', fallback: 'b'},
        consistency: 'majority', timeout: 3}),
    search_sparse: search({
        query: {indices: [3, 70000, 4294967295], values: [0.1, -2, 1e-7]},
        using: 'words'}),
    search_multi: search({query: [[1, 0.5], [-0.25, 4]], using: 'tokens'}),
    search_inference: search({
        query: {text: 'café "noir"', model: 'qdrant/bm25', options: {}},
        using: 'words'}),
    search_number: search({query: 42, lookup_from}),
    search_uuid: search({query: one, limit: 1}),
    search_nothing: search({filter: priced}),
    search_mmr: search({query: {
        nearest: [0.5, 1], mmr: {diversity: 0.25, candidates_limit: 100}}}),
    search_recommend: search({query: {recommend: {
        positive: [1, [0.5, 2]], negative: [one], strategy: 'best_score'}}}),
    search_discover: search({query: {discover: {
        target: [1, 2], context: [{positive: 3, negative: 4}]}}}),
    search_context: search({
        query: {context: [{positive: 3, negative: [1, 0]}]}}),
    search_order_by: search({query: {order_by: {
        key: 'price', direction: 'desc', start_from: 9.5}}}),
    search_sample: search({query: {sample: 'random'}}),
    search_feedback: search({query: {relevance_feedback: {
        target: [1, 0], feedback: [{example: 7, score: 0.5}],
        strategy: {naive: {a: 1, b: 0.5, c: 0.25}}}}}),
    search_fusion: search({query: {fusion: 'dbsf'}, prefetch, limit: 5}),
    search_rrf: search({
        query: {rrf: {k: 60, weights: [1, 0.5, 2]}}, prefetch}),
    search_formula: search({prefetch: [deepest], query: {
        formula: {sum: [
            '$score',
            {mult: [0.5, {key: 'tag', match: {any: ['h1', 'h2']}}]},
            {gauss_decay: {scale: 5000, x: {geo_distance: {
                origin: {lat: 52.5, lon: 13.4}, to: 'geo'}}}},
            {div: {left: 1, right: 'price', by_zero_default: 0}},
            {neg: {abs: 'x'}},
            {pow: {base: 2, exponent: {sqrt: 4}}},
            {exp_decay: {
                x: {datetime_key: 'at'},
                target: {datetime: '2026-01-02T00:00:00Z'},
                scale: 86400, midpoint: 0.5}}]},
        defaults: {price: 10}}}),
    query_batch: client => client.queryBatch(goods, {
        searches: [
            {query: near, limit: 3, with_payload: true, shard_key: 'a'},
            {query: {fusion: 'rrf'}, prefetch, offset: 2, with_vector: true,
                shard_key: 'a'}],
        consistency: 'all', timeout: 1}),
    // Its queryGroups() has no lookup_from.
    query_groups: client => client.api().queryPointsGroups({
        collection_name: goods, lookup_from, query: near, using: 'image', filter: priced, params,
        prefetch: [deepest], limit: 4, score_threshold: 0.5,
        with_payload: true, with_vector: true, shard_key: 12, consistency: 1,
        timeout: 60, group_by: 'doc[].id', group_size: 2,
        with_lookup: {collection: 'docs', with_payload: ['title'],
            with_vectors: false}}),
};

const reads = {
    get: client => client.retrieve(goods, {ids: [7, 42], with_payload: false}),
    get_full: client => client.retrieve(goods, {
        ids: [7, one], with_payload: {exclude: ['text']},
        with_vector: ['image'], shard_key: 'a', consistency: 3, timeout: 2}),
    get_point: client => client.api().getPoint(
        {collection_name: goods, id: 7}),
    get_point_full: client => client.api().getPoint(
        {collection_name: goods, id: one, consistency: 'majority'}),
    scroll: client => client.scroll(goods, {with_payload: false}),
    scroll_full: client => client.scroll(goods, {
        offset: one, filter: berlin, limit: 1000, with_payload: true,
        with_vector: true, shard_key: 'a', consistency: 'all', timeout: 10}),
    scroll_number: client => client.scroll(
        goods, {offset: 4096, limit: 2, with_payload: false}),
    scroll_ordered: client => client.scroll(goods, {
        limit: 5, with_payload: ['a', 'b.c'], order_by: {
            key: 'at', direction: 'asc', start_from: '2026-01-02T03:04:05Z'}}),
    count: client => client.count(goods),
    count_full: client => client.count(goods, {
        filter: berlin, exact: false, shard_key: 'a', timeout: 2}),
    count_consistent: client => client.api().countPoints(
        {collection_name: goods, exact: true, consistency: 'quorum'}),
    facet: client => client.facet(goods, {key: 'city'}),
    facet_full: client => client.facet(goods, {
        key: '"a key".b[].c', filter: berlin, limit: 3, exact: true,
        shard_key: 'a', consistency: 2, timeout: 4}),
};

const points = [1, one];
const wait = true;
const all = {wait, ordering: 'strong', timeout: 5};

const updates = {
    upsert: client => client.upsert(goods, {wait: false, points: [
        {id: 7, vector: [0.1, -2]},
        {id: 42, vector: [1e-7, 3.4028235e38], payload: {a: 1}}]}),
    upsert_full: client => client.upsert(goods, {
        ...all, shard_key: 'a', update_filter: berlin,
        update_mode: 'update_only', points: [
            {id: one, vector: {image: [0.1, -2]},
                payload: {'ключ "x"': [null, true, 1.5, {b: []}]}},
            {id: 7, vector: {image: [1e-7, 3.4028235e38]}, payload: {}}]}),
    upsert_vectors: client => client.upsert(goods, {
        wait, update_mode: 'insert_only', points: [
            {id: 1, vector: {
                '': [0.1, -2],
                tokens: [[1, 0.5], [-0.25, 4]],
                words: {indices: [3, 70000], values: [0.1, -2]},
                text: {text: 'café', model: 'qdrant/bm25'}}},
            {id: 2, vector: [[1, 0.5], [-0.25, 4]]},
            {id: 3, vector: {}}]}),
    upsert_columns: client => client.upsert(goods, {
        wait, ordering: 'medium', batch: {
            ids: [7, one], vectors: [[0.1, -2], [1e-7, 3.4028235e38]],
            payloads: [{a: 1}, null]}}),
    upsert_columns_named: client => client.upsert(goods, {
        wait, shard_key: 'a', update_filter: berlin,
        update_mode: 'insert_only', batch: {
            ids: [7, 42],
            vectors: {image: [[0.1, -2], [1e-7, 3.4028235e38]]}}}),
    delete: client => client.delete(goods, {points}),
    delete_full: client => client.delete(goods, {
        ...all, shard_key: 'a', filter: berlin}),
    delete_everything: client => client.delete(goods, {
        wait, ordering: 'weak', filter: {}}),
    set_payload: client => client.setPayload(goods, {
        wait: false, points: [7], payload: {a: {b: [1, null]}}}),
    set_payload_full: client => client.setPayload(goods, {
        ...all, shard_key: 'a', filter: berlin, payload: {x: 1},
        key: 'a.b[0]'}),
    overwrite_payload: client => client.overwritePayload(goods, {
        wait: false, points, payload: {}}),
    overwrite_payload_full: client => client.overwritePayload(goods, {
        ...all, shard_key: 'a', filter: berlin, payload: {x: 1}, key: 'a'}),
    delete_payload: client => client.deletePayload(goods, {
        wait: false, points, keys: ['a', 'b[].c', '"d e".f']}),
    delete_payload_full: client => client.deletePayload(goods, {
        ...all, shard_key: 'a', filter: berlin, keys: ['a']}),
    clear_payload: client => client.clearPayload(goods, {
        wait: false, points}),
    clear_payload_full: client => client.clearPayload(goods, {
        ...all, shard_key: 'a', filter: berlin}),
    update_vectors: client => client.updateVectors(goods, {
        wait: false, points: [{id: 7, vector: [0.1, -2]}]}),
    update_vectors_full: client => client.api().updateVectors({
        collection_name: goods, ...all, shard_key: 'a', update_filter: berlin,
        points: [{id: one, vector: {
            image: [0.1, -2],
            words: {indices: [3, 70000], values: [0.1, -2]}}}]}),
    delete_vectors: client => client.deleteVectors(goods, {
        wait: false, points, vector: ['image']}),
    delete_vectors_full: client => client.deleteVectors(goods, {
        ...all, shard_key: 'a', filter: berlin, vector: ['', 'words']}),
    update_points: client => client.batchUpdate(goods, {...all, operations: [
        {upsert: {shard_key: 'a', points: [
            {id: 7, vector: [0.1, -2], payload: {a: 1}}]}},
        {upsert: {
            shard_key: 'b', update_filter: berlin, update_mode: 'insert_only',
            batch: {ids: [7, 42],
                vectors: [[0.1, -2], [1e-7, 3.4028235e38]]}}},
        {delete: {points, shard_key: 'a'}},
        {delete: {filter: berlin, shard_key: 'a'}},
        {set_payload: {payload: {b: 2}, points, key: 'c', shard_key: 'a'}},
        {overwrite_payload: {
            payload: {b: 2}, filter: berlin, shard_key: 'a'}},
        {delete_payload: {keys: ['a'], points, shard_key: 'a'}},
        {clear_payload: {filter: berlin, shard_key: 'a'}},
        {update_vectors: {shard_key: 'a', points: [
            {id: 7, vector: {image: [0.1, -2]}}]}},
        {delete_vectors: {vector: ['image'], points, shard_key: 'a'}}]}),
};

const admin = {
    create_collection: client => client.createCollection(goods, {
        vectors: {size: 4, distance: 'Cosine'}}),
    create_collection_full: client => client.api().createCollection({
        collection_name: 'größe & co', timeout: 30,
        vectors: {
            image: {size: 65536, distance: 'Euclid', datatype: 'float16',
                on_disk: true, hnsw_config: {m: 8},
                quantization_config: {scalar: {type: 'int8', quantile: 0.99,
                    always_ram: true}}},
            tokens: {size: 2, distance: 'Dot',
                multivector_config: {comparator: 'max_sim'}},
            other: {size: 1, distance: 'Manhattan', memory: 'cold'}},
        sparse_vectors: {
            words: {modifier: 'idf', index: {
                full_scan_threshold: 5000, on_disk: true,
                datatype: 'float32'}},
            more: {}},
        shard_number: 2, sharding_method: 'custom', replication_factor: 2,
        write_consistency_factor: 1, on_disk_payload: true,
        hnsw_config: {m: 16, ef_construct: 100, full_scan_threshold: 10000,
            max_indexing_threads: 2, on_disk: true, payload_m: 8,
            inline_storage: false},
        optimizers_config: {deleted_threshold: 0.2,
            vacuum_min_vector_number: 1000, default_segment_number: 2,
            max_segment_size: 200000, indexing_threshold: 20000,
            flush_interval_sec: 5, max_optimization_threads: 'auto',
            prevent_unoptimized: true},
        wal_config: {wal_capacity_mb: 32, wal_segments_ahead: 1,
            wal_retain_closed: 1},
        quantization_config: {turbo: {bits: 'bits2'}},
        strict_mode_config: {enabled: true, max_query_limit: 100,
            read_rate_limit: 1000},
        payload: {memory: 'cached'},
        metadata: {owner: 'us', tags: [1, null]}}),
    create_collection_empty: client => client.createCollection(goods, {}),
    update_collection: client => client.updateCollection(goods, {
        timeout: 10,
        vectors: {'': {hnsw_config: {m: 32}, quantization_config: 'Disabled',
            on_disk: false}},
        sparse_vectors: {words: {index: {on_disk: false}}},
        optimizers_config: {indexing_threshold: 10000},
        params: {replication_factor: 3, write_consistency_factor: 2,
            read_fan_out_factor: 1, on_disk_payload: false},
        hnsw_config: {ef_construct: 200},
        quantization_config: {binary: {always_ram: true}},
        strict_mode_config: {enabled: false},
        metadata: {owner: null}}),
    delete_collection: client => client.deleteCollection(goods),
    delete_collection_full: client => client.deleteCollection(
        'größe & co', {timeout: 3}),
    collection_exists: client => client.collectionExists(goods),
    list_collections: client => client.getCollections(),
    collection_info: client => client.getCollection(goods),
};

const page = filter => client =>
    client.scroll(goods, {filter, with_payload: false});
const square = [[0, 0], [0, 10], [10, 10], [10, 0], [0, 0]];
const hole = [[4, 4], [4, 5.5], [5, 5], [4, 4]];
const ring = line => ({points: line.map(([lat, lon]) => ({lat, lon}))});
const words = 'one two';

const filters = {
    filter_matches: page({
        must: [
            {key: 'city', match: {value: 'Berlin'}},
            {key: 'n[0].m', match: {value: -7}},
            {key: '"a key".b[]', match: {value: false}},
            {key: 'tag', match: {any: ['a', 'café "x"']}},
            {key: 'tag', match: {except: []}},
            {key: 'n', match: {any: [-3, 0, 9007199254740991]}}],
        must_not: [
            {key: 'tag', match: {except: ['a', 'café "x"']}},
            {key: 'n', match: {except: [-3]}}],
        should: [
            {key: 't', match: {text: words}},
            {key: 't', match: {phrase: words}},
            {key: 't', match: {text_any: words}},
            {key: 't', match: {prefix: 'on'}}]}),
    filter_ranges: page({must: [
        {key: 'x', range: {gt: 0.1, lte: 1e300}},
        {key: 'x', range: {gte: -5e-324}},
        {key: 'n', range: {lt: 42}},
        {key: 'at', range: {
            gte: '2024-07-22', lt: '2024-07-23T08:31:55.5+02:00'}},
        {key: 'at', range: {gt: '2024-07-22 08:31'}},
        {key: 'tag', values_count: {gt: 1, lte: 4}},
        {key: 'tag', values_count: {gte: 2, lt: 5}}]}),
    filter_places: page({should: [
        {key: 'at', geo_bounding_box: {
            top_left: {lat: 52.5, lon: 13.25},
            bottom_right: {lat: -90, lon: 180}}},
        {key: 'at', geo_radius: {
            center: {lat: 52.52, lon: 13.405}, radius: 1000.5}},
        {key: 'at', geo_polygon: {
            exterior: ring(square), interiors: [ring(hole)]}},
        {key: 'at', geo_polygon: {exterior: ring(square)}}]}),
    filter_nesting: page({min_should: {min_count: 2, conditions: [
        {is_empty: {key: 'a'}},
        {is_null: {key: 'b[].c'}},
        {has_id: [1, 42]},
        {has_id: [7, one]},
        {has_vector: 'image'},
        {has_vector: ''},
        {slice: {total: 4, index: 3}},
        {nested: {key: 'list', filter: {
            must: [{key: 'x', match: {value: 1}}]}}},
        {must_not: [{should: [{key: 'y', match: {value: true}}]}]}]}}),
};

const server = {
    create_index: client => client.createPayloadIndex(goods, {
        field_name: 'city', field_schema: 'keyword'}),
    create_index_full: client => client.createPayloadIndex(goods, {
        ...all, field_name: 'a[].b', field_schema: {
            type: 'text', tokenizer: 'word', min_token_len: 2,
            max_token_len: 20, lowercase: true, on_disk: true,
            phrase_matching: true, stopwords: 'english'}}),
    delete_index: client => client.deletePayloadIndex(
        goods, 'a[]."b c"', {wait: false}),
    delete_index_full: client => client.deletePayloadIndex(
        goods, 'city', all),
    update_aliases: client => client.updateCollectionAliases({
        timeout: 4, actions: [
            {create_alias: {collection_name: goods, alias_name: 'new one'}},
            {create_alias: {collection_name: 'other', alias_name: 'b'}},
            {delete_alias: {alias_name: 'old'}},
            {rename_alias: {
                old_alias_name: 'a', new_alias_name: 'größe'}}]}),
    list_aliases: client => client.getAliases(),
    collection_aliases: client => client.getCollectionAliases(goods),
    list_snapshots: client => client.listSnapshots(goods),
    create_snapshot: client => client.createSnapshot(goods),
    create_snapshot_no_wait: client => client.createSnapshot(
        goods, {wait: false}),
    root: client => client.versionInfo(),
    healthz: client => client.api().healthz({}),
    livez: client => client.api().livez({}),
    readyz: client => client.api().readyz({}),
    metrics: client => client.api().metrics({}),
    metrics_full: client => client.api().metrics(
        {anonymize: true, per_collection: true, timeout: 7}),
    telemetry: client => client.api().telemetry({}),
    telemetry_full: client => client.api().telemetry({
        anonymize: true, per_collection: true, details_level: 3,
        timeout: 7}),
};

export const calls = {...queries, ...reads, ...updates, ...admin, ...filters,
    ...server};

// What their client cannot send, and why.
export const oursAlone = {
    filter_large: 'JavaScript has no such numbers',
    get_large: 'JavaScript has no such numbers',
};
