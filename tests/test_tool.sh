#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The command line tool from outside: every command, exit status and JSON key
# against its own server, and what is refused.
set -u
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"

# --- help, version, wrong usage ---
run "version" 0 --version
out "version" '^vecwire [0-9]+\.[0-9]+\.[0-9]+$'
run "help" 0 --help
for command in serve query import export get delete count collections load \
    raw; do
    out "help names $command" "^  $command "
done
for command in serve query import export get delete count collections load \
    raw; do
    run "$command --help" 0 "$command" --help
    out "$command --help" "^Usage: vecwire $command"
    quiet "$command --help"
done
run "no command" 2
run "an unknown command" 2 frobnicate
err "an unknown command" 'frobnicate'
run "an unknown option" 2 query --vector '[1]' --frobnicate
err "an unknown option" '^vecwire query: .*--frobnicate'
"$tool" --version >/dev/full 2>err
[ $? = 1 ]
verdict $? "a full disk is a failure"
err "a full disk" 'cannot write'

for command in export get count collections; do
    run "$command for HMS" 2 "$command"
    err "$command" "^vecwire $command: HMS has nothing of the kind"
done
later() {
    run "$* is not built yet" 2 "$@"
    err "$*" 'not built yet$'
    one_line "$*" err
}
later query --vector '[1]' --dialect chroma
later load --report r.html

run "no collection with Qdrant" 2 query --vector '[1]' --dialect qdrant
err "no collection with Qdrant" '^vecwire query: --collection is needed$'
run "a tenant with Qdrant" 2 query --vector '[1]' --dialect qdrant \
    --collection c --tenant t
run "a collection with HMS" 2 query --vector '[1]' --collection c
run "an unknown dialect" 2 query --vector '[1]' --dialect sql
run "top-k 0" 2 query --vector '[1]' --top-k 0
run "top-k with junk" 2 query --vector '[1]' --top-k 5x
run "no vector" 2 query
run "two vectors" 2 query --vector '[1]' --vector-file a.npy
run "a row without a file" 2 query --vector '[1]' --row 1
run "a vector that is none" 2 query --vector '[1,"a"]'
run "an empty vector" 2 query --vector '[]'
run "a missing vector file" 2 query --vector-file none.npy --row 0
run "a key variable that is not set" 2 query --vector '[1]' --api-key-env NONE
run "timeout 0" 2 query --vector '[1]' --timeout-ms 0
run "a bad URL" 2 query --vector '[1]' --url nonsense
run "an unknown scheme" 2 query --vector '[1]' --url ftp://127.0.0.1/
run "delete without ids" 2 delete
run "raw without a path" 2 raw GET
run "raw with two bodies" 2 raw POST / --body x --body-file y
run "raw with a missing file" 2 raw POST / --body-file none
run "import without a file" 2 import
run "import of a missing file" 2 import none.npy
run "import of another kind" 2 import none.txt
run "import with batch 0" 2 import a.npy --batch 0
run "import with batch 1001" 2 import a.npy --batch 1001
run "load with requests and duration" 2 load --requests 1 --duration 1s
run "load with rate 0" 2 load --rate 0
run "load with duration 0" 2 load --duration 0s
run "load with more threads than calls" 2 load --threads 3 --concurrency 2
run "load with a method alone" 2 load --method POST
run "load with a batch alone" 2 load --batch 4
run "load with upserts and a path" 2 load --upsert --path /ping
run "load with batch 0" 2 load --upsert --batch 0
run "load with batch 1001" 2 load --upsert --batch 1001
run "load with --wait for HMS" 2 load --upsert --wait
run "load of a missing file" 2 load --vectors none.npy
run "serve with a bad address" 2 serve --listen nonsense
run "serve with a bad port" 2 serve --listen 127.0.0.1:70000
run "serve with dimension 0" 2 serve --dim 0
run "serve with a word" 2 serve here

