#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared library exports vecwire_* and nothing private, each name stands in
# a public header, and the static library has no global name outside vecwire_.
set -u
source=${VECWIRE_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${VECWIRE_BUILD:-.}
nm=${NM:-nm}
shared=$build/.libs/libvecwire.so
static=$build/.libs/libvecwire.a
bad=0
seen=0

if [ "${VECWIRE_SANITIZERS:-no}" != no ]; then
    echo "SKIP gate_exports: the sanitizers add names of their own"
    exit 77
fi

if [ -e "$shared" ]; then
    seen=1
    names=$($nm -D --defined-only "$shared" | awk '{print $NF}') || exit 1
    [ -n "$names" ] || { echo "$shared exports nothing"; bad=1; }
    for name in $names; do
        case $name in
        vecwire_[!_]*) ;;
        *) echo "$shared exports $name"; bad=1; continue ;;
        esac
        grep -qw "$name" "$source"/include/vecwire/*.h ||
            { echo "$name is exported, but in no public header"; bad=1; }
    done
fi

if [ -e "$static" ]; then
    seen=1
    # Lines of a symbol are "value type name"; the rest names the members.
    names=$($nm -g --defined-only "$static" | awk 'NF == 3 {print $3}') || exit 1
    [ -n "$names" ] || { echo "$static defines nothing"; bad=1; }
    for name in $names; do
        case $name in
        vecwire_*) ;;
        *) echo "$static defines $name"; bad=1 ;;
        esac
    done
fi

if [ "$seen" = 0 ]; then
    echo "gate_exports: neither $shared nor $static is there"
    exit 1
fi
exit "$bad"
