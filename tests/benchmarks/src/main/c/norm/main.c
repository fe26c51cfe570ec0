/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tamanoir-norm send INTERFACE GROUP PORT BITS RECEIVERS FILE
 * tamanoir-norm receive INTERFACE GROUP PORT NODE DIRECTORY NAME
 *
 * One file from one sender to the receivers of a group by NORM (RFC 5740). BITS are of NORM's messages, a second, without the headers of UDP
 * and IP. The sender prints READY and serves repairs until its standard input ends. A receiver prints READY, writes to a file in DIRECTORY,
 * gives it the name NAME there when it has all of it, prints DONE, and ends; or when its standard input ends.
 *
 * Blocks of 64 segments with up to 32 repair segments, of 1,400 octets. Receivers send their NACKs to the sender alone: a network that
 * carries a group from the source to the sites carries nothing the other way. Exit codes: 0 done, 1 failed, 2 usage.
 */
#include "norm.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER (16u << 20)	/* octets */
#define SOCKET_BUFFER (1u << 20)	/* octets; the kernel allows what net.core.rmem_max says */
#define SEGMENT 1400		/* octets: a packet of 1,460 with its headers */
#define BLOCK_DATA 64
#define BLOCK_PARITY 32
#define HOPS 8
#define ROUND_TRIP 0.05		/* seconds, what the sender believes until it has measured: near, so that the first repairs are soon */
#define SENDER_NODE 1

static int usage(void)
{
	fprintf(stderr, "usage: tamanoir-norm send INTERFACE GROUP PORT BITS RECEIVERS FILE\n"
		"       tamanoir-norm receive INTERFACE GROUP PORT NODE DIRECTORY NAME\n");
	return 2;
}

static int failed(const char *what)
{
	fprintf(stderr, "tamanoir-norm: %s\n", what);
	return 1;
}

static norm_handle open_session(norm_handle instance, char **arguments, uint32_t node)
{
	norm_handle session = NormCreateSession(instance, arguments[3], atoi(arguments[4]), node);

	if (session) {
		NormSetMulticastInterface(session, arguments[2]);
		NormSetTTL(session, HOPS);
	}
	return session;
}

/* Waits for an event. False when standard input has ended. */
static bool next_event(norm_handle instance, struct norm_event *event)
{
	struct pollfd ends[] = { { STDIN_FILENO, POLLIN, 0 }, { NormGetDescriptor(instance), POLLIN, 0 } };
	char unread[64];

	for (;;) {
		if (poll(ends, 2, -1) < 0)
			return false;
		if (ends[0].revents && read(STDIN_FILENO, unread, sizeof(unread)) <= 0)
			return false;
		if (ends[1].revents && NormGetNextEvent(instance, event, false))
			return true;
	}
}

static int send_file(norm_handle instance, char **arguments)
{
	norm_handle session = open_session(instance, arguments, SENDER_NODE);
	struct norm_event event;

	if (!session)
		return failed("no session");
	NormSetTxRate(session, atof(arguments[5]));
	NormSetGrttEstimate(session, ROUND_TRIP);
	NormSetGroupSize(session, atoi(arguments[6]));
	if (!NormStartSender(session, getpid() & 0xFFFF, BUFFER, SEGMENT, BLOCK_DATA, BLOCK_PARITY, 0))
		return failed("cannot send");
	if (!NormFileEnqueue(session, arguments[7], NULL, 0))
		return failed("cannot send the file");
	printf("READY\n");
	while (next_event(instance, &event))
		;
	return 0;
}

static int receive_file(norm_handle instance, char **arguments)
{
	norm_handle session = open_session(instance, arguments, atoi(arguments[5]));
	struct norm_event event;
	char path[4096];

	if (!session || !NormSetCacheDirectory(instance, arguments[6]))
		return failed("no session");
	snprintf(path, sizeof(path), "%s/%s", arguments[6], arguments[7]);
	NormSetDefaultUnicastNack(session, true);
	NormSetDefaultSyncPolicy(session, NORM_SYNC_ALL);
	if (!NormStartReceiver(session, BUFFER))
		return failed("cannot receive");
	NormSetRxSocketBuffer(session, SOCKET_BUFFER);
	printf("READY\n");
	while (next_event(instance, &event)) {
		if (event.type == NORM_RX_OBJECT_COMPLETED) {
			if (!NormFileRename(event.object, path))
				return failed("cannot rename the file");
			printf("DONE\n");
			return 0;
		}
	}
	return 0;
}

int main(int count, char **arguments)
{
	norm_handle instance;

	if (count != 8 || (strcmp(arguments[1], "send") && strcmp(arguments[1], "receive")))
		return usage();
	setvbuf(stdout, NULL, _IOLBF, 0);
	instance = NormCreateInstance(false);
	if (!instance)
		return failed("no instance");
	return strcmp(arguments[1], "send") ? receive_file(instance, arguments) : send_file(instance, arguments);
}
