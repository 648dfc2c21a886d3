# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests that run the command line tool: a directory of their own
# to work in, servers that are stopped at the end, and checks that count.
# VECWIRE_TOOL: the tool.
# shellcheck shell=bash

tool=${VECWIRE_TOOL:-./vecwire}
[ -x "$tool" ] || {
    echo "$tool is not there; set VECWIRE_TOOL"
    exit 1
}
tool=$(cd "$(dirname "$tool")" && pwd)/$(basename "$tool")
dir=$(mktemp -d "$PWD/test_tool.XXXXXX") || exit 1
servers=
stop_all() {
    for pid in $servers; do
        kill "$pid" 2>/dev/null
    done
    wait 2>/dev/null
    rm -rf "$dir"
}
trap stop_all EXIT
cd "$dir" || exit 1
unset HMS_API_KEY

passed=0
failed=0
verdict() {
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        sed 's/^/    out: /' out | cut -c1-300 | head -5
        sed 's/^/    err: /' err | cut -c1-300 | head -5
    fi
}

# run NAME STATUS COMMAND...: the tool's exit status, outputs in out and err
run() {
    local name=$1 wanted=$2 status
    shift 2
    "$tool" "$@" >out 2>err </dev/null
    status=$?
    cat out err >>everything
    [ "$status" = "$wanted" ]
    verdict $? "$name (exit $status, wanted $wanted)"
}

# out NAME REGEX, err NAME REGEX, whole line or part of one
out() {
    grep -qE -- "$2" out
    verdict $? "$1: no /$2/ in the output"
}
err() {
    grep -qE -- "$2" err
    verdict $? "$1: no /$2/ in the errors"
}
quiet() {
    [ ! -s err ]
    verdict $? "$1: nothing on stderr"
}
one_line() {
    [ "$(wc -l <"$2")" = 1 ]
    verdict $? "$1: one line in $2"
}

# serve OPTION...: sets url and server
serve() {
    local line
    rm -f ready
    mkfifo ready
    "$tool" serve --listen 127.0.0.1:0 "$@" >ready 2>serve.err &
    server=$!
    servers="$servers $server"
    read -r line <ready
    url=${line#vecwire serve listening on }
    case $url in
    http://127.0.0.1:[1-9]* | https://127.0.0.1:[1-9]*) true ;;
    *) false ;;
    esac
    verdict $? "serve $* says where it listens: $line"
}

# npy FILE DICT: a header; the numbers are appended by the caller
npy() {
    local dict=$2 len
    len=$((${#dict} + 1))
    # shellcheck disable=SC2059
    printf "\\223NUMPY\\001\\000\\$(printf %03o "$len")\\000" >"$1"
    printf '%s\n' "$dict" >>"$1"
}
one='\000\000\200\077'
nil='\000\000\000\000'
not='\000\000\300\177' # NaN
row() {
    # shellcheck disable=SC2059
    printf "$1$2$3"
}

n='[0-9]+'
x='-?[0-9]+(\.[0-9]+)?'

# The last thing a test does.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
