/* SPDX-License-Identifier: Apache-2.0 */
/* Frames under way, in the order in which they came: all are held for the same time, so the first to come is the first to go. */
#ifndef TAMANOIR_RING_H
#define TAMANOIR_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame {
	uint64_t due;		/* nanoseconds of CLOCK_MONOTONIC at which it goes on */
	uint32_t octets;
	uint32_t to;		/* index of the port that it leaves by */
	uint8_t data[];
};

struct ring {
	uint8_t *frames;
	uint32_t slots;
	uint32_t most;		/* octets of a frame */
	uint32_t first;		/* counts up for ever; the place is the remainder */
	uint32_t next;
};

/* Takes memory for so many frames, a power of two, of so many octets at most; it is touched only as far as it is used. False if there is none. */
bool ring_open(struct ring *ring, uint32_t slots, uint32_t most);

static inline uint32_t ring_step(const struct ring *ring)
{
	return (sizeof(struct frame) + ring->most + 15) & ~15u;
}

static inline uint32_t ring_used(const struct ring *ring)
{
	return ring->next - ring->first;
}

static inline uint32_t ring_free(const struct ring *ring)
{
	return ring->slots - ring_used(ring);
}

/* The frame that is so many places behind the first one, or behind the last one. */
static inline struct frame *ring_at(struct ring *ring, uint32_t number)
{
	return (struct frame *)(ring->frames + (size_t)(number & (ring->slots - 1)) * ring_step(ring));
}

#endif
