/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams through the node of net.sh, over IPv4 and IPv6: what the server and the client see is what a node would have sent. */
#include "common.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <netinet/udp.h>
#include <string.h>
#include <unistd.h>

#define TYPE 0x5500
#define OTHER 0x5501
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

/* The test's world: a client and a server with ordinary sockets, and the node's own two. */
struct world {
	const char *client_address, *node_address, *back_address, *server_address;
	int client, up, far, server;
	struct tam *tam;
};

static struct datagram got;
static struct packet packet;

static void prime(struct world *w)
{
	/* The node sends first, so that neighbours are known; what comes back is thrown away. */
	send_to(w->far, w->server_address, NODE_PORT, "x", 1);
	receive(w->server, &got, 1000);
	check_equal(got.length, 1, "the way to the server");
	send_to(w->up, w->client_address, port_of(w->client), "x", 1);
	receive(w->client, &got, 1000);
	check_equal(got.length, 1, "the way to the client");
}

static void open_world(struct world *w, const char *client, const char *server)
{
	uint8_t address[16];
	char message[4096];

	w->client = udp_socket(client, w->client_address, 0);
	w->server = udp_socket(server, w->server_address, NODE_PORT);
	w->up = udp_socket(NULL, w->node_address, NODE_PORT);
	w->far = udp_socket(NULL, w->back_address, 0);
	w->tam = open_handle(NODE_PORT, false, 64, 64);
	check(tam_attach(w->tam, interface_of("n0"), 0, message, sizeof(message)) > 0, "%s", message);
	check(tam_attach(w->tam, interface_of("n1"), 0, message, sizeof(message)) > 0, "%s", message);
	address_of(address, w->node_address);
	check_equal(tam_address_add(w->tam, address), 0, "address_add");
	prime(w);
}

static void close_world(struct world *w)
{
	tam_close(w->tam);
	close(w->client);
	close(w->server);
	close(w->up);
	close(w->far);
}

static void put_flow(struct world *w, uint16_t type_id, uint64_t stream, uint32_t slot, uint32_t target)
{
	struct tam_flow flow = flow_of(w->client_address, port_of(w->client), w->back_address, port_of(w->far), w->server_address, NODE_PORT,
				       type_id, stream);

	flow.target = target;
	check_equal(tam_flow_put(w->tam, slot, &flow), 0, "flow_put");
}

/* The packet at the server: as sent, but one hop fewer and this node as the previous one; from the node's own socket, marked. */
static void check_forwarded(struct world *w, int dscp)
{
	uint8_t back[16];

	receive(w->server, &got, 1000);
	check_equal(got.length, packet.length, "octets at the server");
	check_equal(got.octets[packet.hops_at], packet.octets[packet.hops_at] - 1, "hops");
	check(read_word64(got.octets + packet.previous_at) == NODE_ID, "previous node");
	check_equal(got.octets[packet.previous_at + 8] << 8 | got.octets[packet.previous_at + 9], CODE_PORT, "code port");
	got.octets[packet.hops_at]++;
	memcpy(got.octets + packet.previous_at, packet.octets + packet.previous_at, 12);
	check(!memcmp(got.octets, packet.octets, packet.length), "something else has changed");
	check_equal(got.tos >> 2, dscp, "DSCP at the server");
	check_equal(got.ttl, 63, "TTL at the server");
	address_of(back, w->back_address);
	check(!memcmp(got.from, back, 16), "the source is not the node's address");
	check_equal(got.from_port, port_of(w->far), "source port");
}

