/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Other programs' TCP flows, tuned while this process lives: what the Work Around Daemon of Net100 did, by congestion control in BPF.
 *
 * Every TCP socket of this network namespace is held against the rules, the first that matches counts: new ones when their connection stands,
 * those that are open by tam_tune_pass(). A socket whose rule names an algorithm gets it, and one whose rule names a rate is paced to it. It has
 * back what it had when the handle is closed, and when the process dies.
 *
 * The same conventions as in tamanoir_kernel.h. A handle is used by one thread at a time.
 */
#ifndef TAMANOIR_TUNE_H
#define TAMANOIR_TUNE_H

#ifndef __bpf__
#include <stddef.h>
#endif

#include "tamanoir_shared.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TAM_TUNE_RULES 256	/* the most */
#define TAM_TUNE_NAME 16	/* octets of the name of an algorithm, the 0 at its end included (TCP_CA_NAME_MAX) */
#define TAM_TUNE_WAD "tam_wad"	/* our own algorithm; the name counts for the whole machine */
#define TAM_TUNE_PART 1000000	/* tam_tune_rule.md of 1 */
#define TAM_TUNE_FLOWS_MOST 1000000
#define TAM_TUNE_CLASSES 6	/* the most */

/* In which of the equivalent classes packets of a flow go (DataTAG D2.2, section 4.3). */
enum tam_tune_marking {
	TAM_TUNE_AS_IT_IS,
	TAM_TUNE_MESSAGE,	/* SM-TP: what repairs a loss goes in the last class, all else in the base */
	TAM_TUNE_BULK,		/* LM-TP: the window after that too; then back to the base, a class in a round trip */
};

/* Which TCP sockets, and what they get. Masks have ones for the bits of a prefix; an address of IPv4 is ::ffff:a.b.c.d. */
struct tam_tune_rule {
	uint8_t remote[16];
	uint8_t remote_mask[16];
	uint8_t local[16];
	uint8_t local_mask[16];
	uint16_t remote_first;		/* ports, 0..65535 */
	uint16_t remote_last;
	uint16_t local_first;
	uint16_t local_last;
	uint32_t number;		/* the caller's, for tam_tune_flow.rule; several may have the same */
	uint32_t ai;			/* of tam_wad: segments that the window grows by in a round trip, 1.. */
	uint32_t md;			/* of tam_wad: the part by which the window shrinks at a loss, in millionths, 1..TAM_TUNE_PART-1 */
	uint32_t max_ssthresh;		/* of tam_wad: segments, RFC 3742; 0: slow start as ever */
	uint32_t pacing;		/* octets a second, UINT32_MAX for no limit; 0: as it is */
	uint32_t marking;		/* of tam_wad: enum tam_tune_marking */
	char congestion[TAM_TUNE_NAME];	/* empty: as it is */
	uint8_t classes;		/* how many of `code_points` there are, 2.. */
	uint8_t base;			/* the class of a flow that has lost nothing */
	uint8_t code_points[TAM_TUNE_CLASSES];	/* 0..63, the quickest class first, the one that loses least last */
};

/* A tuned flow, as a pass has found it. */
struct tam_tune_flow {
	uint8_t remote[16];
	uint8_t local[16];
	uint16_t remote_port;
	uint16_t local_port;
	uint32_t rule;			/* tam_tune_rule.number */
	uint32_t window;		/* segments */
	uint32_t ssthresh;		/* segments */
	uint32_t round_trip;		/* microseconds, smoothed */
	uint32_t retransmitted;		/* segments, since the flow began */
	uint64_t acknowledged;		/* octets, likewise */
	char congestion[TAM_TUNE_NAME];	/* what it uses now */
	char before[TAM_TUNE_NAME];	/* what it will have again */
	uint32_t own;			/* 1: the program has chosen another algorithm since, and keeps it */
	uint32_t class;			/* of a rule with a marking: the one of the moment */
};

/* What a pass has left alone. */
struct tam_tune_counts {
	uint64_t tuned;		/* sockets, since the handle was opened */
	uint64_t refused;	/* attempts at which the kernel would not set what the rule says */
	uint64_t beyond;	/* attempts for which there was no room among `most` */
};

#ifndef __bpf__
struct tam_tune; /* a handle */

/*
 * What a failure is about: *part of tam_tune_open(). The errno beside it says more: -EEXIST of TAM_TUNE_PART_HELD is another process with our
 * algorithm.
 */
enum tam_tune_part {
	TAM_TUNE_PART_NONE,
	TAM_TUNE_PART_BTF,		/* /sys/kernel/btf/vmlinux */
	TAM_TUNE_PART_PROGRAMS,		/* the verifier, or a hook that this kernel lacks */
	TAM_TUNE_PART_STRUCT_OPS,	/* our algorithm cannot be registered by a link (Linux 6.4) */
	TAM_TUNE_PART_HELD,		/* somebody has registered our name */
	TAM_TUNE_PART_ITERATOR,		/* iter/tcp */
	TAM_TUNE_PART_GUARD,		/* the process that puts flows back */
};

/*
 * Registers the algorithm, attaches, and tunes new flows from then on; open ones with the first tam_tune_pass(). At most `most` flows at once.
 * *new_flows: 0, or the negative errno for which new flows are found by passes only (-ENOENT: no cgroup of version 2 is mounted).
 * NULL on failure, with *error the negative errno, *part, and the verifier's last lines in the message.
 */
struct tam_tune *tam_tune_open(const struct tam_tune_rule *rules, uint32_t count, uint32_t most, int *new_flows, int *part, int *error,
			       char *message, size_t size);

/*
 * Looks at every socket once: tunes those that match. Tuned ones are written to `flows`, as many as fit. Returns how many there are. It is to be called again within TAM_TUNE_LEASE: a flow of tam_wad whose process is silent for longer goes
 * back to what it had by itself, and is tuned again by the next pass.
 */
#define TAM_TUNE_LEASE 5	/* seconds */
int tam_tune_pass(struct tam_tune *tune, struct tam_tune_flow *flows, uint32_t room, struct tam_tune_counts *counts);

/* Puts every flow back, and ends all. */
void tam_tune_close(struct tam_tune *tune);

#endif

#ifdef __cplusplus
}
#endif
#endif
