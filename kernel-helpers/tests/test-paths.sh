#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Policing by the clock, local senders, XDP, and packets that pass through the host.
. "$(dirname "$0")/net.sh"

make_net
in_node "$build/tests/paths" "$client" "$server"
