#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Qdrant's client for JavaScript, unchanged, against our server, or QDRANT_URL.
set -u
# Before tool_rig.sh goes elsewhere.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
# shellcheck source=tests/qdrant_rig.sh
. "$tests/qdrant_rig.sh"
qdrant_js test_qdrant_js
[ -n "${QDRANT_URL:-}" ] || export HMS_API_KEY=sesame-7391
export QDRANT_API_KEY=${QDRANT_API_KEY:-${HMS_API_KEY:-}}
qdrant_server
counted node "$tests/qdrant_js.mjs" "$url" "$modules"
[ "$failed" = 0 ]
