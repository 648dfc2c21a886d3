#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What HMS's own SDK sends and what Vecwire sends for the same calls. The SDK
# is put into an environment of its own in the build directory.
#   VECWIRE_SDK     what pip is to install (holographic-sdk)
#   HMS_SERVER_BIN  both store and find rows on this one, else on our own
set -u
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
compare=$VECWIRE_SOURCE/tests/sdk_compare.py
environment=${VECWIRE_BUILD:-.}/sdk-environment
python=$environment/bin/python3

skip() {
    echo "SKIP test_sdk: $*"
    exit 77
}

if ! "$python" -c 'import holographic_sdk' 2>/dev/null; then
    command -v python3 >/dev/null || skip "there is no python3"
    rm -rf "$environment"
    python3 -m venv "$environment" >install.log 2>&1 ||
        skip "python3 -m venv fails; is python3-venv installed?"
    timeout 300 "$python" -m pip install --quiet --disable-pip-version-check \
        "${VECWIRE_SDK:-holographic-sdk}" >install.log 2>&1 || {
        cat install.log
        rm -rf "$environment"
        skip "pip cannot install ${VECWIRE_SDK:-holographic-sdk}"
    }
fi
"$python" -c 'import importlib.metadata as m
print("holographic-sdk", m.version("holographic-sdk"))'

if [ -n "${HMS_SERVER_BIN:-}" ]; then
    mkfifo ready
    "$HMS_SERVER_BIN" --no-auth --bind 127.0.0.1:0 --data-dir data \
        --input-dim 16 --log-level error >ready 2>hms.err &
    servers=$!
    exec 3<ready
    read -r -t 60 line <&3
    url=http://${line#hms-server listening on }
else
    serve --dim 16
fi
"$python" "$compare" "$tool" "$url" 2>err | tee out
[ "${PIPESTATUS[0]}" = 0 ]
verdict $? "the SDK and the tool differ, see above"
finish
