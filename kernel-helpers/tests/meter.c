/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The markers of RFC 2697 and RFC 2698: the vectors, through tam_rule_apply() and through whole packets; then random rules and packets
 * against the RFCs' text in exact numbers of 128 bits.
 */
#define _GNU_SOURCE
#include "common.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include <bpf/bpf.h>

#define TYPE 0x5500
#define NANO 1000000000ULL
#define MILLI 1000000ULL

struct arrival {
	uint64_t at;	/* nanoseconds */
	uint32_t octets;
};

static struct tam *tam;
static uint64_t now = NANO;

static struct tam_rule meter_rule(uint8_t meter, uint64_t cir, uint64_t cbs, uint64_t pir, uint64_t pbs, bool aware)
{
	struct tam_rule rule = rule_of(1, TYPE, TAM_ACTION_POLICE, TAM_ACTION_DROP, TAM_ACTION_NONE);

	rule.meter = meter;
	rule.cir = cir;
	rule.cbs = cbs;
	rule.pir = pir;
	rule.pbs = pbs;
	rule.colour_aware = aware;
	return rule;
}

/* Puts the rule anew: its meter is full. */
static void begin(const struct tam_rule *rule)
{
	int result = tam_rule_remove(tam, 0);

	check(result == 0 || now == NANO, "rule_remove: %d", result);
	check_equal(tam_rule_put(tam, 0, rule), 0, "rule_put");
}

static void clock_to(uint64_t at)
{
	check_equal(tam_clock(tam, at), 0, "tam_clock");
}

/* The colour that the rule's counters got. */
static char counted(const struct tam_rule_counters *before)
{
	struct tam_rule_counters after;

	check_equal(tam_rule_read(tam, 0, &after), 0, "rule_read");
	check_equal(after.green + after.yellow + after.red - before->green - before->yellow - before->red, 1, "colours of one packet");
	return after.green > before->green ? 'G' : after.yellow > before->yellow ? 'Y' : 'R';
}

static char apply(uint32_t octets, uint32_t colour)
{
	struct tam_rule_counters before;

	check_equal(tam_rule_read(tam, 0, &before), 0, "rule_read");
	check_equal(tam_rule_apply(tam, 0, octets, colour), TAM_DONE_DROP | 0xff << 8, "rule_apply");
	return counted(&before);
}

static uint16_t ip_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < 20; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint8_t frame[4096];

/* A frame on the loopback interface whose IP packet has so many octets and arrived with a colour. */
static void build(uint32_t octets, uint32_t colour)
{
	static struct packet packet;
	static const uint8_t ip[20] = {0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 9, 9, 9, 10, 8, 8, 8};

	packet_of(&packet, TYPE, 0, 9, octets - 28);
	check_equal(packet.length, octets - 28, "length");
	memset(frame, 0, sizeof(frame));
	frame[12] = 8;
	memcpy(frame + 14, ip, 20);
	frame[15] = (uint8_t)((10 + 2 * colour) << 2);	/* AF11, AF12, AF13 */
	frame[16] = (uint8_t)(octets >> 8);
	frame[17] = (uint8_t)octets;
	frame[24] = (uint8_t)(ip_checksum(frame + 14) >> 8);
	frame[25] = (uint8_t)ip_checksum(frame + 14);
	frame[34] = 0x30;
	frame[36] = NODE_PORT >> 8;
	frame[37] = NODE_PORT & 0xff;
	frame[38] = (uint8_t)((octets - 20) >> 8);
	frame[39] = (uint8_t)(octets - 20);
	memcpy(frame + 42, packet.octets, packet.length);
}

static char run(uint32_t octets, uint32_t colour)
{
	static uint8_t out[8192];
	struct tam_rule_counters before;
	uint32_t length = sizeof(out);

	check_equal(tam_rule_read(tam, 0, &before), 0, "rule_read");
	build(octets, colour);
	check_equal(tam_run(tam, 1, frame, octets + 14, out, &length), 2, "TC_ACT_SHOT");
	return counted(&before);
}