# --- import and query ---
serve --dim 3
plain_server=$server
cat >rows.jsonl <<'END'
{"id":"a","vector":[1,0,0],"text":"first \"row\"","payload":{"n":1,"big":1234567890123456789}}
{"id":"b","vector":[0,1,0],"text":"second","payload":{"n":2}}
{"id":"c","vector":[0,0,1]}
END
run "import a .jsonl" 0 import rows.jsonl --url "$url"
out "import" '^imported 3 rows$'
quiet "import, not on a terminal"
run "import --json" 0 import rows.jsonl --url "$url" --json --batch 2
out "import --json" '^\{"rows_done":3,"rows_failed":0,"errors":\[\]\}$'

run "query" 0 query --url "$url" --vector '[1, 0.5, 0]' --top-k 2
out "query prints the best first" '^a	0\.894[0-9]*	first "row"$'
[ "$(wc -l <out)" = 2 ]
verdict $? "query --top-k 2 prints two rows"
run "query --with-payload" 0 query --url "$url" --vector '[1,0,0]' \
    --top-k 1 --with-payload
out "query --with-payload" '^a	1	\{.*1234567890123456789'
run "query --filter" 0 query --url "$url" --vector '[1,0,0]' \
    --filter '{"n":2}'
out "query --filter" '^b	'
one_line "query --filter" out
run "query --json" 0 query --url "$url" --vector '[1,0,0]' --top-k 1 --json
one_line "query --json" out
out "query --json" '^\{"hits":\[\{"id":"a","score":1,"text":"first \\"row\\"","payload":null,"vector":null\}\],"wakeups":'"$n"',"loop_iterations":'"$n"'\}$'
run "query --json, all of it" 0 query --url "$url" --vector '[1,0,0]' \
    --top-k 1 --json --with-payload --with-vector
out "payloads keep their numbers" '"payload":\{.*1234567890123456789.*\},"vector":null'
run "query --verbose" 0 query --url "$url" --vector '[1,0,0]' --verbose
run "a filter that is no object" 2 query --url "$url" --vector '[1,0,0]' \
    --filter '[1]'
one_line "a filter that is no object" err
run "top-k over the limit" 2 query --url "$url" --vector '[1,0,0]' \
    --top-k 101
run "a dimension that the server refuses" 1 query --url "$url" \
    --vector '[1,0]'
err "the server's own text" '^vecwire query: http://127.0.0.1:[0-9]+: .*VECWIRE_EHTTP.*422'
one_line "the server's own text" err

npy good.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }"
{
    row "$one" "$nil" "$nil"
    row "$nil" "$one" "$nil"
    row "$one" "$one" "$nil"
} >>good.npy
run "import a .npy" 0 import good.npy --url "$url" --tenant t1 --json
out "import a .npy" '"rows_done":3,'
run "ids are row numbers" 0 query --url "$url" --tenant t1 \
    --vector-file good.npy --row 1 --top-k 1
out "ids are row numbers" '^1	1	'
run "tenants are apart" 0 query --url "$url" --tenant t2 --vector '[1,0,0]'
[ ! -s out ]
verdict $? "tenants are apart"
run "import --id-offset" 0 import good.npy --url "$url" --tenant t3 \
    --id-offset 100
run "import --id-offset" 0 query --url "$url" --tenant t3 --vector '[0,1,0]' \
    --top-k 1
out "import --id-offset" '^101	'
printf '{"id":"x","text":"T","payload":{"k":"v"}}\n{}\n{"id":"z"}\n' >pay.jsonl
run "import --payload" 0 import good.npy --payload pay.jsonl --url "$url" \
    --tenant t4
run "import --payload" 0 query --url "$url" --tenant t4 --vector '[1,0,0]' \
    --top-k 3 --json --with-payload
out "import --payload" '"id":"x","score":1,"text":"T","payload":\{"k": ?"v"\}'
out "a row without an id" '"id":"1"'
run "a row that is not there" 2 query --url "$url" --vector-file good.npy \
    --row 3

# Batches that no socket takes at once.
awk 'BEGIN {
    text = "x"
    while (length(text) < 40000)
        text = text text
    for (i = 0; i < 200; i++)
        print "{\"id\":\"" i "\",\"vector\":[1," i ",0],\"text\":\"" text "\"}"
}' >large.jsonl
run "batches of megabytes" 0 import large.jsonl --url "$url" --tenant large \
    --batch 100
out "batches of megabytes" '^imported 200 rows$'

