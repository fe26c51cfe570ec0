/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAMANOIR_PROBE_CHILD_H
#define TAMANOIR_PROBE_CHILD_H

#include "tamanoir_kernel.h"

/* linux/bpf.h of Debian 12 (Linux 6.1) does not have these yet. */
#define PROBE_PROG_NETFILTER 32
#define PROBE_ATTACH_NETFILTER 45
#define PROBE_ATTACH_TCX 46

/* Descriptors of loaded programs that do nothing, or negative errnos. */
struct probe_programs {
	int tc;
	int xdp;
	int netfilter;
};

/* In a process that ends afterwards: tries what needs attaching, and writes the results of these features into *probe. */
void probe_child(const struct probe_programs *programs, struct tam_probe *probe);

#endif
