#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make ./configure from a fresh clone.
set -eu
cd "$(dirname "$0")"

if [ $# -gt 0 ]; then
    echo "usage: ./autogen.sh" >&2
    exit 2
fi

for tool in autoreconf automake libtoolize pkg-config; do
    command -v "$tool" >/dev/null 2>&1 && continue
    case $tool in
    autoreconf) package=autoconf ;;
    libtoolize) package=libtool ;;
    *) package=$tool ;;
    esac
    echo "autogen.sh: $tool is missing: apt-get install $package" >&2
    exit 1
done

mkdir -p m4
exec autoreconf --install --force