# --- bad input: file, line and reason; rows before it are kept ---
bad_import() { # NAME FILE DONE REGEX
    run "$1" 1 import "$2" --url "$url" --tenant bad --json --batch 2
    out "$1: rows before are counted" \
        "^\{\"rows_done\":$3,\"rows_failed\":1,\"errors\":\[\{\"row\":$n,\"id\":(null|\"[^\"]*\"),\"code\":\"VECWIRE_E(INVAL|TOOBIG)\",\"text\":\""
    err "$1: file and reason" "^vecwire import: $2: $4"
    one_line "$1" err
}
{
    cat rows.jsonl
    echo '{"id":"d","vector":[1,0]}'
    echo '{"id":"e","vector":[1,0,0]}'
} >bad.jsonl
bad_import "rows of unequal length" bad.jsonl 3 'line 4: .*2 coordinates'
run "rows before it are kept" 0 query --url "$url" --tenant bad \
    --vector '[1,1,1]'
[ "$(wc -l <out)" = 3 ]
verdict $? "rows before a bad line are kept"
printf '{"vector":[1,0,0]}\n{"vector":[1,0,NaN]}\n' >bad.jsonl
bad_import "NaN in a .jsonl" bad.jsonl 1 'line 2: .*coordinate 2'
printf '{"vector":[1,0,0]}\n{"vector":[1,0,1e40]}\n' >bad.jsonl
bad_import "too large a number" bad.jsonl 1 'line 2: .*coordinate 2'
printf '{"vector":[1,0,0]}\nhello\n' >bad.jsonl
bad_import "a line that is no JSON" bad.jsonl 1 'line 2: '
printf '{"vector":[1,0,0]}\n{"id":"a\\u0001b","vector":[1,0,0]}\n' >bad.jsonl
bad_import "an id with a control character" bad.jsonl 1 'line 2: row 1: '
long=$(printf '%0257d' 0)
printf '{"vector":[1,0,0]}\n{"id":"%s","vector":[1,0,0]}\n' "$long" >bad.jsonl
bad_import "an id over 256 bytes" bad.jsonl 1 'line 2: row 1: '
: >bad.jsonl
bad_import "no rows at all" bad.jsonl 0 'it has no rows'

dict="'fortran_order': False, 'shape': (2, 3), }"
npy bad.npy "{'descr': '<i4', $dict"
bad_import "a wrong type" bad.npy 0 '.*<i4'
npy bad.npy "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"
bad_import "a wrong order" bad.npy 0 '.*Fortran'
npy bad.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }"
bad_import "a wrong shape" bad.npy 0 '.*1 dimensions'
npy bad.npy "{'descr': '<f4', $dict"
row "$one" "$one" "$one" >>bad.npy
bad_import "a truncated file" bad.npy 0 '.*truncated'
row "$one" "$not" "$one" >>bad.npy
bad_import "NaN in a .npy" bad.npy 1 'row 1, coordinate 1 is NaN'
printf '{}\n{}\n' >pay.jsonl
run "too few payloads" 1 import good.npy --payload pay.jsonl --url "$url" \
    --tenant bad
err "too few payloads" '^vecwire import: pay.jsonl: line 3: '
out "too few payloads" '^imported 2 rows$'
printf '{}\n{}\n{}\n{}\n' >pay.jsonl
run "too many payloads" 1 import good.npy --payload pay.jsonl --url "$url" \
    --tenant bad
err "too many payloads" '^vecwire import: pay.jsonl: line 4: '
run "payloads for a .jsonl" 2 import rows.jsonl --payload pay.jsonl
printf '{"id":"q","vector":[1,0]}\n' >two.jsonl
run "a dimension that the server refuses" 1 import two.jsonl --url "$url" \
    --json
out "its rows are failed" '^\{"rows_done":0,"rows_failed":1,"errors":\[\{"row":0,"id":"q","code":"VECWIRE_EHTTP","text":".*422'

