#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library exports what its header declares, and nothing else; what it needs at run time is libbpf and the C library.
set -euo pipefail
build=$(readlink -f "${1:?the build folder}")
tests=$(dirname "$(readlink -f "$0")")

declared=$(grep -oh '\btam_[a-z_]*(' "$tests/../lib/tamanoir_kernel.h" "$tests/../lib/tamanoir_tune.h" | grep -v 'tam_close()\|tam_event()' | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$build/libtamanoir_kernel.so" | awk '{ print $3 }' | sort -u)
extra=$(comm -13 <(echo "$declared") <(echo "$exported"))
missing=$(comm -23 <(echo "$declared") <(echo "$exported"))
[ -z "$extra" ] || { echo "exported and not declared: $extra"; exit 1; }
[ -z "$missing" ] || { echo "declared and not exported:" $missing; exit 1; }
needed=$(objdump -p "$build/libtamanoir_kernel.so" | awk '$1 == "NEEDED" { print $2 }' | grep -v '^libbpf.so.1$\|^libc.so.6$\|^ld-linux\|^libasan\|^libubsan' || true)
[ -z "$needed" ] || { echo "needs also: $needed"; exit 1; }
