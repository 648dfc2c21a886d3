#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# vecwire import: .fvecs files, several requests in flight, progress, and what
# it says and keeps when something fails on the way.
set -u
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"

three='\003\000\000\000' # a dimension
serve --dim 3

# --- .fvecs ---
{
    row "$three$one" "$nil" "$nil"
    row "$three$nil" "$one" "$nil"
    row "$three$nil" "$nil" "$one"
} >good.fvecs
run "import a .fvecs" 0 import good.fvecs --url "$url" --json
out "import a .fvecs" '^\{"rows_done":3,"rows_failed":0,"errors":\[\]\}$'
run "its rows" 0 query --url "$url" --vector '[0,1,0]' --top-k 1
out "its rows" '^1	1	'
printf '{"id":"x"}\n{"id":"y"}\n{"id":"z"}\n' >pay.jsonl
run "a .fvecs with payloads" 0 import good.fvecs --payload pay.jsonl \
    --url "$url" --tenant pay
run "a .fvecs with payloads" 0 query --url "$url" --tenant pay \
    --vector '[0,1,0]' --top-k 1
out "a .fvecs with payloads" '^y	1	'

bad_fvecs() { # NAME DONE REGEX
    run "$1" 1 import bad.fvecs --url "$url" --tenant bad --json --batch 2
    out "$1: rows before are counted" \
        "^\{\"rows_done\":$2,\"rows_failed\":1,\"errors\":\[\{\"row\":$2,\"id\":null,\"code\":\"VECWIRE_EINVAL\","
    err "$1: file and reason" "^vecwire import: bad.fvecs: $3"
    one_line "$1" err
}
{
    cat good.fvecs
    row "$three$one" "$nil" ''
} >bad.fvecs
bad_fvecs "a .fvecs that is cut off" 3 \
    'row 3 at byte 48: it is cut off, 12 of its 16 bytes are there$'
{
    cat good.fvecs
    row '\002\000\000\000' "$nil" "$one"
} >bad.fvecs
bad_fvecs "another dimension" 3 \
    "row 3 at byte 48: its dimension is 2, the first row's is 3$"
row '\377\377\377\177' "$nil" "$one" >bad.fvecs
bad_fvecs "a huge dimension" 0 'row 0 at byte 0: its dimension is 2147483647 '
: >bad.fvecs
bad_fvecs "an empty .fvecs" 0 'it has no rows$'

# --- rows that the library refuses ---
refused() { # NAME REGEX FILE OPTION...
    local name=$1 regex=$2
    shift 2
    run "$name" 1 import "$@" --url "$url" --tenant refused --batch 2
    err "$name" "^vecwire import: $regex"
    one_line "$name" err
}
long=$(printf '%65537s' '' | tr ' ' x)
printf '{}\n{"text":"%s"}\n{}\n' "$long" >pay.jsonl
refused "a text of the payload file" 'pay.jsonl: line 2: row 1: text of 65537' \
    good.fvecs --payload pay.jsonl
printf '{}\n{}\n{"payload":{"a":"%s"}}\n' "$long" >pay.jsonl
refused "a payload of the payload file" 'pay.jsonl: line 3: row 2: payload of' \
    good.fvecs --payload pay.jsonl
for i in 1 2 3 4 5 0 7; do
    echo "{\"vector\":[$i,0,0]}"
done >zero.jsonl
refused "a row behind whole batches" \
    'zero.jsonl: line 6: row 5: every coordinate is 0' zero.jsonl
: >empty.jsonl
refused "a .jsonl without rows" 'empty.jsonl: it has no rows' empty.jsonl

# --- in flight ---
for flight in 1 4 16; do
    awk 'BEGIN { for (i = 0; i < 2000; i++) print "{\"vector\":[1," i ",2]}" }' \
        >many.jsonl
    run "$flight in flight" 0 import many.jsonl --url "$url" --json \
        --tenant "flight$flight" --batch 16 --in-flight "$flight"
    out "$flight in flight" '^\{"rows_done":2000,"rows_failed":0,'
    run "every row is there" 0 query --url "$url" --tenant "flight$flight" \
        --vector '[1,1999,2]' --top-k 100
    [ "$(wc -l <out)" = 100 ]
    verdict $? "every row is there"
done
run "--in-flight 0" 2 import many.jsonl --in-flight 0
run "--in-flight 257" 2 import many.jsonl --in-flight 257
run "a row by itself" 0 import good.fvecs --url "$url" --batch 1 --in-flight 1

# --- failures ---
awk 'BEGIN { for (i = 0; i < 2000; i++) print "{\"vector\":[1,2]}" }' \
    >two.jsonl
run "rows that the server refuses" 1 import two.jsonl --url "$url" --json \
    --tenant two --batch 10
out "they are failed" '^\{"rows_done":0,"rows_failed":[1-9]0,"errors":\[\{"row":0,"id":"0","code":"VECWIRE_EHTTP","text":".*422'
err "the first of them is told" \
    '^vecwire import: two.jsonl: rows 0 to 9 at http.*422'
one_line "rows that the server refuses" err
{
    head -n 500 many.jsonl
    echo '{"vector":[1,2,"x"]}'
} >bad.jsonl
run "a bad line behind many" 1 import bad.jsonl --url "$url" --json \
    --tenant behind --batch 16 --in-flight 8
out "a bad line behind many" '^\{"rows_done":500,"rows_failed":1,'
closed=$url
kill "$server"
wait "$server"
run "no server" 1 import many.jsonl --url "$closed" --json --batch 10
out "no server" '^\{"rows_done":0,"rows_failed":[1-9]0,"errors":\[\{"row":0,"id":"0","code":"VECWIRE_EREFUSED",'
one_line "no server" err

# --- keys that mean nothing here ---
serve --dim 3
echo '{"id":"a","vector":[1,0,0],"metadata":{"k":1}}' >other.jsonl
run "a key that is not known" 0 import other.jsonl --url "$url"
err "it is named with its line" \
    'other.jsonl: line 1: key "metadata" was left out, .*"payload"$'

# --- progress ---
# Neither every image has the program nor every container the device.
terminal=no
if script -qec true /dev/null >out 2>err </dev/null; then
    terminal=yes
    serve --dim 3
    script -qec "'$tool' import good.fvecs --url $url" /dev/null >out 2>err \
        </dev/null
    verdict $? "an import on a terminal"
    out "rows and percent" 'vecwire import: 3 of 3 rows, 100 %'
    script -qec "'$tool' import many.jsonl --url $url" /dev/null >out 2>err \
        </dev/null
    out "percent by bytes" 'vecwire import: 2000 rows, 100 %, [0-9]+ rows/s'
fi

finish || exit 1
if [ "$terminal" = no ]; then
    echo "SKIP test_import: no pseudo-terminal, progress was not looked at"
    exit 77
fi