/* `colours`: with which the packets arrive, or NULL for a colour-blind meter. */
static void vector(const char *name, struct tam_rule rule, const struct arrival *arrivals, const char *colours, const char *want, bool packets)
{
	uint64_t start = now;
	size_t count = strlen(want);

	rule.colour_aware = colours != NULL;
	begin(&rule);
	for (size_t i = 0; i < count; i++) {
		uint32_t colour = !colours ? i % 3 : colours[i] == 'G' ? TAM_GREEN : colours[i] == 'Y' ? TAM_YELLOW : TAM_RED;
		char got;

		clock_to(start + arrivals[i].at);
		now = start + arrivals[i].at;
		got = packets ? run(arrivals[i].octets, colour) : apply(arrivals[i].octets, colour);
		check(got == want[i], "%s, packet %zu is %c and not %c", name, i, got, want[i]);
	}
	now += NANO;
}

static void vectors(bool packets)
{
	struct arrival v1[21], v2[10], v3[20];
	static const struct arrival v4[6] = {{0, 3000}, {3 * MILLI, 3000}, {10 * MILLI, 3000}, {10 * MILLI, 3000}, {10 * MILLI, 1},
					     {20 * MILLI, 3001}};

	for (uint32_t i = 0; i < 21; i++)
		v1[i] = (struct arrival){i < 10 ? 0 : i < 15 ? (i - 9) * MILLI : 5 * MILLI + (i - 14) * MILLI / 2, 1000};
	for (uint32_t i = 0; i < 10; i++)
		v2[i] = (struct arrival){0, 1000};
	for (uint32_t i = 0; i < 20; i++)
		v3[i] = (struct arrival){i * MILLI / 2, 1500};
	vector("V1, one rate", meter_rule(1, 1000000, 3000, 0, 3000, false), v1, NULL, "GGGYYYRRRRGGGGGRGRGRG", packets);
	vector("V1, two rates", meter_rule(2, 1000000, 3000, 2000000, 5000, false), v1, NULL, "GGGYYRRRRRGGGGGYGYGYG", packets);
	vector("V2, one rate", meter_rule(1, 1000000, 3000, 0, 3000, true), v2, "GYRGYRGYRG", "GYRGYRGYRR", packets);
	vector("V2, two rates", meter_rule(2, 1000000, 3000, 2000000, 5000, true), v2, "GYRGYRGYRG", "GYRGYRGRRR", packets);
	vector("V3, one rate", meter_rule(1, 1000000, 3000, 0, 4500, false), v3, NULL, "GGYGYYGRRGRRGRRGRRGR", packets);
	vector("V3, two rates", meter_rule(2, 1000000, 3000, 2000000, 4500, false), v3, NULL, "GGYGYYGRYGRYGRYGRYGR", packets);
	if (!packets)	/* a packet of one octet is none */
		vector("V4", meter_rule(1, 1000000, 3000, 0, 3000, false), v4, NULL, "GGGYRR", packets);
}

/* The RFCs' text. Buckets in nano-octets, exact. */
struct exact {
	__int128 committed, other;
};

static char exact(struct exact *e, const struct tam_rule *rule, uint64_t passed, uint32_t octets, uint32_t colour)
{
	__int128 cbs = (__int128)rule->cbs * NANO, other = (__int128)rule->pbs * NANO, need = (__int128)octets * NANO;
	bool single = rule->meter == TAM_METER_SINGLE_RATE;

	e->committed += (__int128)rule->cir * passed;
	if (!single)
		e->other += (__int128)rule->pir * passed;
	else if (e->committed > cbs)
		e->other += e->committed - cbs;
	e->committed = e->committed < cbs ? e->committed : cbs;
	e->other = e->other < other ? e->other : other;
	if (!rule->colour_aware)
		colour = TAM_GREEN;
	if (single) {
		if (colour == TAM_GREEN && e->committed >= need)
			return e->committed -= need, 'G';
		if (colour != TAM_RED && e->other >= need)
			return e->other -= need, 'Y';
		return 'R';
	}
	if (colour == TAM_RED || e->other < need)
		return 'R';
	e->other -= need;
	if (colour == TAM_YELLOW || e->committed < need)
		return 'Y';
	return e->committed -= need, 'G';
}

/* Numbers of all sizes, the ends of the ranges among them. */
static uint64_t any(uint64_t most)
{
	uint64_t number = (uint64_t)random() << 31 ^ (uint64_t)random();

	switch (random() % 8) {
	case 0: return most;
	case 1: return 1;
	default: return 1 + (number & ((1ULL << random() % 40) - 1)) % most;
	}
}

