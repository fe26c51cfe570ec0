/* SPDX-License-Identifier: Apache-2.0 */
/* Frames under way, in the order in which they came: all are held for the same time, so the first to come is the first to go. */
#ifndef TAMANOIR_RING_H
#define TAMANOIR_RING_H

#include <stdbool.h>
#include <stdint.h>

#define SLOTS 32768u		/* a power of two; 64 MB, touched only as far as it is used */
#define FRAME_MOST 2032		/* octets of a frame, its Ethernet header included */

struct frame {
	uint64_t due;		/* nanoseconds of CLOCK_MONOTONIC at which it goes on */
	uint16_t octets;
	uint16_t to;		/* index of the port that it leaves by */
	uint8_t data[FRAME_MOST];
};

struct ring {
	struct frame *frames;
	uint32_t first;		/* counts up for ever; the place is the remainder */
	uint32_t next;
};

/* Takes the memory. False if there is none. */
bool ring_open(struct ring *ring);

static inline uint32_t ring_used(const struct ring *ring)
{
	return ring->next - ring->first;
}

static inline uint32_t ring_free(const struct ring *ring)
{
	return SLOTS - ring_used(ring);
}

/* The frame that is so many places behind the first one, or behind the last one. */
static inline struct frame *ring_at(struct ring *ring, uint32_t number)
{
	return &ring->frames[number % SLOTS];
}

#endif
