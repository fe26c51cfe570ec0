/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * The ingress program of a node's interfaces: finishes datagrams of light services, or lets them go up as they came.
 *
 * Runs on tcx or as a direct-action filter on clsact; what is not finished goes on to the next program, so that two nodes can share an
 * interface. It decides everything before it changes, counts or meters anything.
 */
#define TAM_MAPS_RULES
#define TAM_MAPS_LIGHT
#include "classify.h"
#include "rewrite.h"

#define TAM_NEXT (-1)	/* TCX_NEXT, TC_ACT_UNSPEC */
#define TAM_SHOT 2	/* TCX_DROP, TC_ACT_SHOT */
#define TAM_HOST 0	/* PACKET_HOST: the frame is for this machine */

/* Room beside the stack; a program runs to its end before another begins on the same processor. */
struct tam_scratch {
	uint8_t address[16] tam_aligned;	/* the last address of the node that was looked up, and what was found */
	uint32_t identity;
	uint32_t address_changes;		/* what it was valid for */
	struct tam_datagram datagram;
	struct tam_packet packet;
	struct tam_way way;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_scratch);
} tam_scratches SEC(".maps");

tam_inline int tam_up(struct tam_statistics *counts, int reason)
{
	if (reason >= 0 && reason < TAM_UP_REASONS)
		counts->up[reason]++;
	return TAM_NEXT;
}

/*
 * Writes one fewer hop, without the mark of a packet that was handed over, and this node as the previous one into the header; returns the difference
 * of checksums.
 */
tam_inline uint64_t tam_stamp(uint8_t *anep, const struct tam_packet *packet)
{
	uint64_t difference = 0;
	uint8_t now[12] tam_aligned;
	uint32_t at = packet->hops_at & (TAM_HEADER_MOST - 4);

	now[0] = anep[at] - 1;
	now[1] = anep[at + 1] & ~TAM_HANDED_OVER;
	tam_differ16(&difference, anep + at, now);
	anep[at] = now[0];
	anep[at + 1] = now[1];
	if (packet->previous_at) {
		at = packet->previous_at & (TAM_HEADER_MOST - 4);
		for (int i = 0; i < 4; i++)
			tam_put16(now + 2 * i, tam_constants.node_id >> (48 - 16 * i));
		tam_put16(now + 8, tam_constants.code_port);
		for (int i = 0; i < 10; i += 2) {
			tam_differ16(&difference, anep + at + i, now + i);
			*(uint16_t *)(anep + at + i) = *(uint16_t *)(now + i);
		}
	}
	return difference;
}

/* The flow of a datagram, or NULL. */
tam_inline struct tam_flow_body *tam_flow_of(const struct tam_datagram *datagram, const struct tam_packet *packet)
{
	struct tam_flow_key key;

	tam_copy_address(key.sender, datagram->source);
	key.stream_id = packet->has_stream ? packet->stream_id : 0;
	key.has_stream = packet->has_stream;
	key.sender_port = tam_get16(datagram->udp);
	key.type_id = packet->type_id;
	uint32_t *number = bpf_map_lookup_elem(&tam_flows, &key);
	struct tam_flow_body *flow = number ? bpf_map_lookup_elem(&tam_flow_bodies, number) : 0;
	if (!flow || !tam_same_address(flow->key.sender, key.sender)
	    || flow->key.stream_id != key.stream_id || flow->key.has_stream != key.has_stream
	    || flow->key.sender_port != key.sender_port || flow->key.type_id != key.type_id)
		return 0;
	return flow;
}

/* Whether a flow carries packets of a direction by now; if not, this one is counted among those that go up. */
tam_inline int tam_is_open(uint32_t slot, uint32_t direction)
{
	struct tam_gates *gates = bpf_map_lookup_elem(&tam_gates, &slot);

	if (!gates)
		return 0;
	struct tam_gate *gate = &gates->of[direction & 1];
	uint32_t handled = gate->handled;
	if (handled == TAM_GATE_OPEN)
		return 1;
	if (handled == gate->up) {
		gate->handled = TAM_GATE_OPEN;
		return 1;
	}
	__sync_fetch_and_add(&gate->up, 1);
	return 0;
}

