/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define CATCH_UP_NANOS 100000000ull	/* what a sender that did not get to run makes good; what is older it leaves out */
#define PIECE (64 << 10)		/* octets in one write to a stream */
#define TRIP_OCTETS 64
#define TRIP_PATIENCE_MICROS 500000

static int opened(int type, unsigned code_point)
{
	int tos = (int)(code_point << 2);
	int socket_to = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (socket_to < 0 || setsockopt(socket_to, IPPROTO_IP, IP_TOS, &tos, sizeof tos) < 0)
		exit(fail("no socket"));
	return socket_to;
}

static void join(int socket_to, const struct sockaddr_in *to)
{
	if (connect(socket_to, (const struct sockaddr *)to, sizeof *to) < 0)
		exit(fail("cannot connect"));
}

int flow_datagrams(const struct sockaddr_in *to, unsigned code_point, double payload, double rate, double seconds)
{
	static uint8_t octets[DATAGRAM_MOST];
	static struct mmsghdr messages[BATCH];
	struct iovec piece = {octets, (size_t)payload};
	double interval = payload * 8e9 / rate;
	uint64_t begin, sent = 0, left_out = 0, due, next;
	int socket_to = opened(SOCK_DGRAM, code_point);

	join(socket_to, to);
	for (int i = 0; i < BATCH; i++)
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &piece, .msg_iovlen = 1};
	begin = now();
	for (next = 0; (double)next * interval < seconds * 1e9;) {
		uint64_t time = now();

		due = (uint64_t)((double)(time - begin) / interval) + 1;
		if ((double)(due - next) * interval > CATCH_UP_NANOS && due - next > 1) {
			left_out += due - next - 1;
			next = due - 1;
		}
		if (due <= next) {
			sleep_until(begin + (uint64_t)((double)next * interval));
			continue;
		}
		int got = sendmmsg(socket_to, messages, (unsigned)(due - next < BATCH ? due - next : BATCH), 0);
		/* The receiver's host may say that nobody listens; that is no reason to stop a load. */
		if (got < 0 && errno != ECONNREFUSED && errno != ENOBUFS)
			return fail("cannot send");
		next += got > 0 ? (uint64_t)got : 1;
		sent += got > 0 ? (uint64_t)got : 0;
	}
	printf("sent %llu octets %llu nanos %llu left-out %llu\n", (unsigned long long)sent, (unsigned long long)(sent * (uint64_t)payload),
	       (unsigned long long)(now() - begin), (unsigned long long)left_out);
	return 0;
}

int flow_stream(const struct sockaddr_in *to, unsigned code_point, const char *control, double seconds)
{
	static uint8_t octets[PIECE];
	struct timeval patience = {.tv_sec = 0, .tv_usec = 100000};
	uint8_t label = (uint8_t)code_point;
	uint64_t begin = now(), sent = 0;
	int socket_to = opened(SOCK_STREAM, code_point);
	struct linger at_once = {.l_onoff = 1, .l_linger = 0};

	if (setsockopt(socket_to, IPPROTO_TCP, TCP_CONGESTION, control, (socklen_t)strlen(control)) < 0)
		return fail("no such congestion control");
	join(socket_to, to);
	if (setsockopt(socket_to, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0 || send(socket_to, &label, 1, MSG_NOSIGNAL) != 1)
		return fail("cannot send");
	while (now() - begin < (uint64_t)(seconds * 1e9)) {
		ssize_t got = send(socket_to, octets, sizeof octets, MSG_NOSIGNAL);

		if (got > 0)
			sent += (uint64_t)got;
		else if (errno != EAGAIN && errno != EINTR)
			return fail("the stream has ended");
	}
	/* What is still in its buffers is not sent: the flow ends now. */
	setsockopt(socket_to, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	close(socket_to);
	printf("sent %llu octets %llu nanos %llu left-out 0\n", (unsigned long long)(sent / PIECE), (unsigned long long)sent,
	       (unsigned long long)(now() - begin));
	return 0;
}

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

int flow_trips(const struct sockaddr_in *to, unsigned code_point, unsigned count, double interval)
{
	struct timeval patience = {.tv_sec = 0, .tv_usec = TRIP_PATIENCE_MICROS};
	uint64_t *trips = calloc(count, sizeof *trips);
	uint8_t octets[TRIP_OCTETS] = {0};
	uint64_t begin = now();
	unsigned came = 0;
	int socket_to = opened(SOCK_DGRAM, code_point);

	join(socket_to, to);
	if (trips == NULL || setsockopt(socket_to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
		return fail("no round trips");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t answer = i + 1;
		uint64_t before;

		sleep_until(begin + (uint64_t)((double)i * interval * 1e9));
		before = now();
		memcpy(octets, &i, sizeof i);
		if (send(socket_to, octets, sizeof octets, 0) < 0 && errno != ECONNREFUSED)
			return fail("cannot send");
		/* An answer that comes after its patience is not that of a later question. */
		while (answer != i && recv(socket_to, octets, sizeof octets, 0) == sizeof octets)
			memcpy(&answer, octets, sizeof answer);
		if (answer == i)
			trips[came++] = now() - before;
	}
	qsort(trips, came, sizeof *trips, compare);
	printf("trips %u lost %u least %llu median %llu p95 %llu greatest %llu\n", came, count - came, (unsigned long long)(came ? trips[0] : 0),
	       (unsigned long long)(came ? trips[came / 2] : 0), (unsigned long long)(came ? trips[came * 95 / 100] : 0),
	       (unsigned long long)(came ? trips[came - 1] : 0));
	return 0;
}
