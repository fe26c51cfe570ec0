/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs eds.h through events from standard input and prints what it decides, for the comparison with the Java reference.
 *
 *   input   little-endian: eds_parameters as 32-bit numbers (limit classes history min max Wlog Plog Scell_log, then classes times delay, loss, then 256 times
 *           damping); then events of 24 octets: kind, class, octets, random, and time in 64 bits. Kind 0 is an arrival, 1 a departure
 *   output  a line an event: the classes that lost (arrival) or the class that sent (departure), octets that wait, the average
 */
#include <stdio.h>
#include <stdlib.h>
#include <linux/types.h>
#include "../eds.h"

#define ROOM (1u << 16)

struct packet { __u32 octets, sequence; __u64 came; };
struct queue { struct packet packets[ROOM]; __u32 first, end; };
struct event { __u32 kind, class, octets, random; __u64 now; };

static struct eds eds;
static struct queue queues[EDS_CLASSES];

static __u32 number(void)
{
	__u32 value;

	if (fread(&value, sizeof(value), 1, stdin) != 1)
		exit(2);
	return value;
}

static void parameters(struct eds_parameters *p)
{
	__u32 i;

	p->limit = number();
	p->classes = number();
	p->history = number();
	p->red.min = number();
	p->red.max = number();
	p->red.weight_log = number();
	p->red.probability_log = number();
	p->red.cell_log = number();
	for (i = 0; i < p->classes && i < EDS_CLASSES; i++) {
		p->delay[i] = number();
		p->loss[i] = number();
	}
	for (i = 0; i < EDS_DAMPING; i++)
		p->red.damping[i] = number();
}

static void arrival(const struct event *event)
{
	struct queue *queue = &queues[event->class];
	__u32 sequence = eds.sequence;
	int over = eds_arrives(&eds, event->class, event->octets, event->now, event->random);

	if (queue->end - queue->first == ROOM)
		exit(3);
	queue->packets[queue->end++ % ROOM] = (struct packet){event->octets, sequence, event->now};
	while (over) {
		__u32 loser = eds_loser(&eds);
		struct packet *tail = &queues[loser].packets[--queues[loser].end % ROOM];

		printf("%u ", loser);
		over = eds_loses(&eds, loser, tail->octets, tail->sequence);
	}
}

static void departure(const struct event *event)
{
	__u32 next = eds_next(&eds, event->now);
	struct queue *queue;
	__u32 octets;

	printf("%u ", next);
	if (next == EDS_NOBODY)
		return;
	queue = &queues[next];
	octets = queue->packets[queue->first++ % ROOM].octets;
	eds_departs(&eds, next, octets, queue->packets[queue->first % ROOM].came, event->now);
}

int main(void)
{
	struct event event;

	parameters(&eds.parameters);
	if (!eds_valid(&eds.parameters)) {
		puts("invalid");
		return 0;
	}
	eds_init(&eds);
	while (fread(&event, sizeof(event), 1, stdin) == 1) {
		if (event.kind)
			departure(&event);
		else
			arrival(&event);
		printf("%llu %llu\n", (unsigned long long)eds.octets, (unsigned long long)eds.average);
	}
	return 0;
}
