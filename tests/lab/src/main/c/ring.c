/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"

#include <sys/mman.h>

bool ring_open(struct ring *ring, uint32_t slots, uint32_t most)
{
	*ring = (struct ring){ .slots = slots, .most = most };
	ring->frames = mmap(NULL, (size_t)slots * ring_step(ring), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return ring->frames != MAP_FAILED;
}