/* Every size there and back; an ordinary socket takes a packet only if its checksum is right. */
static void forward(struct world *w)
{
	static const uint32_t sizes[] = {64, 1400, 8000, 65, 1399};
	struct tam_rule rule = rule_of(10, TYPE, TAM_ACTION_COUNT, TAM_ACTION_DSCP, TAM_ACTION_FORWARD);
	struct tam_rule_counters counters;
	struct tam_flow_counters flow;
	struct tam_statistics statistics;
	uint64_t octets = 0;
	uint8_t node[16];

	rule.dscp = 46;
	rule.target = 77;
	check_equal(tam_rule_put(w->tam, 3, &rule), 0, "rule_put");
	put_flow(w, TYPE, 42, 5, 77);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		packet_of(&packet, TYPE, 42, (uint8_t)(200 + i), sizes[i]);
		packet.octets[packet.hops_at + 1] = i % 2 ? 0xff : 0x7f;	/* handed over or not; the other bits stay */
		send_to(w->client, w->node_address, NODE_PORT, packet.octets, packet.length);
		packet.octets[packet.hops_at + 1] = 0x7f;
		check_forwarded(w, 46);
		octets += packet.length;
		packet_of(&packet, TYPE, 42, 9, sizes[i]);
		send_to(w->server, w->back_address, port_of(w->far), packet.octets, packet.length);
		receive(w->client, &got, 1000);
		check_equal(got.length, packet.length, "octets of the answer");
		check(!memcmp(got.octets, packet.octets, packet.length), "the answer has changed");
		address_of(node, w->node_address);
		check(!memcmp(got.from, node, 16) && got.from_port == NODE_PORT, "the answer is not from where the client had sent to");
		check_equal(got.ttl, 63, "TTL of the answer");
	}
	check_equal(tam_rule_read(w->tam, 3, &counters), 0, "rule_read");
	check_equal(counters.packets, 5, "packets counted");
	check_equal(counters.forwarded, 5, "packets forwarded");
	check_equal(counters.octets, octets + 5 * (strchr(w->client_address, ':') ? 48 : 28), "octets of IP packets");
	check_equal(tam_flow_read(w->tam, 5, &flow), 0, "flow_read");
	check(flow.packets == 5 && flow.octets == octets && flow.back_packets == 5 && flow.back_octets == octets && flow.last > 0,
	      "the flow counts %llu, %llu, %llu, %llu", (unsigned long long)flow.packets, (unsigned long long)flow.octets,
	      (unsigned long long)flow.back_packets, (unsigned long long)flow.back_octets);
	check_equal(tam_statistics(w->tam, &statistics), 0, "statistics");
	check(statistics.forwarded == 5 && statistics.answered == 5 && statistics.seen == 10, "statistics: %llu, %llu of %llu",
	      (unsigned long long)statistics.forwarded, (unsigned long long)statistics.answered, (unsigned long long)statistics.seen);
	check(nothing(w->up, 20) && nothing(w->far, 0), "something went up that the kernel had finished");
}

/* What arrives at the node's own socket is, to the octet, what was sent. */
static void goes_up(struct world *w, int reason, const char *what)
{
	struct tam_statistics before, after;

	check_equal(tam_statistics(w->tam, &before), 0, what);
	send_to(w->client, w->node_address, NODE_PORT, packet.octets, packet.length);
	receive(w->up, &got, 1000);
	check(got.length == (int)packet.length && !memcmp(got.octets, packet.octets, packet.length), "%s: %d octets came up", what, got.length);
	check_equal(tam_statistics(w->tam, &after), 0, what);
	for (int i = 0; i < TAM_UP_REASONS; i++)
		check_equal(after.up[i] - before.up[i], i == reason, what);
	check(after.forwarded == before.forwarded && after.dropped == before.dropped, "%s: it was finished as well", what);
	check(nothing(w->server, 0), "%s: it was forwarded as well", what);
}

