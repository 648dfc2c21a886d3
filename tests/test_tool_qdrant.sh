#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The commands that talk to Qdrant, against vecwire serve: collections, import
# and export there and back, query, get, count, delete, load.
set -u
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"

serve --dim 4 --seed-rows 1000 --seed-text-bytes 40
q() { # NAME STATUS COMMAND COLLECTION OPTION...
    local name=$1 status=$2 command=$3 collection=$4
    shift 4
    run "$name" "$status" "$command" --url "$url" --dialect qdrant \
        --collection "$collection" "$@"
}
same() { # NAME FILE FILE
    cmp "$2" "$3" >/dev/null 2>&1
    verdict $? "$1: $2 and $3 are the same"
}

# --- collections ---
q "create" 0 collections a create --dim 4 --distance dot
out "create" '^created a$'
q "create twice" 1 collections a create --dim 4
err "create twice" '^vecwire collections: http.*HTTP 409.*already exists'
one_line "create twice" err
run "list" 0 collections list --url "$url" --dialect qdrant
out "list" '^a$'
out "list" '^demo$'
run "list --json" 0 collections list --url "$url" --dialect qdrant --json
out "list --json" '^\{"collections":\[\{"name":"[a-z]+"\},\{"name":"[a-z]+"\}\]\}$'
q "info" 0 collections demo info
out "info" '^points_count	1000$'
q "info --json" 0 collections demo info --json
out "info --json" '^\{"collections":\[\{"name":"demo","status":"green",.*"points_count":1000'
q "create --json" 0 collections b create --dim 3 --distance euclid --json
out "create --json" '^\{"collections":\[\{"name":"b"\}\]\}$'
q "drop" 0 collections b drop
out "drop" '^dropped b$'
q "drop twice" 0 collections b drop
out "drop twice" '^b was not there$'
q "info of none" 1 collections b info
err "info of none" 'HTTP 404'

q "no action" 2 collections a
q "two actions" 2 collections a list info
q "another action" 2 collections a rename
q "create without a size" 2 collections c create
q "an unknown distance" 2 collections c create --dim 4 --distance far
q "a size with drop" 2 collections c drop --dim 4
run "create without a name" 2 collections create --dim 4 --url "$url" \
    --dialect qdrant
err "create without a name" '^vecwire collections: --collection is needed$'

# --- count, get, query ---
q "count" 0 count demo
out "count" '^1000$'
q "count --json" 0 count demo --json --filter '{"must":[{"key":"parity","match":{"value":"odd"}}]}'
out "count --json" '^\{"count":500\}$'
q "count --approximate" 0 count demo --approximate
q "count of none" 1 count none
err "count of none" '^vecwire count: http.*HTTP 404'
q "a filter that is no object" 2 count demo --filter '[]'

q "get" 0 get demo 7 3
out "get" '^7	\{.*"n":7'
quiet "get"
q "get --json" 0 get demo 7 --json --with-vector
out "get --json" '^\{"rows":\[\{"id":7,"vector":\[[-0-9.e]+(,[-0-9.e]+){3}\],"payload":\{.*\}\}\]\}$'
q "get what is missing" 1 get demo 7 5000 8 5000
out "the others are there" '^8	'
err "the missing one is named" '^vecwire get: id "5000" does not exist$'
q "get what is no id" 2 get demo 7 x
one_line "get what is no id" err
q "get without ids" 2 get demo

q "query" 0 query demo --vector '[1,0,0,0]' --top-k 3
[ "$(wc -l <out)" = 3 ]
verdict $? "query --top-k 3 prints three rows"
q "query --json" 0 query demo --vector '[1,0,0,0]' --top-k 1 --json \
    --with-payload --with-vector
out "query --json" '^\{"hits":\[\{"id":[0-9]+,"score":[0-9.]+,"text":null,"payload":\{.*\},"vector":\[.*\]\}\],"wakeups":'"$n"',"loop_iterations":'"$n"'\}$'
q "query without more" 0 query demo --vector '[1,0,0,0]' --top-k 1 --json
out "query without more" '"payload":null,"vector":null'
q "query by text" 2 query demo --text hello
q "a size that the server refuses" 1 query demo --vector '[1,0]'
err "a size that the server refuses" 'HTTP 400'

# --- export and import, there and back ---
q "export a .npy" 0 export demo first.npy
out "export a .npy" '^exported 1000 rows$'
[ "$(wc -l <first.ids.jsonl)" = 1000 ]
verdict $? "a line for each id"
[ "$(wc -c <first.npy)" = $((128 + 1000 * 16)) ]
verdict $? "a header and the numbers"
q "export a .jsonl" 0 export demo first.jsonl --json --page 7
out "export a .jsonl" '^\{"rows_done":1000,"rows_failed":0,"errors":\[\]\}$'

q "import the .npy" 0 import a first.npy --json --batch 99
out "import the .npy" '^\{"rows_done":1000,"rows_failed":0,"errors":\[\]\}$'
q "export it again" 0 export a second.npy
same "there and back" first.npy second.npy
same "there and back" first.ids.jsonl second.ids.jsonl
q "a collection for lines" 0 collections l create --dim 4 --distance dot
q "import the .jsonl" 0 import l first.jsonl
out "import the .jsonl" '^imported 1000 rows$'
q "export it again" 0 export l second.jsonl
same "there and back" first.jsonl second.jsonl
q "the same as ids" 0 import l first.npy --payload first.ids.jsonl
q "nothing was added" 0 count l
out "nothing was added" '^1000$'

run "a collection of named vectors" 0 raw PUT /collections/named --url "$url" \
    --body '{"vectors":{"d":{"size":2,"distance":"Dot"}},"sparse_vectors":{"s":{}}}'
