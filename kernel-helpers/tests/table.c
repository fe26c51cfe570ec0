/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rules: ranges, limits, order, replacing under load, and that nothing stays when everything is removed. */
#include "common.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#define TYPE 0x5500
#define SHOT 2
#define NEXT (-1)
#define MANY 10000
#define BETWEEN 12

static struct tam *tam;
static uint8_t frame[256], out[4096];
static uint32_t frame_length;

/* A frame for the loopback interface: a packet of TYPE from 10.9.9.9 port 5000, to the node's address 10.8.8.8. */
static void make_frame(void)
{
	static const uint8_t head[42] = {[12] = 8, [14] = 0x45, [22] = 64, [23] = 17, [26] = 10, 9, 9, 9, 10, 8, 8, 8, 5000 >> 8, 5000 & 0xff,
					 NODE_PORT >> 8, NODE_PORT & 0xff};
	static struct packet packet;
	uint32_t sum = 0;

	packet_of(&packet, TYPE, 0, 9, 60);
	memcpy(frame, head, sizeof(head));
	frame[17] = (uint8_t)(packet.length + 28);
	frame[39] = (uint8_t)(packet.length + 8);
	for (int i = 14; i < 34; i += 2)
		sum += (uint32_t)(frame[i] << 8 | frame[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	frame[24] = (uint8_t)(~sum >> 8);
	frame[25] = (uint8_t)~sum;
	memcpy(frame + 42, packet.octets, packet.length);
	frame_length = 42 + packet.length;
}

static int run(void)
{
	uint32_t length = sizeof(out);

	return tam_run(tam, 1, frame, frame_length, out, &length);
}

/* The frame with one octet changed; the sum of the IP header follows unless it is that which is wrong. */
static int run_with(uint32_t at, uint8_t value)
{
	uint8_t before = frame[at], check = frame[24];
	int result;

	frame[at] = value;
	if (at == 22) {
		check(frame[24] + before - value < 256, "the sum carries");
		frame[24] += before - value;
	}
	result = run();
	frame[at] = before;
	frame[24] = check;
	return result;
}

/* A rule that drops everything sees what is whole and for this machine. */
static void frames(void)
{
	struct tam_rule all = rule_of(1, 0, TAM_ACTION_DROP, 0, 0);

	all.has_type = 0;
	check_equal(tam_rule_put(tam, 0, &all), 0, "rule_put");
	check_equal(run(), SHOT, "a good frame");
	frame_length += 10;
	check_equal(run(), SHOT, "a frame with padding");
	frame_length -= 11;
	check_equal(run(), NEXT, "a frame without its last octet");
	frame_length++;
	check_equal(run_with(24, frame[24] ^ 1), NEXT, "a wrong IP checksum");
	check_equal(run_with(22, 2), SHOT, "a time to live of 2");
	check_equal(run_with(22, 1), NEXT, "a time to live of 1");
	check_equal(run_with(0, 2), NEXT, "a frame for another machine");
	check_equal(run_with(12, 0x81), NEXT, "a tagged frame");
	check_equal(run_with(39, frame[39] - 1), NEXT, "a UDP length that is not the packet's");
	check_equal(run_with(37, frame[37] + 1), NEXT, "another port");
	check_equal(tam_rule_remove(tam, 0), 0, "rule_remove");
}

static void refused_rule(struct tam_rule rule, const char *what)
{
	check_equal(tam_rule_put(tam, 0, &rule), -EINVAL, what);
}

static void ranges(void)
{
	struct tam_rule good = rule_of(1, TYPE, TAM_ACTION_COUNT, TAM_ACTION_POLICE, TAM_ACTION_DROP), rule;
	struct tam_rule_counters counters;

	good.meter = TAM_METER_TWO_RATE;
	good.cir = good.cbs = good.pir = good.pbs = 1;
#define BAD(field, value) (rule = good, rule.field = (value), refused_rule(rule, #field " = " #value))
	BAD(has_type, 2);
	BAD(has_session, 1);
	BAD(destination_bits, 129);
	BAD(source_bits, 129);
	BAD(meter, 3);
	BAD(meter, 0);
	BAD(dscp, 64);
	BAD(actions[0], 0);
	BAD(actions[0], 6);
	BAD(actions[0], TAM_ACTION_POLICE);
	BAD(actions[0], TAM_ACTION_FORWARD);
	BAD(actions[3], TAM_ACTION_DSCP);
	BAD(treat[2], 3);
	BAD(treat_dscp[0], 64);
	BAD(passing, 1);
	BAD(cir, 0);
	BAD(cir, 2);
	BAD(cbs, 0);
	BAD(pbs, TAM_BURST_MOST + 1);
	BAD(pir, TAM_RATE_MOST + 1);
	BAD(zero[3], 1);
	BAD(reserved[2], 1);
	check_equal(tam_rule_put(tam, MANY, &good), -EINVAL, "a slot that is not there");
	check_equal(tam_rule_put(tam, 0, &good), 0, "a good rule");
	check_equal(tam_rule_remove(tam, 0), 0, "rule_remove");
	check_equal(tam_rule_remove(tam, 0), -ENOENT, "an empty slot");
	check_equal(tam_rule_read(tam, 0, &counters), -ENOENT, "an empty slot");
	check_equal(tam_rule_apply(tam, 0, 100, 0), -ENOENT, "an empty slot");
}

/* The rule with the lowest priority is run, whatever its shape; when it goes, the next. */
static void order(void)
{
	struct tam_rule wide = rule_of(30, 0, TAM_ACTION_DROP, 0, 0), narrow = rule_of(20, TYPE, TAM_ACTION_COUNT, TAM_ACTION_DROP, 0);
	struct tam_rule same = rule_of(10, TYPE, TAM_ACTION_COUNT, 0, 0), source = rule_of(5, TYPE, TAM_ACTION_DROP, 0, 0);
	struct tam_rule_counters counters;
	uint8_t address[16];

	wide.has_type = 0;
	check_equal(tam_rule_put(tam, 1, &wide), 0, "a rule for all");
	check_equal(run(), SHOT, "the rule for all");
	address_of(address, "10.8.8.8");
	check_equal(tam_address_remove(tam, address), 0, "address_remove");
	check_equal(run(), NEXT, "a packet to an address that the node has no more");
	check_equal(tam_address_add(tam, address), 0, "address_add");
	check_equal(run(), SHOT, "a packet to an address that the node has again");
	check_equal(tam_rule_put(tam, 2, &narrow), 0, "one for the type");
	check_equal(run(), SHOT, "the rule for the type");
	check_equal(tam_rule_put(tam, 3, &same), 0, "another of the same match");
	check_equal(run(), NEXT, "the rule that leaves it to the service");
	check_equal(tam_rule_put(tam, 4, &same), -EEXIST, "the same match and priority in another slot");
	address_of(source.source, "10.9.9.0");
	source.source_bits = 120;
	check_equal(tam_rule_put(tam, 4, &source), 0, "one for the source");
	check_equal(run(), SHOT, "the rule for the source");
	source.source[15] = 0x77;	/* behind the prefix: means nothing */
	source.source[14] = 10;
	check_equal(tam_rule_put(tam, 4, &source), 0, "one for another source");
	check_equal(run(), NEXT, "the rule for another source");
	check_equal(tam_rule_remove(tam, 3), 0, "rule_remove");
	check_equal(run(), SHOT, "the second of the same match");
	check_equal(tam_rule_read(tam, 2, &counters), 0, "rule_read");
	check_equal(counters.dropped, 2, "packets dropped by it");
	narrow.priority = 31;
	check_equal(tam_rule_put(tam, 2, &narrow), 0, "the same with another priority");
	check_equal(run(), SHOT, "the rule for all again");
	check_equal(tam_rule_read(tam, 2, &counters), 0, "rule_read");
	check(counters.dropped == 2 && counters.packets == 2, "the counters did not go on");
	check_equal(tam_rule_remove(tam, 1) | tam_rule_remove(tam, 2) | tam_rule_remove(tam, 4), 0, "rule_remove");
	check_equal(tam_rule_put(tam, 2, &narrow), 0, "the slot anew");
	check_equal(tam_rule_read(tam, 2, &counters), 0, "rule_read");
	check_equal(counters.packets + counters.dropped, 0, "counters of a new rule");
	check_equal(tam_rule_remove(tam, 2), 0, "rule_remove");
}

/* Sixteen shapes and no more; a rule of a full table can still be replaced by one of another shape. */
static void shapes(void)
{
	struct tam_rule rule = rule_of(1, TYPE, TAM_ACTION_COUNT, 0, 0);

	for (uint32_t i = 0; i < TAM_SHAPES; i++) {
		rule.source_bits = (uint8_t)(100 + i);
		check_equal(tam_rule_put(tam, i, &rule), 0, "a shape");
	}
	rule.source_bits = 90;
	check_equal(tam_rule_put(tam, TAM_SHAPES, &rule), -ENOSPC, "the shape beyond");
	check_equal(tam_rule_put(tam, 3, &rule), 0, "another shape for the only rule of one");
	rule.source_bits = 103;
	check_equal(tam_rule_put(tam, TAM_SHAPES, &rule), -ENOSPC, "the shape that was left");
	rule.source_bits = 90;
	rule.type_id++;
	check_equal(tam_rule_put(tam, TAM_SHAPES, &rule), 0, "another rule of a shape in use");
	for (uint32_t i = 0; i <= TAM_SHAPES; i++)
		check_equal(tam_rule_remove(tam, i), 0, "rule_remove");
	check_equal(entries("tam_rules"), 0, "matches left");
}

/* Nanoseconds that the program takes for the frame, the least of five. */
static double cost(void)
{
	int program = descriptor("tam_light", false);
	double least = 1e9;

	for (int i = 0; i < 5; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .data_size_in = frame_length, .repeat = 200000);

		check_equal(bpf_prog_test_run_opts(program, &options), 0, "test_run");
		least = options.duration < least ? options.duration : least;
	}
	return least;
}

static struct tam_rule nth(uint32_t i)
{
	struct tam_rule rule = rule_of(100 + i, (uint16_t)(i % 50 + 1), TAM_ACTION_COUNT, TAM_ACTION_DROP, 0);

	if (i == 0)
		rule.type_id = TYPE;
	address_of(rule.source, "10.9.9.9");
	rule.source_bits = 128;
	if (i > 0) {
		rule.source[14] = (uint8_t)(i >> 8);
		rule.source[15] = (uint8_t)i;
	}
	return rule;
}

static void many(void)
{
	double ten = 0, all, begun = seconds(), put;

	for (uint32_t i = 0; i < MANY; i++) {
		struct tam_rule rule = nth(i);

		check_equal(tam_rule_put(tam, i, &rule), 0, "rule_put");
		if (i == 9)
			ten = cost();
		if (i == 9)
			begun = seconds();
	}
	put = seconds() - begun;
	check_equal(run(), SHOT, "the first of many rules");
	check_equal(entries("tam_rules"), MANY, "matches");
	all = cost();
	begun = seconds();
	for (uint32_t i = 0; i < MANY; i++)
		check_equal(tam_rule_remove(tam, i), 0, "rule_remove");
	printf("%d rules: put in %.1f ms, removed in %.1f ms; a packet costs %.0f ns, with ten %.0f ns\n", MANY, put * 1e3,
	       (seconds() - begun) * 1e3, all, ten);
	check(all < ten * 1.5 + 20, "a packet costs %.0f ns with %d rules and %.0f ns with ten", all, MANY, ten);
	check_equal(entries("tam_rules"), 0, "matches left");
	check_equal(run(), NEXT, "no rule");
	/* Places of bodies are used again, more often than there are. */
	for (uint32_t i = 0; i < 3 * MANY; i++) {
		struct tam_rule rule = nth(i % 7);

		check_equal(tam_rule_put(tam, 0, &rule), 0, "rule_put again and again");
	}
	check_equal(tam_rule_remove(tam, 0), 0, "rule_remove");
}

static _Atomic bool done;
static bool moving;	/* whether the rule is replaced by one of another shape */

static void *replacer(void *count)
{
	struct tam_rule rule = rule_of(1, TYPE, TAM_ACTION_COUNT, TAM_ACTION_DROP, 0);

	address_of(rule.source, "10.0.0.0");
	for (uint32_t i = 0; !done; i++, ++*(long *)count) {
		rule.actions[0] = i % 2 ? TAM_ACTION_COUNT : TAM_ACTION_DSCP;
		rule.priority = 1 + i % 3;
		rule.source_bits = moving && i % 2 ? 102 : 0;
		check_equal(tam_rule_put(tam, 0, &rule), 0, "rule_put");
		if (i % 5 == 0) {
			struct tam_rule other = rule_of(500, (uint16_t)i, TAM_ACTION_COUNT, 0, 0);

			check_equal(tam_rule_put(tam, 1, &other), 0, "rule_put");
		}
	}
	return NULL;
}

/*
 * While a rule is replaced, by one of its own shape or another, every packet sees the old one or the new one, and never the one behind
 * them. One that notices the change goes up: never wrong, and seldom.
 */
static void replacing(bool move)
{
	struct tam_rule behind = rule_of(1000, TYPE, TAM_ACTION_COUNT, TAM_ACTION_DROP, 0), rule = rule_of(1, TYPE, TAM_ACTION_DROP, 0, 0);
	struct tam_rule_counters counters;
	pthread_t thread;
	long changes = 0, packets = 0, up = 0;
	double end;

	done = false;
	moving = move;
	check_equal(tam_rule_put(tam, 0, &rule), 0, "rule_put");
	behind.has_type = 0;
	check_equal(tam_rule_put(tam, 2, &behind), 0, "rule_put");
	for (uint32_t i = 3; i < 3 + BETWEEN; i++) {	/* shapes between the old one and the new one give time for a change */
		struct tam_rule between = rule_of(10, 1, TAM_ACTION_COUNT, 0, 0);

		between.source_bits = (uint8_t)(100 + i);
		check_equal(tam_rule_put(tam, i, &between), 0, "rule_put");
	}
	check_equal(pthread_create(&thread, NULL, replacer, &changes), 0, "thread");
	for (end = seconds() + 2; seconds() < end; packets++) {
		int result = run();

		check(result == SHOT || result == NEXT, "a packet while its rule is replaced got %d", result);
		up += result == NEXT;
	}
	done = true;
	pthread_join(thread, NULL);
	check_equal(tam_rule_read(tam, 2, &counters), 0, "rule_read");
	check_equal(counters.packets, 0, "packets that saw the rule behind");
	check_equal(tam_rule_remove(tam, 0) | tam_rule_remove(tam, 2), 0, "rule_remove");
	for (uint32_t i = 3; i < 3 + BETWEEN; i++)
		check_equal(tam_rule_remove(tam, i), 0, "rule_remove");
	tam_rule_remove(tam, 1);
	printf("%ld packets while a rule was replaced%s %ld times; %ld went up\n", packets, move ? " by one of another shape" : "", changes, up);
	check(changes > 1000 && packets > 1000 && up * 4 < packets, "hardly anything was tried");
}

int main(void)
{
	struct tam_options wrong = {1, 0, 0, 1, 1, 0};
	uint8_t address[16];
	char message[256];
	int error = 0;

	check(tam_abi() == TAM_ABI, "another ABI");
	check(!tam_open(&wrong, &error, message, sizeof(message)) && error == -EINVAL && strstr(message, "port"), "port 0: %d %s", error, message);
	make_frame();
	tam = open_handle(NODE_PORT, true, MANY, 16);
	check_equal(run(), NEXT, "a packet to an address that is not the node's");
	address_of(address, "10.8.8.8");
	check_equal(tam_address_add(tam, address), 0, "address_add");
	frames();
	ranges();
	order();
	shapes();
	many();
	replacing(false);
	replacing(true);
	tam_close(tam);
	return 0;
}