# --- delete ---
run "delete" 0 delete a b --url "$url"
out "delete" '^deleted 2 of 2, 0 not there$'
run "delete an id that is gone" 0 delete a --url "$url"
out "delete an id that is gone" '^deleted 0 of 1, 1 not there$'
run "delete an unknown id" 0 delete nobody 'a/b c' --url "$url" --json
out "delete --json" '^\{"rows_done":2,"rows_failed":0,"errors":\[\]\}$'
run "it is gone" 0 query --url "$url" --vector '[1,1,1]'
out "the rest is there" '^c	'
one_line "it is gone" out
run "delete a bad id" 2 delete "$long" --url "$url" --json
out "delete a bad id" '"rows_failed":1,"errors":\[\{"row":0,"id":"0'

# --- raw ---
run "raw" 0 raw GET /ping --url "$url"
out "raw" '^pong'
run "raw --json" 0 raw GET /ping --url "$url" --json
out "raw --json" '^\{"status":200,"body":"pong(\\n)?","body_bytes":[45],"wakeups":'"$n"',"loop_iterations":'"$n"'\}$'
run "raw --repeat" 0 raw GET /bigger --url "$url" --json --repeat 20
out "raw --repeat" '^\{"status":200,"body":".*","body_bytes":585,"wakeups":'"$n"',"loop_iterations":'"$n"',"requests":20\}$'
run "raw of bytes" 0 raw GET /length/5000 --url "$url" --json
out "raw of bytes" '"status":200,"body":null,"body_bytes":5000,'
run "raw --output" 0 raw GET /length/5000 --url "$url" --output body
[ "$(wc -c <body)" = 5000 ] && [ ! -s out ]
verdict $? "raw --output writes the file"
run "raw --body" 0 raw POST /api/v1/query --url "$url" \
    --body '{"query_vector":[0,0,1]}'
out "raw --body" '^\{"matches":'
printf '{"query_vector":[0,0,1]}' >body.json
run "raw --body-file" 0 raw POST /api/v1/query --url "$url" \
    --body-file body.json
out "raw --body-file" '^\{"matches":'
run "raw of an unknown path" 1 raw GET /nowhere --url "$url"
out "the body is printed for any status" 'not_found'
err "raw of an unknown path" '^vecwire raw: /nowhere at http.*404'
one_line "raw of an unknown path" err
run "raw of an unknown path, --json" 1 raw GET /nowhere --url "$url" --json
out "raw of an unknown path, --json" '^\{"status":404,"body":"'
run "raw with an unknown method" 2 raw FETCH / --url "$url"
run "raw with a blank in the path" 2 raw GET '/a b' --url "$url"
"$tool" raw GET /length/4000000 --url "$url" 2>err | head -c 1 >/dev/null
[ "${PIPESTATUS[0]}" -le 1 ]
verdict $? "a closed pipe kills nothing"

# --- load ---
json_load() { # NAME STATUS OPTION...
    local name=$1 status=$2
    shift 2
    run "$name" "$status" load --url "$url" --json "$@"
    out "$name: every key" '^\{"requests":'"$n"',"errors":'"$n"',"duration_s":'"$x"',"requests_per_s":('"$x"'|null),"latency_us":\{"p50":('"$x"'|null),"p90":('"$x"'|null),"p99":('"$x"'|null),"p999":('"$x"'|null),"max":('"$x"'|null)\},"loop_iterations":'"$n"',"loop_iterations_per_request":('"$x"'|null),"cpu_us_per_request":('"$x"'|null),"bytes_sent":'"$n"',"bytes_received":'"$n"',"connections_opened":'"$n"',"retries":'"$n"',"late_sends":'"$n"'\}$'
}
json_load "load" 0 --dim 3 --requests 300 --warmup 20ms
out "requests are exact" '"requests":300,"errors":0,'
out "the warm-up keeps its connections" '"connections_opened":0,'
json_load "load, one in flight" 0 --dim 3 --requests 300 --warmup 20ms \
    --concurrency 1 --connections 1
out "one iteration a request" '"loop_iterations_per_request":(1\.0[01]|0\.99)'
json_load "load without a warm-up" 0 --dim 3 --requests 50 --warmup 0s \
    --concurrency 4 --connections 2
out "connections are opened" '"connections_opened":2,'
json_load "load in threads" 0 --dim 3 --requests 301 --threads 3 \
    --concurrency 7 --connections 5 --warmup 20ms
