#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C99, C11, C++11 and C++17, without a
# warning and without padding in its structs.
set -u
source=${VECWIRE_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
cc=${CC:-cc}
cxx=${CXX:-}
strict='-Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Wvla'
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

# All that a C++ program fills in, by the init functions.
whole() {
    cat >"$work/whole.cc" <<'END'
#include <vecwire/vecwire.h>
int
main()
{
    vecwire_options options;
    vecwire_call_options call;
    vecwire_query_request query;
    vecwire_upsert_request upsert;
    vecwire_delete_request del;
    vecwire_raw_request raw;
    vecwire_uploader_options upload;
    vecwire_scroller_options scroll;
    vecwire_hms_mask_options mask;
    vecwire_options_init(&options);
    vecwire_call_options_init(&call);
    vecwire_query_init(&query);
    vecwire_upsert_init(&upsert);
    vecwire_delete_init(&del);
    vecwire_raw_init(&raw);
    vecwire_uploader_options_init(&upload);
    vecwire_scroller_options_init(&scroll);
    vecwire_hms_mask_options_init(&mask);
    query.call = &call;
    return vecwire_query(nullptr, &query, nullptr, nullptr, nullptr);
}
END
    # shellcheck disable=SC2086
    $cxx "$1" -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Werror \
        -I"$source/include" ${VECWIRE_CFLAGS:-} \
        -c -o "$work/whole.o" "$work/whole.cc" && return
    echo "a C++ program cannot fill in the requests: $cxx $1"
    bad=1
}

# Several flags.
# shellcheck disable=SC2086
for path in "$source"/include/vecwire/*.h; do
    header=${path##*/}
    for standard in c99 c11; do
        try "$cc" c "$header" -std="$standard" -Wstrict-prototypes \
            -Wmissing-prototypes -Wc++-compat $strict
    done
    [ -n "$cxx" ] || continue
    for standard in c++11 c++17; do
        try "$cxx" cc "$header" -std="$standard" -Wold-style-cast $strict
    done
done

if [ -n "$cxx" ]; then
    whole -std=c++11
    whole -std=c++17
fi

[ "$bad" = 0 ] || exit 1
if [ -z "$cxx" ]; then
    echo "SKIP gate_headers: no C++ compiler, tried C alone"
    exit 77
fi
exit 0
