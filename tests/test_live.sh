#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The suite for HMS servers, and the tool, against our own: what passes here
# passes against hms-server, too (tests/test_live_hms.sh).
set -u
# Before tool_rig.sh goes elsewhere.
tests=$(cd "$(dirname "$0")" && pwd) || exit 1
# shellcheck source=tests/tool_rig.sh
. "$(dirname "$0")/tool_rig.sh"
# shellcheck source=tests/live_rig.sh
. "$tests/live_rig.sh"

serve --dim "$VECWIRE_DIM"
live rows texts refusals traffic
bad_tenants
tool_commands
stop

serve --dim "$VECWIRE_DIM"
live tenants
stop

export HMS_API_KEY=sesame-7391
serve --dim "$VECWIRE_DIM"
VECWIRE_LIVE_KEY=$HMS_API_KEY live key
stop

finish
