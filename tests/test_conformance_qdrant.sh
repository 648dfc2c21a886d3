#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The suite for Qdrant servers against our own, or against QDRANT_URL.
set -u
# Before tool_rig.sh goes elsewhere.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
# shellcheck source=tests/qdrant_rig.sh
. "$tests/qdrant_rig.sh"

command -v python3 >/dev/null ||
    skip test_conformance_qdrant "there is no python3"
qdrant_server
counted python3 -B "$tests/conformance_qdrant.py" "$url"
[ "$failed" = 0 ]
