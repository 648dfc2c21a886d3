// SPDX-License-Identifier: Apache-2.0
// What Qdrant's client for JavaScript sends for the calls of
// tests/golden_qdrant, beside what that sent: golden_qdrant.mjs REQUESTS
// MODULES. Values are compared, not texts: the order of members and how a
// number is written do not matter.
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';

import {calls, oursAlone} from './golden_calls.mjs';

const [requests, modules] = process.argv.slice(2);
const home = `${modules}/node_modules/@qdrant/js-client-rest`;
const {QdrantClient} = await import(`${home}/dist/esm/index.js`);

// Where one side says what the other leaves to the server's default: method,
// path, member ("?" before a parameter of the query string, [] any index) and
// the default, which qdrant-api.md and the server's sources tell.
const point = /\/points$/;
const query = /\/points\/query(\/batch|\/groups)?$/;
const defaults = [
    // Whose default for payloads the server's own description gets wrong; so
    // both are always sent.
    ['POST', point, 'with_payload', false],
    ['POST', point, 'with_vector', false],
    // We always send them, so that no version's default matters.
    ['POST', query, 'limit', 10],
    ['POST', query, 'with_payload', false],
    ['POST', query, 'with_vector', false],
    ['POST', query, 'searches[].limit', 10],
    ['POST', query, 'searches[].with_payload', false],
    ['POST', query, 'searches[].with_vector', false],
    ['POST', query, /^(searches\[\]\.)?prefetch(\[\]\.prefetch)*\[\]\.limit$/,
        10],
    ['POST', query, 'group_size', 3],
    ['POST', /\/points\/scroll$/, 'with_vector', false],
    ['POST', /\/facet$/, 'limit', 10],
    ['POST', /\/facet$/, 'exact', false],
    // Their client waits unless it is told not to; we leave it out then.
    [/^(PUT|POST|DELETE)$/, /\/(points|vectors|payload|delete|clear|batch)$/,
        '?wait', 'false'],
    ['PUT', /\/index$/, '?wait', 'false'],
    // Nothing is asked for: we send no body, their client an empty object.
    ['POST', /\/snapshots$/, '', {}],
    ['DELETE', /\/index\/[^/]+$/, '?wait', 'false'],
];
const fits = (rule, text) =>
    rule instanceof RegExp ? rule.test(text) : rule === text;
const isDefault = (request, member, value) =>
    defaults.some(([method, path, name, usual]) =>
        fits(method, request.method) && fits(path, request.path) &&
        fits(name, member) &&
        JSON.stringify(value) === JSON.stringify(usual));

const isObject = value => typeof value === 'object' && value !== null;

// Each difference as a line; `place` is for people, `member` for the rules.
function* differences(request, place, member, ours, theirs) {
    if (ours === undefined || theirs === undefined) {
        const present = ours === undefined ? theirs : ours;
        if (present !== undefined && !isDefault(request, member, present))
            yield `${place}: ours ${JSON.stringify(ours)}, ` +
                `theirs ${JSON.stringify(theirs)}`;
    } else if (isObject(ours) && isObject(theirs) &&
            Array.isArray(ours) === Array.isArray(theirs)) {
        const list = Array.isArray(ours);
        for (const key of new Set([...Object.keys(ours),
            ...Object.keys(theirs)])) {
            const dot = member === '' || member === '?' ? '' : '.';
            const next = list ? `${member}[]` : `${member}${dot}${key}`;
            yield* differences(request, `${place}.${key}`, next, ours[key],
                theirs[key]);
        }
    } else if (ours !== theirs) {
        yield `${place}: ours ${JSON.stringify(ours)}, ` +
            `theirs ${JSON.stringify(theirs)}`;
    }
}

const decoded = path => path.split('/').map(decodeURIComponent);

function* compare(ours, theirs) {
    yield* differences(ours, 'method', '/', ours.method, theirs.method);
    yield* differences(ours, 'path', '/', decoded(ours.path),
        decoded(theirs.path));
    yield* differences(ours, 'query', '?', ours.query, theirs.query);
    yield* differences(ours, 'body', '', ours.body, theirs.body);
}

// The requests that came since it was emptied.
const noted = [];
const server = createServer((request, response) => {
    const parts = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => {
        const [path, parameters] = request.url.split('?');
        const body = Buffer.concat(parts).toString();
        noted.push({
            method: request.method, path,
            query: Object.fromEntries(new URLSearchParams(parameters)),
            body: body === '' ? undefined : JSON.parse(body)});
        response.setHeader('Content-Type', 'application/json');
        response.end('{"result":{},"status":"ok","time":0}');
    });
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const client = new QdrantClient({
    url: `http://127.0.0.1:${server.address().port}`,
    checkCompatibility: false});

const ask = async call => {
    noted.length = 0;
    await call(client);
    if (noted.length !== 1)
        throw new Error(`it sent ${noted.length} requests`);
    return noted[0];
};

const check = async ours => {
    if (oursAlone[ours.name] !== undefined)
        return [];
    if (calls[ours.name] === undefined)
        return ['golden_calls.mjs has no such call'];
    try {
        return [...compare(ours, await ask(calls[ours.name]))];
    } catch (error) {
        return [String(error)];
    }
};

const {version} = JSON.parse(readFileSync(`${home}/package.json`));
console.log(`@qdrant/js-client-rest ${version}`);
const all = readFileSync(requests, 'utf8').trimEnd().split('\n')
    .map(line => JSON.parse(line));
let failed = 0;
for (const request of all) {
    const found = await check(request);
    found.forEach(line => console.log('FAILED', `${request.name}:`, line));
    failed += found.length > 0 ? 1 : 0;
}
const names = new Set(all.map(request => request.name));
for (const name of [...Object.keys(calls), ...Object.keys(oursAlone)]) {
    if (!names.has(name)) {
        console.log('FAILED', `${name}: no request of ours has this name`);
        failed++;
    }
}
server.close();
server.closeAllConnections();
const alone = all.filter(request => oursAlone[request.name] !== undefined);
console.log(`${all.length} requests, ${alone.length} without a peer`);
console.log(`${Math.floor(100 * (all.length - failed) / all.length)}%: ` +
    `Checks: ${all.length}, Failures: ${failed}, Errors: 0`);
process.exit(failed === 0 ? 0 : 1);
