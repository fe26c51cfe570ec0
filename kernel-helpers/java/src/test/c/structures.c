/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structures as the C compiler sees them. `read NAME` reads one from standard input and prints its fields by name; `write NAME` writes one
 * whose fields are 1, 2, 3 and so on by their names.
 */
#include <stdio.h>
#include <string.h>

#include "tamanoir_kernel.h"
#include "tamanoir_tune.h"

static void octets(const char *name, const uint8_t *field, size_t size)
{
	printf("%s=", name);
	for (size_t i = 0; i < size; i++)
		printf("%02x", field[i]);
	printf("\n");
}

#define NUMBER(field) printf(#field "=%llu\n", (unsigned long long)s.field)
#define OCTETS(field) octets(#field, (const uint8_t *)s.field, sizeof(s.field))
#define READ(type) struct type s; if (fread(&s, sizeof(s), 1, stdin) != 1 || getchar() != EOF) return 1

static int read_options(void)
{
	READ(tam_options);
	NUMBER(node_id), NUMBER(port), NUMBER(code_port), NUMBER(rules), NUMBER(flows), NUMBER(test_clock);
	return 0;
}

static int read_rule(void)
{
	READ(tam_rule);
	NUMBER(priority), NUMBER(type_id), NUMBER(has_type), NUMBER(has_session), NUMBER(destination_bits), NUMBER(source_bits);
	NUMBER(passing), NUMBER(meter), NUMBER(colour_aware), NUMBER(dscp), OCTETS(actions), OCTETS(treat), OCTETS(treat_dscp);
	OCTETS(zero), NUMBER(target), NUMBER(session), OCTETS(destination), OCTETS(source), NUMBER(cir), NUMBER(cbs), NUMBER(pir), NUMBER(pbs);
	OCTETS(reserved);
	return 0;
}

static int read_flow(void)
{
	READ(tam_flow);
	OCTETS(sender), OCTETS(next), OCTETS(local), NUMBER(stream_id), NUMBER(has_stream), NUMBER(sender_port), NUMBER(next_port);
	NUMBER(local_port), NUMBER(type_id), NUMBER(target), NUMBER(gated), NUMBER(zero), OCTETS(reserved);
	return 0;
}

static int read_tune_rule(void)
{
	READ(tam_tune_rule);
	OCTETS(remote), OCTETS(remote_mask), OCTETS(local), OCTETS(local_mask), NUMBER(remote_first), NUMBER(remote_last), NUMBER(local_first);
	NUMBER(local_last), NUMBER(number), NUMBER(ai), NUMBER(md), NUMBER(max_ssthresh), NUMBER(pacing), NUMBER(marking);
	printf("congestion=%s\n", s.congestion);
	NUMBER(classes), NUMBER(base), OCTETS(code_points);
	return 0;
}

#define WRITE(type, ...)                                    \
	do {                                                \
		struct type s = { __VA_ARGS__ };            \
		return fwrite(&s, sizeof(s), 1, stdout) != 1; \
	} while (0)

static int write_structure(const char *name)
{
	if (!strcmp(name, "rule_counters"))
		WRITE(tam_rule_counters, .packets = 1, .octets = 2, .green = 3, .yellow = 4, .red = 5, .dropped = 6, .forwarded = 7);
	if (!strcmp(name, "flow_counters"))
		WRITE(tam_flow_counters, .packets = 1, .octets = 2, .back_packets = 3, .back_octets = 4, .last = 5);
	if (!strcmp(name, "statistics"))
		WRITE(tam_statistics, .seen = 1, .forwarded = 2, .answered = 3, .dropped = 4,
		      .up = { [TAM_UP_FRAGMENT] = 5, [TAM_UP_IP_OPTIONS] = 6, [TAM_UP_MALFORMED] = 7, [TAM_UP_CHECKSUM] = 8,
			      [TAM_UP_OPTIONS] = 9, [TAM_UP_LONG] = 10, [TAM_UP_NO_RULE] = 11, [TAM_UP_RULE] = 12, [TAM_UP_NO_FLOW] = 13,
			      [TAM_UP_HOPS] = 14, [TAM_UP_ROUTE] = 15, [TAM_UP_MTU] = 16 },
		      .xdp_dropped = 17, .passing_seen = 18, .passing_dropped = 19, .early_dropped = 20);
	if (!strcmp(name, "event"))
		WRITE(tam_event, .kind = TAM_EVENT_LINK_NEW, .ifindex = 7, .name = "eth0", .up = 1);
	if (!strcmp(name, "address"))
		WRITE(tam_event, .kind = TAM_EVENT_ADDRESS_GONE, .ifindex = 8, .address = { [10] = 0xff, 0xff, 10, 0, 0, 1 });
	if (!strcmp(name, "lost"))
		WRITE(tam_event, .kind = TAM_EVENT_LOST);
	if (!strcmp(name, "probe"))
		WRITE(tam_probe, .result = { [TAM_FEATURE_BPF] = -1, [TAM_FEATURE_PERFMON] = -2, [TAM_FEATURE_TCX] = -3,
					     [TAM_FEATURE_CLSACT] = -4, [TAM_FEATURE_XDP] = -5, [TAM_FEATURE_NETFILTER] = -6,
					     [TAM_FEATURE_NFT] = -7, [TAM_FEATURE_FORWARD4] = -8, [TAM_FEATURE_FORWARD6] = -9 });
	if (!strcmp(name, "tune_flow"))
		WRITE(tam_tune_flow, .remote = { [10] = 0xff, 0xff, 10, 0, 0, 1 }, .local = { 0xfd, [15] = 2 }, .remote_port = 3, .local_port = 65535,
		      .rule = 5, .window = 6, .ssthresh = 7, .round_trip = 8, .retransmitted = 9, .acknowledged = 10, .congestion = "tam_wad",
		      .before = "fifteen_letters", .own = 1, .class = 4);
	return 2;
}

int main(int count, char **arguments)
{
	if (count == 3 && !strcmp(arguments[1], "write"))
		return write_structure(arguments[2]);
	if (count == 3 && !strcmp(arguments[2], "options"))
		return read_options();
	if (count == 3 && !strcmp(arguments[2], "rule"))
		return read_rule();
	if (count == 3 && !strcmp(arguments[2], "tune_rule"))
		return read_tune_rule();
	if (count == 3 && !strcmp(arguments[2], "flow"))
		return read_flow();
	return 2;
}
