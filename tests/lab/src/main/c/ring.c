/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"

#include <stddef.h>
#include <sys/mman.h>

bool ring_open(struct ring *ring)
{
	ring->first = ring->next = 0;
	ring->frames = mmap(NULL, SLOTS * sizeof(struct frame), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return ring->frames != MAP_FAILED;
}
