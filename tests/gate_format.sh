#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C and C++ file is as clang-format would write it.
set -u
cd "${VECWIRE_SOURCE:-$(dirname "$0")/..}" || exit 1

if ! command -v clang-format >/dev/null 2>&1; then
    echo "SKIP gate_format: clang-format is not installed"
    exit 77
fi
case $(clang-format --version) in
*"version 14."*) ;;
*)
    echo "SKIP gate_format: releases of clang-format differ, 14 is ours"
    exit 77
    ;;
esac
find src include tests examples bench \( -name '*.[ch]' -o -name '*.cc' \) \
    -exec clang-format --dry-run -Werror --style=file {} +