cat >named.jsonl <<'END'
{"id":0,"vector":{"d":[0.1,-1e-42]},"payload":{"text":"é \"x\"","n":1234567890123456789,"deep":{"a":[1,null,{"b":2.5}]}}}
{"id":5,"vector":{"s":{"indices":[3,4294967295],"values":[1.5,-0.25]}},"payload":{}}
{"id":18446744073709551615,"vector":{"d":[3.4028235e38,1],"s":{"indices":[7],"values":[1]}},"payload":{"k":"v"}}
{"id":"550e8400-e29b-41d4-a716-446655440000","vector":{"d":[1,2]},"payload":{"k":[]}}
END
q "import named vectors" 0 import named named.jsonl --batch 2
out "import named vectors" '^imported 4 rows$'
q "export named vectors" 0 export named named2.jsonl
q "import them again" 0 import named named2.jsonl
q "export them again" 0 export named named3.jsonl
same "named vectors there and back" named2.jsonl named3.jsonl
[ "$(wc -l <named2.jsonl)" = 4 ]
verdict $? "all rows came back"
for line in 1 3; do
    [ "$(sed -n "${line}p" named.jsonl | tr -d ' ')" = \
        "$(grep -F "$(sed -n "${line}p" named.jsonl | cut -d, -f1)," \
            named2.jsonl | tr -d ' ')" ]
    verdict $? "line $line of named.jsonl came back as it was"
done
q "named vectors are no matrix" 1 export named named.npy
err "named vectors are no matrix" 'have not one dense vector each'
one_line "named vectors are no matrix" err
[ ! -e named.npy ] && [ ! -e named.npy.part ] && [ ! -e named.ids.jsonl.part ]
verdict $? "a failed export leaves no files"
q "one of them is" 0 export named named.npy --vector-name d \
    --filter '{"must":[{"has_vector":"d"}]}'
q "a name on the way in" 0 import named named.npy --vector-name d
out "a name on the way in" '^imported 3 rows$'
q "query a named vector" 0 query named --vector '[1,2]' --vector-name d
q "get by the UUID's other forms" 0 get named \
    'urn:uuid:550E8400-E29B-41D4-A716-446655440000'

printf '{"id":1,"vector":[1,2,3,4]}\n{"id":"x","vector":[1,2,3,4]}\n' >bad.jsonl
q "an id that is none" 1 import a bad.jsonl --json
err "an id that is none" '^vecwire import: bad.jsonl: line 2: '
out "an id that is none" '^\{"rows_done":1,"rows_failed":1,'
echo '{"id":1,"vector":{"s":{"indices":[1]}}}' >bad.jsonl
q "a sparse vector without values" 1 import a bad.jsonl
err "a sparse vector without values" 'bad.jsonl: line 1: vector "s": a sparse'
q "rows that the server refuses" 1 import named first.jsonl --json
out "rows that the server refuses" '^\{"rows_done":0,"rows_failed":[0-9]+,"errors":\[\{"row":0,"id":"0","code":"VECWIRE_EHTTP"'
one_line "rows that the server refuses" err

echo '{"id":1,"vector":[1,2,3,4],"text":"t"}' >text.jsonl
q "a text" 0 import a text.jsonl
err "it is not left out in silence" 'text.jsonl: line 1: key "text" was left out'

printf 'old' >kept.jsonl
q "export of none" 1 export none kept.jsonl
err "export of none" '^vecwire export: http.*HTTP 404'
[ "$(cat kept.jsonl)" = old ]
verdict $? "a failed export leaves the old file"
q "a collection without rows" 0 collections empty create --dim 4
q "export of nothing" 0 export empty empty.npy
out "export of nothing" '^exported 0 rows$'
[ -e empty.npy ] && [ -e empty.ids.jsonl ]
verdict $? "the files are there"
q "export to another kind" 2 export demo first.txt
q "export to no file" 2 export demo
q "export into a missing directory" 1 export demo none/first.npy
err "export into a missing directory" 'cannot be written: '
one_line "export into a missing directory" err

# --- delete ---
q "delete" 0 delete a 0 1 2 5000 --json
out "delete" '^\{"rows_done":4,"rows_failed":0,"errors":\[\]\}$'
q "they are gone" 0 count a
out "they are gone" '^997$'
q "delete what is no id" 2 delete a 3 x --json
out "delete what is no id" '"rows_failed":2,.*"code":"VECWIRE_ECANCELED".*"id":"x","code":"VECWIRE_EINVAL"'
q "nothing is gone" 0 count a
out "nothing is gone" '^997$'

# --- load ---
q "load" 0 load demo --dim 4 --requests 200 --warmup 0s --json
out "load" '^\{"requests":200,"errors":0,'
q "one in flight costs one iteration" 0 load demo --dim 4 --requests 200 \
    --warmup 50ms --concurrency 1 --json
out "one in flight" '"loop_iterations_per_request":1\.0[0-9]*,'
q "a collection for writes" 0 collections w create --dim 4
q "load --upsert" 0 load w --upsert --batch 10 --dim 4 --requests 30 \
    --warmup 0s --wait --threads 2 --json
out "load --upsert" '^\{"requests":30,"errors":0,'
q "its rows" 0 count w
out "its rows" '^300$'
q "load of a collection that is not there" 1 load none --dim 4 --requests 9 \
    --warmup 0s
err "load of none" '9 of 9 failed, the first: .*HTTP 404'

# --- what is not there ---
kill "$server"
wait "$server"
for command in count export get delete; do
    word=7
    [ $command = count ] && word=
    [ $command = export ] && word=x.jsonl
    # shellcheck disable=SC2086
    q "$command without a server" 1 $command demo $word
    err "$command without a server" 'VECWIRE_EREFUSED'
    one_line "$command without a server" err
done

finish
