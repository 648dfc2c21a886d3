#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What Vecwire sends against Qdrant's own description of its API, by a validator
# of JSON Schema, see tests/golden_schema.py.
#   VECWIRE_QDRANT_OPENAPI  the part of openapi.json of Qdrant 1.19 with the
#                           operations that the library offers
set -u
# Before tool_rig.sh goes elsewhere.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
# shellcheck source=tests/qdrant_rig.sh
. "$tests/qdrant_rig.sh"
openapi=${VECWIRE_QDRANT_OPENAPI:-}

[ -n "$openapi" ] || skip test_qdrant_schema \
    "set VECWIRE_QDRANT_OPENAPI to Qdrant's openapi.json"
[ -f "$openapi" ] || skip test_qdrant_schema "there is no $openapi"
qdrant_python test_qdrant_schema jsonschema jsonschema
# shellcheck disable=SC2154 # qdrant_python sets python
counted "$python" -B "$tests/golden_schema.py" "$openapi" \
    "$tests/golden_qdrant.jsonl"
[ "$failed" = 0 ]
