/* SPDX-License-Identifier: Apache-2.0 */
/* The table of flows: one hash for the way there, one for answers. */
#include "internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS (sizeof(struct tam_flow_counters) / sizeof(uint64_t))
#define LAST (offsetof(struct tam_flow_counters, last) / sizeof(uint64_t))

int tam_flows_open(struct tam *tam)
{
	uint32_t bodies = tam->options.flows + TAM_SPARE;

	tam->flows = calloc(tam->options.flows, sizeof(*tam->flows));
	tam->flow_of_body = calloc(bodies, sizeof(*tam->flow_of_body));
	tam->answers_at = calloc(65536, sizeof(*tam->answers_at));
	if (!tam->flows || !tam->flow_of_body || !tam->answers_at)
		return -ENOMEM;
	return tam_pool_open(&tam->flow_pool, bodies);
}

void tam_flows_close(struct tam *tam)
{
	free(tam->flows);
	free(tam->flow_of_body);
	free(tam->answers_at);
	tam_pool_close(&tam->flow_pool);
}

static void answers_begin(struct tam *tam, uint16_t port)
{
	if (tam->answers_at[port]++ == 0)
		tam->answer_ports->bits[port >> 5] |= 1U << (port & 31);
}

static void answers_end(struct tam *tam, uint16_t port)
{
	if (--tam->answers_at[port] == 0)
		tam->answer_ports->bits[port >> 5] &= ~(1U << (port & 31));
}

/* Whether another slot has a key. */
static bool taken(struct tam *tam, enum tam_map map, const void *key, uint32_t slot)
{
	uint32_t body;

	return !bpf_map_lookup_elem(tam->maps[map], key, &body) && tam->flow_of_body[body] != slot;
}

static int full(int error)
{
	return error == E2BIG || error == ENOMEM ? -ENOSPC : -error;
}

/* The address of the node that the sender has used: learned from its packets, so it is kept when the flow is another. */
static uint32_t learned(struct tam *tam, const struct tam_flow_slot *slot)
{
	struct tam_flow_body body;

	return bpf_map_lookup_elem(tam->maps[TAM_MAP_FLOW_BODIES], &slot->body, &body) ? 0 : body.used;
}

/* Takes a flow out of both hashes, except the keys that `next` has as well. */
static void withdraw(struct tam *tam, const struct tam_flow_slot *flow, const struct tam_flow_slot *next)
{
	if (!next || memcmp(&flow->key, &next->key, sizeof(flow->key)))
		bpf_map_delete_elem(tam->maps[TAM_MAP_FLOWS], &flow->key);
	if (!next || memcmp(&flow->back, &next->back, sizeof(flow->back)))
		bpf_map_delete_elem(tam->maps[TAM_MAP_BACKS], &flow->back);
	answers_end(tam, flow->back.local_port);
	tam_pool_retire(&tam->flow_pool, flow->body);
}

static int publish(struct tam *tam, const struct tam_flow_slot *flow)
{
	/* Answers first: a packet that is forwarded may be answered at once. */
	if (bpf_map_update_elem(tam->maps[TAM_MAP_BACKS], &flow->back, &flow->body, BPF_ANY))
		return full(errno);
	if (bpf_map_update_elem(tam->maps[TAM_MAP_FLOWS], &flow->key, &flow->body, BPF_ANY)) {
		int error = errno;

		bpf_map_delete_elem(tam->maps[TAM_MAP_BACKS], &flow->back);
		return full(error);
	}
	return 0;
}

/* Before the flow can be found. */
static void close_gates(struct tam_gates *gates, bool gated)
{
	for (int direction = TAM_THERE; direction <= TAM_BACK; direction++) {
		gates->of[direction].handled = gated ? TAM_GATE_CLOSED : TAM_GATE_OPEN;
		gates->of[direction].up = 0;
	}
}

