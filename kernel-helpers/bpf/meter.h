/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * The three color markers of RFC 2697 and RFC 2698, exact: buckets hold nano-octets, so a rate of r octets a second adds r each
 * nanosecond. A packet is as long as its IP packet. Buckets are full at first.
 *
 * No product is too large: the rates are at most TAM_RATE_MOST and the time since the last packet is cut to `full`, so what is added is
 * at most both bursts (4.3e18) and one nanosecond's worth (1.25e11); with what the bucket held it is below 2^63.
 */
#ifndef TAMANOIR_METER_H
#define TAMANOIR_METER_H

#include "octets.h"
#include "state.h"

#define TAM_NANO 1000000000ULL

struct tam_buckets {
	uint64_t tokens[2];	/* committed; peak or excess. Nano-octets */
	uint64_t last;		/* nanoseconds: when they were filled */
	uint64_t generation;	/* of the tam_meter_rule that they are for; 0: none yet */
};

tam_inline uint64_t tam_least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* Brings the buckets to the time `now`. A clock that another processor has read a moment earlier adds nothing. */
tam_inline void tam_meter_fill(struct tam_buckets *buckets, const struct tam_meter_rule *rule, uint64_t now)
{
	if (buckets->generation != rule->generation) {
		/* An older rule, of a packet that was under way when the rule was replaced, takes what there is. */
		if (buckets->generation < rule->generation) {
			buckets->generation = rule->generation;
			buckets->tokens[0] = rule->burst[0];
			buckets->tokens[1] = rule->burst[1];
			buckets->last = now;
		}
		return;
	}
	if (now <= buckets->last)
		return;
	uint64_t passed = now - buckets->last;
	uint64_t committed = buckets->tokens[0] + rule->rate[0] * tam_least(passed, rule->full[0]);

	buckets->last = now;
	buckets->tokens[0] = tam_least(committed, rule->burst[0]);
	if (rule->kind == TAM_METER_SINGLE_RATE)	/* what the committed bucket cannot hold goes into the excess bucket */
		buckets->tokens[1] = tam_least(buckets->tokens[1] + committed - buckets->tokens[0], rule->burst[1]);
	else
		buckets->tokens[1] = tam_least(buckets->tokens[1] + rule->rate[1] * tam_least(passed, rule->full[1]), rule->burst[1]);
}

/* RFC 2697, section 3. */
tam_inline uint32_t tam_meter_single(struct tam_buckets *buckets, uint64_t need, uint32_t colour)
{
	if (colour == TAM_GREEN && buckets->tokens[0] >= need) {
		buckets->tokens[0] -= need;
		return TAM_GREEN;
	}
	if (colour != TAM_RED && buckets->tokens[1] >= need) {
		buckets->tokens[1] -= need;
		return TAM_YELLOW;
	}
	return TAM_RED;
}

/* RFC 2698, section 3. */
tam_inline uint32_t tam_meter_two(struct tam_buckets *buckets, uint64_t need, uint32_t colour)
{
	if (colour == TAM_RED || buckets->tokens[1] < need)
		return TAM_RED;
	buckets->tokens[1] -= need;
	if (colour == TAM_YELLOW || buckets->tokens[0] < need)
		return TAM_YELLOW;
	buckets->tokens[0] -= need;
	return TAM_GREEN;
}

/* The colour of a packet of `octets` that arrived with `colour`. The caller holds the buckets' lock. */
tam_inline uint32_t tam_meter(struct tam_buckets *buckets, const struct tam_meter_rule *rule, uint64_t now, uint32_t octets,
			      uint32_t colour)
{
	uint64_t need = octets * TAM_NANO;
	uint32_t arrived = rule->colour_aware ? colour : TAM_GREEN;

	tam_meter_fill(buckets, rule, now);
	return rule->kind == TAM_METER_TWO_RATE ? tam_meter_two(buckets, need, arrived) : tam_meter_single(buckets, need, arrived);
}

/* The colour that a code point says: the drop precedence of assured forwarding (RFC 2597, section 6); anything else is green. */
tam_inline uint32_t tam_colour(uint32_t dscp)
{
	uint32_t group = dscp >> 3, precedence = dscp >> 1 & 3;

	return group >= 1 && group <= 4 && !(dscp & 1) && precedence ? precedence - 1 : TAM_GREEN;
}

#endif
