/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <endian.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define BLOCK (256 << 10)	/* octets of one write, about */
#define WAIT_SECONDS 5		/* for any octet, until the stream counts as dead */

static int connected(const struct run *run)
{
	struct timeval patience = {.tv_sec = WAIT_SECONDS};
	int on = 1;
	int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (to < 0 || setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
	    setsockopt(to, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0 ||
	    setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0 ||
	    connect(to, (const struct sockaddr *)&run->entry, sizeof run->entry) < 0) {
		fail("cannot connect");
		exit(1);
	}
	return to;
}

static void write_all(int to, const uint8_t *octets, size_t count)
{
	while (count > 0) {
		ssize_t sent = send(to, octets, count, MSG_NOSIGNAL);

		if (sent < 0) {
			fail("the stream ended while it was written");
			exit(1);
		}
		octets += sent;
		count -= (size_t)sent;
	}
}

static void read_all(int from, uint8_t *octets, size_t count)
{
	while (count > 0) {
		ssize_t got = recv(from, octets, count, 0);

		if (got <= 0) {
			errno = got == 0 ? ECONNRESET : errno;
			fail("the stream ended before the answer came");
			exit(1);
		}
		octets += got;
		count -= (size_t)got;
	}
}

/* Reads one packet and says what is wrong with it, if something is. Its length is in *octets. */
static void read_packet(int from, uint8_t *packet, size_t *octets)
{
	read_all(from, packet, 8);
	*octets = packet_length(packet);
	if (*octets == 0 || *octets > PACKET_MOST) {
		fprintf(stderr, "an answer is no ANEP packet\n");
		exit(1);
	}
	read_all(from, packet + 8, *octets - 8);
}

/* One packet there and back; nanoseconds. TCP loses nothing: another answer than the right one ends the run. */
static uint64_t ask(int to, const struct run *run, uint8_t *packet, uint32_t sequence)
{
	static uint8_t answer[UINT16_MAX + 1];
	uint64_t before, after;
	struct mark mark;
	size_t octets;

	packet_number(packet, sequence);
	before = now();
	write_all(to, packet, run->shape.octets);
	read_packet(to, answer, &octets);
	after = now();
	if (packet_read(answer, octets, &mark) < 0 || mark.run != run->shape.run || mark.sequence != sequence ||
	    (run->intact && !packet_intact(answer, octets))) {
		fprintf(stderr, "the answer to packet %u is another one\n", sequence);
		exit(1);
	}
	return after - before;
}

int tcp_trip(const struct run *run)
{
	uint8_t *packet = malloc(PACKET_MOST);
	int to = connected(run);
	struct times times;
	uint32_t sequence = 0;
	uint64_t begin, end;

	times_begin(&times);
	packet_make(packet, &run->shape, 0, 0);
	ask(to, run, packet, sequence++);
	packet_make(packet, &run->shape, 0, 1);
	begin = now() + run->warm;
	end = begin + run->nanos;
	while (now() < begin)
		ask(to, run, packet, sequence++);
	while (times_add(&times, ask(to, run, packet, sequence++)) && now() < end)
		;
	close(to);
	printf("trip echoed %zu nanos %llu lost 0 late 0 stray 0 wrong-way 0", times.count, (unsigned long long)(now() - begin));
	printf(" p50 %u", times_part(&times, 0.5));
	printf(" p99 %u\n", times_part(&times, 0.99));
	return 0;
}

static uint64_t report_figure(const uint8_t *report, int which)
{
	uint64_t figure;

	memcpy(&figure, report + 8 + 8 * which, sizeof figure);
	return be64toh(figure);
}

int tcp_blast(const struct run *run)
{
	static uint8_t report[UINT16_MAX + 1];
	size_t most = BLOCK / run->shape.octets > 0 ? BLOCK / run->shape.octets : 1;
	uint8_t *block = malloc(most * run->shape.octets);
	int to = connected(run);
	uint32_t sequence = 0;
	uint64_t begin, end, cpu;
	size_t octets;

	packet_make(block, &run->shape, sequence++, 0);
	write_all(to, block, run->shape.octets);
	for (size_t i = 0; i < most; i++)
		packet_make(block + i * run->shape.octets, &run->shape, 0, 1);
	cpu = busy();
	begin = now();
	end = begin + run->warm + run->nanos;
	while (now() < end) {
		for (size_t i = 0; i < most; i++)
			packet_number(block + i * run->shape.octets, sequence++);
		write_all(to, block, most * run->shape.octets);
	}
	shutdown(to, SHUT_WR);
	read_packet(to, report, &octets);
	if (octets != 8 + 8 * 4 || report_figure(report, 0) != sequence || report_figure(report, 1) != 0) {
		fprintf(stderr, "sent %u packets, %llu arrived, %llu of them not as they were sent\n", sequence,
			(unsigned long long)report_figure(report, 0), (unsigned long long)report_figure(report, 1));
		return 1;
	}
	/* Counted where they arrive, from the end of the warm-up to the last octet. */
	printf("blast all %u cpu %llu octets %llu nanos %llu\n", sequence, (unsigned long long)(busy() - cpu),
	       (unsigned long long)report_figure(report, 2), (unsigned long long)report_figure(report, 3));
	return 0;
}