out "threads share the requests" '"requests":301,"errors":0,'
json_load "load by time" 0 --dim 3 --duration 100ms --warmup 0s
json_load "load at a rate" 0 --path /ping --rate 500 --requests 50 \
    --warmup 20ms --threads 2
out "a rate's requests are exact" '"requests":50,"errors":0,'
json_load "load at a rate by time" 0 --path /ping --rate 200 \
    --duration 200ms --warmup 0s
# 40 came due; on a busy machine some may not have left in time.
out "a rate by time" '"requests":([1-3][0-9]|40),"errors":0,'
json_load "load of a path" 0 --path /length/1000 --requests 100 --warmup 0s
json_load "load of a body" 0 --path /api/v1/query --method POST \
    --body-file body.json --requests 100 --warmup 0s
json_load "load of vectors" 0 --vectors good.npy --requests 100 --warmup 0s
json_load "many calls wait" 0 --dim 3 --concurrency 5000 --connections 8 \
    --requests 6000 --warmup 0s
out "many calls wait" '"requests":6000,"errors":0,'
json_load "load of writes" 0 --upsert --batch 7 --dim 3 --requests 30 \
    --warmup 0s --threads 2
run "its rows are there" 0 query --url "$url" --vector '[1,0,0]' --top-k 100 \
    --filter '{}' --json
out "its rows are there" '"id":"load-[0-9]+"'
run "a vectors file with fewer rows than a write" 2 load --url "$url" \
    --upsert --batch 9 --vectors good.npy
run "load, the table" 0 load --url "$url" --dim 3 --requests 100 --warmup 0s
out "load, the table" '^requests  *100$'
out "load, the table" '^CPU per request, us  *[0-9.]+$'
json_load "load with errors" 1 --path /nowhere --requests 20 --warmup 0s
out "load with errors" '"requests":20,"errors":20,'
err "load with errors" '^vecwire load: http.*20 of 20 failed.*404'
one_line "load with errors" err
run "load of a wrong path" 2 load --url "$url" --path nowhere
one_line "load of a wrong path" err

# --- the key ---
kill "$plain_server"
wait "$plain_server"
verdict $? "SIGTERM stops the server cleanly"
closed=$url
export HMS_API_KEY=sesame-7391
export WRONG_KEY=poppy-8264
serve --dim 3 --seed-rows 20 --seed-text-bytes 50
run "a key is asked for" 1 query --url "$url" --vector '[1,0,0]'
err "a key is asked for" '401'
run "a wrong key" 1 query --url "$url" --vector '[1,0,0]' \
    --api-key-env WRONG_KEY --verbose
run "the right key" 0 query --url "$url" --vector '[1,0,0]' --top-k 20 \
    --api-key-env HMS_API_KEY --verbose --json
out "seed rows" '"id":"row-0"'
run "raw with a key" 0 raw GET /ping --url "$url" --api-key-env HMS_API_KEY \
    --verbose
cat serve.err >>everything
! grep -q -e sesame-7391 -e poppy-8264 everything
verdict $? "no key in any output"
kill -INT "$server"
wait "$server"
verdict $? "SIGINT stops the server cleanly"

# --- no server ---
run "no server" 1 query --url "$closed" --vector '[1]'
err "no server" "^vecwire query: $closed: .*VECWIRE_EREFUSED"
one_line "no server" err
[ ! -s out ]
verdict $? "no server: nothing on stdout"
run "delete without a server" 1 delete a b --url "$closed" --json
out "delete without a server" '^\{"rows_done":0,"rows_failed":2,"errors":\[\{"row":0,"id":"a","code":"VECWIRE_EREFUSED",'
run "import without a server" 1 import rows.jsonl --url "$closed" --json
out "import without a server" '^\{"rows_done":0,"rows_failed":3,'
run "raw without a server" 1 raw GET / --url "$closed"
url=$closed
json_load "load without a server" 1 --dim 3 --requests 3 --concurrency 3 \
    --warmup 0s
out "load without a server" '"requests":3,"errors":3,.*"p50":null'
run "a name that does not resolve" 1 query --url http://no-such-host.invalid \
    --vector '[1]' --timeout-ms 3000
one_line "a name that does not resolve" err

finish
