/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What the BPF programs, the library and its callers share: numbers and structures. */
#ifndef TAMANOIR_SHARED_H
#define TAMANOIR_SHARED_H

#ifdef __bpf__
#include <linux/types.h>
typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
typedef __s32 int32_t;
#else
#include <stdint.h>
#endif

#define TAM_RULES_MOST 65536
#define TAM_FLOWS_MOST 1048576
#define TAM_ADDRESSES 1024
#define TAM_SHAPES 16		/* combinations of fields and prefix lengths in use at once: what a packet costs at most */
#define TAM_ACTIONS 4		/* in one rule */

/* Features of tam_probe(). */
#define TAM_FEATURE_BPF 0	/* maps and simple programs: CAP_BPF, kernel.unprivileged_bpf_disabled */
#define TAM_FEATURE_PERFMON 1	/* objects that need CAP_PERFMON */
#define TAM_FEATURE_TCX 2
#define TAM_FEATURE_CLSACT 3
#define TAM_FEATURE_XDP 4
#define TAM_FEATURE_NETFILTER 5	/* BPF netfilter program on FORWARD */
#define TAM_FEATURE_NFT 6	/* nftables: libnftables, CAP_NET_ADMIN, a table with an owner, dnat and masquerade */
#define TAM_FEATURE_FORWARD4 7	/* net.ipv4.ip_forward */
#define TAM_FEATURE_FORWARD6 8	/* net.ipv6.conf.all.forwarding */
#define TAM_FEATURES 9

#define TAM_BY_TCX 1
#define TAM_BY_CLSACT 2

/* Actions, in the order in which they are done. */
#define TAM_ACTION_NONE 0
#define TAM_ACTION_COUNT 1
#define TAM_ACTION_DSCP 2
#define TAM_ACTION_POLICE 3
#define TAM_ACTION_DROP 4
#define TAM_ACTION_FORWARD 5

#define TAM_METER_NONE 0
#define TAM_METER_SINGLE_RATE 1	/* RFC 2697: cir, cbs, ebs */
#define TAM_METER_TWO_RATE 2	/* RFC 2698: cir, cbs, pir, pbs */

#define TAM_GREEN 0
#define TAM_YELLOW 1
#define TAM_RED 2

#define TAM_TREAT_PASS 0
#define TAM_TREAT_DROP 1
#define TAM_TREAT_MARK 2

#define TAM_DONE_UP 0		/* the packet goes on to its service */
#define TAM_DONE_DROP 1
#define TAM_DONE_FORWARD 2

#define TAM_RATE_MOST 125000000000ULL
#define TAM_BURST_MOST 2147483647ULL

/* A rule: org.tamanoir.service.rule.LightRule. 128 octets. */
struct tam_rule {
	uint32_t priority;		/* of two rules that match the lower one is run; unique */
	uint16_t type_id;
	uint8_t has_type;		/* whether type_id counts */
	uint8_t has_session;		/* whether session counts */
	uint8_t destination_bits;	/* 0..128 of `destination`; 0: any, also none in the packet. IPv4 prefixes count from 96 */
	uint8_t source_bits;		/* likewise of `source` */
	uint8_t passing;		/* 1: for packets that the host forwards */
	uint8_t meter;			/* TAM_METER_* */
	uint8_t colour_aware;
	uint8_t dscp;			/* of TAM_ACTION_DSCP */
	uint8_t actions[TAM_ACTIONS];
	uint8_t treat[3];		/* TAM_TREAT_* by colour */
	uint8_t treat_dscp[3];		/* of TAM_TREAT_MARK */
	uint8_t zero[4];
	uint32_t target;		/* of TAM_ACTION_FORWARD: a number for the next hop; only flows with the same one are used */
	uint64_t session;
	uint8_t destination[16];
	uint8_t source[16];
	uint64_t cir;			/* octets a second */
	uint64_t cbs;			/* octets */
	uint64_t pir;			/* octets a second; two rates only */
	uint64_t pbs;			/* octets; ebs of a single rate */
	uint64_t reserved[3];
};