/* A datagram to the node's port, at its address `identity`. */
tam_inline int tam_request(struct __sk_buff *skb, struct tam_scratch *scratch, struct tam_statistics *counts, uint32_t identity)
{
	struct tam_datagram *datagram = &scratch->datagram;
	struct tam_packet *packet = &scratch->packet;
	struct tam_way *way = &scratch->way;
	struct tam_flow_body *flow = 0;
	struct tam_flow_counters *flow_counts = 0;
	struct tam_outcome outcome;
	int reason = tam_read_packet(skb, datagram, packet);

	if (reason != TAM_GOOD)
		return tam_up(counts, reason);
	if (!packet->hops_at || !datagram->anep[packet->hops_at & (TAM_HEADER_MOST - 4)])
		return tam_up(counts, TAM_UP_HOPS);
	struct tam_rule_body *rule = tam_classify(packet, datagram->source, 0);
	if (!rule)
		return tam_up(counts, TAM_UP_NO_RULE);
	uint32_t final = tam_final(rule);
	if (!final)
		return tam_up(counts, TAM_UP_RULE);
	if (final == TAM_ACTION_FORWARD) {
		flow = tam_flow_of(datagram, packet);
		flow_counts = flow ? bpf_map_lookup_elem(&tam_flow_counts, &flow->slot) : 0;
		if (!flow || !flow_counts || flow->target != rule->target)
			return tam_up(counts, TAM_UP_NO_FLOW);
		tam_copy_address(way->source, flow->back.local);
		tam_copy_address(way->destination, flow->back.next);
		way->source_port = flow->back.local_port;
		way->destination_port = flow->back.next_port;
		reason = tam_route(skb, datagram, way);
		if (reason == TAM_GOOD && bpf_skb_pull_data(skb, datagram->udp_at + TAM_UDP_HEADER + packet->header_length))
			reason = TAM_UP_ROUTE;
		if (reason == TAM_GOOD && !tam_is_open(flow->slot, TAM_THERE))
			reason = TAM_UP_NO_FLOW;
		if (reason != TAM_GOOD)
			return tam_up(counts, reason);
	}
	if (!tam_act(rule, datagram->octets, tam_colour(tam_traffic_class(datagram) >> 2), &outcome))
		return tam_up(counts, TAM_UP_RULE);
	if (outcome.done != TAM_DONE_FORWARD || !flow || !flow_counts) {
		counts->dropped++;
		return TAM_SHOT;
	}
	counts->forwarded++;
	flow_counts->packets++;
	flow_counts->octets += datagram->udp_octets - TAM_UDP_HEADER;
	flow_counts->last = bpf_ktime_get_coarse_ns();
	if (*(volatile uint32_t *)&flow->used != identity)
		*(volatile uint32_t *)&flow->used = identity;
	return tam_send(skb, datagram, way, outcome.dscp, tam_stamp(datagram->anep, packet), packet->header_length);
}

/* The flow that an answer belongs to, or NULL. */
tam_inline struct tam_flow_body *tam_back_of(const struct tam_datagram *datagram)
{
	struct tam_back_key key;

	tam_copy_address(key.next, datagram->source);
	tam_copy_address(key.local, datagram->destination);
	key.next_port = tam_get16(datagram->udp);
	key.local_port = tam_get16(datagram->udp + 2);
	key.zero = 0;
	uint32_t *number = bpf_map_lookup_elem(&tam_backs, &key);
	struct tam_flow_body *flow = number ? bpf_map_lookup_elem(&tam_flow_bodies, number) : 0;
	if (!flow || !tam_same_address(flow->back.next, key.next) || !tam_same_address(flow->back.local, key.local)
	    || flow->back.next_port != key.next_port || flow->back.local_port != key.local_port)
		return 0;
	return flow;
}

