/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * XDP: drops datagrams of refused Type IDs that are sent to the node, before the kernel makes a packet of them. For floods; everything
 * else passes untouched, fragments and tagged frames too.
 */
#include "maps.h"

#define ETHERTYPE_IP 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define UDP 17

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, TAM_REFUSED_MOST);
	__type(key, uint32_t);		/* Type ID */
	__type(value, uint64_t);	/* packets dropped */
} tam_refused SEC(".maps");

/* What is read of a frame: addresses, and behind them UDP header and the first word of the ANEP header. */
struct tam_head {
	uint8_t destination[16];
	const uint8_t *udp;
};

/* Finds the UDP header of a frame that is no fragment and has no options. Returns 0 if there is none. */
tam_inline int tam_find(const uint8_t *frame, const uint8_t *end, struct tam_head *head)
{
	const uint8_t *ip = frame + 14;

	if (ip + 20 > end)
		return 0;
	if (tam_get16(frame + 12) == ETHERTYPE_IP) {
		if (ip[0] != 0x45 || ip[9] != UDP || tam_get16(ip + 6) & 0x3fff)
			return 0;
		__builtin_memset(head->destination, 0, 10);
		head->destination[10] = head->destination[11] = 0xff;
		__builtin_memcpy(head->destination + 12, ip + 16, 4);
		head->udp = ip + 20;
		return 1;
	}
	if (tam_get16(frame + 12) != ETHERTYPE_IPV6 || ip + 40 > end || ip[0] >> 4 != 6 || ip[6] != UDP)
		return 0;
	__builtin_memcpy(head->destination, ip + 24, 16);
	head->udp = ip + 40;
	return 1;
}

SEC("xdp")
int tam_refuse_types(struct xdp_md *context)
{
	const uint8_t *frame = (const uint8_t *)(long)context->data, *end = (const uint8_t *)(long)context->data_end;
	struct tam_head head;
	uint32_t zero = 0;

	if (!tam_find(frame, end, &head) || head.udp + 12 > end || tam_get16(head.udp + 2) != tam_constants.port || head.udp[8] != 1)
		return XDP_PASS;
	uint32_t type_id = tam_get16(head.udp + 10);
	uint64_t *dropped = bpf_map_lookup_elem(&tam_refused, &type_id);
	if (!dropped || !bpf_map_lookup_elem(&tam_addresses, head.destination))
		return XDP_PASS;
	(*dropped)++;
	struct tam_statistics *counts = bpf_map_lookup_elem(&tam_counts, &zero);
	if (counts)
		counts->xdp_dropped++;
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
