/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What the programs for other programs' TCP flows share: rules, the state of their process, what a tuned socket had before. */
#ifndef TAMANOIR_TUNE_MAPS_H
#define TAMANOIR_TUNE_MAPS_H

#include <stdbool.h>

#include "tamanoir_tune.h"
#include "tune_state.h"

#define tam_inline static __attribute__((always_inline)) inline

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TAM_TUNE_RULES);
	__type(key, uint32_t);
	__type(value, struct tam_tune_rule);
} tam_tune_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_tune_state);
} tam_tune_states SEC(".maps");

/* One for each tuned socket; it goes with the socket. */
struct tam_tuned {
	uint32_t rule;
	uint32_t ai;
	uint32_t md;
	uint32_t max_ssthresh;
	uint32_t pacing;	/* what was given; counts if `paced` */
	uint32_t pacing_before;
	bool paced;
	bool lapsed;		/* it has gone back by itself: its process was silent for longer than the lease */
	uint8_t marking;	/* enum tam_tune_marking */
	uint8_t classes;
	uint8_t base;
	uint8_t class;		/* of the moment */
	bool repairing;		/* a loss has been found, and not yet repaired */
	uint8_t code_points[TAM_TUNE_CLASSES];
	int tos_before;
	uint32_t round_end;	/* a round trip is over when more is acknowledged */
	char given[TAM_TUNE_NAME];
	char before[TAM_TUNE_NAME];
};
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct tam_tuned);
} tam_tuned_sockets SEC(".maps");

tam_inline struct tam_tune_state *tam_tune_state(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&tam_tune_states, &zero);
}

#endif
