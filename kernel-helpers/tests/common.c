/* SPDX-License-Identifier: Apache-2.0 */
#include "common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

void skip(const char *why)
{
	fprintf(stderr, "skipped: %s\n", why);
	exit(77);
}

void address_of(uint8_t address[16], const char *text)
{
	memset(address, 0, 16);
	if (strchr(text, ':')) {
		check(inet_pton(AF_INET6, text, address) == 1, "%s", text);
	} else {
		address[10] = address[11] = 0xff;
		check(inet_pton(AF_INET, text, address + 12) == 1, "%s", text);
	}
}

uint32_t interface_of(const char *name)
{
	uint32_t index = if_nametoindex(name);

	check(index > 0, "no interface %s", name);
	return index;
}

int enter(const char *namespace)
{
	char path[128];
	int before = -1, fd;

	if (!namespace)
		return -1;
	before = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/run/netns/%s", namespace);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	check(before >= 0 && fd >= 0 && setns(fd, CLONE_NEWNET) == 0, "cannot enter namespace %s: %s", namespace, strerror(errno));
	close(fd);
	return before;
}

void leave(int fd)
{
	if (fd < 0)
		return;
	check(setns(fd, CLONE_NEWNET) == 0, "cannot go back: %s", strerror(errno));
	close(fd);
}

static socklen_t socket_address(struct sockaddr_storage *to, const char *address, uint16_t port)
{
	memset(to, 0, sizeof(*to));
	if (strchr(address, ':')) {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;

		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		check(inet_pton(AF_INET6, address, &in6->sin6_addr) == 1, "%s", address);
		return sizeof(*in6);
	}
	struct sockaddr_in *in = (struct sockaddr_in *)to;

	in->sin_family = AF_INET;
	in->sin_port = htons(port);
	check(inet_pton(AF_INET, address, &in->sin_addr) == 1, "%s", address);
	return sizeof(*in);
}

int udp_socket(const char *namespace, const char *address, uint16_t port)
{
	struct sockaddr_storage to;
	socklen_t length = socket_address(&to, address, port);
	int before = enter(namespace), on = 1, room = 4 << 20;
	int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	check(fd >= 0, "no socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	if (to.ss_family == AF_INET6) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, &on, sizeof(on));
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, &on, sizeof(on));
	} else {
		setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof(on));
		setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &on, sizeof(on));
	}
	check(bind(fd, (struct sockaddr *)&to, length) == 0, "cannot bind %s %u: %s", address, port, strerror(errno));
	leave(before);
	return fd;
}

uint16_t port_of(int socket)
{
	struct sockaddr_in6 address;
	socklen_t length = sizeof(address);

	check(getsockname(socket, (struct sockaddr *)&address, &length) == 0, "%s", strerror(errno));
	return ntohs(address.sin6_port);	/* stands where that of IPv4 does */
}

static void read_control(struct msghdr *message, struct datagram *datagram)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
			datagram->tos = *(uint8_t *)CMSG_DATA(c);
		else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS)
			memcpy(&datagram->tos, CMSG_DATA(c), sizeof(int));
		else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL)
			 || (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPLIMIT))
			memcpy(&datagram->ttl, CMSG_DATA(c), sizeof(int));
	}
}

void receive(int socket, struct datagram *datagram, int milliseconds)
{
	struct pollfd ready = {socket, POLLIN, 0};
	struct sockaddr_storage from;
	char control[256];
	struct iovec vector = {datagram->octets, sizeof(datagram->octets)};
	struct msghdr message = {&from, sizeof(from), &vector, 1, control, sizeof(control), 0};

	datagram->length = datagram->tos = datagram->ttl = -1;
	memset(datagram->from, 0, sizeof(datagram->from));
	if (poll(&ready, 1, milliseconds) != 1)
		return;
	datagram->length = (int)recvmsg(socket, &message, 0);
	if (datagram->length < 0)
		return;
	read_control(&message, datagram);
	datagram->from_port = ntohs(((struct sockaddr_in *)&from)->sin_port);
	if (from.ss_family == AF_INET6) {
		memcpy(datagram->from, &((struct sockaddr_in6 *)&from)->sin6_addr, 16);
	} else {
		datagram->from[10] = datagram->from[11] = 0xff;
		memcpy(datagram->from + 12, &((struct sockaddr_in *)&from)->sin_addr, 4);
	}
}

