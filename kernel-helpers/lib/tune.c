/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a handle for other programs' TCP flows, and its passes. */
#include "tune.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

/* BPF_F_LINK of newer headers: the algorithm is registered by a link, so that it goes with its process. */
#define FLAG_LINK (1U << 13)

#define SECOND 1000000000ULL

int tam_tune_fails(struct tam_tune_failure *failure, int part, int error, const char *what)
{
	failure->part = part;
	tam_say(failure->message, failure->size, "%s: %s", what, strerror(-error));
	return error;
}

static uint64_t monotonic(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static void renew(struct tam_tune *tune)
{
	__atomic_store_n(&tune->state->until, monotonic() + TAM_TUNE_LEASE * SECOND, __ATOMIC_RELAXED);
}

static int network(uint64_t *cookie)
{
	socklen_t size = sizeof(*cookie);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), failed;

	if (fd < 0)
		return -errno;
	failed = getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &size) ? -errno : 0;
	close(fd);
	return failed;
}

static bool good_marking(const struct tam_tune_rule *rule)
{
	if (rule->marking == TAM_TUNE_AS_IT_IS)
		return true;
	if (rule->marking > TAM_TUNE_BULK || rule->classes < 2 || rule->classes > TAM_TUNE_CLASSES || rule->base >= rule->classes)
		return false;
	for (uint8_t i = 0; i < rule->classes; i++)
		if (rule->code_points[i] > 63)
			return false;
	return true;
}

static bool good(const struct tam_tune_rule *rule)
{
	bool wad = !strncmp(rule->congestion, TAM_TUNE_WAD, TAM_TUNE_NAME);

	return rule->remote_first <= rule->remote_last && rule->local_first <= rule->local_last && !rule->congestion[TAM_TUNE_NAME - 1]
	       && (rule->congestion[0] || rule->pacing)
	       && (!wad || (rule->ai >= 1 && rule->ai <= 1000 && rule->md >= 1 && rule->md < TAM_TUNE_PART && rule->max_ssthresh <= 1000000))
	       && (wad || rule->marking == TAM_TUNE_AS_IT_IS) && good_marking(rule);
}

static int prepare(void *nothing, struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, TAM_TUNE_WAD);

	(void)nothing;
	return map ? bpf_map__set_map_flags(map, FLAG_LINK) : -ENOENT;
}

static int fill(struct tam_tune *tune, const struct tam_tune_rule *rules, uint32_t count, uint32_t most)
{
	int states = bpf_object__find_map_fd_by_name(tune->object, "tam_tune_states"), failed;
	int table = bpf_object__find_map_fd_by_name(tune->object, "tam_tune_rules");
	void *memory = mmap(NULL, sizeof(*tune->state), PROT_READ | PROT_WRITE, MAP_SHARED, states, 0);

	if (memory == MAP_FAILED)
		return -errno;
	tune->state = memory;
	failed = network(&tune->state->network);
	for (uint32_t i = 0; i < count && !failed; i++)
		if (bpf_map_update_elem(table, &i, &rules[i], BPF_ANY))
			failed = -errno;
	tune->state->rules = count;
	tune->state->most = most;
	renew(tune);
	return failed;
}

static int open_all(struct tam_tune *tune, const struct tam_tune_rule *rules, uint32_t count, uint32_t most, struct tam_tune_failure *failure)
{
	int failed = tam_tune_look_at_kernel(failure);

	if (failed)
		return failed;
	failure->part = TAM_TUNE_PART_PROGRAMS;
	failed = tam_object_load_with(&tam_image_tune, prepare, NULL, &tune->object, failure->message, failure->size);
	if (failed)
		return failed;
	failed = fill(tune, rules, count, most);
	if (failed)
		return tam_tune_fails(failure, TAM_TUNE_PART_PROGRAMS, failed, "the rules cannot be given to the programs");
	failed = tam_tune_attach(tune, failure);
	if (failed)
		return failed;
	failed = tam_tune_guard(tune);
	return failed ? tam_tune_fails(failure, TAM_TUNE_PART_GUARD, failed, "the process that puts flows back does not start") : 0;
}

struct tam_tune *tam_tune_open(const struct tam_tune_rule *rules, uint32_t count, uint32_t most, int *new_flows, int *part, int *error,
			       char *message, size_t size)
{
	struct tam_tune_failure failure = {TAM_TUNE_PART_NONE, message, size};
	struct tam_tune *tune = calloc(1, sizeof(*tune));
	bool right = count >= 1 && count <= TAM_TUNE_RULES && most >= 1 && most <= TAM_TUNE_FLOWS_MOST;

	tam_say(message, size, "%s", "");
	for (uint32_t i = 0; right && i < count; i++)
		right = good(&rules[i]);
	if (tune) {
		tune->registration = tune->guard_pipe = -1;
		*error = right ? open_all(tune, rules, count, most, &failure)
			       : tam_tune_fails(&failure, TAM_TUNE_PART_NONE, -EINVAL, "a rule");
	} else {
		*error = -ENOMEM;
	}
	*part = failure.part;
	if (*error) {
		tam_tune_close(tune);
		return NULL;
	}
	*new_flows = tam_tune_attach_new_flows(tune);
	return tune;
}

int tam_tune_pass(struct tam_tune *tune, struct tam_tune_flow *flows, uint32_t room, struct tam_tune_counts *counts)
{
	ssize_t octets;
	int failed = tam_tune_guarded(tune) ? 0 : tam_tune_guard(tune);

	if (failed)
		return failed;
	renew(tune);
	octets = tam_tune_iterate(tune->look, flows, room * sizeof(*flows));
	if (octets < 0)
		return (int)octets;
	__atomic_store_n(&tune->state->flows, (uint32_t)(octets / sizeof(*flows)), __ATOMIC_RELAXED);
	counts->tuned = __atomic_load_n(&tune->state->tuned, __ATOMIC_RELAXED);
	counts->refused = __atomic_load_n(&tune->state->refused, __ATOMIC_RELAXED);
	counts->beyond = __atomic_load_n(&tune->state->beyond, __ATOMIC_RELAXED);
	return (int)(octets / sizeof(*flows));
}

void tam_tune_close(struct tam_tune *tune)
{
	if (!tune)
		return;
	tam_tune_detach(tune);
	tam_tune_dismiss(tune);
	if (tune->state)
		munmap(tune->state, sizeof(*tune->state));
	bpf_object__close(tune->object);
	free(tune);
}
