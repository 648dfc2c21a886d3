#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The examples: what they print, and that they build against an installed
# library by pkg-config alone, as a newcomer would.
set -u
. "${VECWIRE_SOURCE:-$(dirname "$0")/..}/tests/tool_rig.sh"
source=${VECWIRE_SOURCE:?the checkout}
build=${VECWIRE_BUILD:?the build directory}
proxy=$build/examples/search_proxy/search_proxy
proxy_pid=
# A stopped server does not hear that it is to end.
trap 'for pid in $servers; do kill -CONT "$pid" 2>/dev/null; done; stop_all' EXIT

# program NAME STATUS COMMAND...: as run, for other programs
program() {
    local name=$1 wanted=$2 status
    shift 2
    "$@" >out 2>err </dev/null
    status=$?
    [ "$status" = "$wanted" ]
    verdict $? "$name (exit $status, wanted $wanted)"
}

# start_proxy OPTION...: sets port and proxy_pid
start_proxy() {
    local line
    rm -f ready
    mkfifo ready
    "$proxy" --database "$url" "$@" >ready 2>proxy.err &
    proxy_pid=$!
    servers="$servers $proxy_pid"
    exec 4<ready
    read -r line <&4
    port=${line##*:}
    [ "${line%:*}" = "search_proxy listening on http://127.0.0.1" ]
    verdict $? "the proxy says where it listens: $line"
}

# The last line it prints is in out.
stop_proxy() {
    kill "$proxy_pid"
    wait "$proxy_pid"
    verdict $? "the proxy ends well"
    cat <&4 >out
    cp proxy.err err
    exec 4<&-
}

# send_search ROW: on descriptor 3, for one request
send_search() {
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /search?row=%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' \
        "$1" >&3
}

# search NAME ROW STATUS REGEX
search() {
    send_search "$2"
    cat <&3 >out
    exec 3>&-
    out "$1" "^HTTP/1.1 $3 "
    out "$1" "$4"
}

# ---- A shortest program ----

serve --seed-rows 1000
program "query" 0 "$build/examples/query" "$url"
[ "$(grep -cE "^row-$n $x\$" out)" = 10 ]
verdict $? "query prints ten hits"
quiet "query"
program "query without a server" 1 "$build/examples/query" http://127.0.0.1:1
err "query says what failed" "could not connect"

# ---- In a libevent program ----

program "in_a_server" 0 "$build/examples/in_a_server" "$url"
out "a call is answered" "^answered: 10 rows, the best is row-$n with $x\$"
out "a call reaches its deadline" "^late: VECWIRE_ETIMEDOUT while waiting"
out "a call is canceled" "^unwanted: VECWIRE_ECANCELED while "
out "each callback ran once" "^callbacks: 1 1 1\$"
out "the host's timer went on" "^the timer ticked ([3-9]|[1-9]$n) times"
quiet "in_a_server"
program "in_a_server without a server" 1 "$build/examples/in_a_server" \
    http://127.0.0.1:1
out "the first call is not answered" "^answered: VECWIRE_EREFUSED"
out "the others end all the same" "^callbacks: 1 1 1\$"

# ---- A collection of Qdrant's ----

program "qdrant" 0 "$build/examples/qdrant" "$url"
out "all rows are uploaded" "^1000 rows stored, 0 failed\$"
[ "$(grep -cE "^1$n{2} $x \{\"n\":1$n{2}\}\$" out)" = 3 ]
verdict $? "the filter leaves three hits of those it asks for"
out "all rows come back as a matrix" "^1000 rows in 4 pages, sum 9000.0\$"
quiet "qdrant"
program "qdrant, a second time" 0 "$build/examples/qdrant" "$url"
program "qdrant without a server" 1 "$build/examples/qdrant" http://127.0.0.1:1
err "qdrant says what failed" "could not connect"

# ---- search_proxy ----

for path in evhttp direct; do
    start_proxy --path $path
    search "$path: a row finds itself" 17 200 \
        '^\{"row":17,"hits":\[\{"id":"row-17","score":(1.0|0.99999)'
    search "$path: a row that is not there" 1000 404 '"code":"not_found"'
    search "$path: a row that is none" 1x 400 '"code":"bad_request"'
    stop_proxy
    out "$path: the proxy's count" "^1 answered, 2 failed, 0 canceled\$"
done
program "wrong usage of the proxy" 2 "$proxy" --path sideways
err "the proxy tells its usage" "^usage: "

# figure NAME LINE WANTED: the number after "LINE: " to 2 %
figure() {
    awk -v line="$2: " -v wanted="$3" '
        index($0, line) == 1 {
            off = substr($0, length(line) + 1) / wanted - 1
            good = off <= 0.02 && off >= -0.02
        }
        END { exit !good }' out
    verdict $? "$1 is $3"
}
measured=500
program "self-test" 0 "$proxy" --database "$url" --self-test $measured
figure "iterations by evhttp's reply path" "evhttp's reply path" 3
figure "iterations with the reply written at once" "written in the callback" 2
out "all were answered" "^$((2 * measured + 20)) answered, 0 failed, 0 canceled"
quiet "self-test"

# The same from outside: returns of epoll_wait over the whole run.
counter=$build/bench/.libs/epoll_count.so
if [ "${VECWIRE_SANITIZERS:-no}" != no ] || [ "${VECWIRE_SHARED:-yes}" = no ]; then
    echo "left out: a sanitizer, or no shared library: nothing to preload"
else
    # libtool's wrapper is counted too, wherever it goes.
    program "self-test, counted" 0 env VECWIRE_COUNT_FILE="$dir/count" \
        LD_PRELOAD="$counter" "$proxy" --database "$url" --self-test $measured
    awk -v each=$((measured + 10)) '
        /^program=(lt-)?search_proxy / { sub(/.* waits=/, ""); waits = $1 + 0 }
        END {
            printf "epoll_wait returned %d times for 2 x %d\n", waits, each
            off = waits / (3 * each + 2 * each) - 1
            exit !(off <= 0.02 && off >= -0.02)
        }' count
    verdict $? "epoll_wait returns three times and twice a request"
fi

# The database stops in the middle: connections come up, nothing answers.
start_proxy --timeout-ms 500
kill -STOP "$server"
send_search 1
exec 3>&-
search "a database that is silent" 2 504 '"code":"VECWIRE_ETIMEDOUT"'
stop_proxy
out "a client that leaves takes its call with it" \
    "^0 answered, 1 failed, 1 canceled\$"

# A request in flight when the proxy ends is answered first.
start_proxy
exec 5<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /search?row=1 HTTP/1.1\r\nHost: localhost\r\n\r\n' >&5
search "a request behind it" none 400 '"code":"bad_request"'
stop_proxy
out "both have failed" "^0 answered, 2 failed, 0 canceled\$"
cat <&5 >out
exec 5>&-
out "the end of the proxy is a reply" "^HTTP/1.1 503 "
out "the end of the proxy has a reason" '"code":"VECWIRE_ECLOSED"'

start_proxy
kill -CONT "$server"
kill "$server"
wait "$server" 2>/dev/null
search "a database that is gone" 3 502 '"code":"VECWIRE_EREFUSED"'
stop_proxy

# ---- Against the installed library ----

root=$dir/root
(
    # What the make that runs the tests has to say is not for this one.
    unset MAKEFLAGS MFLAGS MAKELEVEL
    make -C "$build" DESTDIR="$root" install-libLTLIBRARIES \
        install-vecwireincludeHEADERS install-pkgconfigDATA
) >out 2>err
verdict $? "the library installs"
mkdir pc
pc=$(find "$root" -name vecwire.pc)
export PKG_CONFIG_PATH=${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
libdir=$root$(pkg-config --variable=libdir vecwire)
includedir=$root$(pkg-config --variable=includedir vecwire)
# It stands in $root for the time being.
sed "s|^libdir=.*|libdir=$libdir|; s|^includedir=.*|includedir=$includedir|" \
    "$pc" >pc/vecwire.pc
PKG_CONFIG_PATH=$dir/pc:$PKG_CONFIG_PATH
static=
[ "${VECWIRE_SHARED:-yes}" = yes ] || static=--static
sanitize=
case ${VECWIRE_SANITIZERS:-no} in
no) ;;
thread) sanitize=-fsanitize=thread ;;
*) sanitize=-fsanitize=address,undefined ;;
esac
cxx=${CXX:-}
case ${CC:-cc} in # the two have sanitizers of their own
*clang*) [ -z "$sanitize" ] || cxx=$(command -v clang++) ;;
esac

