/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define ADDED 64	/* octets of options that a node on the way may have added to a packet */
#define OPENING 50	/* packets, one by one, until the way must be open */

/* What came back. */
struct answers {
	uint64_t echoed;
	uint64_t lost;		/* not answered in time */
	uint64_t late;		/* come when they counted as lost, or doubled */
	uint64_t stray;		/* of another run, or not as sent */
	uint64_t wrong_way;	/* whose hops say that they came another way than the one that is measured */
};

static int connected(const struct run *run)
{
	struct timeval patience = {.tv_sec = 0, .tv_usec = PATIENCE_MILLIS * 1000};
	int buffer = SOCKET_BUFFER;
	int to = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (to < 0 || connect(to, (const struct sockaddr *)&run->entry, sizeof run->entry) < 0 ||
	    setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0) {
		fail("no socket for datagrams");
		exit(1);
	}
	/* More than the system's limit, if this process may. */
	if (setsockopt(to, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) < 0)
		setsockopt(to, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
	return to;
}

/* Looks at an answer. Returns whether it is one of this run; its number is in *sequence. */
static int good(const struct run *run, const uint8_t *packet, size_t octets, struct answers *answers, uint64_t *sequence)
{
	struct mark mark;

	if (octets < run->shape.octets || octets > run->shape.octets + ADDED || packet_read(packet, octets, &mark) < 0 || mark.run != run->shape.run ||
	    (run->intact && !packet_intact(packet, octets))) {
		answers->stray++;
		return 0;
	}
	if (run->hops >= 0 && packet_hops(packet, octets) != run->hops)
		answers->wrong_way++;
	*sequence = mark.sequence;
	return 1;
}

static int late(uint64_t number, uint32_t sequence, struct answers *answers)
{
	answers->late += number != sequence;
	return number != sequence;
}

/* One packet and its answer. Returns its time in nanoseconds; 0: no answer came. */
static uint64_t ask(int to, const struct run *run, uint8_t *packet, uint32_t sequence, struct answers *answers)
{
	static uint8_t answer[PACKET_MOST];
	uint64_t before = now();
	uint64_t number;
	ssize_t got;

	packet_number(packet, sequence);
	if (send(to, packet, run->shape.octets, 0) < 0 && errno != ECONNREFUSED) {
		fail("cannot send");
		exit(1);
	}
	do {
		got = recv(to, answer, sizeof answer, 0);
		if (got < 0) {
			answers->lost++;
			return 0;
		}
	} while (!good(run, answer, (size_t)got, answers, &number) || late(number, sequence, answers));
	answers->echoed++;
	return now() - before;
}

/* Sends packets one by one until several in a row are answered: a node then knows the stream, and the kernel its flow. */
static uint32_t open_way(int to, const struct run *run, uint8_t *packet)
{
	struct answers answers = {0};
	uint32_t sequence = 0;

	for (int good_ones = 0; good_ones < 5; sequence++) {
		if (sequence == OPENING) {
			fprintf(stderr, "no way: %llu of %d packets were not answered\n", (unsigned long long)answers.lost, OPENING);
			exit(1);
		}
		good_ones = ask(to, run, packet, sequence, &answers) == 0 ? 0 : good_ones + 1;
	}
	return sequence;
}

static int report(const char *what, const struct run *run, const struct answers *answers, uint64_t nanos)
{
	if (answers->lost > LOST_MOST * (uint64_t)run->window || answers->echoed == 0) {
		fprintf(stderr, "%llu packets lost, %llu echoed\n", (unsigned long long)answers->lost, (unsigned long long)answers->echoed);
		return 1;
	}
	printf("%s echoed %llu nanos %llu lost %llu late %llu stray %llu wrong-way %llu", what, (unsigned long long)answers->echoed,
	       (unsigned long long)nanos, (unsigned long long)answers->lost, (unsigned long long)answers->late, (unsigned long long)answers->stray,
	       (unsigned long long)answers->wrong_way);
	return 0;
}

int udp_trip(const struct run *run)
{
	uint8_t *packet = malloc(PACKET_MOST);
	int to = connected(run);
	struct answers answers = {0};
	struct times times;
	uint64_t begin, end, time;
	uint32_t sequence;

	times_begin(&times);
	packet_make(packet, &run->shape, 0, 0);
	sequence = open_way(to, run, packet);
	begin = now() + run->warm;
	end = begin + run->nanos;
	while (now() < begin)
		ask(to, run, packet, sequence++, &answers);
	answers = (struct answers){0};
	do {
		time = ask(to, run, packet, sequence++, &answers);
		if (answers.lost > LOST_MOST)
			break;
	} while ((time == 0 || times_add(&times, time)) && now() < end);
	if (report("trip", run, &answers, now() - begin))
		return 1;
	printf(" p50 %u", times_part(&times, 0.5));
	printf(" p99 %u\n", times_part(&times, 0.99));
	return 0;
}

/* Packets under way, each in the place of its number modulo WINDOW_MOST. */
struct window {
	uint8_t *packets;	/* BATCH of them */
	uint64_t under_way[WINDOW_MOST];	/* number + 1, or 0 */
	unsigned count;
	uint64_t next;
};

/* Puts a packet among those under way. One that so many have overtaken is lost. */
static void put_under_way(struct window *window, uint64_t number, struct answers *answers)
{
	if (window->under_way[number % WINDOW_MOST] != 0) {
		answers->lost++;
		window->count--;
	}
	window->under_way[number % WINDOW_MOST] = number + 1;
}

static void send_batch(int to, const struct run *run, struct window *window, unsigned count, struct answers *answers)
{
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];
	unsigned done = 0;

	memset(messages, 0, sizeof messages);
	for (unsigned i = 0; i < count; i++) {
		uint8_t *packet = window->packets + i * run->shape.octets;

		packet_number(packet, (uint32_t)(window->next + i));
		if (run->shape.kind == KIND_ECHO)
			put_under_way(window, window->next + i, answers);
		parts[i] = (struct iovec){.iov_base = packet, .iov_len = run->shape.octets};
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	while (done < count) {
		int sent = sendmmsg(to, messages + done, count - done, 0);

		if (sent < 0 && errno != ENOBUFS && errno != ECONNREFUSED) {
			fail("cannot send");
			exit(1);
		}
		done += sent > 0 ? (unsigned)sent : 0;
	}
	window->next += count;
	window->count += count;
}

/* Waits for answers and takes what is there, up to BATCH. Returns how many packets are under way no more. */
static void take_batch(int to, const struct run *run, struct window *window, struct answers *answers)
{
	static uint8_t room[BATCH][PACKET_MOST];
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];
	int got;

	memset(messages, 0, sizeof messages);
	for (unsigned i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){.iov_base = room[i], .iov_len = PACKET_MOST};
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	got = recvmmsg(to, messages, BATCH, MSG_WAITFORONE, NULL);
	if (got < 0) {
		answers->lost += window->count;
		window->count = 0;
		memset(window->under_way, 0, sizeof window->under_way);
		return;
	}
	for (int i = 0; i < got; i++) {
		uint64_t number;

		if (!good(run, room[i], messages[i].msg_len, answers, &number))
			continue;
		if (window->under_way[number % WINDOW_MOST] != number + 1) {
			answers->late++;
			continue;
		}
		window->under_way[number % WINDOW_MOST] = 0;
		window->count--;
		answers->echoed++;
	}
}

