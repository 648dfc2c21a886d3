#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# New connections over TLS, whole handshakes and resumed ones, beside libcurl;
# and iterations a request on one that stays open. Ratios are taken of medians.
# usage: bench/tls.sh BUILD_DIR [ROUNDS] [CONNECTIONS]
set -eu
build=$(cd "${1:?usage: bench/tls.sh BUILD_DIR [ROUNDS] [CONNECTIONS]}" && pwd)
rounds=${2:-5}
count=${3:-300}
work=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# start PROGRAM...: sets server and line, its first
start() {
    rm -f "$work/ready"
    mkfifo "$work/ready"
    "$@" >"$work/ready" &
    server=$!
    read -r line <"$work/ready"
}
stop() {
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
}

for version in 1.3 1.2; do
    for mode in full resumed; do
        start "$build/bench/tls_server" "$work/certs" "$mode" "$version"
        for client in tls_connect tls_connect_curl; do
            rm -f "$work/$client"
        done
        for _ in $(seq "$rounds"); do
            for client in tls_connect tls_connect_curl; do
                [ -x "$build/bench/$client" ] || continue
                "$build/bench/$client" "https://127.0.0.1:$line" \
                    "$work/certs/ca.pem" "$count" >>"$work/$client"
            done
        done
        stop
        for client in tls_connect tls_connect_curl; do
            [ -s "$work/$client" ] || continue
            printf 'TLS %s %-8s %-17s %6.0f connections/s %7.1f us CPU\n' \
                "$version" "$mode" "$client" \
                "$(cut -d ' ' -f 1 "$work/$client" | median)" \
                "$(cut -d ' ' -f 2 "$work/$client" | median)"
        done
    done
done

start "$build/vecwire" serve --listen 127.0.0.1:0 \
    --tls-self-signed "$work/serve" --seed-rows 100
for path in /bigger /length/100000; do
    "$build/vecwire" load --url "${line##* }" --cacert "$work/serve/ca.pem" \
        --path "$path" --concurrency 1 --requests 2000 --json |
        sed -n "s|.*\"loop_iterations_per_request\":\([0-9.]*\).*|$path: \1 iterations a request|p"
done
stop