static int put(struct tam *tam, uint32_t slot, struct tam_flow_slot *next, const struct tam_flow *flow)
{
	struct tam_flow_slot *before = &tam->flows[slot];
	bool same = before->used && !memcmp(&before->key, &next->key, sizeof(next->key));
	struct tam_flow_body body = {.key = next->key, .back = next->back, .slot = slot, .target = flow->target};
	int failed;

	if (taken(tam, TAM_MAP_FLOWS, &next->key, slot) || taken(tam, TAM_MAP_BACKS, &next->back, slot))
		return -EEXIST;
	next->body = tam_pool_get(&tam->flow_pool);
	if (next->body == TAM_NONE)
		return -ENOSPC;
	body.used = same ? learned(tam, before) : 0;
	tam->flow_of_body[next->body] = slot;
	answers_begin(tam, next->back.local_port);
	failed = bpf_map_update_elem(tam->maps[TAM_MAP_FLOW_BODIES], &next->body, &body, BPF_ANY) ? -errno : 0;
	if (!failed && !same)
		failed = tam_clear(tam, TAM_MAP_FLOW_COUNTS, &slot, COUNTERS);
	if (!failed) {
		close_gates(&tam->gates[slot], flow->gated);
		failed = publish(tam, next);
	}
	if (failed) {
		answers_end(tam, next->back.local_port);
		tam_pool_retire(&tam->flow_pool, next->body);
		if (before->used)	/* its answers may have been the new flow's for a moment */
			bpf_map_update_elem(tam->maps[TAM_MAP_BACKS], &before->back, &before->body, BPF_ANY);
		return failed;
	}
	if (before->used)
		withdraw(tam, before, next);
	*before = *next;
	return 0;
}

int tam_flow_put(struct tam *tam, uint32_t slot, const struct tam_flow *flow)
{
	struct tam_flow_slot next;
	int result;

	if (slot >= tam->options.flows || tam_flow_check(flow))
		return -EINVAL;
	memset(&next, 0, sizeof(next));
	memcpy(next.key.sender, flow->sender, 16);
	next.key.stream_id = flow->has_stream ? flow->stream_id : 0;
	next.key.has_stream = flow->has_stream;
	next.key.sender_port = flow->sender_port;
	next.key.type_id = flow->type_id;
	memcpy(next.back.next, flow->next, 16);
	memcpy(next.back.local, flow->local, 16);
	next.back.next_port = flow->next_port;
	next.back.local_port = flow->local_port;
	next.used = true;
	pthread_mutex_lock(&tam->lock);
	result = put(tam, slot, &next, flow);
	pthread_mutex_unlock(&tam->lock);
	return result;
}

int tam_flow_remove(struct tam *tam, uint32_t slot)
{
	int result = -ENOENT;

	if (slot >= tam->options.flows)
		return -EINVAL;
	pthread_mutex_lock(&tam->lock);
	if (tam->flows[slot].used) {
		tam->flows[slot].used = false;
		withdraw(tam, &tam->flows[slot], NULL);
		result = tam_clear(tam, TAM_MAP_FLOW_COUNTS, &slot, COUNTERS);
	}
	pthread_mutex_unlock(&tam->lock);
	return result;
}

int tam_flow_read(struct tam *tam, uint32_t slot, struct tam_flow_counters *counters)
{
	int result = -ENOENT;

	if (slot >= tam->options.flows)
		return -EINVAL;
	pthread_mutex_lock(&tam->lock);
	if (tam->flows[slot].used)
		result = tam_sum_but(tam, TAM_MAP_FLOW_COUNTS, &slot, (uint64_t *)counters, COUNTERS, LAST);
	pthread_mutex_unlock(&tam->lock);
	return result;
}

int tam_flow_up(struct tam *tam, uint32_t slot, uint32_t direction)
{
	if (slot >= tam->options.flows || direction > TAM_BACK)
		return -EINVAL;
	return tam->gates[slot].of[direction].up & INT32_MAX;
}

int tam_flow_gate(struct tam *tam, uint32_t slot, uint32_t direction, uint32_t up)
{
	struct tam_gate *gate;

	if (slot >= tam->options.flows || direction > TAM_BACK || (up != TAM_GATE_OPEN && up > INT32_MAX))
		return -EINVAL;
	gate = &tam->gates[slot].of[direction];
	if (gate->handled != TAM_GATE_OPEN)
		gate->handled = up;
	return 0;
}
