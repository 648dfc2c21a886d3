#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrows between the rooms of src/ point one way:
#   api -> call -> pool -> net/transport.h <- net, dialect -> codec.
set -u
cd "${VECWIRE_SOURCE:-$(dirname "$0")/..}" || exit 1

find src -name '*.[ch]' ! -path 'src/server/*' ! -path 'src/tool/*' \
    -exec awk '
function room(path,    parts) {
    split(path, parts, "/")
    return parts[2]
}
function wrong(why) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, $0, why
    bad = 1
}
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    here = room(FILENAME)
    header = $0
    sub(/^[^<"]*[<"]/, "", header)
    sub(/[>"].*/, "", header)
    event = header ~ /^(event2\/|event\.h|ev(http|dns|util)\.h)/
    pure = here ~ /^(pool|codec|dialect)$/

    if (header ~ /^event2\/http/ && FILENAME !~ /^src\/net\/http_/)
        wrong("only src/net/http_* knows evhttp")
    if (event && (pure || here == "call"))
        wrong("no libevent in src/" here)
    if (pure && header ~ /^net\// && header !~ /^net\/(transport|timers)\.h$/)
        wrong("src/" here " knows nothing of the network")
    if (here ~ /^(codec|dialect)$/ && header ~ /^(api|call|pool)\//)
        wrong("src/" here " knows nothing of calls")
    if (here == "codec" && header ~ /^dialect\//)
        wrong("the codec knows no dialect")
    if (header ~ /^(server|tool)\//)
        wrong("the library knows neither the server nor the tool")
}
END { exit bad }' {} +
