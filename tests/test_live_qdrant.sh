#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library and the tool against our own Qdrant server, or QDRANT_URL.
set -u
# Before tool_rig.sh goes elsewhere.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
suite=$(cd "${VECWIRE_BUILD:-.}" && pwd)/tests/live_qdrant
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
# shellcheck source=tests/qdrant_rig.sh
. "$tests/qdrant_rig.sh"
[ -x "$suite" ] || {
    echo "$suite was not built"
    exit 1
}

if [ -z "${QDRANT_URL:-}" ]; then
    # Ours has this key; a real one has its own.
    export QDRANT_API_KEY=sesame-7391 HMS_API_KEY=sesame-7391
fi
qdrant_server
export VECWIRE_LIVE_URL=$url VECWIRE_DIM=4
[ -z "${QDRANT_API_KEY:-}" ] || export VECWIRE_LIVE_KEY=$QDRANT_API_KEY
counted "$suite"

# --- the tool: there and back, and what the commands are for ---
name=vecwire-live-tool-$$
q() { # NAME STATUS COMMAND WORD...
    local name_of=$1 status=$2 command=$3
    shift 3
    run "$name_of" "$status" "$command" --url "$url" --dialect qdrant \
        --collection "$collection" ${QDRANT_API_KEY:+--api-key-env} \
        ${QDRANT_API_KEY:+QDRANT_API_KEY} "$@"
}
for i in 0 1 2 3 4 5 6 7; do
    printf '{"id":%d,"vector":[0.1,-%d.5,1e-7,%d],"payload":{"n":%d}}\n' \
        "$i" "$i" "$i" "$i"
done >rows.jsonl
for suffix in a b; do
    collection=$name-$suffix
    q "create" 0 collections create --dim 4 --distance dot
done
collection=$name-a
q "import" 0 import rows.jsonl --json
out "import" '^\{"rows_done":8,"rows_failed":0,"errors":\[\]\}$'
q "count" 0 count --filter '{"must":[{"key":"n","range":{"gte":4}}]}'
out "count" '^4$'
q "get" 1 get 3 99 --json
out "get" '"payload":\{"n":3\}'
q "query" 0 query --vector '[0,0,0,1]' --top-k 1 --json --with-payload
out "query" '^\{"hits":\[\{"id":7,"score":7(\.0)?,"text":null,"payload":\{"n":7\}'
q "export" 0 export first.jsonl --page 3
q "export a matrix" 0 export first.npy
collection=$name-b
q "import again" 0 import first.npy
q "export again" 0 export second.jsonl
cmp first.jsonl second.jsonl
verdict $? "rows came back as they were"
q "delete" 0 delete 0 1 --json
out "delete" '^\{"rows_done":2,'
q "load" 0 load --dim 4 --requests 200 --warmup 0s --json
out "load" '^\{"requests":200,"errors":0,'
q "load --upsert" 0 load --upsert --batch 10 --dim 4 --requests 30 \
    --warmup 0s --wait --json
out "load --upsert" '^\{"requests":30,"errors":0,'
q "info" 0 collections info --json
out "info" '"status":"(green|yellow|grey)"'
for suffix in a b; do
    collection=$name-$suffix
    q "drop" 0 collections drop
done
finish
