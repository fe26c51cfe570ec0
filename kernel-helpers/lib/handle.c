/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a handle. */
#include "internal.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

int tam_abi(void)
{
	return TAM_ABI;
}

static bool good_options(const struct tam_options *options)
{
	return options->port >= 1 && options->rules >= 1 && options->rules <= TAM_RULES_MOST && options->flows >= 1
	       && options->flows <= TAM_FLOWS_MOST && options->test_clock <= 1;
}

/* The memory that the library and the programs share, or NULL. */
static void *shared(struct tam *tam, enum tam_map map, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, tam->maps[map], 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void unshare_memory(void *memory, size_t size)
{
	if (memory)
		munmap(memory, size);
}

static int open_maps(struct tam *tam)
{
	tam->processors = libbpf_num_possible_cpus();
	if (tam->processors < 1)
		return tam->processors < 0 ? tam->processors : -EINVAL;
	tam->shapes = shared(tam, TAM_MAP_SHAPES, sizeof(*tam->shapes));
	tam->answer_ports = shared(tam, TAM_MAP_ANSWER_PORTS, sizeof(*tam->answer_ports));
	tam->gates = shared(tam, TAM_MAP_GATES, tam->options.flows * sizeof(*tam->gates));
	tam->test_time = shared(tam, TAM_MAP_TEST_TIME, sizeof(*tam->test_time));
	if (!tam->shapes || !tam->answer_ports || !tam->gates || !tam->test_time)
		return -errno;
	return 0;
}

static int open_tables(struct tam *tam)
{
	int failed = tam_rules_open(tam);

	if (!failed)
		failed = tam_flows_open(tam);
	if (!failed)
		failed = tam_pool_open(&tam->address_pool, TAM_ADDRESSES);
	return failed;
}

static int open_all(struct tam *tam, char *message, size_t size)
{
	int failed;

	tam->shutdown_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (tam->shutdown_fd < 0)
		return -errno;
	failed = tam_object_load(tam, &tam_image_light, &tam->light, message, size);
	if (failed)
		return failed;
	tam->light_program = tam_object_program(tam->light, "tam_light");
	tam->apply_program = tam_object_program(tam->light, "tam_apply");
	failed = open_maps(tam);
	if (!failed)
		failed = open_tables(tam);
	if (failed)
		tam_say(message, size, "no tables for %u rules and %u flows: %s", tam->options.rules, tam->options.flows, strerror(-failed));
	return failed;
}

struct tam *tam_open(const struct tam_options *options, int *error, char *message, size_t size)
{
	struct tam *tam = NULL;
	int failed = good_options(options) ? 0 : -EINVAL;

	tam_say(message, size, "%s", "");
	if (failed)
		tam_say(message, size, "the options are out of range: port %u, %u rules of at most %u, %u flows of at most %u", options->port,
			options->rules, TAM_RULES_MOST, options->flows, TAM_FLOWS_MOST);
	else
		tam = calloc(1, sizeof(*tam));
	if (tam) {
		tam->options = *options;
		tam->shutdown_fd = tam->refuse_program = tam->passing_links[0] = tam->passing_links[1] = -1;
		memset(tam->maps, 0xff, sizeof(tam->maps));
		pthread_mutex_init(&tam->lock, NULL);
		pthread_cond_init(&tam->left, NULL);
		failed = open_all(tam, message, size);
		if (failed) {
			tam_close(tam);
			tam = NULL;
		}
	} else if (!failed) {
		failed = -ENOMEM;
	}
	if (error)
		*error = failed;
	return tam;
}

/* Wakes those who wait, and waits until they have left. */
static void leave(struct tam *tam)
{
	uint64_t one = 1;

	pthread_mutex_lock(&tam->lock);
	tam->closing = true;
	if (tam->shutdown_fd >= 0 && write(tam->shutdown_fd, &one, sizeof(one)) < 0)
		abort();	/* cannot be: the counter of an eventfd holds 2^64 - 2 */
	while (tam->waiting > 0)
		pthread_cond_wait(&tam->left, &tam->lock);
	pthread_mutex_unlock(&tam->lock);
}

void tam_close(struct tam *tam)
{
	if (!tam)
		return;
	leave(tam);
	if (tam_nft_close)
		tam_nft_close(tam);
	if (tam_event_close)
		tam_event_close(tam);
	tam_ports_close(tam);
	tam_passing_close(tam);
	unshare_memory(tam->shapes, sizeof(*tam->shapes));
	unshare_memory(tam->answer_ports, sizeof(*tam->answer_ports));
	unshare_memory(tam->gates, tam->options.flows * sizeof(*tam->gates));
	unshare_memory((void *)tam->test_time, sizeof(*tam->test_time));
	bpf_object__close(tam->refuse);
	bpf_object__close(tam->passing);
	bpf_object__close(tam->light);
	tam_rules_close(tam);
	tam_flows_close(tam);
	tam_pool_close(&tam->address_pool);
	if (tam->shutdown_fd >= 0)
		close(tam->shutdown_fd);
	pthread_cond_destroy(&tam->left);
	pthread_mutex_destroy(&tam->lock);
	free(tam);
}

int tam_wait_begin(struct tam *tam)
{
	int result = 0;

	pthread_mutex_lock(&tam->lock);
	if (tam->closing)
		result = -ESHUTDOWN;
	else
		tam->waiting++;
	pthread_mutex_unlock(&tam->lock);
	return result;
}

void tam_wait_end(struct tam *tam)
{
	pthread_mutex_lock(&tam->lock);
	if (--tam->waiting == 0)
		pthread_cond_broadcast(&tam->left);
	pthread_mutex_unlock(&tam->lock);
}
