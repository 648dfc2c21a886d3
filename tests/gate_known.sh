#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every test that docs/known-faults.md names is there: a case of a unit test
# that runs, a line that a script says.
set -u
cd "${VECWIRE_SOURCE:-$(dirname "$0")/..}" || exit 1
page=docs/known-faults.md
bad=0
seen=0

# Between backquotes: check_x: name_of_a_test, or test_y.sh: what it says.
names=$(grep -oE '`(check|test|gate)_[a-z0-9_]+(\.sh)?: [^`]+`' "$page" |
    sed 's/`//g; s/: / /')
if [ -z "$names" ]; then
    echo "$page names no test"
    exit 1
fi

check() { # FILE NAME
    seen=$((seen + 1))
    case $1 in
    *.sh) grep -qF -e "$2" "tests/$1" && return ;;
    *)
        # Once more than where it begins, or it would never run.
        grep -qF "START_TEST($2)" "tests/$1.c" 2>/dev/null &&
            [ "$(grep -cw "$2" "tests/$1.c")" -gt 1 ] && return
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