static void begin_window(const struct run *run, struct window *window, uint64_t next)
{
	memset(window, 0, sizeof *window);
	window->next = next;
	window->packets = malloc(BATCH * run->shape.octets);
	for (unsigned i = 0; i < BATCH; i++)
		packet_make(window->packets + i * run->shape.octets, &run->shape, 0, 0);
}

int udp_window(const struct run *run)
{
	static struct window window;
	int to = connected(run);
	struct answers answers = {0};
	uint64_t begin = 0, end = 0, at = 0, warm_echoes = 0, cpu;
	uint8_t *packet = malloc(PACKET_MOST);

	packet_make(packet, &run->shape, 0, 0);
	begin_window(run, &window, open_way(to, run, packet));
	cpu = busy();
	begin = now() + run->warm;
	end = begin + run->nanos;
	for (int warm = 1; (at = now()) < end && answers.lost <= LOST_MOST * (uint64_t)run->window;) {
		if (warm && at >= begin) {
			warm = 0;
			begin = at;
			warm_echoes = answers.echoed;
			answers = (struct answers){0};
		}
		while (window.count < run->window)
			send_batch(to, run, &window, run->window - window.count < BATCH ? run->window - window.count : BATCH, &answers);
		take_batch(to, run, &window, &answers);
	}
	if (report("window", run, &answers, at - begin))
		return 1;
	printf(" all %llu cpu %llu\n", (unsigned long long)(answers.echoed + warm_echoes), (unsigned long long)(busy() - cpu));
	return 0;
}

int udp_blast(const struct run *run)
{
	static struct window window;
	int to = connected(run);
	struct run opening = *run;
	uint8_t *packet = malloc(PACKET_MOST);
	uint64_t begin, end, cpu;

	opening.shape.kind = KIND_ECHO;
	packet_make(packet, &opening.shape, 0, 0);
	open_way(to, &opening, packet);
	begin_window(run, &window, 0);
	cpu = busy();
	begin = now();
	end = begin + run->nanos;
	while (now() < end)
		send_batch(to, run, &window, BATCH, NULL);
	printf("blast sent %llu nanos %llu cpu %llu\n", (unsigned long long)window.next, (unsigned long long)(now() - begin),
	       (unsigned long long)(busy() - cpu));
	return 0;
}

int udp_pace(const struct run *run)
{
	int to = connected(run);
	uint8_t *packet = malloc(PACKET_MOST);
	uint64_t begin = now();
	uint64_t before = begin;
	uint64_t sent = 0;

	if (run->shape.octets < PACKET_LEAST + 2 * sizeof(uint32_t)) {
		fprintf(stderr, "no room for the time of the packet before\n");
		return 2;
	}
	/* Otherwise a sleep may be 50 microseconds longer: prctl(2). Who sleeps is woken soon on a busy machine, who waits busily is not. */
	prctl(PR_SET_TIMERSLACK, 1);
	packet_make(packet, &run->shape, 0, 0);
	for (uint64_t at = begin; at < begin + run->nanos; at = now()) {
		struct timespec pause = {.tv_nsec = PACE_NANOS};

		packet_number(packet, (uint32_t)at);
		packet_note(packet, (uint32_t)before);
		if (send(to, packet, run->shape.octets, 0) < 0 && errno != ENOBUFS && errno != ECONNREFUSED)
			return fail("cannot send");
		sent++;
		before = at;
		nanosleep(&pause, NULL);
	}
	printf("pace sent %llu nanos %llu\n", (unsigned long long)sent, (unsigned long long)(now() - begin));
	return 0;
}
