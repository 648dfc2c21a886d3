# SPDX-License-Identifier: Apache-2.0
# Sourced after tests/tool_rig.sh by the tests against a Qdrant server and its
# clients.
#   QDRANT_URL         that server, else our own is started
#   VECWIRE_CACHE      where Qdrant's own clients are put, once
#   VECWIRE_QDRANT_JS  what npm is to install (@qdrant/js-client-rest)
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

# Put Qdrant's client for JavaScript into a directory of its own in the cache
# and set modules to it: qdrant_js NAME
qdrant_js() {
    local wanted=${VECWIRE_QDRANT_JS:-@qdrant/js-client-rest}
    modules=$cache/js-${wanted//\//-}
    command -v node >/dev/null || skip "$1" "there is no node"
    [ ! -f "$modules/installed" ] || return 0
    command -v npm >/dev/null || skip "$1" "there is no npm"
    rm -rf "$modules"
    mkdir -p "$modules"
    timeout 300 npm install --silent --no-audit --no-fund --prefix "$modules" \
        "$wanted" >install.log 2>&1 || {
        cat install.log
        rm -rf "$modules"
        skip "$1" "npm cannot install $wanted"
    }
    : >"$modules/installed"
}

# Put a package for Python into an environment of its own in the cache and set
# python to that's: qdrant_python NAME PACKAGE MODULE
qdrant_python() {
    local environment=$cache/python-$2
    python=$environment/bin/python3
    ! "$python" -c "import $3" 2>/dev/null || return 0
    command -v python3 >/dev/null || skip "$1" "there is no python3"
    rm -rf "$environment"
    mkdir -p "$cache"
    python3 -m venv "$environment" >install.log 2>&1 ||
        skip "$1" "python3 -m venv fails; is python3-venv installed?"
    timeout 300 "$python" -m pip install --quiet --disable-pip-version-check \
        "$2" >install.log 2>&1 || {
        cat install.log
        rm -rf "$environment"
        skip "$1" "pip cannot install $2"
    }
}

# Run a program that says as Check does how many tests it ran; its output is
# what the log shows.
counted() {
    "$@" 2>&1 | grep -v '^$'
    [ "${PIPESTATUS[0]}" = 0 ] || failed=$((failed + 1))
}
