#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The golden vectors of docs/anep.md, good and malformed, through the ingress program.
set -euo pipefail
build=$(readlink -f "${1:?the build folder}")
vectors=$(dirname "$(readlink -f "$0")")/../../ee-core/anep/src/test/resources/vectors
"$build/tests/vectors" "$vectors/good.txt" "$vectors/malformed.txt"
