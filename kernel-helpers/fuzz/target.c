/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold for any datagram and any rules: the programs' parser calls a packet good exactly if the reference does and the packet
 * asks for nothing that the kernel does not do; both read the same out of it; both find the same rule.
 *
 * An input is a few rules and, behind them, a datagram as UDP carries it.
 */
#define TAM_MAPS_RULES
#include <linux/bpf.h>

#include "classify.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "input.h"
#include "reference.h"


struct shim_list shim_lists[SHIM_LISTS];

#define must(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* The maps: what the library would have written. */
static struct tam_shapes shapes;
static struct tam_rule_body bodies[RULES];
static struct tam_match keys[RULES];
static uint32_t body_numbers[RULES];
static const uint32_t numbers[RULES] = {0, 1, 2, 3, 4, 5};
static struct tam_rule rules[RULES];
static uint32_t rule_count;

/* A prefix length; half of them where a mask changes its nature. */
static uint8_t prefix_bits(uint8_t from)
{
	static const uint8_t edges[] = {0, 1, 63, 64, 65, 95, 96, 97, 127, 128};

	return from & 0x80 ? edges[from % 10] : from % 129;
}

/* A rule near the packet: its fields are taken out of the datagram's own octets, so that many match. */
static void make_rule(struct tam_rule *rule, const uint8_t *from, uint32_t priority, const struct reference *read, const uint8_t source[16])
{
	memset(rule, 0, sizeof(*rule));
	rule->priority = priority;
	rule->has_type = from[0] & 1;
	rule->type_id = (uint16_t)(read->type_id ^ (from[1] & 1));
	rule->has_session = from[0] >> 1 & 1;
	rule->session = read->session ^ (from[2] & 1);
	if (rule->session == 0)
		rule->session = 2;
	rule->destination_bits = prefix_bits(from[3]);
	rule->source_bits = prefix_bits(from[4]);
	memcpy(rule->destination, read->destination, 16);
	memcpy(rule->source, source, 16);
	if (from[0] & 4)
		rule->destination[from[5] & 15] ^= (uint8_t)(1 << (from[6] & 7));
	if (from[0] & 8)
		rule->source[from[7] & 15] ^= (uint8_t)(1 << (from[8] & 7));
	rule->actions[0] = TAM_ACTION_DROP;
	must(tam_rule_check(rule) == 0);
}

/* As rule.c does: the rule with the lowest priority of each match; doubles are left out. */
static void add_rule(const struct tam_rule *rule)
{
	struct tam_match match;

	tam_body_match(&match, rule);
	for (uint32_t i = 0; i < rule_count; i++)
		if (!memcmp(&keys[i], &match, sizeof(match)))
			return;
	tam_body_of(&bodies[rule_count], rule, &match, rule_count, 1);
	shapes.shape[rule_count] = match.shape;	/* one word for each is allowed, if not what the library does */
	keys[rule_count] = match;
	body_numbers[rule_count] = rule_count;
	rules[rule_count++] = *rule;
	shapes.most = rule_count;
}

static void make_maps(void)
{
	struct shim_list lists[] = {
		{&tam_shapes, (uint8_t *)(uintptr_t)numbers, (uint8_t *)&shapes, 4, sizeof(shapes), 1},
		{&tam_rules, (uint8_t *)keys, (uint8_t *)body_numbers, sizeof(keys[0]), 4, rule_count},
		{&tam_rule_bodies, (uint8_t *)(uintptr_t)numbers, (uint8_t *)bodies, 4, sizeof(bodies[0]), rule_count},
	};

	memcpy(shim_lists, lists, sizeof(lists));
}

