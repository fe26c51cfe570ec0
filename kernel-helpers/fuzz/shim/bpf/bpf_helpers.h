/* SPDX-License-Identifier: Apache-2.0 */
/* Stands where the helpers of BPF do when the programs' source is compiled for a process: maps are short lists, searched from the start. */
#ifndef TAMANOIR_SHIM_H
#define TAMANOIR_SHIM_H

#include <stdint.h>
#include <string.h>

#define SEC(name) __attribute__((used))
#define __uint(name, value) int (*name)[value]
#define __type(name, ...) __typeof__(__VA_ARGS__) *name

struct shim_list {
	const void *map;
	uint8_t *keys, *values;
	uint32_t key_size, value_size, count;
};

#define SHIM_LISTS 8
extern struct shim_list shim_lists[SHIM_LISTS];

static inline void *bpf_map_lookup_elem(const void *map, const void *key)
{
	for (int i = 0; i < SHIM_LISTS; i++) {
		struct shim_list *list = &shim_lists[i];

		for (uint32_t at = 0; list->map == map && at < list->count; at++)
			if (!memcmp(list->keys + at * list->key_size, key, list->key_size))
				return list->values + at * list->value_size;
	}
	return NULL;
}

#endif
