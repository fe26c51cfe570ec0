/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* eds.h alone as BPF, for the verifier of a kernel that has no queues in BPF: every function, with all that its arguments can be. It is run too: see the end. */
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "../eds.h"

struct event { __u32 kind, class, octets, random; __u64 now; };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eds);
} eds_state SEC(".maps");

SEC("syscall")
int decide(struct event *event)
{
	__u32 key = 0, class;
	struct eds *e = bpf_map_lookup_elem(&eds_state, &key);

	if (!e)
		return -1;
	switch (event->kind) {
	case 0:
		e->parameters.limit = 10000;
		e->parameters.classes = 2;
		e->parameters.history = 100;
		e->parameters.delay[0] = e->parameters.loss[1] = 1;
		e->parameters.delay[1] = e->parameters.loss[0] = 2;
		eds_init(e);
		return eds_valid(&e->parameters);
	case 1:
		return eds_arrives(e, event->class, event->octets, event->now, event->random);
	case 2:
		class = eds_loser(e);
		return class == EDS_NOBODY ? -1 : eds_loses(e, class, event->octets, event->random);
	default:
		class = eds_next(e, event->now);
		if (class != EDS_NOBODY)
			eds_departs(e, class, event->octets, event->now, event->now);
		return class;
	}
}

char LICENSE[] SEC("license") = "GPL";
