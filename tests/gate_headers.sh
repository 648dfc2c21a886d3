#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C99, C++11 and C++17, without a warning
# and without padding in its structs.
set -u
source=${VECWIRE_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cc=${CC:-cc}
cxx=${CXX:-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0

# try COMPILER SUFFIX HEADER FLAG...
try() {
    compiler=$1 file=$work/alone.$2 header=$3
    shift 3
    printf '#include <vecwire/%s>\n' "$header" >"$file"
    # Compilers come with flags, and dependencies with several.
    # shellcheck disable=SC2086
    $compiler "$@" -Wall -Wextra -Wpedantic -Wpadded -Werror \
        -I"$source/include" ${VECWIRE_CFLAGS:-} \
        -c -o "$work/alone.o" "$file" && return
    echo "$header does not compile alone: $compiler $*"
    bad=1
}

for path in "$source"/include/vecwire/*.h; do
    header=${path##*/}
    try "$cc" c "$header" -std=c99
    [ -n "$cxx" ] || continue
    try "$cxx" cc "$header" -std=c++11 -Wold-style-cast
    try "$cxx" cc "$header" -std=c++17 -Wold-style-cast
done

[ "$bad" = 0 ] || exit 1
if [ -z "$cxx" ]; then
    echo "SKIP gate_headers: no C++ compiler, tried C99 alone"
    exit 77
fi
exit 0
