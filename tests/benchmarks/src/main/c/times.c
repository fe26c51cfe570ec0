/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t busy(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void times_begin(struct times *times)
{
	times->count = 0;
	times->nanos = malloc(TIMES_MOST * sizeof *times->nanos);
	if (times->nanos == NULL)
		exit(fail("no memory for the times"));
	/* Touched now: a page fault in the middle would be measured. */
	memset(times->nanos, 1, TIMES_MOST * sizeof *times->nanos);
}

int times_add(struct times *times, uint64_t nanos)
{
	if (times->count == TIMES_MOST)
		return 0;
	times->nanos[times->count++] = nanos > UINT32_MAX ? UINT32_MAX : (uint32_t)nanos;
	return 1;
}

static int compare(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one;
	uint32_t b = *(const uint32_t *)other;

	return a < b ? -1 : a > b;
}

uint32_t times_part(struct times *times, double part)
{
	size_t at = (size_t)(part * (double)times->count);

	if (times->count == 0)
		return 0;
	qsort(times->nanos, times->count, sizeof *times->nanos, compare);
	return times->nanos[at < times->count ? at : times->count - 1];
}

int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}
