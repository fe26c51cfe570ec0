/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load of `tamanoir bench kernel` and `tamanoir bench qos`: a server that echoes and counts, and a client that asks it. C, because a JVM at both ends would
 * cost more than what is measured between them.
 *
 * Every packet is a good ANEP packet (docs/anep.md). Its payload begins with a mark, by which each end knows what it has got.
 */
#ifndef TAMANOIR_LOAD_H
#define TAMANOIR_LOAD_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_LEAST 64		/* octets: options, and a mark */
#define SESSION_LEAST 76	/* the same with a session */
#define PACKET_MOST 65000
#define BATCH 32		/* datagrams in one system call */
#define WINDOW_MOST 1024	/* datagrams under way */
#define SOCKET_BUFFER (8 << 20)	/* octets */
#define PATIENCE_MILLIS 200	/* how long an answer may take before its packet counts as lost */
#define LOST_MOST 100		/* silences in one run, until it gives up */
#define TYPE_ID 0x5500		/* if the command line says no other */

enum kind {
	KIND_ECHO = 1,		/* send it back as it came */
	KIND_COUNT = 2,		/* count it; on TCP answer the end of the stream with a report */
};

/* The first octets of each payload, big-endian on the wire. */
struct mark {
	uint32_t sequence;	/* 0, 1, … in one run */
	uint32_t run;		/* 24 bits, a number for each run: what a run before has left under way is not mistaken for this one's */
	uint8_t kind;		/* enum kind */
};

#define MARK_OCTETS 8

/* What a run sends, and how it is addressed. */
struct shape {
	struct in_addr destination;	/* of the destination option */
	uint16_t port;			/* of the delivery option */
	uint64_t stream;		/* id of the stream option */
	uint32_t run;
	enum kind kind;
	uint16_t type;			/* Type ID */
	uint64_t session;		/* code of the QoS session option; 0: there is no such option */
	size_t octets;			/* of a packet, PACKET_LEAST to PACKET_MOST */
};

/*
 * Writes a whole packet: destination, stream, delivery and hops options, and that of the session, 56 or 68 octets in all, then the payload; with `bare` only the 8 octets of the
 * header before the payload, as later packets of a TCP stream are. `out` has room for shape->octets.
 */
void packet_make(uint8_t *out, const struct shape *shape, uint32_t sequence, int bare);
/* Gives a packet that packet_make() has written another sequence number. */
void packet_number(uint8_t *packet, uint32_t sequence);
/* Writes 32 bits behind the mark, in a packet that has room for them. */
void packet_note(uint8_t *packet, uint32_t note);
/* Octets of a packet that starts with these 8 octets; 0: this is no ANEP header. */
size_t packet_length(const uint8_t *packet);
/* Reads the mark of a whole packet of `octets` octets, and looks at its last octets too. -1: not one that packet_make() has written. */
int packet_read(const uint8_t *packet, size_t octets, struct mark *mark);
/* Whether each octet of the payload is the one that packet_make() writes. */
int packet_intact(const uint8_t *packet, size_t octets);
/* Hops left of a packet; -1: it has no hops option. */
int packet_hops(const uint8_t *packet, size_t octets);

/* CLOCK_MONOTONIC in nanoseconds: the same clock in every process of the machine. */
uint64_t now(void);

/* CPU time of this process in nanoseconds. */
uint64_t busy(void);

/* Times of round trips, at most TIMES_MOST of them; what comes after is not kept, and the run ends. */
#define TIMES_MOST (4 << 20)
struct times {
	uint32_t *nanos;
	size_t count;
};
void times_begin(struct times *times);
/* 0 when there is no more room. */
int times_add(struct times *times, uint64_t nanos);
/* Nanoseconds that a part (0 to 1) of them stays at or below; sorts. */
uint32_t times_part(struct times *times, double part);

/* One run of the client, as the command line says it. */
struct run {
	struct sockaddr_in entry;	/* where packets are sent: the server, or a node */
	struct shape shape;
	int hops;			/* that a packet must have left at the server, seen in the echo; -1: whatever it has */
	unsigned window;		/* datagrams under way */
	uint64_t nanos;			/* how long it counts */
	uint64_t warm;			/* nanoseconds before that */
	int intact;			/* compare every octet of every answer */
};

/* Each prints one line of names and figures, and returns 0; or a sentence to standard error, and 1. */
int udp_trip(const struct run *run);	/* one datagram under way: round trips */
int udp_window(const struct run *run);	/* run->window under way: echoes a second */
int udp_blast(const struct run *run);	/* as fast as they can be sent */
/* One after the other with a pause of PACE_NANOS, numbered by the low 32 bits of the time when it is sent, see now(); behind the mark the time of the one before. */
int udp_pace(const struct run *run);
#define PACE_NANOS 20000
int tcp_trip(const struct run *run);
int tcp_blast(const struct run *run);

/* What the server has counted of the last run of KIND_COUNT. */
struct count {
	uint32_t run;
	uint64_t packets;
	uint64_t octets;
	uint64_t first;		/* when the first one came, the last one; see now() */
	uint64_t last;
	uint64_t next;		/* above the numbers of all that came */
	uint64_t disorder;	/* packets whose number was not above all before them */
	uint64_t bad;		/* not written by packet_make(), of all runs */
	int dscp;		/* of the last datagram; -1: not looked at */
};

/* Echoes and counts datagrams for ever. @socket bound */
void *udp_serve(void *socket);
/* What udp_serve() has counted. */
void udp_counted(struct count *count);
/* Looks at the code points of datagrams from now on, which costs time, or does not. */
void udp_watch_dscp(int on);
/* Accepts streams for ever, SERVER_STREAMS at once. @socket that listens */
void *tcp_serve(void *socket);
#define SERVER_STREAMS 16

int fail(const char *what);	/* says it with the reason that errno has; 1 */

#endif
