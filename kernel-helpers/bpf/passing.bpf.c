/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Netfilter, hook FORWARD of IPv4 and IPv6: counts and drops ANEP datagrams that the host forwards as a router, by the rules with
 * `passing`. Packets are read and never changed. Fragments, and packets with IP options, pass uncounted.
 */
#define TAM_MAPS_RULES
#include "classify.h"

#define NF_DROP 0
#define NF_ACCEPT 1
#define UDP 17

/* The kernel's own: only the members that are used. */
struct sk_buff;
struct bpf_nf_ctx {
	const void *state;
	struct sk_buff *skb;
} __attribute__((preserve_access_index));

extern int bpf_dynptr_from_skb(struct __sk_buff *skb, __u64 flags, struct bpf_dynptr *dynptr) __ksym;

struct tam_passing {
	uint8_t ip[40] tam_aligned;
	uint8_t udp[8] tam_aligned;
	uint8_t anep[TAM_HEADER_ROOM] tam_aligned;
	uint8_t source[16] tam_aligned;
	struct tam_packet packet;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_passing);
} tam_passings SEC(".maps");

/* Reads the IP header; returns its length, 0 if no UDP datagram stands whole behind it. */
tam_inline uint32_t tam_passing_ip(const struct bpf_dynptr *skb, struct tam_passing *passing, uint32_t *octets)
{
	uint8_t *ip = passing->ip;

	if (bpf_dynptr_read(ip, 20, skb, 0, 0))
		return 0;
	if (ip[0] == 0x45 && ip[9] == UDP && !(tam_get16(ip + 6) & 0x3fff)) {
		__builtin_memset(passing->source, 0, 10);
		passing->source[10] = passing->source[11] = 0xff;
		__builtin_memcpy(passing->source + 12, ip + 12, 4);
		*octets = tam_get16(ip + 2);
		return 20;
	}
	if (ip[0] >> 4 != 6 || ip[6] != UDP || bpf_dynptr_read(ip, 40, skb, 0, 0))
		return 0;
	tam_copy_address(passing->source, ip + 8);
	*octets = tam_get16(ip + 4) + 40;
	return 40;
}

/* Reads an ANEP packet to the node's port number, at any address. Returns the octets of its IP packet, or 0. */
tam_inline uint32_t tam_passing_read(const struct bpf_dynptr *skb, struct tam_passing *passing)
{
	struct tam_packet *packet = &passing->packet;
	uint32_t octets = 0, ip = tam_passing_ip(skb, passing, &octets), options;

	if (!ip || bpf_dynptr_read(passing->udp, 8, skb, ip, 0) || tam_get16(passing->udp + 2) != tam_constants.port
	    || octets < ip + 16 || tam_get16(passing->udp + 4) != octets - ip || bpf_dynptr_read(passing->anep, 8, skb, ip + 8, 0)
	    || tam_parse_fixed(packet, passing->anep, octets - ip - 8) != TAM_GOOD)
		return 0;
	options = packet->header_length - TAM_FIXED;
	if (options > 0 && (options > TAM_HEADER_MOST - TAM_FIXED
			    || bpf_dynptr_read(passing->anep + TAM_FIXED, options, skb, ip + 8 + TAM_FIXED, 0)))
		return 0;
	return tam_parse_options(packet, passing->anep, 1) == TAM_GOOD ? octets : 0;
}

SEC("netfilter")
int tam_forwarded(struct bpf_nf_ctx *context)
{
	struct sk_buff *skb = context->skb;
	struct bpf_dynptr dynptr;
	uint32_t zero = 0, octets;
	struct tam_passing *passing = bpf_map_lookup_elem(&tam_passings, &zero);
	struct tam_statistics *counts = bpf_map_lookup_elem(&tam_counts, &zero);

	if (!skb || !passing || !counts || bpf_dynptr_from_skb((struct __sk_buff *)skb, 0, &dynptr))
		return NF_ACCEPT;
	octets = tam_passing_read(&dynptr, passing);
	if (!octets)
		return NF_ACCEPT;
	counts->passing_seen++;
	struct tam_rule_body *rule = tam_classify(&passing->packet, passing->source, TAM_SHAPE_PASSING);
	struct tam_rule_counters *counters = rule ? bpf_map_lookup_elem(&tam_rule_counts, &rule->slot) : 0;
	if (!rule || !counters)
		return NF_ACCEPT;
	for (int i = 0; i < TAM_ACTIONS; i++) {
		if (rule->actions[i] == TAM_ACTION_COUNT) {
			counters->packets++;
			counters->octets += octets;
		} else if (rule->actions[i] == TAM_ACTION_DROP) {
			counters->dropped++;
			counts->passing_dropped++;
			return NF_DROP;
		}
	}
	return NF_ACCEPT;
}

char LICENSE[] SEC("license") = "GPL";