/* An answer of a next hop, to a socket of the node. Hops are of the way there: an answer keeps its own, as in user space. */
tam_inline int tam_answer(struct __sk_buff *skb, struct tam_scratch *scratch, struct tam_statistics *counts, struct tam_flow_body *flow)
{
	struct tam_datagram *datagram = &scratch->datagram;
	struct tam_way *way = &scratch->way;
	uint32_t identity = *(volatile uint32_t *)&flow->used, place = identity & TAM_ADDRESS_PLACE;
	int reason = tam_read_packet(skb, datagram, &scratch->packet);

	if (reason != TAM_GOOD)
		return tam_up(counts, reason);
	struct tam_address_body *address = bpf_map_lookup_elem(&tam_address_bodies, &place);
	struct tam_flow_counters *flow_counts = bpf_map_lookup_elem(&tam_flow_counts, &flow->slot);
	if (!identity || !address || address->identity != identity || !flow_counts)
		return tam_up(counts, TAM_UP_NO_FLOW);
	tam_copy_address(way->source, address->address);
	tam_copy_address(way->destination, flow->key.sender);
	way->source_port = tam_constants.port;
	way->destination_port = flow->key.sender_port;
	reason = tam_route(skb, datagram, way);
	if (reason == TAM_GOOD && bpf_skb_pull_data(skb, datagram->udp_at + TAM_UDP_HEADER))
		reason = TAM_UP_ROUTE;
	if (reason == TAM_GOOD && !tam_is_open(flow->slot, TAM_BACK))
		reason = TAM_UP_NO_FLOW;
	if (reason != TAM_GOOD)
		return tam_up(counts, reason);
	counts->answered++;
	flow_counts->back_packets++;
	flow_counts->back_octets += datagram->udp_octets - TAM_UDP_HEADER;
	flow_counts->last = bpf_ktime_get_coarse_ns();
	return tam_send(skb, datagram, way, TAM_NO_DSCP, 0, 0);
}

/* The identity of the node's address that a datagram is sent to, 0 if it is none. Most datagrams are sent to the one of the last. */
tam_inline uint32_t tam_identity(struct tam_scratch *scratch)
{
	uint32_t zero = 0, changes;
	struct tam_shapes *shapes = bpf_map_lookup_elem(&tam_shapes, &zero);

	if (!shapes)
		return 0;
	changes = shapes->address_changes;	/* read first: a change behind it makes what is found here invalid */
	if (scratch->identity && scratch->address_changes == changes && tam_same_address(scratch->address, scratch->datagram.destination))
		return scratch->identity;
	uint32_t *identity = bpf_map_lookup_elem(&tam_addresses, scratch->datagram.destination);
	tam_copy_address(scratch->address, scratch->datagram.destination);
	scratch->identity = identity ? *identity : 0;
	scratch->address_changes = changes;
	return scratch->identity;
}

SEC("tc")
int tam_light(struct __sk_buff *skb)
{
	uint32_t zero = 0;

	if (skb->pkt_type != TAM_HOST || skb->vlan_present)
		return TAM_NEXT;
	struct tam_scratch *scratch = bpf_map_lookup_elem(&tam_scratches, &zero);
	struct tam_statistics *counts = bpf_map_lookup_elem(&tam_counts, &zero);
	if (!scratch || !counts || !tam_read_datagram(skb, &scratch->datagram))
		return TAM_NEXT;
	uint32_t port = tam_get16(scratch->datagram.udp + 2);
	if (port == tam_constants.port) {
		uint32_t identity = tam_identity(scratch);
		if (!identity)
			return TAM_NEXT;
		counts->seen++;
		return tam_request(skb, scratch, counts, identity);
	}
	struct tam_answer_ports *answers = bpf_map_lookup_elem(&tam_answer_ports, &zero);
	if (!answers || !(answers->bits[port >> 5] >> (port & 31) & 1))
		return TAM_NEXT;
	struct tam_flow_body *flow = tam_back_of(&scratch->datagram);
	if (!flow)
		return TAM_NEXT;
	counts->seen++;
	return tam_answer(skb, scratch, counts, flow);
}

/* tam_rule_apply(): the actions of a rule for a packet that came up. Run by BPF_PROG_TEST_RUN, never attached. */
SEC("tc")
int tam_apply(struct __sk_buff *skb)
{
	struct tam_request request;
	struct tam_outcome outcome;

	if (bpf_skb_load_bytes(skb, TAM_REQUEST_OFFSET, &request, sizeof(request)))
		return TAM_DONE_STALE;
	struct tam_rule_body *body = bpf_map_lookup_elem(&tam_rule_bodies, &request.body);
	if (!body || body->slot != request.slot || !tam_act(body, request.octets, request.colour, &outcome))
		return TAM_DONE_STALE;
	return outcome.done | outcome.dscp << 8;
}

char LICENSE[] SEC("license") = "GPL";	/* what bpf_fib_lookup() asks for; see the first line */
