/* SPDX-License-Identifier: Apache-2.0 */
/* Datagram sockets over loopback: what was sent arrives with what IP said of it, and nothing is written beyond its room. */
#include "common.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define STRIDE 100
#define COUNT 70 /* more than one system call takes */
#define SECOND 1000000000LL
#define CANARY 0x5a

static uint8_t octets[(COUNT + 1) * STRIDE];
static struct tam_datagram datagrams[COUNT];

static int open_at(const char *text, uint16_t *port)
{
	uint8_t address[16];
	int fd;

	address_of(address, text);
	fd = tam_datagram_open(address, 0, port);
	check(fd >= 0, "%s: %s", text, strerror(-fd));
	return fd;
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

static void wait_for(int waker, int fd)
{
	check_equal(tam_datagram_wait(waker, &fd, 1, SECOND), 0, "waiting");
}

/* To `to`, at a socket that is bound to `bound`. */
static void there(int waker, const char *bound, const char *to)
{
	uint16_t port = 0, own = 0;
	int receiver = open_at(bound, &port), sender = open_at(to, &own), count = 0;
	int64_t before = now();

	memset(datagrams, 0, sizeof(datagrams));
	for (int i = 0; i < COUNT; i++) {
		address_of(datagrams[i].address, to);
		datagrams[i].port = port;
		datagrams[i].tos = (uint8_t)(i << 2);
		datagrams[i].length = 10 + i;
		octets[i * STRIDE] = (uint8_t)i;
	}
	datagrams[1].length = 0;
	datagrams[2].length = STRIDE + 1;
	check_equal(tam_datagram_send(sender, datagrams, octets, STRIDE, COUNT, 2), COUNT - 2, "sent");
	check_equal(datagrams[1].time, 0, "the time of what is passed over");
	check_equal(datagrams[2].time, 0, "the time of what is longer than its room");
	check(datagrams[3].time >= before && datagrams[3].time <= now(), "the time of sending");
	while (count < COUNT - 2) {
		int more;

		wait_for(waker, receiver);
		memset(octets, CANARY, sizeof(octets));
		more = tam_datagram_receive(receiver, datagrams, octets, STRIDE, 20);
		check(more > 0 && more <= 20, "%s to %s: %d of %d came, then %d", to, bound, count, COUNT - 2, more);
		check_equal(octets[20 * STRIDE], CANARY, "behind the last room");
		for (int i = 0; i < more; i++, count++) {
			int number = octets[i * STRIDE];

			check_equal(datagrams[i].length, 10 + number, "length");
			check_equal(datagrams[i].tos, (uint8_t)(number << 2), "tos");
			check_equal(datagrams[i].ttl, 64, "ttl");
			check_equal(datagrams[i].port, own, "port");
			check_equal(datagrams[i].cut, 0, "cut");
			check_equal(datagrams[i].knows, TAM_KNOWS_TOS | TAM_KNOWS_TTL | TAM_KNOWS_TIME, "what is known");
			check(datagrams[i].time >= before && datagrams[i].time <= now(), "the time of arrival");
			check(!memcmp(datagrams[i].address, datagrams[i].local, 16), "of one host and not to the same address");
		}
	}
	/* Back to where it came from, from the address that it was sent to; and once from one that is not the host's. */
	check_equal(tam_datagram_send(receiver, datagrams, octets, STRIDE, 1, -1), 1, "answered");
	datagrams[0].local[15] ^= 0x80;
	datagrams[0].local[1] = 0x20;
	if (strchr(to, ':'))
		check_equal(tam_datagram_send(receiver, datagrams, octets, STRIDE, 1, -1), 0, "sent from a stranger's address");
	wait_for(waker, sender);
	check_equal(tam_datagram_receive(sender, datagrams, octets, STRIDE, COUNT), 1, "answers");
	tam_datagram_close(sender);
	tam_datagram_close(receiver);
}

int main(void)
{
	uint16_t port = 0;
	int64_t error = -1;
	int waker = tam_datagram_waker(), first = open_at("127.0.0.1", &port);
	uint8_t address[16];

	there(waker, "127.0.0.1", "127.0.0.1");
	there(waker, "::", "127.0.0.1");
	there(waker, "::", "::1");
	there(waker, "::1", "::1");
	address_of(address, "127.0.0.1");
	check_equal(tam_datagram_open(address, 0, &port), -EADDRINUSE, "the same port again");
	check_equal(tam_datagram_receive(first, datagrams, octets, STRIDE, COUNT), 0, "nothing there");
	check_equal(tam_datagram_wait(waker, &first, 1, -1), -EINVAL, "a wait of less than nothing");
	check_equal(tam_datagram_wait(waker, &first, 31, 0), -EINVAL, "too many to wait for");
	check_equal(tam_datagram_wake(waker), 0, "waking");
	check_equal(tam_datagram_wait(waker, &first, 1, 3600 * SECOND), 0, "woken");
	check(tam_clock_quality(&error) >= 0 && error >= 0, "an error of %lld", (long long)error);
	tam_datagram_close(first);
	tam_datagram_close(waker);
	return 0;
}
