/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * What lies in the maps: written by the library, read by the programs.
 *
 * Rules and flows lie in arrays of *bodies*. A body is written once, before anything points to it, and its place is used again only after
 * an RCU grace period; so a program that has found one may read it without a lock. A hash gives the number of a body for a key. Elements
 * of a hash may be used again at once, so a program compares the key in the body with its own: if they differ, the table has changed
 * under it, and the packet goes up.
 */
#ifndef TAMANOIR_STATE_H
#define TAMANOIR_STATE_H

#include "tamanoir_shared.h"

/* What is set before loading, in the section .rodata of each object. */
struct tam_constants {
	uint64_t node_id;
	uint32_t port;		/* the node's */
	uint32_t code_port;
	uint32_t test_clock;
	uint32_t zero;
};

/* Bodies beyond the slots: replaced ones that wait for the end of a grace period. */
#define TAM_SPARE 1024

/* Type IDs that XDP refuses at once. */
#define TAM_REFUSED_MOST 1024

/* Beside TAM_DONE_*, of the program that runs a rule for tam_rule_apply(): the body is another slot's by now. */
#define TAM_DONE_STALE 0xff

/*
 * A shape: a combination of fields and prefix lengths, in one word, so that it is read and written in one piece. 0 is no shape: the bit
 * TAM_SHAPE_USED is set in every one.
 */
#define TAM_SHAPE_DESTINATION(shape) ((shape) & 0xff)
#define TAM_SHAPE_SOURCE(shape) ((shape) >> 8 & 0xff)
#define TAM_SHAPE_TYPE 0x10000
#define TAM_SHAPE_SESSION 0x20000
#define TAM_SHAPE_PASSING 0x40000
#define TAM_SHAPE_USED 0x80000
/* One more word than shapes that may be in use: a rule that is replaced has its old and its new one for a moment. */
#define TAM_SHAPE_WORDS (TAM_SHAPES + 1)

/*
 * Words that are written one by one, through shared memory. When a rule moves to another shape, `moves` grows between the new one's coming
 * and the old one's going: a packet that has missed both sees that it changed, and goes up.
 */
struct tam_shapes {
	volatile uint32_t shape[TAM_SHAPE_WORDS];
	volatile uint32_t moves;
	volatile uint32_t most;			/* words to look at: behind them all are 0 */
	volatile uint32_t address_changes;	/* grows behind each change of the node's addresses */
	volatile uint32_t drops;		/* rules that drop whatever matches: XDP need not look where there is none */
};

/* One bit for each local port that answers come to, so that other datagrams cost no look-up. Written through shared memory. */
struct tam_answer_ports {
	volatile uint32_t bits[65536 / 32];
};

/* What a rule matches, with the bits that its shape leaves out as 0. Addresses as in tam_rule, in two words of the host's order. */
struct tam_match {
	uint64_t destination[2];
	uint64_t source[2];
	uint64_t session;
	uint32_t shape;
	uint32_t type_id;
};

/* A meter's numbers, in nano-octets where RFC 2697 and 2698 have octets: a rate of r octets a second is r nano-octets a nanosecond. */
struct tam_meter_rule {
	uint64_t generation;	/* of the meter's state; another number begins it anew. Grows */
	uint64_t rate[2];	/* cir; pir */
	uint64_t burst[2];	/* cbs; pbs or ebs */
	uint64_t full[2];	/* nanoseconds after which the bucket is full, whatever it held; of a single rate: [0] for both */
	uint32_t kind;		/* TAM_METER_* */
	uint32_t colour_aware;
};

struct tam_rule_body {
	struct tam_match match;
	struct tam_meter_rule meter;
	uint32_t slot;
	uint32_t priority;
	uint8_t actions[TAM_ACTIONS];
	uint8_t treat[4];	/* by colour; the fourth is not used */
	uint8_t treat_dscp[4];
	uint8_t dscp;
	uint8_t zero[7];
	uint32_t target;	/* of flows that its packets may take */
};

/* Who sent a datagram, and of which stream. */
struct tam_flow_key {
	uint8_t sender[16];
	uint64_t stream_id;
	uint32_t has_stream;
	uint16_t sender_port;
	uint16_t type_id;
};

/* Where an answer comes from and goes to. */
struct tam_back_key {
	uint8_t next[16] __attribute__((aligned(8)));
	uint8_t local[16];
	uint16_t next_port;
	uint16_t local_port;
	uint32_t zero;
};

struct tam_flow_body {
	struct tam_flow_key key;
	struct tam_back_key back;
	uint32_t slot;
	uint32_t used;		/* identity of the node's address that the sender has used; 0: none yet. Written by the program */
	uint32_t target;	/* of rules whose packets may take it */
	uint32_t zero;
};

/* A direction of a flow: how many packets it has let go up, and how many of these the node has dealt with. In shared memory. */
#define TAM_GATE_CLOSED 0xfffffffe
struct tam_gate {
	volatile uint32_t up;		/* counted by the program */
	volatile uint32_t handled;	/* said by the library; TAM_GATE_OPEN: nothing goes up any more; TAM_GATE_CLOSED: nothing was said */
};
struct tam_gates {
	struct tam_gate of[2];		/* TAM_THERE, TAM_BACK */
};

/* An address of the node. Its identity is its place in the table and, above TAM_ADDRESS_PLACE, how often the place was used. */
#define TAM_ADDRESS_PLACE 0x3ff
struct tam_address_body {
	uint8_t address[16] __attribute__((aligned(8)));
	uint32_t identity;
	uint32_t zero;
};

/* What tam_rule_apply() asks, behind TAM_REQUEST_OFFSET octets that stand for an Ethernet header. */
#define TAM_REQUEST_OFFSET 14
struct tam_request {
	uint32_t body;
	uint32_t slot;
	uint32_t octets;
	uint32_t colour;
};

#ifndef __bpf__
_Static_assert(sizeof(struct tam_match) == 48, "tam_match");
_Static_assert(sizeof(struct tam_flow_key) == 32, "tam_flow_key");
_Static_assert(sizeof(struct tam_back_key) == 40, "tam_back_key");
_Static_assert(sizeof(struct tam_rule_body) == 144, "tam_rule_body");
_Static_assert(TAM_ADDRESSES == TAM_ADDRESS_PLACE + 1, "a place is ten bits");
#endif
#endif
