#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No mark of unfinished work, and no path or host of a build machine. The
# patterns are written so that they do not match themselves.
set -u
cd "${VECWIRE_SOURCE:-$(dirname "$0")/..}" || exit 1

places='(/(wor[k]|far[m])/|/tm[p]/(research|src|proto|h-)|[.][.]/share[d]\b'
places="$places|\b(debian|npmjs|pypi|pythonhosted|crates|golang)\.(org|com|io)\b"
places="$places|\bsub[a]gents?\b|\b[a]ssistant\b)"
marks='\b(T[O]DO|F[I]XME|X[X]X|H[A]CK|not [i]mplemented|[s]tub)\b'

# In a checkout what git would take in, elsewhere every file that no tool made.
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
    look() {
        git grep --untracked -nIE "$@"
    }
else
    look() {
        pattern=$1
        shift
        grep -rsnIE --exclude-dir='.[!.]*' --exclude-dir='build*' \
            --exclude-dir=_build --exclude-dir=_inst --exclude-dir=m4 \
            --exclude-dir=autom4te.cache --exclude='configure*' \
            --exclude='config.*' --exclude=libtool --exclude='Makefile*' \
            --exclude=aclocal.m4 --exclude='*.log' -e "$pattern" "$@"
    }
fi

found=$(
    look "$places" -- .
    look "$marks" -- src include tests bench examples scripts
)
[ -z "$found" ] && exit 0
echo "$found"
echo "These words do not belong in the project."
exit 1
