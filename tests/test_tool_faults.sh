#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The command line tool under bad luck: streams that are closed or full, files
# that are none, numbers at their ends, servers that are silent or malicious.
set -u
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"

serve --dim 3
npy good.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
{
    row "$one" "$nil" "$nil"
    row "$nil" "$one" "$nil"
} >>good.npy
run "import" 0 import good.npy --url "$url"

# --- streams ---
# The process's own standard streams, as numbers of open files. Nothing of
# the tool's may stand there, or output would go to a server.
streams() { # PROGRAM...
    strace -qq -e trace=socket,epoll_create1,pipe2,open,openat,accept4 \
        -o trace "$@" 2>/dev/null
}
"$tool" query --url "$url" --vector '[1,0,0]' >&- 2>err </dev/null
[ $? = 1 ] && grep -q '^vecwire: cannot write the output: ' err
verdict $? "a closed stdout is an error that is told"
if command -v strace >/dev/null; then
    streams "$tool" query --url "$url" --vector '[1,0,0]' \
        --verbose <&- >&- 2>&-
    grep -E '^(socket|epoll_create1|accept4).* = [012]$|^pipe2\(\[[012],' \
        trace >out
    [ -s trace ] && [ ! -s out ]
    verdict $? "no socket takes the place of a closed stream"
fi
"$tool" query --url "$url" --vector '[1,0,0]' --verbose 2>&- >out </dev/null
verdict $? "a closed stderr stops nothing"
if [ -w /dev/full ]; then
    "$tool" load --url "$url" --path /ping --requests 3 --warmup 0s \
        >/dev/full 2>err
    [ $? = 1 ] && grep -q '^vecwire: cannot write the output$' err
    verdict $? "a full stdout is told without a wrong reason"
    timeout 10 "$tool" serve --listen 127.0.0.1:0 >/dev/full 2>err
    [ $? = 1 ]
    verdict $? "serve ends when it cannot say where it listens"
    run "raw --output to a full device" 1 raw GET /ping --url "$url" \
        --output /dev/full
    err "raw --output to a full device" '^vecwire raw: /dev/full: '
fi

# --- files ---
mkfifo pipe.npy
timeout 10 "$tool" import pipe.npy --url "$url" >out 2>err </dev/null
[ $? = 1 ] && grep -q 'pipe.npy: it is no regular file$' err
verdict $? "a pipe that nobody writes to is refused, not waited for"
mkdir dir.npy dir.jsonl
run "a directory as .npy" 1 import dir.npy --url "$url"
run "a directory as .jsonl" 1 import dir.jsonl --url "$url"
err "a directory as .jsonl" 'dir.jsonl: line 1: it cannot be read: '
run "a directory as a body" 2 raw POST / --body-file dir.npy --url "$url"
truncate -s 268435456 huge
run "a body of 256 MiB" 2 raw POST / --body-file huge --url "$url"
err "a body of 256 MiB" '^vecwire raw: huge: it is 256 MiB or longer$'
rm huge
printf '{"id":"a"}\n{"id":"b\\u0001"}\n' >pay.jsonl
run "a bad id beside a .npy" 1 import good.npy --payload pay.jsonl \
    --url "$url"
err "a bad id beside a .npy" '^vecwire import: pay.jsonl: line 2: row 1: id '
out "a bad id beside a .npy" '^imported 1 rows$'
npy zero.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }"
row "$nil" "$nil" "$nil" >>zero.npy
printf '{"id":"a"}\n' >pay.jsonl
run "a bad vector beside payloads" 1 import zero.npy --payload pay.jsonl \
    --url "$url"
err "a bad vector beside payloads" '^vecwire import: zero.npy: row 0: '

# 257 texts of 64 KiB are more than one body can hold.
awk 'BEGIN {
    text = "x"
    while (length(text) < 65536)
        text = text text
    for (i = 0; i < 260; i++)
        print "{\"vector\":[1," i ",0],\"text\":\"" text "\"}"
}' >wide.jsonl
run "a batch over one body is divided" 0 import wide.jsonl --url "$url" \
    --tenant wide --batch 1000
out "a batch over one body is divided" '^imported 260 rows$'
{
    head -n 259 wide.jsonl
    echo '{"vector":[0,0,0]}'
} >bad.jsonl
run "a bad row in a divided batch" 1 import bad.jsonl --url "$url" \
    --tenant wide --batch 1000
out "a bad row in a divided batch" '^imported 259 rows$'
err "a bad row in a divided batch" ': bad.jsonl: line 260: row 259: '

# --- the command line ---
run "the last row number there is" 2 query --url "$url" \
    --vector-file good.npy --row 18446744073709551615
err "the last row number there is" 'good.npy has 2 rows$'
run "a row that is no number" 2 query --url "$url" --vector-file good.npy \
    --row -1
run "a bad coordinate" 2 query --url "$url" --vector '[1,0,NaN]'
err "a bad coordinate" '^vecwire query: --vector, coordinate 2 \(byte 5\): '
run "an id that looks like options" 2 delete a -12 b --url "$url"
err "an id that looks like options" '^vecwire delete: what is "-1"; '
run "no address in brackets" 2 serve --listen '[]:0'
timeout 10 "$tool" load --url "$url" --path /ping --warmup 0s --json \
    --duration 50ms --rate 0.00000000000000000000000000000001 >out 2>err
verdict $? "a rate of one in ages"
out "a rate of one in ages" '^\{"requests":1,'

# --- load, and servers ---
timeout 10 "$tool" load --url "$url" --path /ping --rate 10000000 \
    --duration 100ms --warmup 0s --concurrency 1 --json >out 2>err
verdict $? "a rate that is far too high"
requests=$(sed 's/^{"requests":\([0-9]*\),.*/\1/' out)
unsent=$(sed 's/^vecwire load: \([0-9]*\) requests were due.*/\1/' err)
[ $((requests + unsent)) = 1000000 ]
verdict $? "what was due is what was sent and what was not"

# At a fixed rate a server that stops shows in the latency of every request
# that came due meanwhile, not only in the one that was on its way.
"$tool" load --url "$url" --path /ping --rate 200 --requests 200 \
    --warmup 0s --concurrency 2 --json >out 2>err &
load=$!
until find /proc/"$load"/fd -lname 'socket:*' 2>/dev/null | grep -q .; do
    kill -0 "$load" || break
done
kill -STOP "$server"
for _ in 1 2 3; do
    # The server cannot answer this: its time-out is our clock.
    "$tool" raw GET /ping --url "$url" --timeout-ms 200 >/dev/null 2>&1
done
kill -CONT "$server"
wait "$load"
verdict $? "a load outlives a server that stops for a while"
out "requests that came due meanwhile" '"requests":200,"errors":0,'
p90=$(sed 's/.*"p90":\([0-9]*\).*/\1/' out)
late=$(sed 's/.*"late_sends":\([0-9]*\).*/\1/' out)
[ "$p90" -ge 300000 ] && [ "$late" -ge 50 ]
verdict $? "the wait of what came due meanwhile is counted ($p90 us, $late)"

printf '{"id":"c1","vector":[1,1,1],"text":"a\302\23331mb"}\n' >c1.jsonl
run "a text with control characters" 0 import c1.jsonl --url "$url" \
    --tenant c1
run "a text with control characters" 0 query --url "$url" --tenant c1 \
    --vector '[1,1,1]'
out "it does not steer the terminal" '^c1	1	a 31mb$'

finish
