/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows of the QoS testbed: a receiver that counts octets by code point and by time, and senders of datagrams at a constant rate, of streams, and
 * of round trips.
 */
#ifndef TAMANOIR_FLOW_H
#define TAMANOIR_FLOW_H

#include <netinet/in.h>
#include <stdint.h>

#define BATCH 64		/* datagrams in one system call */
#define DATAGRAM_MOST 9000	/* octets of payload */
#define SOCKET_BUFFER (16 << 20)
#define CODE_POINTS 64
#define BIN_NANOS 100000000ull	/* counts are kept for every tenth of a second */
#define BINS 9000		/* for a quarter of an hour; what comes later is in the last one */

/* What has come; a stream says its code point in its first octet, since no receiver can read that of TCP. */
enum kind { KIND_UDP, KIND_TCP, KINDS };

/* CLOCK_REALTIME in nanoseconds: the clock in which the kernel says when a datagram came. */
uint64_t now(void);
/* Sleeps until now() is at least `when`. */
void sleep_until(uint64_t when);
int fail(const char *what);	/* says it with the reason that errno has; 1 */

/* Counts from now on. */
void counts_begin(void);
void counts_add(enum kind kind, unsigned code_point, uint64_t when, uint64_t octets, uint64_t packets);
/*
 * A line for each code point that has been seen:
 * "udp|tcp DSCP packets N octets N first NANOS last NANOS bins OCTETS,OCTETS,...", times since counts_begin(). Then "end NANOS".
 */
void counts_print(void);

int flow_receive(const struct sockaddr_in *at);
/* Datagrams of `payload` octets, `rate` bits of payload a second. */
int flow_datagrams(const struct sockaddr_in *to, unsigned code_point, double payload, double rate, double seconds);
/* As much as a stream carries. @control the congestion control, as cubic */
int flow_stream(const struct sockaddr_in *to, unsigned code_point, const char *control, double seconds);
/* `count` datagrams of 64 octets, one each `interval` seconds, which the receiver sends back. */
int flow_trips(const struct sockaddr_in *to, unsigned code_point, unsigned count, double interval);

#endif
