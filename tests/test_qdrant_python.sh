#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Qdrant's client for Python, unchanged, against our server, or QDRANT_URL. It
# is put into an environment of its own in the cache.
#   VECWIRE_QDRANT_PYTHON  what pip is to install (qdrant-client)
set -u
# Before tool_rig.sh goes elsewhere.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
# shellcheck source=tests/qdrant_rig.sh
. "$tests/qdrant_rig.sh"
wanted=${VECWIRE_QDRANT_PYTHON:-qdrant-client}
environment=$cache/python-$wanted
python=$environment/bin/python3

if ! "$python" -c 'import qdrant_client' 2>/dev/null; then
    command -v python3 >/dev/null ||
        skip test_qdrant_python "there is no python3"
    rm -rf "$environment"
    mkdir -p "$cache"
    python3 -m venv "$environment" >install.log 2>&1 || skip test_qdrant_python \
        "python3 -m venv fails; is python3-venv installed?"
    timeout 300 "$python" -m pip install --quiet --disable-pip-version-check \
        "$wanted" >install.log 2>&1 || {
        cat install.log
        rm -rf "$environment"
        skip test_qdrant_python "pip cannot install $wanted"
    }
fi
[ -n "${QDRANT_URL:-}" ] || export HMS_API_KEY=sesame-7391
export QDRANT_API_KEY=${QDRANT_API_KEY:-${HMS_API_KEY:-}}
qdrant_server
counted "$python" -B "$tests/qdrant_python.py" "$url"
[ "$failed" = 0 ]
