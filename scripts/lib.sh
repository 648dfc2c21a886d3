# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the scripts share. The one that reads this has set $top, the checkout.

top=${top:?}

# Both scripts/check and scripts/demo build here.
build=$top/build
jobs=2

say() {
    printf '%s\n' "$*"
}

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# One line for one step; its output goes to a file, whose last $stage_tail lines
# are shown when the step fails: stage NAME LOG COMMAND...
# 0: done. 1: failed. 77: what it needs is not there, its output says what.
# $stage_times has a line "SECONDS NAME" for each.
stage_tail=40
stage_times=
stage() {
    stage_name=$1 stage_log=$2
    shift 2
    mkdir -p "${stage_log%/*}"
    stage_began=$(date +%s)
    printf '%-36s' "$stage_name"
    "$@" >"$stage_log" 2>&1
    stage_status=$?
    stage_took=$(($(date +%s) - stage_began))
    stage_times="$stage_times$stage_took $stage_name
"
    case $stage_status in
    0) printf 'ok      %4d s\n' "$stage_took" ;;
    77) printf 'skipped %4d s\n' "$stage_took" ;;
    *)
        printf 'FAILED  %4d s, see %s\n' "$stage_took" "$stage_log"
        tail -n "$stage_tail" "$stage_log" | sed 's/^/    /'
        return 1
        ;;
    esac
    return "$stage_status"
}

# ./configure of this checkout, anew when its inputs are newer.
generate_configure() {
    if [ -x "$top/configure" ] && [ -f "$top/Makefile.in" ] &&
        [ -e "$top/build-aux/missing" ] && [ -e "$top/build-aux/ltmain.sh" ] &&
        [ -z "$(find "$top/configure.ac" "$top/Makefile.am" \
            "$top/include/vecwire/vecwire.h" -newer "$top/configure")" ]; then
        return 0
    fi
    "$top/autogen.sh" && touch "$top/configure"
}

# Configure DIR with these options; a directory that was made with others is
# made anew: configure_in DIR OPTION...
configure_in() {
    dir=$1
    shift
    if [ -f "$dir/Makefile" ] && [ "$(cat "$dir/.options" 2>/dev/null)" = "$*" ]; then
        return 0
    fi
    rm -rf "$dir"
    mkdir -p "$dir"
    (cd "$dir" && "$top/configure" "$@") && printf '%s\n' "$*" >"$dir/.options"
}

# The build that both scripts use. Its prefix lies inside, so that nothing that
# they do leaves the checkout.
configure_main() {
    configure_in "$build/main" CC=gcc --enable-werror \
        "--prefix=$build/prefix"
}

build_in() {
    make -C "$1" -j"$jobs" all
}
