#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every source file and script stands in Makefile.am: what does not would be
# neither built, nor run, nor released.
set -u
cd "${VECWIRE_SOURCE:-$(dirname "$0")/..}" || exit 1
bad=0
listed=$(sed '/^#/d' Makefile.am | tr -s ' \t' '\n')

for path in $(find src include tests examples bench scripts docs \
    -type f ! -name '*~' ! -name '.*' ! -path '*/.*' ! -path 'tests/data/*' |
    sort); do
    case $path in
    *.c | *.cc | *.h | *.sh | scripts/* | docs/* | bench/run) ;;
    *) continue ;;
    esac
    # A program whose only source bears its name is listed without the suffix.
    printf '%s\n' "$listed" | grep -qxF -e "$path" -e "${path%.c}" ||
        { echo "$path stands in no list of Makefile.am"; bad=1; }
done
exit "$bad"
