/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of tam_tune_open() share. */
#ifndef TAMANOIR_LIB_TUNE_H
#define TAMANOIR_LIB_TUNE_H

#include "internal.h"

#include <sys/types.h>

#include "tune_state.h"

struct bpf_link;

struct tam_tune {
	struct bpf_object *object;
	struct tam_tune_state *state;	/* shared with the programs */
	struct bpf_link *algorithm;	/* the map's, where libbpf makes no link */
	int registration;		/* link of the algorithm, or -1 */
	struct bpf_link *new_flows;	/* NULL: there is no cgroup of version 2 */
	struct bpf_link *look;
	struct bpf_link *restore;
	pid_t guard;			/* 0: none */
	int guard_pipe;			/* the guard works when this end is closed; -1 */
};

/* Why an attempt has failed, for the caller. */
struct tam_tune_failure {
	int part;
	char *message;
	size_t size;
};
/* Fills a failure; returns `error`. */
int tam_tune_fails(struct tam_tune_failure *failure, int part, int error, const char *what);

/* tune_attach.c: what the kernel has, then the algorithm, the iterators and the hook for new flows. 0 or a negative errno with the failure. */
int tam_tune_look_at_kernel(struct tam_tune_failure *failure);
int tam_tune_attach(struct tam_tune *tune, struct tam_tune_failure *failure);
/* 0, or the negative errno for which new flows are found by passes. */
int tam_tune_attach_new_flows(struct tam_tune *tune);
void tam_tune_detach(struct tam_tune *tune);
/* Runs an iterator to its end; what it writes goes to `to` as far as it fits. Returns the octets that it wrote, or a negative errno. */
ssize_t tam_tune_iterate(const struct bpf_link *iterator, void *to, size_t room);

/* tune_guard.c: a process that puts all flows back when this one has gone. 0 or a negative errno. */
int tam_tune_guard(struct tam_tune *tune);
bool tam_tune_guarded(struct tam_tune *tune);
void tam_tune_dismiss(struct tam_tune *tune);

#endif
