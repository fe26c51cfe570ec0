/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libtamanoir_kernel: light services of a Tamanoir node in the Linux kernel.
 *
 * One rule of this library: the kernel finishes a packet, or does not touch it. A packet that it does not finish goes up to the node's
 * socket as it came, uncounted and unmetered, and the node runs the same rule on it.
 *
 * Threads: a handle may be used by any number of threads at once; the library locks where it must. tam_close() must be the last call on
 * a handle. tam_event() may wait in one thread while others work; tam_close() wakes it.
 *
 * Returns: 0 or a count on success, a negative errno otherwise. Where a call takes `message`, it holds a sentence for people when the
 * call fails (always ended by a 0, cut to `size`), with the verifier's log at its end when a program was refused.
 *
 * Addresses are 16 octets in network order, IPv4 as ::ffff:a.b.c.d. Ports and Type IDs are in host order. Structures have no padding
 * that is not named, the same layout on every 64-bit machine, and grow only with TAM_ABI.
 */
#ifndef TAMANOIR_KERNEL_H
#define TAMANOIR_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "tamanoir_shared.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the structures below look like; another number is another library. */
#define TAM_ABI 1

struct tam; /* a handle: one node's programs, maps and links, and its nftables table */

struct tam_options {
	uint64_t node_id;	/* written into the previous-node option, where a packet has one */
	uint16_t port;		/* the node's UDP port, 1..65535 */
	uint16_t code_port;	/* of its code server; 0: none */
	uint32_t rules;		/* rule slots, 1..TAM_RULES_MOST */
	uint32_t flows;		/* flow slots, 1..TAM_FLOWS_MOST */
	uint32_t test_clock;	/* 1: meters go by tam_clock() and not by the kernel's clock; for tests */
};

/* TAM_ABI of the library that was loaded. */
int tam_abi(void);

/*
 * What this kernel lets this process do, tried out and undone: result[f] is 0, or the negative errno with which feature f was refused;
 * -ENOPKG: a library that it needs is not installed; -ENOTSUP: switched off by a sysctl.
 */
struct tam_probe {
	int32_t result[TAM_FEATURES];
};
int tam_probe(struct tam_probe *probe);

/* Loads programs and maps; attaches nothing. NULL on failure, with *error the negative errno. */
struct tam *tam_open(const struct tam_options *options, int *error, char *message, size_t size);

/* Detaches everything, deletes the nftables table, frees all. */
void tam_close(struct tam *tam);

/*
 * The interface's ingress program: tcx where the kernel has it, a clsact filter otherwise; with xdp also the XDP program that drops
 * refused Type IDs and whatever a rule drops (native, or generic where the driver has none). Returns TAM_BY_TCX or TAM_BY_CLSACT. -ENODEV: no such interface;
 * -EEXIST: attached already. An interface that disappears takes its attachment with it; attach again when it is back.
 */
int tam_attach(struct tam *tam, uint32_t ifindex, int xdp, char *message, size_t size);
/* -ENOENT: not attached (also when the interface has gone). */
int tam_detach(struct tam *tam, uint32_t ifindex);
/* 1 if the program of an interface is attached and the interface still there, 0 if not. */
int tam_attached(struct tam *tam, uint32_t ifindex);
/* The netfilter programs on FORWARD, IPv4 and IPv6, for rules with `passing`. */
int tam_attach_passing(struct tam *tam, char *message, size_t size);

/* Addresses of this node: only packets to one of them and to its port are looked at. -ENOSPC: more than TAM_ADDRESSES. */
int tam_address_add(struct tam *tam, const uint8_t address[16]);
int tam_address_remove(struct tam *tam, const uint8_t address[16]);

/*
 * Puts a rule into a slot, or replaces the one there; atomic for each packet. The counters of the slot go on; its meter begins anew,
 * full, if the meter's kind or one of its numbers is another. -EINVAL: out of range; -ENOSPC: more than TAM_SHAPES different
 * combinations of fields and prefix lengths in use, or a full map; -EEXIST: another slot has the same match and priority.
 */
int tam_rule_put(struct tam *tam, uint32_t slot, const struct tam_rule *rule);
/* Removes a rule and clears its slot, counters too. -ENOENT: the slot is empty. */
int tam_rule_remove(struct tam *tam, uint32_t slot);
int tam_rule_read(struct tam *tam, uint32_t slot, struct tam_rule_counters *counters);

/*
 * Runs the actions of a slot's rule on a packet that came up: the counters and the meter are the kernel's own. `octets` is the length
 * of its IP packet, `colour` the one that it arrived with. Returns TAM_DONE_* with the code point to set in bits 8..15, 0xff for none.
 * -ENOENT: the slot is empty.
 */
int tam_rule_apply(struct tam *tam, uint32_t slot, uint32_t octets, uint32_t colour);

/* A flow: datagrams of one sender, Type ID and stream id, and the answers to them. -EINVAL, -ENOSPC; -EEXIST: another slot has it. */
int tam_flow_put(struct tam *tam, uint32_t slot, const struct tam_flow *flow);
int tam_flow_remove(struct tam *tam, uint32_t slot);
int tam_flow_read(struct tam *tam, uint32_t slot, struct tam_flow_counters *counters);