struct tam_rule_counters {
	uint64_t packets;	/* of the action count */
	uint64_t octets;	/* of these: IP packets */
	uint64_t green;		/* packets by colour */
	uint64_t yellow;
	uint64_t red;
	uint64_t dropped;
	uint64_t forwarded;
};

/* A flow and where it goes. 96 octets. */
struct tam_flow {
	uint8_t sender[16];
	uint8_t next[16];	/* the next hop */
	uint8_t local[16];	/* of the node's socket to the next hop; its port is that socket's, so nobody else can have it */
	uint64_t stream_id;
	uint32_t has_stream;	/* 0: packets without the stream option */
	uint16_t sender_port;
	uint16_t next_port;
	uint16_t local_port;
	uint16_t type_id;
	uint32_t target;	/* the number of the rules whose packets may go this way */
	uint32_t gated;		/* 1: carries nothing in a direction before tam_flow_gate() lets it */
	uint32_t zero;
	uint64_t reserved[2];
};

struct tam_flow_counters {
	uint64_t packets;	/* toward the next hop */
	uint64_t octets;	/* of these: ANEP packets */
	uint64_t back_packets;	/* answers */
	uint64_t back_octets;
	uint64_t last;		/* CLOCK_MONOTONIC_COARSE of the last packet, nanoseconds; 0: none yet */
};

/* Directions of a flow. */
#define TAM_THERE 0
#define TAM_BACK 1
#define TAM_GATE_OPEN 0xffffffff

/* Why a packet to the node's port went up. */
#define TAM_UP_FRAGMENT 0	/* of an IP packet */
#define TAM_UP_IP_OPTIONS 1	/* IPv4 options or IPv6 extension headers */
#define TAM_UP_MALFORMED 2	/* no good ANEP packet, by any rule of docs/anep.md: the node says which */
#define TAM_UP_CHECKSUM 3	/* has the integrity checksum, which the node verifies */
#define TAM_UP_OPTIONS 4	/* chain, raw delivery, content encoding, error packet, or an option that is not known */
#define TAM_UP_LONG 5		/* a header longer than TAM_HEADER_MOST */
#define TAM_UP_NO_RULE 6	/* no rule matches */
#define TAM_UP_RULE 7		/* the rule lets the packet go on to its service */
#define TAM_UP_NO_FLOW 8	/* to forward, but no flow of this sender is known yet, or it is gated */
#define TAM_UP_HOPS 9		/* no hops option, or no hops left; or IP time to live of 1 */
#define TAM_UP_ROUTE 10		/* the routing table has no forwarding answer: local, unreachable, neighbour not known yet, or forwarding switched off */
#define TAM_UP_MTU 11		/* does not fit the interface that it leaves by, or is aggregated (GRO) */
#define TAM_UP_REASONS 12

#define TAM_HEADER_MOST 256	/* octets of an ANEP header that the kernel reads */

struct tam_statistics {
	uint64_t seen;			/* packets to the node's port, and answers of flows */
	uint64_t forwarded;
	uint64_t answered;		/* answers brought back */
	uint64_t dropped;		/* by a rule, of the ingress program */
	uint64_t up[TAM_UP_REASONS];
	uint64_t xdp_dropped;		/* of a refused Type ID */
	uint64_t passing_seen;		/* ANEP packets that the host forwarded, seen by the netfilter programs */
	uint64_t passing_dropped;
	uint64_t early_dropped;		/* by a rule, in XDP */
};

#define TAM_EVENT_LINK_NEW 1
#define TAM_EVENT_LINK_GONE 2
#define TAM_EVENT_ADDRESS_NEW 3
#define TAM_EVENT_ADDRESS_GONE 4
#define TAM_EVENT_LOST 5	/* there were more than could be kept: look at all interfaces and addresses again */

struct tam_event {
	uint32_t kind;
	uint32_t ifindex;
	uint8_t address[16];
	char name[16];
	uint32_t up;		/* of a link: 1 if it is up */
	uint32_t zero;
};

#ifndef __bpf__
_Static_assert(sizeof(struct tam_rule) == 128, "tam_rule");
_Static_assert(sizeof(struct tam_flow) == 96, "tam_flow");
#endif
#endif
