#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# vecwire load with several threads against vecwire serve: every call is counted
# once. Worth most under the thread sanitizer: make tsan.
set -u
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"

serve --seed-rows 200
# many NAME OPTION...: 4000 calls by four threads
many() {
    local name=$1
    shift
    run "$name" 0 load --url "$url" --threads 4 --concurrency 16 \
        --connections 8 --requests 4000 --json "$@"
    quiet "$name"
    out "$name: all are answered, none failed" \
        '^\{"requests":4000,"errors":0,'
}
many "four threads"
many "four threads, at a rate" --rate 20000
many "four threads, each call a raw one" --method GET --path /ping
finish
