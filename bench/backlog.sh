#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What it costs to end a call, in instructions, when that many of them wait for
# a server that hangs: the time that callgrind takes does not matter.
# usage: [CONNECTIONS=8] bench/backlog.sh BUILD_DIR [CALLS...]
# after make bench-programs
set -eu
build=${1:?usage: bench/backlog.sh BUILD_DIR [CALLS...]}
shift
[ $# -gt 0 ] || set -- 1000 10000 100000
libtool=$(cd "$build" && pwd)/libtool
program=$(cd "$build" && pwd)/bench/backlog
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%-10s' 'ended by'
printf '%10s' "$@"
echo
for way in deadline free close cancel answers refuse; do
    printf '%-10s' "$way"
    for calls in "$@"; do
        "$libtool" --mode=execute valgrind --tool=callgrind \
            --callgrind-out-file="$work/out.%p" --toggle-collect=measured \
            "$program" "$way" "$calls" "${CONNECTIONS:-8}" 2>"$work/log" || {
            cat "$work/log" >&2
            exit 1
        }
        # The server's child counts for itself, and less.
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/log" | sort -n |
            awk -v calls="$calls" 'END {printf "%10.0f", $1 / calls}'
    done
    echo
done
