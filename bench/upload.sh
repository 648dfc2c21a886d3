#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Uploads of rows of 384 floats into `vecwire serve`: rows a second, CPU and
# peak memory of the client, through the uploader and one row a request.
# usage: bench/upload.sh BUILD_DIR [ROWS...]
set -eu
build=${1:?usage: bench/upload.sh BUILD_DIR [ROWS...]}
shift
[ $# -gt 0 ] || set -- 10000 100000
tool=$(cd "$build" && pwd)/vecwire
work=$(mktemp -d)
server=
cleanup() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

# 1,000 rows of random floats in -1..1, again and again.
make_rows() { # ROWS FILE
    python3 - "$1" "$2" <<'END'
import array, random, struct, sys
rows, path = int(sys.argv[1]), sys.argv[2]
rng = random.Random(1)
block = b"".join(
    struct.pack("<i", 384)
    + array.array("f", (rng.uniform(-1, 1) for _ in range(384))).tobytes()
    for _ in range(min(rows, 1000)))
with open(path, "wb") as out:
    for _ in range(rows // 1000):
        out.write(block)
END
}

# measure NAME ROWS OPTION...: a server of its own for each
measure() {
    local name=$1 rows=$2 line url begin end
    shift 2
    rm -f "$work/ready"
    mkfifo "$work/ready"
    "$tool" serve --listen 127.0.0.1:0 >"$work/ready" &
    server=$!
    read -r line <"$work/ready"
    url=${line#vecwire serve listening on }
    begin=$(date +%s%N)
    /usr/bin/time -f '%M %U %S' -o "$work/time" \
        "$tool" import "$work/rows.fvecs" --url "$url" "$@" >"$work/out"
    grep -qx "imported $rows rows" "$work/out"
    end=$(date +%s%N)
    awk -v name="$name" -v rows="$rows" -v ns=$((end - begin)) '
        { printf "%-34s %8d %10.0f %11.1f %10.1f\n", name, rows,
            rows / (ns / 1e9), ($2 + $3) * 1e6 / rows, $1 / 1024 }' \
        "$work/time"
    kill "$server"
    wait "$server" || true
    server=
}

printf '%-34s %8s %10s %11s %10s\n' 'vecwire import' rows rows/s \
    'CPU us/row' 'peak MiB'
for rows in "$@"; do
    make_rows "$rows" "$work/rows.fvecs"
    measure '(256 a request, 4 in flight)' "$rows"
    measure '--in-flight 1' "$rows" --in-flight 1
    [ "$rows" -gt 100000 ] && continue
    measure '--batch 1 --in-flight 4' "$rows" --batch 1
    measure '--batch 1 --in-flight 1' "$rows" --batch 1 --in-flight 1
done
