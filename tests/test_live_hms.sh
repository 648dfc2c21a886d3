#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The suite for HMS servers, and the tool, against the real one: make check-live
#   HMS_SERVER_BIN  hms-server (cargo install holographic-memory --features
#                   server --bin hms-server)
#   VECWIRE_DIM     coordinates of a vector (16)
set -u
# Before tool_rig.sh goes elsewhere.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
# shellcheck source=tests/live_rig.sh
. "$tests/live_rig.sh"

[ -x "${HMS_SERVER_BIN:-}" ] || {
    echo "HMS_SERVER_BIN must name an hms-server, \"${HMS_SERVER_BIN:-}\" is none"
    exit 1
}
"$HMS_SERVER_BIN" --version

# hms OPTION...: start it on the data of $data; sets url and server.
hms() {
    local line=
    rm -f ready
    mkfifo ready
    "$HMS_SERVER_BIN" --bind 127.0.0.1:0 --data-dir "$data" \
        --input-dim "$VECWIRE_DIM" --log-level error "$@" >ready 2>>hms.err &
    server=$!
    servers="$servers $server"
    # It must be read on, or the server's next line would kill it.
    exec 3<ready
    read -r -t 60 line <&3
    url=http://${line#hms-server listening on }
    case $url in
    http://127.0.0.1:[1-9]*) true ;;
    *) false ;;
    esac
    verdict $? "hms-server says where it listens: $line"
}

data=$dir/one
hms --no-auth
live rows texts refusals traffic
bad_tenants
tool_commands
live stored
stop
hms --no-auth
live restarted
stop
# Nobody waits for it here: what was answered must be on the disk.
hms --no-auth
live stored
kill -KILL "$server"
wait "$server" 2>/dev/null
hms --no-auth
live restarted
stop

data=$dir/two
hms --no-auth
live tenants
stop

data=$dir/three
export HMS_API_KEY=sesame-7391
hms
VECWIRE_LIVE_KEY=$HMS_API_KEY live key
stop
! grep -q "$HMS_API_KEY" everything
verdict $? "no key in any output of the tool"

finish