static void up(struct world *w)
{
	int ipv6 = strchr(w->client_address, ':') != NULL;
	struct tam_rule rule = rule_of(20, OTHER, TAM_ACTION_COUNT, TAM_ACTION_NONE, TAM_ACTION_NONE);

	packet_of(&packet, OTHER, 42, 9, 100);
	goes_up(w, TAM_UP_NO_RULE, "no rule");
	check_equal(tam_rule_put(w->tam, 4, &rule), 0, "rule_put");
	goes_up(w, TAM_UP_RULE, "a rule that leaves it to the service");
	packet_of(&packet, TYPE, 43, 9, 100);
	goes_up(w, TAM_UP_NO_FLOW, "another stream");
	put_flow(w, TYPE, 42, 5, 78);
	packet_of(&packet, TYPE, 42, 9, 100);
	goes_up(w, TAM_UP_NO_FLOW, "a flow to another next hop than the rule's");
	put_flow(w, TYPE, 42, 5, 77);
	packet_of(&packet, TYPE, 42, 0, 100);
	goes_up(w, TAM_UP_HOPS, "no hops left");
	packet_of(&packet, TYPE, 42, 9, 12000);
	goes_up(w, TAM_UP_FRAGMENT, "a fragmented packet");
	packet_of(&packet, TYPE, 42, 9, 100);
	packet.octets[0] = 2;
	goes_up(w, TAM_UP_MALFORMED, "version 2");
	packet_of(&packet, TYPE, 42, 9, 100);
	packet.octets[7]++;
	goes_up(w, TAM_UP_MALFORMED, "a packet length that is not the datagram's");
	packet_of(&packet, TYPE, 42, 9, 100);
	packet.octets[packet.hops_at - 4] = 0xc0;	/* the discard bit means nothing for what is known */
	send_to(w->client, w->node_address, NODE_PORT, packet.octets, packet.length);
	check_forwarded(w, 46);
	packet.octets[packet.hops_at - 3] = 0x0a;
	goes_up(w, TAM_UP_OPTIONS, "an option that the node knows");
	packet.octets[packet.hops_at - 3] = 0x14;
	goes_up(w, TAM_UP_MALFORMED, "an unknown option that asks for a discard");
	packet.octets[packet.hops_at - 4] = 0x80;
	goes_up(w, TAM_UP_OPTIONS, "an unknown option");
	packet_of(&packet, TYPE, 42, 9, 8);
	packet.length = 7;
	goes_up(w, TAM_UP_MALFORMED, "seven octets");
	int options[2] = {0x01010101, 0};	/* IPv4: four times no operation */
	uint8_t extension[8] = {0, 0, 1, 4, 0, 0, 0, 0};	/* IPv6: a destination option of padding */
	packet_of(&packet, TYPE, 42, 9, 100);
	check(!setsockopt(w->client, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_DSTOPTS : IP_OPTIONS, ipv6 ? (void *)extension : options,
			  ipv6 ? 8 : 4), "no IP options");
	goes_up(w, TAM_UP_IP_OPTIONS, "IP options");
	check(!setsockopt(w->client, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_DSTOPTS : IP_OPTIONS, NULL, 0), "IP options stay");
}

/* Two datagrams that arrive as one: without the offload the sender's kernel would have cut them. */
static void segmented(struct world *w)
{
	static struct datagram second;
	int segment = 300;

	check(!setsockopt(w->client, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)), "no UDP_SEGMENT");
	packet_of(&packet, TYPE, 42, 9, 600);	/* good if the two are taken for one, and neither is alone */
	send_to(w->client, w->node_address, NODE_PORT, packet.octets, 600);
	receive(w->up, &got, 1000);
	receive(w->up, &second, 1000);
	check(got.length == 300 && second.length == 300, "of two datagrams that arrived as one %d and %d octets came up", got.length, second.length);
	check(nothing(w->server, 0), "a segment was forwarded");
	segment = 0;
	check(!setsockopt(w->client, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)), "UDP_SEGMENT stays");
}

