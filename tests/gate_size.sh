#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No file over 500 lines, no function over 80. A definition begins with its
# name in the first column and ends with a brace there.
set -u
cd "${VECWIRE_SOURCE:-$(dirname "$0")/..}" || exit 1

find src include tests examples bench -name '*.[ch]' -exec awk '
function close_file() {
    if (lines > 500) {
        printf "%s: %d lines, 500 at most\n", file, lines
        bad = 1
    }
}
FNR == 1 {
    close_file()
    file = FILENAME
    name = ""
    open = 0
}
{ lines = FNR }
!open && /^[A-Za-z_][A-Za-z0-9_]*\(/ {
    name = $0
    sub(/\(.*/, "", name)
    if (name == "START_TEST") {
        name = $0
        gsub(/^[^(]*\(|\).*/, "", name)
    }
    begin = FNR
}
name != "" && !open && /;[ \t]*$/ { name = "" }
name != "" && /^\{/ { open = 1 }
open && /^\}/ {
    if (FNR - begin + 1 > 80) {
        printf "%s:%d: %s: %d lines, 80 at most\n", FILENAME, begin, name, \
            FNR - begin + 1
        bad = 1
    }
    name = ""
    open = 0
}
END {
    close_file()
    exit bad
}' {} +
