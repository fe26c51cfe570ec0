/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct count {
	uint64_t packets;
	uint64_t octets;
	uint64_t first;
	uint64_t last;
	unsigned bins;		/* that are in use */
	uint64_t bin[BINS];	/* octets */
};

static struct count counts[KINDS][CODE_POINTS];
static uint64_t origin;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void counts_begin(void)
{
	pthread_mutex_lock(&lock);
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < CODE_POINTS; i++)
			if (counts[kind][i].packets != 0)
				memset(&counts[kind][i], 0, sizeof counts[kind][i]);
	origin = now();
	pthread_mutex_unlock(&lock);
}

void counts_add(enum kind kind, unsigned code_point, uint64_t when, uint64_t octets, uint64_t packets)
{
	struct count *count = &counts[kind][code_point % CODE_POINTS];
	uint64_t since, bin;

	pthread_mutex_lock(&lock);
	/* What came before the beginning, and was only read after it, is not of this count. */
	if (when >= origin) {
		since = when - origin;
		bin = since / BIN_NANOS < BINS ? since / BIN_NANOS : BINS - 1;
		if (count->packets == 0)
			count->first = since;
		count->last = since;
		count->packets += packets;
		count->octets += octets;
		count->bin[bin] += octets;
		if (count->bins <= bin)
			count->bins = (unsigned)bin + 1;
	}
	pthread_mutex_unlock(&lock);
}

static void print(const char *kind, int code_point, const struct count *count)
{
	printf("%s %d packets %llu octets %llu first %llu last %llu bins ", kind, code_point, (unsigned long long)count->packets,
	       (unsigned long long)count->octets, (unsigned long long)count->first, (unsigned long long)count->last);
	for (unsigned i = 0; i < count->bins; i++)
		printf("%s%llu", i == 0 ? "" : ",", (unsigned long long)count->bin[i]);
	printf("\n");
}

void counts_print(void)
{
	pthread_mutex_lock(&lock);
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < CODE_POINTS; i++)
			if (counts[kind][i].packets != 0)
				print(kind == KIND_UDP ? "udp" : "tcp", i, &counts[kind][i]);
	printf("end %llu\n", (unsigned long long)(now() - origin));
	pthread_mutex_unlock(&lock);
}
