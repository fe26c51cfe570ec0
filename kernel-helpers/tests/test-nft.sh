#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Transactions of nftables in the process, and the table that goes with it.
. "$(dirname "$0")/net.sh"

make_net
in_node "$build/tests/nft"