static void random_meters(int rules, int packets)
{
	for (int i = 0; i < rules; i++) {
		struct tam_rule rule = meter_rule(random() % 2 ? TAM_METER_SINGLE_RATE : TAM_METER_TWO_RATE, any(TAM_RATE_MOST), any(TAM_BURST_MOST), 0,
						  any(TAM_BURST_MOST), random() % 2);
		struct exact e = {(__int128)rule.cbs * NANO, (__int128)rule.pbs * NANO};
		uint64_t last;

		if (rule.meter == TAM_METER_TWO_RATE)
			rule.pir = rule.cir + any(TAM_RATE_MOST) % (TAM_RATE_MOST - rule.cir + 1);
		begin(&rule);
		last = now;
		for (int k = 0; k < packets; k++) {
			uint32_t octets = (uint32_t)any(65575), colour = (uint32_t)(random() % 3);
			char got, want;

			if (k > 0)
				now += random() % 4 ? any(1000000) : any(1000000000000000ULL);
			clock_to(now);
			got = apply(octets, colour);
			want = exact(&e, &rule, now - last, octets, colour);
			last = now;
			check(got == want, "rule %d, packet %d is %c and not %c", i, k, got, want);
		}
	}
}

/* The meter goes on when a rule is replaced, and begins anew when one of its numbers is another. */
static void replaced(void)
{
	struct tam_rule rule = meter_rule(1, 1, 1000, 0, 0, false);

	clock_to(now);
	begin(&rule);
	check(apply(1000, 0) == 'G' && apply(1000, 0) == 'R', "the meter is not as it should be");
	rule.treat[TAM_RED] = TAM_TREAT_DROP;
	check_equal(tam_rule_put(tam, 0, &rule), 0, "rule_put");
	check(apply(1000, 0) == 'R', "the meter began anew with another treatment");
	rule.cbs = 1001;
	check_equal(tam_rule_put(tam, 0, &rule), 0, "rule_put");
	check(apply(1000, 0) == 'G' && apply(1000, 0) == 'R', "the meter did not begin anew with another burst");
}

/* Two processors meter packets of one rule at the same time. The clock stands still, so the meter gives what was in it, no packet more. */
#define AT_ONCE 1000000
#define GREEN 1000000
static pthread_barrier_t ready;

static void *on_processor(void *number)
{
	struct __sk_buff context = {.ifindex = 1};
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .data_size_in = 100 + 14, .ctx_in = &context, .ctx_size_in = sizeof(context),
		    .repeat = AT_ONCE);
	cpu_set_t processor;

	CPU_ZERO(&processor);
	CPU_SET((size_t)number, &processor);
	check_equal(pthread_setaffinity_np(pthread_self(), sizeof(processor), &processor), 0, "setaffinity");
	pthread_barrier_wait(&ready);
	check_equal(bpf_prog_test_run_opts(descriptor("tam_light", false), &options), 0, "test_run");
	return NULL;
}

static void at_once(void)
{
	struct tam_rule rule = meter_rule(1, 1, GREEN * 100, 0, 0, false);
	struct tam_rule_counters counters;
	pthread_t threads[2];
	cpu_set_t allowed;
	size_t number = 0;

	check_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0, "getaffinity");
	if (CPU_COUNT(&allowed) < 2) {
		printf("one processor: no two meter at once\n");
		return;
	}
	begin(&rule);
	clock_to(now);
	build(100, TAM_GREEN);
	pthread_barrier_init(&ready, NULL, 2);
	for (int i = 0; i < 2; i++) {
		while (!CPU_ISSET(number, &allowed))
			number++;
		check_equal(pthread_create(&threads[i], NULL, on_processor, (void *)number++), 0, "thread");
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	check_equal(tam_rule_read(tam, 0, &counters), 0, "rule_read");
	check_equal(counters.green, GREEN, "packets that the meter let through");
	check_equal(counters.red, 2 * AT_ONCE - GREEN, "packets over it");
}

int main(void)
{
	uint8_t address[16];

	tam = open_handle(NODE_PORT, true, 4, 1);
	address_of(address, "10.8.8.8");
	check_equal(tam_address_add(tam, address), 0, "address_add");
	vectors(false);
	vectors(true);
	replaced();
	at_once();
	srandom(1);
	random_meters(2000, 100);
	tam_close(tam);
	printf("200,000 packets of 2,000 random meters as in exact arithmetic\n");
	return 0;
}
