#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tool and its server over TLS.
set -u
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"

if [ "${VECWIRE_OPENSSL:-yes}" = no ]; then
    run "https without OpenSSL" 2 raw GET / --url https://127.0.0.1
    err "https without OpenSSL" 'OpenSSL'
    run "serve without OpenSSL" 1 serve --tls-self-signed d
    finish
    exit
fi

HMS_API_KEY=the-secret-key
export HMS_API_KEY
serve --dim 3 --seed-rows 5 --tls-self-signed certs
case $url in
https://*) true ;;
*) false ;;
esac
verdict $? "the line says https"
[ "$(stat -c %a certs certs/key.pem | tr '\n' ' ')" = "700 600 " ]
verdict $? "nobody else may read the key"

ask() { # NAME STATUS OPTION...
    local name=$1 status=$2
    shift 2
    run "$name" "$status" query --vector '[0,0,1]' --api-key-env HMS_API_KEY "$@"
    ! grep -q "$HMS_API_KEY" out err
    verdict $? "$name: the key is not shown"
}
ask "with the CA" 0 --url "$url" --cacert certs/ca.pem
quiet "with the CA"
ask "as localhost" 0 --url "https://localhost:${url##*:}" --cacert certs/ca.pem
ask "as localhost." 0 --url "https://localhost.:${url##*:}" \
    --cacert certs/ca.pem
ask "without the CA" 1 --url "$url"
err "without the CA" '^vecwire query: https://.*VECWIRE_ETLS, tls.*certificate verify failed: unable to get local issuer certificate$'
one_line "without the CA" err
ask "--insecure" 0 --url "$url" --insecure --verbose
err "--insecure is logged" 'info: insecure: the server.s certificate is not verified'
ask "http to an https port" 1 --url "http://${url#https://}"
ask "both --insecure and --cacert" 2 --url "$url" --insecure \
    --cacert certs/ca.pem
ask "--cacert with http" 2 --url "http://127.0.0.1:1" --cacert certs/ca.pem
ask "--insecure with http" 2 --url "http://127.0.0.1:1" --insecure
ask "a CA that is not there" 2 --url "$url" --cacert nowhere.pem
err "a CA that is not there" 'ca_file: nowhere.pem: No such file'
ask "--cert without --key" 2 --url "$url" --cert certs/cert.pem
ask "a key of another certificate" 2 --url "$url" --cert certs/ca.pem \
    --key certs/key.pem
err "a key of another certificate" 'mismatch'
ask "--cert and --key" 0 --url "$url" --cacert certs/ca.pem \
    --cert certs/cert.pem --key certs/key.pem

run "load over TLS" 0 load --url "$url" --cacert certs/ca.pem --json \
    --api-key-env HMS_API_KEY --dim 3 --requests 300 --warmup 20ms \
    --concurrency 1
out "one iteration a request" '"errors":0,.*"loop_iterations_per_request":1\.0[01]'
run "a large reply" 0 raw GET /length/1000000 --url "$url" --output large \
    --cacert certs/ca.pem --api-key-env HMS_API_KEY
[ "$(wc -c <large)" = 1000000 ]
verdict $? "a large reply is whole"

cp certs/ca.pem before.pem
serve --dim 3 --tls-self-signed certs
cmp -s certs/ca.pem before.pem
verdict $? "a second start keeps the certificates"
serve --dim 3 --tls-cert certs/cert.pem --tls-key certs/key.pem
ask "files of one's own" 0 --url "$url" --cacert certs/ca.pem

run "--tls-cert alone" 2 serve --tls-cert certs/cert.pem
run "--tls-key alone" 2 serve --tls-key certs/key.pem
run "both ways" 2 serve --tls-cert certs/cert.pem --tls-key certs/key.pem \
    --tls-self-signed certs
run "a certificate that is not there" 1 serve --listen 127.0.0.1:0 \
    --tls-cert nowhere.pem --tls-key certs/key.pem
err "a certificate that is not there" 'nowhere.pem: No such file'
run "a directory that cannot be made" 1 serve --listen 127.0.0.1:0 \
    --tls-self-signed no/such/place
one_line "a directory that cannot be made" err

finish
