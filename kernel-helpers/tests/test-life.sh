#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Attaching, detaching, SIGKILL, interfaces and namespaces that go, missing capabilities: by tcx and by clsact.
. "$(dirname "$0")/net.sh"

make_net 1500
in_node "$build/tests/life" "$client" "tam-x-$$"
in_node env TAMANOIR_NO_TCX=1 "$build/tests/life" "$client" "tam-x-$$"
