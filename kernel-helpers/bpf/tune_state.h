/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The state that the library and the programs of tune.bpf.c share, by a mapped page. */
#ifndef TAMANOIR_TUNE_STATE_H
#define TAMANOIR_TUNE_STATE_H

#include "tamanoir_shared.h"

struct tam_tune_state {
	uint64_t network;	/* cookie of the network namespace; others are not touched */
	uint64_t until;		/* CLOCK_MONOTONIC in nanoseconds: when the process must have been heard of again */
	uint32_t rules;		/* in use */
	uint32_t most;		/* flows at once */
	uint32_t flows;		/* those that the last pass has found, and those tuned since */
	uint32_t zero;
	uint64_t tuned;		/* struct tam_tune_counts */
	uint64_t refused;
	uint64_t beyond;
};

#endif
