/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define STREAMS 32		/* at once */
#define STREAM_ROOM (1 << 20)
#define CONTROL_ROOM 128

static sem_t places;

static int opened(int type, struct sockaddr_in at, int port_after)
{
	int on = 1, buffer = SOCKET_BUFFER;
	int socket_at = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	at.sin_port = htons((uint16_t)(ntohs(at.sin_port) + port_after));
	if (socket_at < 0 || setsockopt(socket_at, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
	    bind(socket_at, (const struct sockaddr *)&at, sizeof at) < 0 || (type == SOCK_STREAM && listen(socket_at, STREAMS) < 0))
		exit(fail("cannot listen"));
	if (type == SOCK_DGRAM &&
	    (setsockopt(socket_at, IPPROTO_IP, IP_RECVTOS, &on, sizeof on) < 0 || setsockopt(socket_at, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0))
		exit(fail("the kernel does not say how datagrams come"));
	if (type == SOCK_DGRAM && setsockopt(socket_at, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) < 0)
		setsockopt(socket_at, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
	return socket_at;
}

/* Reads how a datagram came: its code point and the time at which the kernel had it. */
static void read_control(struct msghdr *header, unsigned *code_point, uint64_t *when)
{
	struct timespec time;

	for (struct cmsghdr *each = CMSG_FIRSTHDR(header); each != NULL; each = CMSG_NXTHDR(header, each)) {
		if (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_TOS) {
			*code_point = *(uint8_t *)CMSG_DATA(each) >> 2;
		} else if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&time, CMSG_DATA(each), sizeof time);
			*when = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
		}
	}
}

static void *datagrams(void *argument)
{
	static uint8_t room[BATCH][DATAGRAM_MOST], control[BATCH][CONTROL_ROOM];
	struct iovec pieces[BATCH];
	struct mmsghdr messages[BATCH];

	for (;;) {
		memset(messages, 0, sizeof messages);
		for (int i = 0; i < BATCH; i++) {
			pieces[i] = (struct iovec){room[i], sizeof room[i]};
			messages[i].msg_hdr = (struct msghdr){.msg_iov = &pieces[i], .msg_iovlen = 1, .msg_control = control[i], .msg_controllen = CONTROL_ROOM};
		}
		int got = recvmmsg(*(int *)argument, messages, BATCH, MSG_WAITFORONE, NULL);
		for (int i = 0; i < got; i++) {
			unsigned code_point = 0;
			uint64_t when = now();

			read_control(&messages[i].msg_hdr, &code_point, &when);
			counts_add(KIND_UDP, code_point, when, messages[i].msg_len, 1);
		}
	}
	return NULL;
}

/* Sends datagrams back as they came, in the class in which they came. */
static void *echo(void *argument)
{
	static uint8_t room[DATAGRAM_MOST];
	uint8_t control[CONTROL_ROOM];

	for (;;) {
		struct sockaddr_in from;
		struct iovec piece = {room, sizeof room};
		struct msghdr header = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control,
					.msg_controllen = sizeof control};
		unsigned code_point = 0;
		uint64_t when;
		int tos;
		ssize_t got = recvmsg(*(int *)argument, &header, 0);

		if (got < 0)
			continue;
		read_control(&header, &code_point, &when);
		tos = (int)(code_point << 2);
		setsockopt(*(int *)argument, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
		sendto(*(int *)argument, room, (size_t)got, 0, (struct sockaddr *)&from, sizeof from);
	}
	return NULL;
}

static void *stream(void *argument)
{
	int from = (int)(intptr_t)argument;
	uint8_t *room = malloc(STREAM_ROOM);
	ssize_t got;
	uint8_t code_point;

	if (room != NULL && recv(from, &code_point, 1, 0) == 1)
		while ((got = recv(from, room, STREAM_ROOM, 0)) > 0)
			counts_add(KIND_TCP, code_point, now(), (uint64_t)got, 1);
	free(room);
	close(from);
	sem_post(&places);
	return NULL;
}

static void *streams(void *argument)
{
	pthread_t thread;

	for (;;) {
		while (sem_wait(&places) < 0)
			;
		int from = accept(*(int *)argument, NULL, NULL);
		if (from < 0 || pthread_create(&thread, NULL, stream, (void *)(intptr_t)from) != 0) {
			if (from >= 0)
				close(from);
			sem_post(&places);
		} else {
			pthread_detach(thread);
		}
	}
	return NULL;
}

int flow_receive(const struct sockaddr_in *at)
{
	static int sockets[3];
	static void *(*const serve[3])(void *) = {datagrams, streams, echo};
	pthread_t thread;
	char line[32];

	sem_init(&places, 0, STREAMS);
	sockets[0] = opened(SOCK_DGRAM, *at, 0);
	sockets[1] = opened(SOCK_STREAM, *at, 0);
	sockets[2] = opened(SOCK_DGRAM, *at, 1);
	counts_begin();
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, serve[i], &sockets[i]) != 0)
			return fail("cannot start a thread");
	printf("READY\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "begin\n") == 0) {
			counts_begin();
			printf("done\n");
		} else if (strcmp(line, "report\n") == 0) {
			counts_print();
		} else {
			printf("unknown\n");
		}
		fflush(stdout);
	}
	/* Whoever started it has gone. */
	return 0;
}
