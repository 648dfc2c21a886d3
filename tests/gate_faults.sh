#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table in docs/faults.md is what tests/check_faults runs. With --write
# it is made anew.
set -u
build=${VECWIRE_BUILD:-.}
cd "${VECWIRE_SOURCE:-$(dirname "$0")/..}" || exit 1
page=docs/faults.md
begin='<!-- The table -->'

table=$("$build/tests/check_faults" --table) || exit 1
if [ "${1:-}" = --write ]; then
    head=$(sed "/^$begin\$/q" "$page")
    printf '%s\n%s\n' "$head" "$table" >"$page"
    exit
fi
if [ "$(sed "1,/^$begin\$/d" "$page")" != "$table" ]; then
    echo "$page has another table than the faults: tests/gate_faults.sh --write"
    printf '%s\n' "$table" | diff - "$page" | grep '^<' | head
    exit 1
fi
