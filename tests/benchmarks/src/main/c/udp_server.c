/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* One batch of datagrams: received, and those to be echoed sent again from the same memory. */
struct batch {
	uint8_t room[BATCH][PACKET_MOST];
	uint8_t control[BATCH][CMSG_SPACE(sizeof(int))];
	struct sockaddr_in from[BATCH];
	struct iovec parts[BATCH];
	struct mmsghdr in[BATCH];
	struct mmsghdr out[BATCH];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct count counted = {.dscp = -1};
static _Atomic int watching;
static int served;

void udp_counted(struct count *count)
{
	pthread_mutex_lock(&lock);
	*count = counted;
	pthread_mutex_unlock(&lock);
}

void udp_watch_dscp(int on)
{
	pthread_mutex_lock(&lock);
	watching = on;
	counted.dscp = -1;
	setsockopt(served, IPPROTO_IP, IP_RECVTOS, &on, sizeof on);
	pthread_mutex_unlock(&lock);
}

static void look_at_dscp(struct msghdr *message)
{
	for (struct cmsghdr *each = CMSG_FIRSTHDR(message); each != NULL; each = CMSG_NXTHDR(message, each))
		if (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_TOS)
			counted.dscp = *CMSG_DATA(each) >> 2;
}

static void count(const struct mark *mark, size_t octets, uint64_t at)
{
	if (counted.run != mark->run || counted.packets == 0) {
		counted = (struct count){.run = mark->run, .first = at, .bad = counted.bad, .dscp = counted.dscp};
	} else if (mark->sequence < counted.next) {
		counted.disorder++;
	}
	counted.next = mark->sequence < counted.next ? counted.next : mark->sequence + 1;
	counted.packets++;
	counted.octets += octets;
	counted.last = at;
}

static void prepare(struct batch *batch)
{
	for (unsigned i = 0; i < BATCH; i++) {
		batch->parts[i] = (struct iovec){.iov_base = batch->room[i], .iov_len = PACKET_MOST};
		batch->in[i].msg_hdr = (struct msghdr){.msg_iov = &batch->parts[i], .msg_iovlen = 1, .msg_name = &batch->from[i],
						       .msg_namelen = sizeof batch->from[i], .msg_control = watching ? batch->control[i] : NULL,
						       .msg_controllen = watching ? sizeof batch->control[i] : 0};
	}
}

/* Returns how many of the batch are to be echoed. */
static unsigned sort(struct batch *batch, unsigned got)
{
	uint64_t at = now();
	unsigned echoes = 0;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < got; i++) {
		struct mark mark;

		if (packet_read(batch->room[i], batch->in[i].msg_len, &mark) < 0) {
			counted.bad++;
			continue;
		}
		if (watching)
			look_at_dscp(&batch->in[i].msg_hdr);
		if (mark.kind == KIND_COUNT) {
			count(&mark, batch->in[i].msg_len, at);
			continue;
		}
		batch->parts[i].iov_len = batch->in[i].msg_len;
		batch->out[echoes++].msg_hdr = (struct msghdr){.msg_iov = &batch->parts[i], .msg_iovlen = 1, .msg_name = &batch->from[i],
							       .msg_namelen = sizeof batch->from[i]};
	}
	pthread_mutex_unlock(&lock);
	return echoes;
}

void *udp_serve(void *socket)
{
	struct batch *batch = calloc(1, sizeof *batch);

	served = *(int *)socket;
	while (batch != NULL) {
		int got;
		unsigned echoes;

		prepare(batch);
		got = recvmmsg(served, batch->in, BATCH, MSG_WAITFORONE, NULL);
		echoes = got < 0 ? 0 : sort(batch, (unsigned)got);
		for (unsigned done = 0; done < echoes;) {
			int sent = sendmmsg(served, batch->out + done, echoes - done, 0);

			/* What cannot be sent is lost, and the client will say so. */
			done += sent > 0 ? (unsigned)sent : 1;
		}
	}
	fail("no memory for datagrams");
	exit(1);
}
