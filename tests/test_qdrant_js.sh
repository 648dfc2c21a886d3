#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Qdrant's client for JavaScript, unchanged, against our server, or QDRANT_URL.
# It is put into a directory of its own in the cache.
#   VECWIRE_QDRANT_JS  what npm is to install (@qdrant/js-client-rest)
set -u
# Before tool_rig.sh goes elsewhere.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
# shellcheck source=tests/qdrant_rig.sh
. "$tests/qdrant_rig.sh"
wanted=${VECWIRE_QDRANT_JS:-@qdrant/js-client-rest}
modules=$cache/js-${wanted//\//-}

command -v node >/dev/null || skip test_qdrant_js "there is no node"
if ! [ -f "$modules/installed" ]; then
    command -v npm >/dev/null || skip test_qdrant_js "there is no npm"
    rm -rf "$modules"
    mkdir -p "$modules"
    timeout 300 npm install --silent --no-audit --no-fund --prefix "$modules" \
        "$wanted" >install.log 2>&1 || {
        cat install.log
        rm -rf "$modules"
        skip test_qdrant_js "npm cannot install $wanted"
    }
    : >"$modules/installed"
fi
[ -n "${QDRANT_URL:-}" ] || export HMS_API_KEY=sesame-7391
export QDRANT_API_KEY=${QDRANT_API_KEY:-${HMS_API_KEY:-}}
qdrant_server
counted node "$tests/qdrant_js.mjs" "$url" "$modules"
[ "$failed" = 0 ]
