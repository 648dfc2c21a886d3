# SPDX-License-Identifier: Apache-2.0
# Sourced after tests/tool_rig.sh by the tests that drive a running HMS server:
# a conformance suite, and the tool's commands.
# VECWIRE_BUILD: where tests/live_hms was built.
# shellcheck shell=bash

suite=${VECWIRE_BUILD:-.}/tests/live_hms
# Small, for most of what is checked does not depend on it.
VECWIRE_DIM=${VECWIRE_DIM:-16}
export VECWIRE_DIM
[ -x "$suite" ] || {
    echo "$suite was not built"
    exit 1
}

# live CASE...: run cases of the suite against $url, each counted as one.
live() {
    local case
    for case in "$@"; do
        VECWIRE_LIVE_URL=$url "$suite" "$case" >out 2>err
        verdict $? "the suite's case $case against $url"
        # The numbers of Check, for whoever reads the log.
        sed -n "s/^[0-9]*%: /$case: /p" out
        grep -h ':[FE]:' out
    done
}

# stop: end the server started last, which must end well.
stop() {
    kill "$server"
    wait "$server"
    verdict $? "SIGTERM stops the server cleanly"
}

# bad_tenants: names that the library would not send are refused.
bad_tenants() {
    local name address=${url#http://} line
    for name in '' 'a b' a.b $'\xc3\xa9' \
        12345678901234567890123456789012345678901234567890123456789012345; do
        exec 4<>"/dev/tcp/${address%:*}/${address##*:}"
        printf '%s\r\n' 'POST /api/v1/query HTTP/1.1' "Host: $address" \
            "X-Tenant-ID: $name" 'Content-Length: 2' 'Connection: close' '' \
            >&4
        printf '{}' >&4
        cat <&4 >out
        exec 4>&-
        read -r line <out
        [[ $line == HTTP/1.1\ 400\ * ]] && grep -q '"invalid_tenant"' out
        verdict $? "tenant \"$name\" is refused: $line"
    done
}

# vector AT: JSON text of an axis.
vector() {
    awk -v n="$VECWIRE_DIM" -v at="$1" 'BEGIN {
        for (i = 0; i < n; i++)
            printf "%s%s", i == 0 ? "[" : ",", i == at ? "1" : "0"
        print "]" }'
}

# The tool against an empty tenant at $url.
tool_commands() {
    local options="--url $url --tenant tool" i
    for i in 0 1 2 3; do
        printf '{"id":"row/%d","vector":%s,"text":"text %d","payload":{"n":%d}}\n' \
            "$i" "$(vector "$i")" "$i" "$i"
    done >rows.jsonl
    awk -v axis="$(vector 0)" 'BEGIN { for (i = 0; i < 1100; i++)
        printf "{\"id\":\"many-%04d\",\"vector\":%s}\n", i, axis }' >many.jsonl
    # shellcheck disable=SC2086
    {
        run "import" 0 import rows.jsonl $options --json
        out "import" '^\{"rows_done":4,"rows_failed":0,"errors":\[\]\}$'
        run "query" 0 query $options --vector "$(vector 2)" --top-k 2
        out "query" '^row/2	1(\.0+)?	|^row/2	0\.99999'
        run "query --filter" 0 query $options --vector "$(vector 2)" \
            --filter '{"n":3}' --json
        out "query --filter" '"id":"row/3"'
        run "delete" 0 delete row/2 nobody $options
        out "delete" '^deleted 1 of 2, 1 not there$'
        run "query after delete" 0 query $options --vector "$(vector 2)" --json
        ! grep -q '"row/2"' out
        verdict $? "the deleted row is gone"
        run "import of 1100 rows" 0 import many.jsonl $options --batch 1000
        out "import of 1100 rows" '^imported 1100 rows$'
        run "query of a hundred" 0 query $options --vector "$(vector 0)" \
            --filter '{}' --top-k 100
        [ "$(wc -l <out)" = 100 ]
        verdict $? "a hundred of the rows come back"
        run "a wrong dimension" 1 query $options --vector '[1,2]'
        err "a wrong dimension" 'VECWIRE_EHTTP.*422'
        run "load" 0 load $options --dim "$VECWIRE_DIM" --requests 300 \
            --concurrency 1 --connections 1 --warmup 50ms --json
        out "load" '"requests":300,"errors":0,'
        out "one iteration a request" \
            '"loop_iterations_per_request":(1\.0[01]|0\.99)'
        run "load, 64 in flight" 0 load $options --dim "$VECWIRE_DIM" \
            --requests 2000 --concurrency 64 --connections 4 --warmup 50ms \
            --json
        out "load, 64 in flight" '"requests":2000,"errors":0,'
    }
    cat out
}
