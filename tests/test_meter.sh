#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The meter of vecwire_loop_run() against the truth: returns of epoll_wait,
# counted from outside by a preloaded library, to 1 %.
set -u
tool=${VECWIRE_TOOL:-./vecwire}
counter=${VECWIRE_BUILD:-.}/bench/.libs/epoll_count.so
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

if [ "${VECWIRE_SANITIZERS:-no}" != no ]; then
    echo "SKIP test_meter: a sanitizer wants to be loaded first"
    exit 77
fi
if [ "${VECWIRE_SHARED:-yes}" = no ]; then
    echo "SKIP test_meter: --disable-shared, so there is nothing to preload"
    exit 77
fi
if [ ! -f "$counter" ]; then
    echo "$counter was not built"
    exit 1
fi

"$tool" serve --listen 127.0.0.1:0 --seed-rows 10 >"$work/serve" 2>&1 &
server=$!
url=
tries=0
while [ -z "$url" ] && [ "$tries" -lt 200 ]; do
    url=$(sed -n 's/^vecwire serve listening on //p' "$work/serve")
    tries=$((tries + 1))
    [ -n "$url" ] || sleep 0.05
done
if [ -z "$url" ]; then
    echo "the server did not start"
    cat "$work/serve"
    exit 1
fi

bad=0
# The counter's log has a line for each process, "program=.. waits=N ..".
compare() {
    name=$1
    shift
    rm -f "$work/count"
    LD_PRELOAD=$counter VECWIRE_COUNT_FILE=$work/count \
        "$tool" "$@" --url "$url" --json >"$work/out" || {
        echo "$name: $tool $* failed"
        bad=1
        return
    }
    meter=$(sed -n 's/.*"loop_iterations":\([0-9]*\).*/\1/p' "$work/out")
    truth=$(sed -n 's/.* waits=\([0-9]*\).*/\1/p' "$work/count")
    echo "$name: meter $meter, epoll_wait returns $truth"
    awk -v m="${meter:-0}" -v t="${truth:-0}" 'BEGIN {
        d = m - t; if (d < 0) d = -d
        exit !(m > 0 && d <= 0.01 * t + 2) }' || bad=1
}

compare "one after the other" raw GET /ping --repeat 2000
compare "100 KB replies" raw GET /length/100000 --repeat 1000
compare "64 in flight" load --concurrency 64 --connections 16 \
    --requests 5000 --warmup 0s --path /ping
exit "$bad"