bool nothing(int socket, int milliseconds)
{
	struct pollfd ready = {socket, POLLIN, 0};

	return poll(&ready, 1, milliseconds) == 0;
}

void send_to(int socket, const char *address, uint16_t port, const void *octets, size_t length)
{
	struct sockaddr_storage to;
	socklen_t size = socket_address(&to, address, port);

	check(sendto(socket, octets, length, 0, (struct sockaddr *)&to, size) == (ssize_t)length, "cannot send to %s: %s", address,
	      strerror(errno));
}

void put_word(uint8_t *at, uint32_t value)
{
	uint32_t word = htonl(value);

	memcpy(at, &word, 4);
}

uint64_t read_word64(const uint8_t *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | at[i];
	return value;
}

void packet_of(struct packet *packet, uint16_t type_id, uint64_t stream, uint8_t hops, uint32_t length)
{
	uint8_t *at = packet->octets;

	put_word(at, 0x01000000U | type_id);
	at += 8;
	put_word(at, 0x00020003);
	put_word(at + 4, 1);
	put_word(at + 8, 0xc0000201);
	at += 12;
	if (stream) {
		put_word(at, 0x80010005);
		put_word(at + 4, (uint32_t)(stream >> 32));
		put_word(at + 8, (uint32_t)stream);
		put_word(at + 12, 0);
		put_word(at + 16, 1);
		at += 20;
	}
	put_word(at, 0x80040004);
	put_word(at + 4, 0);
	put_word(at + 8, 7);
	put_word(at + 12, 0x0cfc0000);
	packet->previous_at = (uint32_t)(at + 4 - packet->octets);
	at += 16;
	put_word(at, 0x80050002);
	put_word(at + 4, (uint32_t)hops << 24);
	packet->hops_at = (uint32_t)(at + 4 - packet->octets);
	at += 8;
	packet->header = (uint32_t)(at - packet->octets);
	packet->length = length > packet->header ? length : packet->header;
	for (uint32_t i = packet->header; i < packet->length; i++)
		packet->octets[i] = (uint8_t)(i * 31 + type_id);
	put_word(packet->octets + 4, packet->header / 4 << 16 | packet->length);
}

struct tam *open_handle(uint16_t port, bool test_clock, uint32_t rules, uint32_t flows)
{
	struct tam_options options = {NODE_ID, port, CODE_PORT, rules, flows, test_clock};
	char *message = malloc(1 << 20);
	int error = 0;
	struct tam *tam = tam_open(&options, &error, message, 1 << 20);

	if (!tam && error == -EPERM)
		skip("this process may not use BPF");
	check(tam != NULL, "tam_open: %s: %s", strerror(-error), message);
	free(message);
	return tam;
}

struct tam_rule rule_of(uint32_t priority, uint16_t type_id, uint8_t first, uint8_t second, uint8_t third)
{
	struct tam_rule rule;

	memset(&rule, 0, sizeof(rule));
	rule.priority = priority;
	rule.has_type = 1;
	rule.type_id = type_id;
	rule.actions[0] = first;
	rule.actions[1] = second;
	rule.actions[2] = third;
	return rule;
}

struct tam_flow flow_of(const char *sender, uint16_t sender_port, const char *local, uint16_t local_port, const char *next, uint16_t next_port,
			uint16_t type_id, uint64_t stream)
{
	struct tam_flow flow;

	memset(&flow, 0, sizeof(flow));
	address_of(flow.sender, sender);
	address_of(flow.local, local);
	address_of(flow.next, next);
	flow.sender_port = sender_port;
	flow.local_port = local_port;
	flow.next_port = next_port;
	flow.type_id = type_id;
	flow.stream_id = stream;
	flow.has_stream = stream != 0;
	return flow;
}

double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
