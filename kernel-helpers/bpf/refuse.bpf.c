/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * XDP: drops datagrams that are sent to the node, before the kernel makes a packet of them: those of refused Type IDs, for floods, and those whose rule
 * drops. Everything else passes untouched, and the ingress program decides about it as if there were no XDP.
 */
#define TAM_XDP
#define TAM_MAPS_RULES
#define TAM_MAPS_LIGHT
#include "classify.h"
#include "actions.h"
#include "datagram.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, TAM_REFUSED_MOST);
	__type(key, uint32_t);		/* Type ID */
	__type(value, uint64_t);	/* packets dropped */
} tam_refused SEC(".maps");

/* Room beside the stack; a program runs to its end before another begins on the same processor. */
struct tam_early {
	struct tam_datagram datagram;
	struct tam_packet packet;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_early);
} tam_earlies SEC(".maps");

/* Whether the rule of a datagram drops it: then it is done, counted as the ingress program would. */
tam_inline int tam_drops(tam_frame *frame, struct tam_early *early, struct tam_statistics *counts)
{
	struct tam_datagram *datagram = &early->datagram;
	struct tam_packet *packet = &early->packet;
	struct tam_outcome outcome;

	if (tam_read_packet(frame, datagram, packet) != TAM_GOOD || !packet->hops_at || !datagram->anep[packet->hops_at & (TAM_HEADER_MOST - 4)])
		return 0;
	struct tam_rule_body *rule = tam_classify(packet, datagram->source, 0);
	if (!rule || tam_final(rule) != TAM_ACTION_DROP
	    || !tam_act(rule, datagram->octets, tam_colour(tam_traffic_class(datagram) >> 2), &outcome))
		return 0;
	counts->seen++;
	counts->early_dropped++;
	return 1;
}

SEC("xdp")
int tam_refuse_types(struct xdp_md *frame)
{
	uint32_t zero = 0, type_id;
	struct tam_early *early = bpf_map_lookup_elem(&tam_earlies, &zero);
	struct tam_shapes *shapes = bpf_map_lookup_elem(&tam_shapes, &zero);
	struct tam_statistics *counts = bpf_map_lookup_elem(&tam_counts, &zero);

	if (!early || !shapes || !counts || !tam_read_datagram(frame, &early->datagram))
		return XDP_PASS;
	struct tam_datagram *datagram = &early->datagram;
	if (datagram->reason != TAM_GOOD || datagram->udp_octets < TAM_UDP_HEADER + TAM_FIXED || tam_get16(datagram->udp + 2) != tam_constants.port
	    || datagram->anep[0] != 1)
		return XDP_PASS;
	type_id = tam_get16(datagram->anep + 2);
	uint64_t *refused = bpf_map_lookup_elem(&tam_refused, &type_id);
	if (!refused && !shapes->drops)
		return XDP_PASS;
	if (!bpf_map_lookup_elem(&tam_addresses, datagram->destination))
		return XDP_PASS;
	if (!refused)
		return tam_drops(frame, early, counts) ? XDP_DROP : XDP_PASS;
	(*refused)++;
	counts->xdp_dropped++;
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
