/* SPDX-License-Identifier: Apache-2.0 */
/* What the test programs share: checks that name what failed, sockets in several namespaces, ANEP packets. */
#ifndef TAMANOIR_TESTS_COMMON_H
#define TAMANOIR_TESTS_COMMON_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tamanoir_kernel.h"

#define NODE_PORT 3322
#define NODE_ID 0x1122334455667788ULL
#define CODE_PORT 3324

/* Ends the program with 1 and a sentence unless a condition holds. */
#define check(condition, ...) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			fprintf(stderr, __VA_ARGS__); \
			fputc('\n', stderr); \
			exit(1); \
		} \
	} while (0)
#define check_equal(got, want, what) \
	do { \
		long long got_ = (long long)(got), want_ = (long long)(want); \
		check(got_ == want_, "%s is %lld and not %lld", what, got_, want_); \
	} while (0)

/* Ends the program with 77: what the test is about is not here. */
void skip(const char *why) __attribute__((noreturn));

/* An address from text, IPv4 as ::ffff:a.b.c.d. */
void address_of(uint8_t address[16], const char *text);
/* The index of an interface in the namespace of the process. */
uint32_t interface_of(const char *name);

/* Enters a namespace of /run/netns for as long as `fd` is -1 or the one that enter() returned is given back by leave(). */
int enter(const char *namespace);
void leave(int fd);

/* A UDP socket in a namespace (NULL: that of the process), bound to an address and port (0: any), that tells what IP said of a packet. */
int udp_socket(const char *namespace, const char *address, uint16_t port);
uint16_t port_of(int socket);

/* A datagram as an ordinary socket got it. */
struct datagram {
	uint8_t octets[65536];
	int length;		/* -1: none came in time */
	int tos;		/* or traffic class */
	int ttl;		/* or hop limit */
	uint8_t from[16];
	uint16_t from_port;
};
void receive(int socket, struct datagram *datagram, int milliseconds);
/* Whether nothing comes for a while. */
bool nothing(int socket, int milliseconds);
void send_to(int socket, const char *address, uint16_t port, const void *octets, size_t length);

/* A packet of a Type ID: destination 192.0.2.1, stream `stream` (0: none), previous node 7, hops, and payload up to `length` octets. */
struct packet {
	uint8_t octets[65536];
	uint32_t length;
	uint32_t header;	/* octets */
	uint32_t hops_at;	/* where the number stands */
	uint32_t previous_at;
};
void packet_of(struct packet *packet, uint16_t type_id, uint64_t stream, uint8_t hops, uint32_t length);
void put_word(uint8_t *at, uint32_t value);
uint64_t read_word64(const uint8_t *at);

/* A handle with test values, or the end of the program. */
struct tam *open_handle(uint16_t port, bool test_clock, uint32_t rules, uint32_t flows);
/* A rule for a Type ID with up to four actions. */
struct tam_rule rule_of(uint32_t priority, uint16_t type_id, uint8_t first, uint8_t second, uint8_t third);
/* A flow, from text. */
struct tam_flow flow_of(const char *sender, uint16_t sender_port, const char *local, uint16_t local_port, const char *next, uint16_t next_port,
			uint16_t type_id, uint64_t stream);

double seconds(void);

/* The descriptor of this process for a map, or a program, by its name. */
int descriptor(const char *name, bool map);
/* Entries of a hash. */
uint32_t entries(const char *map);

#endif
