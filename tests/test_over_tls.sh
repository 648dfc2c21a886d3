#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests of connections once more, with every byte of them going over TLS.
set -u
cd "${VECWIRE_BUILD:-.}" || exit 1
if [ "${VECWIRE_OPENSSL:-yes}" = no ]; then
    echo "SKIP test_over_tls: built without OpenSSL"
    exit 77
fi
VECWIRE_OVER_TLS=yes
export VECWIRE_OVER_TLS
bad=0
for name in close fork framing log net outcome reentry rows_net shutdown \
    stress traps turns upload_ends; do
    "tests/check_$name" || bad=1
done
exit "$bad"
