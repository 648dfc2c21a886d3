#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# System calls a query with one call in flight, counted by strace. Two runs
# of different length are compared, so that starting up and connecting cancel
# out and what is left is the steady state.
set -eu
LC_ALL=C
export LC_ALL

usage() {
    echo "usage: bench/count_syscalls.sh [--mode raw|query]" \
        "[--requests N] [BUILD-DIRECTORY]" >&2
    exit 2
}

mode=query requests=2000 build=''
while [ $# -gt 0 ]; do
    case $1 in
    --mode | --requests)
        [ $# -ge 2 ] || usage
        [ "$1" = --mode ] && mode=$2 || requests=$2
        shift
        ;;
    -*) usage ;;
    *)
        [ -z "$build" ] || usage
        build=$1
        ;;
    esac
    shift
done
build=${build:-${VECWIRE_BUILD:-}}
[ -n "$build" ] || usage
case $requests in
'' | *[!0-9]* | 0) usage ;;
esac

if ! command -v strace >/dev/null; then
    echo "SKIPPED: system calls were not counted: strace is not installed" >&2
    exit 77
fi
if ! strace -c -o /dev/null true 2>/dev/null; then
    echo "SKIPPED: system calls were not counted: strace may not trace here" >&2
    exit 77
fi

programs=$build/bench
scratch=$(mktemp -d)
server=''
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || :
    [ -z "$server" ] || wait "$server" || :
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 1' INT TERM

"$programs/fixed_server" --hms 10 >"$scratch/server" &
server=$!
tries=0
until grep -qs listening "$scratch/server"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 50 ]; then
        echo "count_syscalls: the server did not start" >&2
        exit 1
    fi
    sleep 0.1
done
url=http://$(sed 's/.* //' "$scratch/server")/api/v1/query

# trace N FILE: the counts of a run of N requests.
trace() {
    strace -f -c -U name,calls -o "$scratch/$2" \
        "$programs/vecwire_query" --mode "$mode" --url "$url" --requests "$1" \
        --warmup 100 >/dev/null
}
trace "$requests" short
trace "$((requests * 2))" long

echo "System calls a $mode request, one in flight ($requests requests):"
awk -v n="$requests" '
    FNR == 1 { file++ }
    $2 !~ /^[0-9]+$/ || $1 == "total" { next }
    file == 1 { calls[$1] = -$2; next }
    { calls[$1] += $2 }
    END {
        for (name in calls)
            if (calls[name] > 0) {
                printf "%-16s %.3f\n", name, calls[name] / n
                sum += calls[name]
            }
        printf "%-16s %.3f\n", "total", sum / n
    }' "$scratch/short" "$scratch/long" | sort -k 2 -n -r
