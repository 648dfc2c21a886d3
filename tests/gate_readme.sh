#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each block of C in the README is a whole source file and compiles.
set -u
source=${VECWIRE_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cc=${CC:-cc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0

if [ ! -f "$source/README.md" ]; then
    echo "SKIP gate_readme: there is no README.md"
    exit 77
fi
awk -v work="$work" '
    /^```c$/ { file = sprintf("%s/block%d.c", work, ++blocks); next }
    /^```/ { file = "" }
    file != "" { print > file }
    END { exit blocks == 0 }' "$source/README.md" ||
    { echo "README.md shows no C"; exit 1; }

for block in "$work"/*.c; do
    # Compilers come with flags, and dependencies with several.
    # shellcheck disable=SC2086
    $cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$source/include" \
        ${VECWIRE_CFLAGS:-} -c -o "$work/block.o" "$block" || bad=1
done
# The first one is the example, so that it is built, run and installed too.
sed 1d "$source/examples/query.c" | diff - "$work/block1.c" >/dev/null || {
    echo "README.md's first program is not examples/query.c without its SPDX line"
    bad=1
}
exit "$bad"
