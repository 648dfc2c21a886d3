#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What only HMS has, from outside: texts, rows without vectors, the mask.
set -u
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"

# --- wrong usage ---
export PASS=sesame-7391 EMPTY=
run "neither vector nor text" 2 query
err "neither vector nor text" '^vecwire query: one of --vector, --vector-file and --text is needed$'
run "today without a text" 2 query --vector '[1]' --today 2026-03-01
err "today without a text" '--today goes with --text'
run "a text that is no UTF-8" 2 query --text "$(printf '\377')"
err "a text that is no UTF-8" 'text is not UTF-8 at byte 0'
run "a salt without a mask" 2 query --vector '[1]' \
    --mask-salt-hex 00112233445566778899aabbccddeeff
err "a salt without a mask" 'goes with --mask-env'
for command in query import delete load raw; do
    run "$command, a passphrase that is not set" 2 "$command" --mask-env NONE
    err "$command, a passphrase that is not set" \
        "^vecwire $command: --mask-env: the variable NONE is not set, or empty$"
    run "$command, a passphrase for a name" 2 "$command" --mask-env horse
    err "$command, a passphrase for a name" \
        'the variable of that name is not set, or empty$'
    run "$command, an empty passphrase" 2 "$command" --mask-env EMPTY
    run "$command, an odd salt" 2 "$command" --mask-env PASS --mask-salt-hex 012
    err "$command, an odd salt" '16 to 128 bytes, each as two hex digits'
    one_line "$command, an odd salt" err
    run "$command --help" 0 "$command" --help
    out "$command --help" '--mask-env NAME'
done

# --- texts and rows without vectors: this server has no model ---
serve --dim 3
run "a query by text" 1 query --url "$url" --text 'red shoes' \
    --today 2026-03-01
err "a query by text" 'HTTP 422.*no model stages'
one_line "a query by text" err
run "by text and vector" 1 query --url "$url" --text 'red shoes' \
    --vector '[1,0,0]'
err "by text and vector" 'HTTP 422.*no model stages'
cat >mixed.jsonl <<'END'
{"id":"a","vector":[1,0,0]}
{"id":"b","vector":[0,1,0],"text":"t"}
{"id":"c","text":"words"}
{"id":"d","vector":[0,0,1]}
END
run "a row without a vector" 1 import mixed.jsonl --url "$url" --json
out "rows with vectors are in requests of their own, which it does not harm" \
    '^\{"rows_done":3,"rows_failed":1,"errors":\[\{"row":2,"id":"c","code":"VECWIRE_EHTTP","text":".*no embedder'
err "a row without a vector" 'mixed.jsonl: rows 2 to 2 .*422'
printf '{"id":"a","vector":[1,0,0]}\n{"id":"b"}\n' >bare.jsonl
run "a row with neither" 1 import bare.jsonl --url "$url" --json
out "a row with neither" '^\{"rows_done":1,"rows_failed":1,"errors":\[\{"row":1,"id":"b","code":"VECWIRE_EINVAL"'
err "a row with neither" 'line 2: row 1: neither vector nor text'

# --- the mask ---
cat >rows.jsonl <<'END'
{"id":"a","vector":[1,0.25,0],"text":"t"}
{"id":"b","vector":[0,1,0]}
{"id":"c","vector":[0,0,-1]}
END
ask() { # NAME OPTION...: one hit of a query that is nearest to row a
    local name=$1
    shift
    run "$name" 0 query --url "$url" --tenant masked --vector '[1,0,0]' \
        --top-k 1 "$@"
}
"$tool" import rows.jsonl --url "$url" --tenant masked --mask-env PASS \
    >out 2>err
if grep -q 'needs OpenSSL' err; then
    echo "this build has no mask"
    finish
    exit
fi
run "import, masked" 0 import rows.jsonl --url "$url" --tenant masked \
    --mask-env PASS --verbose
ask "the same mask" --mask-env PASS
out "the same mask" '^a	0\.970'
ask "no mask"
! grep -q '^a	0\.970' out
verdict $? "without the mask it is another question"
ask "another salt" --mask-env PASS \
    --mask-salt-hex 00112233445566778899AABBccddeeff
! grep -q '^a	0\.970' out
verdict $? "with another salt it is another question"
run "the SDK's salt by name" 0 query --url "$url" --tenant masked \
    --vector '[1,0,0]' --top-k 1 --mask-env PASS --mask-salt-hex \
    "$(printf holographic-sdk-mask-v1 | od -An -tx1 | tr -d ' \n')"
out "the SDK's salt is the default" '^a	0\.970'
run "a short salt" 2 query --url "$url" --vector '[1,0,0]' --mask-env PASS \
    --mask-salt-hex 00112233445566778899aabbccddee
err "a short salt" '^vecwire query: .*salt of 15 bytes, expected at least 16'
one_line "a short salt" err
PASS=$(printf 'sesame-7391\377') run "a passphrase that is no UTF-8" 2 query \
    --url "$url" --vector '[1,0,0]' --mask-env PASS
err "a passphrase that is no UTF-8" 'passphrase is not UTF-8'
run "delete, masked" 0 delete a --url "$url" --tenant masked --mask-env PASS
out "delete, masked" '^deleted 1 of 1'
run "load, masked" 0 load --url "$url" --dim 3 --requests 100 --warmup 0s \
    --threads 2 --mask-env PASS --json
out "load, masked" '"requests":100,"errors":0,'
cat serve.err >>everything
! grep -q -e sesame-7391 everything
verdict $? "no passphrase in any output"

finish
