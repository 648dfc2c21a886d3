# SPDX-License-Identifier: Apache-2.0
# Sourced after tests/tool_rig.sh by the tests against a Qdrant server.
#   QDRANT_URL      that server, else our own is started
#   VECWIRE_CACHE   where Qdrant's own clients are put, once
# shellcheck shell=bash

cache=${VECWIRE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/vecwire}

# skip NAME WHY...
skip() {
    echo "SKIP $1: ${*:2}"
    exit 77
}

# Sets url to a Qdrant server; OPTION... are for our own.
qdrant_server() {
    if [ -n "${QDRANT_URL:-}" ]; then
        url=$QDRANT_URL
    else
        serve "$@"
    fi
}

# Run a program that says as Check does how many tests it ran; its output is
# what the log shows.
counted() {
    "$@" 2>&1 | grep -v '^$'
    [ "${PIPESTATUS[0]}" = 0 ] || failed=$((failed + 1))
}
