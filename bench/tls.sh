#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# New connections over TLS, whole handshakes and resumed ones, beside libcurl;
# and iterations a request on one that stays open. All take their turns in
# every round, in an order that rotates; ratios are taken within a round.
# usage: bench/tls.sh BUILD_DIR [ROUNDS] [CONNECTIONS]
set -eu
build=$(cd "${1:?usage: bench/tls.sh BUILD_DIR [ROUNDS] [CONNECTIONS]}" && pwd)
rounds=${2:-7}
count=${3:-300}
work=$(mktemp -d)
servers=
finish() {
    for pid in $servers; do kill "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT

# start PROGRAM...: sets line, its first
start() {
    rm -f "$work/ready"
    mkfifo "$work/ready"
    "$@" >"$work/ready" &
    servers="$servers $!"
    read -r line <"$work/ready"
}

clients=tls_connect
[ ! -x "$build/bench/tls_connect_curl" ] ||
    clients="$clients tls_connect_curl"

# Each run is a word: CLIENT/VERSION/MODE, and its results lie in a file.
runs=
for version in 1.3 1.2; do
    for mode in full resumed; do
        start "$build/bench/tls_server" "$work/certs" "$mode" "$version"
        echo "$line" >"$work/port-$version-$mode"
        for client in $clients; do
            runs="$runs $client/$version/$mode"
        done
    done
done

one() {
    local client version mode
    IFS=/ read -r client version mode <<<"$1"
    "$build/bench/$client" \
        "https://127.0.0.1:$(cat "$work/port-$version-$mode")" \
        "$work/certs/ca.pem" "$count" >>"$work/$client-$version-$mode"
}

for _ in $(seq "$rounds"); do
    for run in $runs; do one "$run"; done
    # The first becomes the last; an odd step, so that of two neighbours now
    # this one and now that one is the first.
    for _ in 1 2 3; do runs="${runs# } "; runs="${runs#* }${runs%% *}"; done
done

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# ratio FILE FILE COLUMN: the median of the rounds' ratios
ratio() {
    paste -d ' ' "$work/$1" "$work/$2" |
        awk -v at="$3" '{ printf "%.4f\n", $at / $(at + 2) }' | median
}

for version in 1.3 1.2; do
    for mode in full resumed; do
        for client in $clients; do
            file=$work/$client-$version-$mode
            printf 'TLS %s %-8s %-17s %6.0f connections/s %7.1f us CPU\n' \
                "$version" "$mode" "$client" \
                "$(cut -d ' ' -f 1 "$file" | median)" \
                "$(cut -d ' ' -f 2 "$file" | median)"
        done
        [ "$clients" = tls_connect ] ||
            printf 'TLS %s %-8s against libcurl  %6.2f connections/s %7.2f CPU\n' \
                "$version" "$mode" \
                "$(ratio "tls_connect-$version-$mode" \
                    "tls_connect_curl-$version-$mode" 1)" \
                "$(ratio "tls_connect-$version-$mode" \
                    "tls_connect_curl-$version-$mode" 2)"
    done
    printf 'TLS %s resumed against full      %6.2f connections/s %7.2f CPU\n' \
        "$version" \
        "$(ratio "tls_connect-$version-resumed" "tls_connect-$version-full" 1)" \
        "$(ratio "tls_connect-$version-resumed" "tls_connect-$version-full" 2)"
done

start "$build/vecwire" serve --listen 127.0.0.1:0 \
    --tls-self-signed "$work/serve" --seed-rows 100
for path in /bigger /length/100000; do
    for _ in $(seq "$rounds"); do
        "$build/vecwire" load --url "${line##* }" \
            --cacert "$work/serve/ca.pem" --path "$path" --concurrency 1 \
            --requests 2000 --json |
            sed -n 's|.*"loop_iterations_per_request":\([0-9.]*\).*|\1|p'
    done | median | sed "s|^|$path, iterations a request: |"
done
