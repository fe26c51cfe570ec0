#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Datagrams are forwarded and answered, or go up as they came: with the senders' checksum offload and without it, by tcx and by clsact.
. "$(dirname "$0")/net.sh"

make_net
in_node "$build/tests/light" "$client" "$server" offload
in_node env TAMANOIR_NO_TCX=1 "$build/tests/light" "$client" "$server" offload
# The node's interfaces finish the sums that the senders have left to them.
in_node ethtool -K n0 tx off >/dev/null
in_node ethtool -K n1 tx off >/dev/null
in_node "$build/tests/light" "$client" "$server" offload
# The senders sum themselves.
ip netns exec "$client" ethtool -K c0 tx off >/dev/null
ip netns exec "$server" ethtool -K s0 tx off >/dev/null
in_node "$build/tests/light" "$client" "$server" plain
