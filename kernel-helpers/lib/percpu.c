/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of maps that have a value for each processor: sums of counters. */
#include "internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int tam_sum_but(struct tam *tam, enum tam_map map, const void *key, uint64_t *sums, uint32_t count, uint32_t largest)
{
	uint64_t *values = malloc((size_t)tam->processors * count * sizeof(*values));
	int result = 0;

	if (!values)
		return -ENOMEM;
	if (bpf_map_lookup_elem(tam->maps[map], key, values)) {
		result = -errno;
	} else {
		memset(sums, 0, count * sizeof(*sums));
		for (size_t at = 0; at < (size_t)tam->processors * count; at++) {
			uint64_t *sum = &sums[at % count];

			if (at % count != largest)
				*sum += values[at];
			else if (values[at] > *sum)
				*sum = values[at];
		}
	}
	free(values);
	return result;
}

int tam_sum(struct tam *tam, enum tam_map map, const void *key, uint64_t *sums, uint32_t count)
{
	return tam_sum_but(tam, map, key, sums, count, TAM_NONE);
}

int tam_clear(struct tam *tam, enum tam_map map, const void *key, uint32_t count)
{
	uint64_t *values = calloc((size_t)tam->processors * count, sizeof(*values));
	int result;

	if (!values)
		return -ENOMEM;
	result = bpf_map_update_elem(tam->maps[map], key, values, BPF_ANY) ? -errno : 0;
	free(values);
	return result;
}

int tam_statistics(struct tam *tam, struct tam_statistics *statistics)
{
	uint32_t zero = 0;

	return tam_sum(tam, TAM_MAP_COUNTS, &zero, (uint64_t *)statistics, sizeof(*statistics) / sizeof(uint64_t));
}
