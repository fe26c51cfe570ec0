/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places in arrays that programs read without a lock. A program runs inside an RCU read section, so after a grace period none holds what
 * was found before. membarrier(2) waits for one; a kernel that refuses it (nohz_full) gets a tenth of a second, which no packet takes.
 */
#include "internal.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int tam_pool_open(struct tam_pool *pool, uint32_t places)
{
	pool->free = calloc(places, sizeof(*pool->free));
	pool->retired = calloc(places, sizeof(*pool->retired));
	if (!pool->free || !pool->retired) {
		tam_pool_close(pool);
		return -ENOMEM;
	}
	/* The lowest places are given out first. */
	for (uint32_t i = 0; i < places; i++)
		pool->free[i] = places - 1 - i;
	pool->free_count = places;
	pool->retired_count = 0;
	return 0;
}

void tam_pool_close(struct tam_pool *pool)
{
	free(pool->free);
	free(pool->retired);
	memset(pool, 0, sizeof(*pool));
}

uint32_t tam_pool_get(struct tam_pool *pool)
{
	if (pool->free_count == 0) {
		if (pool->retired_count == 0)
			return TAM_NONE;
		if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
			usleep(100000);
		memcpy(pool->free, pool->retired, pool->retired_count * sizeof(*pool->free));
		pool->free_count = pool->retired_count;
		pool->retired_count = 0;
	}
	return pool->free[--pool->free_count];
}

void tam_pool_retire(struct tam_pool *pool, uint32_t place)
{
	pool->retired[pool->retired_count++] = place;
}
