/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <endian.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM (1 << 20)		/* octets of one read */
#define WARM_NANOS 200000000u	/* of a counted stream: TCP's windows open, and a JVM compiles */

/* One stream and what has come of it. */
struct stream {
	int socket;
	uint8_t *room;
	size_t from, to;	/* octets of `room` that have come and are not yet read */
	uint64_t packets;
	uint64_t bad;
	uint64_t octets;	/* since the warm-up, and since when, and until when */
	uint64_t first, begin, last;
	enum kind kind;
};

static sem_t places;

static int write_all(int to, const uint8_t *octets, size_t count)
{
	while (count > 0) {
		ssize_t sent = send(to, octets, count, MSG_NOSIGNAL);

		if (sent < 0)
			return -1;
		octets += sent;
		count -= (size_t)sent;
	}
	return 0;
}

/* Takes the packets that are there as a whole. -1: what comes is no ANEP, or the other end has gone. */
static int take(struct stream *stream)
{
	while (stream->to - stream->from >= 8) {
		const uint8_t *packet = stream->room + stream->from;
		size_t octets = packet_length(packet);
		struct mark mark = {0};

		if (octets == 0)
			return -1;
		if (stream->to - stream->from < octets)
			break;
		if (packet_read(packet, octets, &mark) < 0 || mark.sequence != (uint32_t)stream->packets)
			stream->bad++;
		stream->kind = mark.kind;
		if (mark.kind == KIND_ECHO && write_all(stream->socket, packet, octets) < 0)
			return -1;
		stream->packets++;
		stream->from += octets;
	}
	memmove(stream->room, stream->room + stream->from, stream->to - stream->from);
	stream->to -= stream->from;
	stream->from = 0;
	return 0;
}

/* An ANEP packet with four figures: packets, bad ones, octets and nanoseconds that count. */
static void report(const struct stream *stream)
{
	uint8_t packet[8 + 8 * 4] = {1, 0, TYPE_ID >> 8, TYPE_ID & 0xff, 0, 2, 0, sizeof packet};
	uint64_t figures[4] = {stream->packets, stream->bad, stream->octets, stream->begin == 0 ? 0 : stream->last - stream->begin};

	for (int i = 0; i < 4; i++) {
		figures[i] = htobe64(figures[i]);
		memcpy(packet + 8 + 8 * i, &figures[i], sizeof figures[i]);
	}
	write_all(stream->socket, packet, sizeof packet);
}

static void *serve(void *argument)
{
	struct stream *stream = argument;
	ssize_t got;

	while ((got = recv(stream->socket, stream->room + stream->to, ROOM - stream->to, 0)) > 0) {
		stream->last = now();
		if (stream->first == 0)
			stream->first = stream->last;
		if (stream->begin != 0)
			stream->octets += (uint64_t)got;
		else if (stream->last - stream->first >= WARM_NANOS)
			stream->begin = stream->last;
		stream->to += (size_t)got;
		if (take(stream) < 0)
			break;
	}
	if (got == 0 && stream->kind == KIND_COUNT)
		report(stream);
	close(stream->socket);
	free(stream->room);
	free(stream);
	sem_post(&places);
	return NULL;
}

static int begin(int socket)
{
	struct stream *stream = calloc(1, sizeof *stream);
	pthread_t thread;
	int on = 1;

	if (stream == NULL)
		return -1;
	stream->socket = socket;
	stream->room = malloc(ROOM);
	setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (stream->room == NULL || pthread_create(&thread, NULL, serve, stream) != 0) {
		free(stream->room);
		free(stream);
		return -1;
	}
	pthread_detach(thread);
	return 0;
}

void *tcp_serve(void *socket)
{
	sem_init(&places, 0, SERVER_STREAMS);
	for (;;) {
		int stream;

		while (sem_wait(&places) < 0)
			;
		stream = accept(*(int *)socket, NULL, NULL);
		if (stream < 0 || begin(stream) < 0) {
			if (stream >= 0)
				close(stream);
			sem_post(&places);
		}
	}
	return NULL;
}