/*
 * Hands a gated flow over without one packet overtaking another. In each direction the flow begins closed, and counts the packets that it
 * lets go up. The caller asks for that count before it reads its socket, deals with everything that it reads until the socket is empty,
 * and then says that so many have been dealt with: the flow opens with the next packet if none has gone up since. TAM_GATE_OPEN opens it
 * in any case. tam_flow_up() returns the count, 31 bits.
 */
int tam_flow_up(struct tam *tam, uint32_t slot, uint32_t direction);
int tam_flow_gate(struct tam *tam, uint32_t slot, uint32_t direction, uint32_t up);

/* Type IDs that XDP drops on interfaces attached with xdp, if they are sent to this node; how many it has dropped. */
int tam_refuse(struct tam *tam, uint16_t type_id, int refuse);
int tam_refused(struct tam *tam, uint16_t type_id, uint64_t *packets);

int tam_statistics(struct tam *tam, struct tam_statistics *statistics);

/*
 * Waits for the next change of an interface or address of this namespace, at most `timeout` milliseconds (-1: for ever). Changes are
 * noticed from the first call on. Returns 1 with *event filled, 0 on time-out, -ESHUTDOWN when tam_close() or tam_wake() has begun.
 */
int tam_event(struct tam *tam, struct tam_event *event, int timeout);
/* Ends all waiting in tam_event(), for good: for a caller who makes sure that nobody waits before tam_close(). */
void tam_wake(struct tam *tam);

/*
 * Runs nftables commands as one transaction, in this process and by one netlink socket, so that a table with `flags owner` goes when the
 * process does. Returns the octets of what nft prints; `output` has as many of them as fit, ended by a 0. -EPERM also for a table that
 * another process owns; -EINVAL for commands that cannot be read; -ENOPKG: libnftables.so.1 is not installed.
 */
int tam_nft(struct tam *tam, const char *commands, char *output, size_t output_size, char *message, size_t size);

/*
 * Datagram sockets that say what java.nio does not: when the kernel took a datagram, its code point and time to live, and the own address
 * that it was sent to. They need no handle and no privilege. A socket is a descriptor; closing one is the caller's order to keep.
 *
 * A datagram, and `stride` octets of room for its data at `octets + number * stride`.
 */
#define TAM_KNOWS_TOS 1
#define TAM_KNOWS_TTL 2
#define TAM_KNOWS_TIME 4

struct tam_datagram {
	int64_t time;		/* nanoseconds since 1970: when the kernel took it off the interface, or when it was given to the kernel; 0: not sent */
	uint8_t address[16];	/* of the other end */
	uint8_t local[16];	/* own address; to send, all 0 leaves it to the routing table */
	uint32_t interface;	/* index, where the address is a link-local one of IPv6; 0 otherwise */
	uint32_t length;	/* of its data; to send, 0 passes it over */
	uint16_t port;		/* of the other end */
	uint8_t tos;		/* the octet with code point and ECN */
	uint8_t ttl;		/* received; ignored when sending */
	uint8_t knows;		/* TAM_KNOWS_*: what of the above was received */
	uint8_t cut;		/* 1: longer than `stride`, the rest is lost */
	uint8_t zero[2];
};

/* Binds a socket; `::` takes IPv4 too, where there is IPv6. `port` 0 takes a free one; *port is the one that it got. */
int tam_datagram_open(const uint8_t address[16], uint32_t interface, uint16_t *port);
/* What is there, at most `most`; 0: nothing. */
int tam_datagram_receive(int fd, struct tam_datagram *datagrams, void *octets, uint32_t stride, uint32_t most);
/*
 * Sends `count`, one after the other. Where `stamp` is not negative, the time of the last moment before each is written into its data
 * there: 64 bits of NTP (RFC 5905 section 6). Returns how many the kernel took; the others have the time 0.
 */
int tam_datagram_send(int fd, struct tam_datagram *datagrams, void *octets, uint32_t stride, uint32_t count, int32_t stamp);
/* For closing; also of a waker. */
int tam_datagram_close(int fd);
/* A descriptor with which tam_datagram_wait() is ended early, by tam_datagram_wake() in any thread. */
int tam_datagram_waker(void);
int tam_datagram_wake(int waker);
/* Waits until one of `count` sockets can be read, the waker is woken, or so many nanoseconds are over. Returns 0. */
int tam_datagram_wait(int waker, const int *fds, uint32_t count, int64_t nanoseconds);
/* Whether the kernel says that the clock follows an external source (1 or 0), and the most that it may be wrong: adjtimex(2). */
int tam_clock_quality(int64_t *nanoseconds);

/* For tests: the meters' clock in nanoseconds, with test_clock; it never goes back. */
int tam_clock(struct tam *tam, uint64_t nanoseconds);
/*
 * For tests: one Ethernet frame through the ingress program as if it had come in on `ifindex`. `out` gets the frame as it left, *length
 * its size (in: of `out`). Returns what the program returned: TC_ACT_* or TCX_*.
 */
int tam_run(struct tam *tam, uint32_t ifindex, const void *in, uint32_t in_length, void *out, uint32_t *length);

#ifdef __cplusplus
}
#endif
#endif