/* Packets that are good and cannot leave as they are; and one without a checksum, which leaves without one. */
static void cannot_leave(struct world *w, bool offload)
{
	int ipv6 = strchr(w->client_address, ':') != NULL, on = 1;

	packet_of(&packet, TYPE, 42, 9, 8000);
	check(system("ip link set n1 mtu 1500") == 0, "no MTU");
	goes_up(w, TAM_UP_MTU, "a packet that does not fit");
	check(system("ip link set n1 mtu 9000") == 0, "no MTU");
	check(system("ip route add 10.2.0.1/32 dev n1 mtu lock 1500 && ip -6 route add fd02::1/128 dev n1 mtu lock 1500") == 0, "no route");
	goes_up(w, TAM_UP_MTU, "a packet that does not fit its route");
	check(system("ip route delete 10.2.0.1/32 && ip -6 route delete fd02::1/128 && ip -6 route flush cache") == 0, "no flush");
	packet_of(&packet, TYPE, 42, 9, 100);
	check(system("ip neighbour flush dev n1 && ip -6 neighbour flush dev n1") == 0, "no flush");
	goes_up(w, TAM_UP_ROUTE, "a next hop whose neighbour is not known yet");
	prime(w);
	if (offload)
		segmented(w);
	packet_of(&packet, TYPE, 42, 9, 100);
	if (!ipv6) {
		check(!setsockopt(w->client, SOL_SOCKET, SO_NO_CHECK, &on, sizeof(on)), "no SO_NO_CHECK");
		send_to(w->client, w->node_address, NODE_PORT, packet.octets, packet.length);
		check_forwarded(w, 46);
		on = 0;
		check(!setsockopt(w->client, SOL_SOCKET, SO_NO_CHECK, &on, sizeof(on)), "SO_NO_CHECK stays");
	}
}

