#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What Qdrant's own client for JavaScript sends and what Vecwire sends for the
# same calls, see tests/golden_qdrant.mjs.
set -u
# Before tool_rig.sh goes elsewhere.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
# shellcheck source=tests/qdrant_rig.sh
. "$tests/qdrant_rig.sh"
qdrant_js test_qdrant_requests
# shellcheck disable=SC2154 # qdrant_js sets modules
counted node "$tests/golden_qdrant.mjs" "$tests/golden_qdrant.jsonl" "$modules"
[ "$failed" = 0 ]
