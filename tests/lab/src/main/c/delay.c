/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tamanoir-delay [--aggregates] MICROSECONDS A:B [A:B …]: carries every frame that arrives at interface A to B and back, so many microseconds
 * later. With --aggregates, for interfaces whose offloads are on, a frame is what the kernel hands over at once: up to 64 KB, to be cut or checked
 * later, with the header that says so (PACKET_VNET_HDR, packet(7)) carried beside it.
 * For kernels without netem. Prints "READY", then answers each line "count" on standard input with "count CARRIED DROPPED": frames, of both
 * directions and all pairs. Ends when standard input does, so that it never outlives the program that started it.
 *
 * What is dropped: a frame that is too long, one for which the ring has no room, one that the kernel had no room for before it was read
 * (PACKET_STATISTICS, packet(7)), and one that the other interface does not take. Exit codes: 0 done, 1 failed, 2 usage.
 */
#include "ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORTS_MOST 64
#define BATCH 32		/* frames in one system call */
#define FRAMES 32768u
#define FRAME_MOST 2032u		/* octets, the Ethernet header included */
#define AGGREGATES 4096u
#define AGGREGATE_MOST 65600u		/* the same, and the header of PACKET_VNET_HDR */
#define BUFFER (16 << 20)	/* octets: a tenth of a second without the CPU at a gigabit a second */
#define SECOND 1000000000ull
#define DELAY_MOST 10000000ull	/* microseconds */

static struct ring ring;
static struct pollfd ports[PORTS_MOST + 1];	/* the last one is standard input */
static unsigned int port_count;
static uint64_t delay;		/* nanoseconds */
static uint64_t carried, dropped;
static bool aggregates;

static void fail(const char *what)
{
	fprintf(stderr, "tamanoir-delay: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

static void set(int socket, int level, int option, int value)
{
	if (setsockopt(socket, level, option, &value, sizeof(value)))
		fail("setsockopt");
}

static int open_port(const char *name)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);

	if (fd < 0)
		fail("socket");
	address.sll_ifindex = if_nametoindex(name);
	if (!address.sll_ifindex)
		fail(name);
	set(fd, SOL_SOCKET, SO_RCVBUFFORCE, BUFFER);
	set(fd, SOL_SOCKET, SO_SNDBUFFORCE, BUFFER);
	if (aggregates)
		set(fd, SOL_PACKET, PACKET_VNET_HDR, 1);
	set(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	set(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		fail(name);
	return fd;
}

/* How long ago the kernel took a frame, by the time that it wrote beside it; a clock that was set meanwhile makes it no more than the delay. */
static uint64_t age(struct msghdr *message, uint64_t clock)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);
	struct timespec time;
	uint64_t then;

	if (!control || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_TIMESTAMPNS)
		return 0;
	memcpy(&time, CMSG_DATA(control), sizeof(time));
	then = time.tv_sec * SECOND + time.tv_nsec;
	if (then > clock)
		return 0;
	return clock - then < delay ? clock - then : delay;
}

/* Puts one batch of what has arrived at a port at the end of the ring; where that is full, one frame is read and forgotten. */
static void receive(unsigned int port)
{
	static uint8_t scratch;
	char control[BATCH][CMSG_SPACE(sizeof(struct timespec))];
	struct mmsghdr messages[BATCH];
	struct iovec vectors[BATCH];
	uint32_t room = ring_free(&ring) < BATCH ? ring_free(&ring) : BATCH;
	uint32_t places = room ? room : 1, kept = 0;
	uint64_t clock, monotonic;
	int count;

	memset(messages, 0, sizeof(messages));
	for (uint32_t i = 0; i < places; i++) {
		if (room)
			vectors[i] = (struct iovec){ ring_at(&ring, ring.next + i)->data, ring.most };
		else
			vectors[i] = (struct iovec){ &scratch, sizeof(scratch) };
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &vectors[i], .msg_iovlen = 1,
			.msg_control = control[i], .msg_controllen = sizeof(control[i]) };
	}
	count = recvmmsg(ports[port].fd, messages, places, MSG_DONTWAIT, NULL);
	if (count < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ENETDOWN)
			fail("recvmmsg");
		return;
	}
	if (!room) {
		dropped += count;
		return;
	}
	clock = now(CLOCK_REALTIME);
	monotonic = now(CLOCK_MONOTONIC);
	for (int i = 0; i < count; i++) {
		struct frame *frame = ring_at(&ring, ring.next + i);

		/* A frame that is too long stays in its place, with nothing to send. */
		frame->octets = messages[i].msg_hdr.msg_flags & MSG_TRUNC ? 0 : messages[i].msg_len;
		frame->to = port ^ 1;
		frame->due = monotonic + delay - age(&messages[i].msg_hdr, clock);
		kept++;
	}
	ring.next += kept;
}

