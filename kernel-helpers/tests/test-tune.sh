#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# TCP flows of other programs, tuned by rules; what they have again, whoever is killed.
. "$(dirname "$0")/net.sh"

ip netns add "$node"
ip -n "$node" link set lo up
in_node "$build/tests/tune"
