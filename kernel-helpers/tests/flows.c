/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of flows and addresses: ranges, limits, doubles, and that nothing stays when everything is removed. */
#include "common.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#define TYPE 0x5500

static struct tam *tam;

static void ranges(void)
{
	struct tam_flow flow = flow_of("10.9.9.9", 5000, "10.8.8.8", 6000, "10.7.7.7", 7000, TYPE, 0);

	check_equal(tam_flow_put(tam, 16, &flow), -EINVAL, "a slot that is not there");
	flow.local_port = 0;
	check_equal(tam_flow_put(tam, 0, &flow), -EINVAL, "port 0");
	flow = flow_of("10.9.9.9", 5000, "fd00::1", 6000, "10.7.7.7", 7000, TYPE, 0);
	check_equal(tam_flow_put(tam, 0, &flow), -EINVAL, "two families");
	flow = flow_of("fe80::1", 5000, "fd00::1", 6000, "fd00::2", 7000, TYPE, 0);
	check_equal(tam_flow_put(tam, 0, &flow), -EINVAL, "a link-local address");
}

static void flows(void)
{
	struct tam_flow flow = flow_of("10.9.9.9", 5000, "10.8.8.8", 6000, "10.7.7.7", 7000, TYPE, 0), other = flow;
	struct tam_flow_counters counters;
	static uint32_t ports[65536 / 32];
	uint32_t zero = 0;

	check_equal(tam_flow_put(tam, 0, &flow), 0, "flow_put");
	check_equal(tam_flow_put(tam, 0, &flow), 0, "the same again");
	check_equal(tam_flow_put(tam, 1, &flow), -EEXIST, "the same in another slot");
	other.sender_port++;
	check_equal(tam_flow_put(tam, 1, &other), -EEXIST, "the same socket and next hop in another slot");
	other.next_port++;
	check_equal(tam_flow_put(tam, 1, &other), 0, "another flow of the same socket");
	other.has_stream = 1;
	check_equal(tam_flow_put(tam, 1, &other), 0, "another stream in its place");
	check_equal(entries("tam_flows"), 2, "flows");
	check_equal(entries("tam_backs"), 2, "ways back");
	check_equal(tam_flow_remove(tam, 1), 0, "flow_remove");
	check_equal(tam_flow_read(tam, 1, &counters), -ENOENT, "an empty slot");
	for (uint32_t i = 1; i < 16; i++) {
		other.stream_id = other.next_port = (uint16_t)i;
		check_equal(tam_flow_put(tam, i, &other), 0, "flow_put");
	}
	for (uint32_t i = 0; i < 5000; i++) {
		other.stream_id = 1000 + i;
		other.next_port = (uint16_t)(1000 + i);
		check_equal(tam_flow_put(tam, 1 + i % 15, &other), 0, "flow_put again and again");
	}
	for (uint32_t i = 0; i < 16; i++)
		check_equal(tam_flow_remove(tam, i), 0, "flow_remove");
	check_equal(entries("tam_flows") + entries("tam_backs"), 0, "flows left");
	check_equal(bpf_map_lookup_elem(descriptor("tam_answer_ports", true), &zero, ports), 0, "ports of answers");
	for (int i = 0; i < 65536 / 32; i++)
		check_equal(ports[i], 0, "ports of answers left");
}

static void addresses(void)
{
	uint8_t address[16];

	address_of(address, "fd00::1:0");
	for (uint32_t i = 0; i < TAM_ADDRESSES; i++) {
		address[14] = (uint8_t)(i >> 8);
		address[15] = (uint8_t)i;
		check_equal(tam_address_add(tam, address), 0, "address_add");
	}
	check_equal(tam_address_add(tam, address), 0, "an address that is there");
	address[13] = 9;
	check_equal(tam_address_add(tam, address), -ENOSPC, "an address too many");
	check_equal(tam_address_remove(tam, address), -ENOENT, "an address that is not there");
	address[13] = 1;
	check_equal(tam_address_remove(tam, address), 0, "address_remove");
	address[13] = 9;
	check_equal(tam_address_add(tam, address), 0, "an address in its place");
}

int main(void)
{
	tam = open_handle(NODE_PORT, true, 4, 16);
	ranges();
	flows();
	addresses();
	tam_close(tam);
	return 0;
}
