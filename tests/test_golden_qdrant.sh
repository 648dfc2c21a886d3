#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every request to Qdrant is still the one in tests/golden_qdrant.jsonl, byte
# for byte. After a change that is meant:
#   VECWIRE_BUILD=build/main tests/test_golden_qdrant.sh --write
# and then the tests that compare the file with what others say,
# test_qdrant_schema.sh and test_qdrant_requests.sh.
set -u
golden=$(dirname "$0")/golden_qdrant.jsonl
program=${VECWIRE_BUILD:-.}/tests/golden_qdrant

if [ "${1:-}" = --write ]; then
    "$program" >"$golden.new" && mv "$golden.new" "$golden"
    exit
fi
sent=$("$program") || exit 1
printf '%s\n' "$sent" | diff "$golden" -
