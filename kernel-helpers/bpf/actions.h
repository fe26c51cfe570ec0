/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Runs the actions of a rule: counts, meters, says what becomes of the packet. */
#ifndef TAMANOIR_ACTIONS_H
#define TAMANOIR_ACTIONS_H

#include "maps.h"

#define TAM_NO_DSCP 0xff

struct tam_outcome {
	uint32_t done;	/* TAM_DONE_* */
	uint32_t dscp;	/* to set, or TAM_NO_DSCP */
};

tam_inline uint64_t tam_now(void)
{
	uint32_t zero = 0;

	if (!tam_constants.test_clock)
		return bpf_ktime_get_ns();
	volatile uint64_t *now = bpf_map_lookup_elem(&tam_test_time, &zero);
	return now ? *now : 0;
}

/* What becomes of a packet whose rule is known; `octets` is the length of its IP packet, `colour` the one that it arrived with. */
tam_inline int tam_act(const struct tam_rule_body *body, uint32_t octets, uint32_t colour, struct tam_outcome *outcome)
{
	uint32_t slot = body->slot;
	struct tam_rule_counters *counters = bpf_map_lookup_elem(&tam_rule_counts, &slot);
	struct tam_meter_state *meter = bpf_map_lookup_elem(&tam_meters, &slot);
	uint64_t now = body->meter.kind ? tam_now() : 0;

	outcome->done = TAM_DONE_UP;
	outcome->dscp = TAM_NO_DSCP;
	if (!counters || !meter)
		return 0;
	for (int i = 0; i < TAM_ACTIONS; i++) {
		switch (body->actions[i]) {
		case TAM_ACTION_COUNT:
			counters->packets++;
			counters->octets += octets;
			break;
		case TAM_ACTION_DSCP:
			outcome->dscp = body->dscp;
			break;
		case TAM_ACTION_POLICE: {
			bpf_spin_lock(&meter->lock);
			colour = tam_meter(&meter->buckets, &body->meter, now, octets, colour);
			bpf_spin_unlock(&meter->lock);
			if (colour == TAM_GREEN)
				counters->green++;
			else if (colour == TAM_YELLOW)
				counters->yellow++;
			else
				counters->red++;
			uint32_t treat = body->treat[colour & 3];
			if (treat == TAM_TREAT_MARK)
				outcome->dscp = body->treat_dscp[colour & 3];
			if (treat != TAM_TREAT_DROP)
				break;
			counters->dropped++;
			outcome->done = TAM_DONE_DROP;
			return 1;
		}
		case TAM_ACTION_DROP:
			counters->dropped++;
			outcome->done = TAM_DONE_DROP;
			return 1;
		case TAM_ACTION_FORWARD:
			counters->forwarded++;
			outcome->done = TAM_DONE_FORWARD;
			return 1;
		}
	}
	return 1;
}

/* Whether a rule decides alone what becomes of a packet: TAM_ACTION_DROP or TAM_ACTION_FORWARD if it does, 0 if not. */
tam_inline uint32_t tam_final(const struct tam_rule_body *body)
{
	for (int i = 0; i < TAM_ACTIONS; i++)
		if (body->actions[i] == TAM_ACTION_DROP || body->actions[i] == TAM_ACTION_FORWARD)
			return body->actions[i];
	return 0;
}

#endif