static uint32_t sum_of(const uint8_t *octets, uint32_t length, uint32_t sum)
{
	for (uint32_t i = 0; i < length; i++)
		sum += i % 2 ? octets[i] : (uint32_t)octets[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/*
 * The packet as a frame with a driver's sum over it (CHECKSUM_COMPLETE): the kernel computes the sum anew behind the program, and says
 * EBADMSG if the program has not kept it right.
 */
static void summed(struct world *w)
{
	bool ipv6 = strchr(w->client_address, ':') != NULL;
	uint32_t header = ipv6 ? 40 : 20, length;
	uint8_t frame[512] = {0}, out[1024], *ip = frame + 14, *udp = ip + header, addresses[32];
	struct __sk_buff context = {.ifindex = interface_of("n0")};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame, .data_out = out, .data_size_out = sizeof(out), .ctx_in = &context,
		    .ctx_size_in = sizeof(context), .repeat = 1, .flags = 4 /* BPF_F_TEST_SKB_CHECKSUM_COMPLETE */);
	FILE *file = fopen("/sys/class/net/n0/address", "r");

	/* A neighbour that the kernel has to ask for anew is no case for the program. */
	prime(w);
	check(file && fscanf(file, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", frame, frame + 1, frame + 2, frame + 3, frame + 4, frame + 5) == 6, "no MAC");
	fclose(file);
	packet_of(&packet, TYPE, 42, 9, 101);
	length = 8 + packet.length;
	address_of(addresses, w->client_address);
	address_of(addresses + 16, w->node_address);
	put_word(frame + 12, ipv6 ? 0x86dd6000 : 0x08004500);
	if (ipv6) {
		put_word(ip + 4, length << 16 | 17 << 8 | 64);
		memcpy(ip + 8, addresses, 32);
	} else {
		put_word(ip + 2, (length + 20) << 16);
		put_word(ip + 8, 64U << 24 | 17U << 16);
		memcpy(ip + 12, addresses + 12, 4);
		memcpy(ip + 16, addresses + 28, 4);
		put_word(ip + 8, 64U << 24 | 17U << 16 | (~sum_of(ip, 20, 0) & 0xffff));
	}
	put_word(udp, (uint32_t)port_of(w->client) << 16 | NODE_PORT);
	put_word(udp + 4, length << 16);
	memcpy(udp + 8, packet.octets, packet.length);
	put_word(udp + 4, length << 16 | (~sum_of(udp, length, sum_of(ip + header - (ipv6 ? 32 : 8), ipv6 ? 32 : 8, 17 + length)) & 0xffff));
	run.data_size_in = 14 + header + length;
	int result = bpf_prog_test_run_opts(descriptor("tam_light", false), &run);
	if (result == -EINVAL) {
		printf("this kernel cannot check what a driver has summed\n");
		return;
	}
	check_equal(result, 0, "the driver's sum");
	check_equal(run.retval, 7, "TC_ACT_REDIRECT");
	ip = out + 14;
	check(ipv6 || sum_of(ip, 20, 0) == 0xffff, "the sum of the IP header");
	check_equal(sum_of(ip + header, length, sum_of(ip + header - (ipv6 ? 32 : 8), ipv6 ? 32 : 8, 17 + length)), 0xffff, "the UDP checksum");
	if (!ipv6) {	/* without a checksum of its own it has the driver's sum still */
		put_word(udp + 4, length << 16);
		run.data_size_out = sizeof(out);
		check_equal(bpf_prog_test_run_opts(descriptor("tam_light", false), &run), 0, "the driver's sum");
		check_equal(ip[26] << 8 | ip[27], 0, "the UDP checksum of a packet that had none");
	}
}

/* A rule takes effect at once when it is put, replaced and removed. */
static void change(struct world *w)
{
	struct tam_rule drop = rule_of(5, TYPE, TAM_ACTION_COUNT, TAM_ACTION_DROP, TAM_ACTION_NONE);
	struct tam_rule_counters counters;
	double least = 1;

	/* Whoever has the processor meanwhile takes a turn of several milliseconds: the shortest of some is the change's own. */
	for (int i = 0; i < 5; i++) {
		double begun = seconds(), put, removed;

		check_equal(tam_rule_put(w->tam, 7, &drop), 0, "a rule before the other");
		put = seconds() - begun;
		begun = seconds();
		check_equal(tam_rule_remove(w->tam, 7), 0, "rule_remove");
		removed = seconds() - begun;
		put = removed > put ? removed : put;
		least = put < least ? put : least;
	}
	check_equal(tam_rule_put(w->tam, 7, &drop), 0, "a rule before the other");
	packet_of(&packet, TYPE, 42, 9, 100);
	send_to(w->client, w->node_address, NODE_PORT, packet.octets, packet.length);
	check(nothing(w->server, 50) && nothing(w->up, 0), "a dropped packet arrived");
	check_equal(tam_rule_read(w->tam, 7, &counters), 0, "rule_read");
	check(counters.dropped == 1 && counters.packets == 1, "%llu dropped", (unsigned long long)counters.dropped);
	check_equal(tam_rule_remove(w->tam, 7), 0, "rule_remove");
	send_to(w->client, w->node_address, NODE_PORT, packet.octets, packet.length);
	check_forwarded(w, 46);
	check(least < 0.005, "a change of a rule took %.3f ms", least * 1e3);
	printf("a change of a rule took %.3f ms\n", least * 1e3);
}

int main(int count, char **words)
{
	struct world ipv4 = {.client_address = "10.1.0.1", .node_address = "10.1.0.2", .back_address = "10.2.0.2", .server_address = "10.2.0.1"};
	struct world ipv6 = {.client_address = "fd01::1", .node_address = "fd01::2", .back_address = "fd02::2", .server_address = "fd02::1"};
	struct world *worlds[] = {&ipv4, &ipv6};

	check(count == 4, "usage: light CLIENT SERVER offload|plain");
	for (int i = 0; i < 2; i++) {
		open_world(worlds[i], words[1], words[2]);
		forward(worlds[i]);
		up(worlds[i]);
		cannot_leave(worlds[i], !strcmp(words[3], "offload"));
		summed(worlds[i]);
		change(worlds[i]);
		close_world(worlds[i]);
	}
	return 0;
}
