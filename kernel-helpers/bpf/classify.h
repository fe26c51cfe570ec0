/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Which rule a packet matches: tuple space search (Srinivasan, Suri, Varghese: Packet Classification using Tuple Space Search, 1999). Rules that ask for the
 * same fields with the same prefix lengths are one shape and lie in one hash; a packet costs a look-up for each shape in use, however
 * many rules there are.
 */
#ifndef TAMANOIR_CLASSIFY_H
#define TAMANOIR_CLASSIFY_H

#include "maps.h"

/* Cuts an address to a prefix of 1 to 128 bits. 0: it lies in no prefix of that length: an IPv4 address has none below 96. */
tam_inline int tam_prefix(uint64_t to[2], uint64_t high, uint64_t low, uint32_t bits)
{
	if (bits < 96 && high == 0 && low >> 32 == 0xffff)
		return 0;
	if (bits < 64) {
		to[0] = high & ~0ULL << ((64 - bits) & 63);
		to[1] = 0;
	} else {
		to[0] = high;
		to[1] = bits == 64 ? 0 : low & ~0ULL << ((128 - bits) & 63);
	}
	return 1;
}

/* What a packet is for a shape, as a key; 0 if it lacks a field that the shape asks for. */
tam_inline int tam_match_of(struct tam_match *match, uint32_t shape, const struct tam_packet *packet, const uint8_t source[16])
{
	uint32_t bits = TAM_SHAPE_DESTINATION(shape);

	match->destination[0] = match->destination[1] = match->source[0] = match->source[1] = 0;
	if (bits && (!packet->has_destination || !tam_prefix(match->destination, packet->destination[0], packet->destination[1], bits)))
		return 0;
	bits = TAM_SHAPE_SOURCE(shape);
	if (bits && !tam_prefix(match->source, tam_get64(source), tam_get64(source + 8), bits))
		return 0;
	if (shape & TAM_SHAPE_SESSION && !packet->session)
		return 0;
	match->session = shape & TAM_SHAPE_SESSION ? packet->session : 0;
	match->type_id = shape & TAM_SHAPE_TYPE ? packet->type_id : 0;
	match->shape = shape;
	return 1;
}

tam_inline int tam_same_match(const struct tam_match *one, const struct tam_match *other)
{
	return one->destination[0] == other->destination[0] && one->destination[1] == other->destination[1]
	       && one->source[0] == other->source[0] && one->source[1] == other->source[1] && one->session == other->session
	       && one->shape == other->shape && one->type_id == other->type_id;
}

/* The rule with the lowest priority that matches, or NULL: also when the table changes at this moment. */
tam_inline struct tam_rule_body *tam_classify(const struct tam_packet *packet, const uint8_t source[16], uint32_t passing)
{
	struct tam_rule_body *best = 0;
	struct tam_match match;
	uint32_t zero = 0;
	struct tam_shapes *shapes = bpf_map_lookup_elem(&tam_shapes, &zero);

	if (!shapes)
		return 0;
	uint32_t moves = shapes->moves;
	for (int i = 0; i < TAM_SHAPE_WORDS; i++) {
		uint32_t shape;

		if (i >= (int)shapes->most)
			break;
		shape = shapes->shape[i];
		if (!(shape & TAM_SHAPE_USED) || (shape & TAM_SHAPE_PASSING) != passing || !tam_match_of(&match, shape, packet, source))
			continue;
		uint32_t *number = bpf_map_lookup_elem(&tam_rules, &match);
		if (!number)
			continue;
		struct tam_rule_body *body = bpf_map_lookup_elem(&tam_rule_bodies, number);
		if (!body || !tam_same_match(&body->match, &match))
			return 0;
		if (!best || body->priority < best->priority)
			best = body;
	}
	return shapes->moves == moves ? best : 0;
}

#endif