# installed NAME COMPILER SOURCE...
installed() {
    local name=$1 compiler=$2
    shift 2
    # Compilers come with flags, and pkg-config has several to give.
    # shellcheck disable=SC2046,SC2086
    program "$name builds against the installed library" 0 \
        $compiler -Wall -Wextra -Wshadow -Wconversion -Werror $sanitize \
        -o "installed_$name" "$@" \
        $(pkg-config $static --cflags --libs vecwire) "-Wl,-rpath,$libdir"
}

installed query "${CC:-cc}" "$source/examples/query.c"
installed in_a_server "${CC:-cc}" "$source/examples/in_a_server.c"
installed qdrant "${CC:-cc}" "$source/examples/qdrant.c"
installed search_proxy "${CC:-cc}" "$source"/examples/search_proxy/*.c

serve
if [ -n "$cxx" ]; then
    installed upsert_query \
        "$cxx -std=c++17 -Wpedantic -Wsign-conversion -Wold-style-cast" \
        "$source/examples/upsert_query.cc"
    program "upsert_query" 0 ./installed_upsert_query "$url"
    printf '3 rows stored\nblue 0.8000\nred 0.6000\n' | cmp -s - out
    verdict $? "upsert_query stores three rows and finds two"
    quiet "upsert_query"
    program "upsert_query without a server" 1 ./installed_upsert_query \
        http://127.0.0.1:1
    err "upsert_query says what failed" "could not connect"
fi

finish || exit 1
if [ -z "$cxx" ]; then
    echo "SKIP test_examples: no C++ compiler, upsert_query.cc was not built"
    exit 77
fi
