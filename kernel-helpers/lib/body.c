/* SPDX-License-Identifier: Apache-2.0 */
/* What a rule is in the maps. */
#include "internal.h"

#include <string.h>

#include "meter.h"

/* An address cut to its prefix, as two words of the host's order. */
static void cut(uint64_t to[2], const uint8_t address[16], uint32_t bits)
{
	to[0] = tam_get64(address);
	to[1] = tam_get64(address + 8);
	if (bits < 128)
		to[1] = bits <= 64 ? 0 : to[1] & ~0ULL << (128 - bits);
	if (bits < 64)
		to[0] = bits == 0 ? 0 : to[0] & ~0ULL << (64 - bits);
}

void tam_body_match(struct tam_match *match, const struct tam_rule *rule)
{
	memset(match, 0, sizeof(*match));
	cut(match->destination, rule->destination, rule->destination_bits);
	cut(match->source, rule->source, rule->source_bits);
	match->shape = TAM_SHAPE_USED | rule->destination_bits | (uint32_t)rule->source_bits << 8;
	if (rule->has_type) {
		match->shape |= TAM_SHAPE_TYPE;
		match->type_id = rule->type_id;
	}
	if (rule->has_session) {
		match->shape |= TAM_SHAPE_SESSION;
		match->session = rule->session;
	}
	if (rule->passing)
		match->shape |= TAM_SHAPE_PASSING;
}

/* Nanoseconds after which `nano` nano-octets have come at a rate. */
static uint64_t filled(uint64_t nano, uint64_t rate)
{
	return (nano + rate - 1) / rate;
}

static void meter_of(struct tam_meter_rule *meter, const struct tam_rule *rule, uint64_t generation)
{
	meter->generation = generation;
	meter->kind = rule->meter;
	meter->colour_aware = rule->colour_aware;
	meter->rate[0] = rule->cir;
	meter->rate[1] = rule->pir;
	meter->burst[0] = rule->cbs * TAM_NANO;
	meter->burst[1] = rule->pbs * TAM_NANO;
	if (rule->meter == TAM_METER_SINGLE_RATE) {
		meter->full[0] = filled(meter->burst[0] + meter->burst[1], rule->cir);
	} else if (rule->meter == TAM_METER_TWO_RATE) {
		meter->full[0] = filled(meter->burst[0], rule->cir);
		meter->full[1] = filled(meter->burst[1], rule->pir);
	}
}

void tam_body_of(struct tam_rule_body *body, const struct tam_rule *rule, const struct tam_match *match, uint32_t slot, uint64_t generation)
{
	memset(body, 0, sizeof(*body));
	body->match = *match;
	meter_of(&body->meter, rule, generation);
	body->slot = slot;
	body->priority = rule->priority;
	memcpy(body->actions, rule->actions, sizeof(body->actions));
	memcpy(body->treat, rule->treat, sizeof(rule->treat));
	memcpy(body->treat_dscp, rule->treat_dscp, sizeof(rule->treat_dscp));
	body->dscp = rule->dscp;
	body->target = rule->target;
}