/* Sends the frames at the beginning of the ring that are due and leave by the same port as the first. False if there are none. */
static bool send_due(void)
{
	struct mmsghdr messages[BATCH];
	struct iovec vectors[BATCH];
	uint64_t monotonic = now(CLOCK_MONOTONIC);
	uint32_t count = 0;
	int sent;

	memset(messages, 0, sizeof(messages));
	for (; count < BATCH && count < ring_used(&ring); count++) {
		struct frame *frame = ring_at(&ring, ring.first + count);

		if (frame->due > monotonic || !frame->octets || frame->to != ring_at(&ring, ring.first)->to)
			break;
		vectors[count] = (struct iovec){ frame->data, frame->octets };
		messages[count].msg_hdr = (struct msghdr){ .msg_iov = &vectors[count], .msg_iovlen = 1 };
	}
	if (!count) {
		if (!ring_used(&ring) || ring_at(&ring, ring.first)->octets)
			return false;
		dropped++;
		ring.first++;
		return true;
	}
	sent = sendmmsg(ports[ring_at(&ring, ring.first)->to].fd, messages, count, 0);
	if (sent <= 0) {
		/* The first of them cannot be sent: the interface is down, or has no room. */
		dropped++;
		ring.first++;
		return true;
	}
	carried += sent;
	ring.first += sent;
	return true;
}

static void add_kernel_drops(void)
{
	for (unsigned int i = 0; i < port_count; i++) {
		struct tpacket_stats statistics;
		socklen_t length = sizeof(statistics);

		/* Reading sets it to zero. */
		if (!getsockopt(ports[i].fd, SOL_PACKET, PACKET_STATISTICS, &statistics, &length))
			dropped += statistics.tp_drops;
	}
}

/* False when nobody listens any more. */
static bool answer(void)
{
	char line[64];
	ssize_t octets = read(STDIN_FILENO, line, sizeof(line));

	if (octets <= 0)
		return octets < 0 && errno == EINTR;
	add_kernel_drops();
	printf("count %llu %llu\n", (unsigned long long)carried, (unsigned long long)dropped);
	return true;
}

static void run(void)
{
	for (;;) {
		struct timespec wait = { 0, 0 };
		bool waits = ring_used(&ring);

		if (waits) {
			uint64_t monotonic = now(CLOCK_MONOTONIC), due = ring_at(&ring, ring.first)->due;

			wait.tv_sec = due > monotonic ? (due - monotonic) / SECOND : 0;
			wait.tv_nsec = due > monotonic ? (due - monotonic) % SECOND : 0;
		}
		if (ppoll(ports, port_count + 1, waits ? &wait : NULL, NULL) < 0 && errno != EINTR)
			fail("ppoll");
		for (unsigned int i = 0; i < port_count; i++)
			if (ports[i].revents & POLLIN)
				receive(i);
		while (send_due())
			;
		if (ports[port_count].revents && !answer())
			return;
	}
}

int main(int count, char **arguments)
{
	/* A wire does not wait for a CPU. Where that is not allowed the delay is as exact as the scheduler lets it be. */
	struct sched_param priority = { .sched_priority = 1 };
	uint64_t micros;

	if (count > 1 && !strcmp(arguments[1], "--aggregates")) {
		aggregates = true;
		arguments++;
		count--;
	}
	micros = count > 2 ? strtoull(arguments[1], NULL, 10) : 0;
	if (count < 3 || count - 2 > PORTS_MOST / 2 || micros > DELAY_MOST) {
		fprintf(stderr, "usage: tamanoir-delay [--aggregates] MICROSECONDS A:B [A:B …]\n");
		return 2;
	}
	delay = micros * 1000;
	for (int i = 2; i < count; i++) {
		char *colon = strchr(arguments[i], ':');

		if (!colon)
			return 2;
		*colon = 0;
		ports[port_count++] = (struct pollfd){ open_port(arguments[i]), POLLIN, 0 };
		ports[port_count++] = (struct pollfd){ open_port(colon + 1), POLLIN, 0 };
	}
	ports[port_count] = (struct pollfd){ STDIN_FILENO, POLLIN, 0 };
	if (!(aggregates ? ring_open(&ring, AGGREGATES, AGGREGATE_MOST) : ring_open(&ring, FRAMES, FRAME_MOST)))
		fail("mmap");
	setvbuf(stdout, NULL, _IOLBF, 0);
	sched_setscheduler(0, SCHED_RR, &priority);
	printf("READY\n");
	run();
	return 0;
}
