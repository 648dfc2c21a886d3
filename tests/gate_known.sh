#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every test that docs/known-faults.md and docs/faults.md name is there: a
# case of a unit test runs, a fact of a script is checked.
set -u
cd "${VECWIRE_SOURCE:-$(dirname "$0")/..}" || exit 1
page=docs/known-faults.md
bad=0
seen=0

# "check_x: name, name; test_y.sh: a fact" between backquotes, one a quote.
names=$(sed -n '/^| [0-9]/s/`\([a-z0-9_]*\(\.sh\)\{0,1\}\): \([^`]*\)`/\n@\1 \3\n/gp' \
    "$page" | sed -n 's/^@//p')
if [ -z "$names" ]; then
    echo "$page names no test"
    exit 1
fi

check() { # FILE NAME
    seen=$((seen + 1))
    case $1 in
    *.sh) grep -qF -e "$2" "tests/$1" && return ;;
    *)
        # In a list of tests, too, or it would never run.
        grep -qF "START_TEST($2)" "tests/$1.c" 2>/dev/null &&
            tr -d '\n ' <"tests/$1.c" | sed "s/START_TEST($2)//g" |
            grep -qE "(tcase_add(_[a-z]+)?_test[a-z_]*|[A-Z_]*TEST|add)\(([a-z_]*,)?$2[,)]" &&
            return
        ;;
    esac
    echo "$page: tests/$1 has no test '$2' that runs"
    bad=1
}

while read -r file name; do
    check "$file" "$name"
done <<END
$names
END

# Each row says by which test, or why not.
sed -n '/^| [0-9]/p' "$page" | awk -F'|' 'NF != 6 || $5 ~ /^ *$/ {
    print "a row without its four columns: " $0; bad = 1 } END { exit bad }' ||
    bad=1
[ "$bad" = 0 ] && echo "$seen tests"
exit "$bad"