static void check_rules(const struct tam_packet *packet, const struct reference *read, const uint8_t *from, size_t wanted,
			const uint8_t source[16])
{
	const struct tam_rule *best = NULL;
	struct tam_rule_body *found;

	rule_count = 0;
	memset(&shapes, 0, sizeof(shapes));
	for (size_t i = 0; i < wanted; i++) {
		struct tam_rule rule;

		make_rule(&rule, from + i * RULE_OCTETS, (uint32_t)i + 1, read, source);
		add_rule(&rule);
	}
	make_maps();
	for (uint32_t i = 0; i < rule_count; i++)
		if (reference_matches(&rules[i], read, source) && (!best || rules[i].priority < best->priority))
			best = &rules[i];
	found = tam_classify(packet, source, 0);
	must((found != NULL) == (best != NULL));
	must(!found || found->priority == best->priority);
}

/* The light program: finished exactly if plain and good. */
static void check_light(const uint8_t *octets, uint32_t length, const struct reference *read, const uint8_t *from, size_t wanted,
			const uint8_t source[16])
{
	uint8_t header[TAM_HEADER_ROOM] tam_aligned;
	struct tam_packet packet;
	int reason = length < TAM_FIXED ? TAM_UP_MALFORMED : TAM_GOOD;
	bool plain = !read->error && read->header <= TAM_HEADER_MOST && !read->checksum && !read->chain && !read->raw && !read->encoding
		     && !read->error_packet && !read->unknown;

	memset(header, 0xa5, sizeof(header));	/* what an earlier packet has left there */
	memset(&packet, 0xa5, sizeof(packet));
	if (reason == TAM_GOOD) {
		memcpy(header, octets, TAM_FIXED);
		reason = tam_parse_fixed(&packet, header, length);
	}
	if (reason == TAM_GOOD) {
		memcpy(header, octets, packet.header_length);
		reason = tam_parse_options(&packet, header, 0);
	}
	must((reason == TAM_GOOD) == plain);
	if (reason == TAM_UP_LONG)
		must(length >= TAM_HEADER_MOST);
	if (reason != TAM_GOOD)
		return;
	must(packet.type_id == read->type_id && packet.header_length == read->header);
	must(packet.has_stream == read->has_stream && packet.stream_id == read->stream);
	must(packet.session == read->session);
	must(packet.has_destination == read->has_destination);
	must(packet.hops_at == read->hops_at && (packet.hops_at != 0) == read->has_hops);
	must(packet.previous_at == read->previous_at && (packet.previous_at != 0) == read->has_previous);
	must(!packet.hops_at || header[packet.hops_at] == read->hops);
	check_rules(&packet, read, from, wanted, source);
}

/* The program of passing packets: what it counts or drops is well-formed but for values that only user space reads. */
static void check_passing(const uint8_t *octets, uint32_t length, const struct reference *read)
{
	uint8_t header[TAM_HEADER_ROOM] tam_aligned;
	struct tam_packet packet;
	int reason;

	if (length < TAM_FIXED)
		return;
	memset(header, 0xa5, sizeof(header));
	memcpy(header, octets, TAM_FIXED);
	reason = tam_parse_fixed(&packet, header, length);
	if (reason == TAM_GOOD) {
		memcpy(header, octets, packet.header_length);
		reason = tam_parse_options(&packet, header, 1);
	}
	if (reason == TAM_GOOD)
		must(!read->error || read->deep);
	else
		must(read->error || read->header > TAM_HEADER_MOST || read->options > TAM_OPTIONS_PASSING);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reference read;
	uint8_t source[16] tam_aligned = {0};

	size_t before = input_datagram(data, size);

	if (before == 0 || size - before > 65527)
		return 0;
	memcpy(source, data + 1, 16);
	if (data[0] & 0x80) {	/* as from IPv4 */
		memset(source, 0, 10);
		source[10] = source[11] = 0xff;
	}
	const uint8_t *from = data + INPUT_RULES, *octets = data + before;
	size_t length = size - before, wanted = data[0] % (RULES + 1);

	/* A copy that ends where the datagram does. */
	uint8_t *copy = malloc(length + !length);
	must(copy != NULL);
	memcpy(copy, octets, length);
	reference_read(&read, copy, length);
	check_light(copy, (uint32_t)length, &read, from, wanted, source);
	check_passing(copy, (uint32_t)length, &read);
	free(copy);
	return 0;
}
