/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static const char usage[] =
	"usage: tamanoir-flow receive ADDRESS PORT\n"
	"       tamanoir-flow datagrams ADDRESS PORT DSCP PAYLOAD BITS_A_SECOND SECONDS\n"
	"       tamanoir-flow stream ADDRESS PORT DSCP CONGESTION_CONTROL SECONDS\n"
	"       tamanoir-flow trips ADDRESS PORT DSCP COUNT INTERVAL\n"
	"\n"
	"receive: counts datagrams and streams at PORT, and sends datagrams back that come to PORT + 1; answers the lines 'begin' (counts from 0 again)\n"
	"and 'report' of its standard input.\n";

uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void sleep_until(uint64_t when)
{
	struct timespec time = {.tv_sec = (time_t)(when / 1000000000u), .tv_nsec = (long)(when % 1000000000u)};

	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

static double number(const char *text, double least, double most)
{
	char *end;
	double value = strtod(text, &end);

	if (*end != 0 || end == text || !(value >= least && value <= most)) {
		fprintf(stderr, "%s is not from %g to %g\n", text, least, most);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	unsigned code_point;

	/* The kernel may otherwise wait 50 us longer than it is told, so that timers meet. */
	prctl(PR_SET_TIMERSLACK, 1);
	if (argc < 4 || inet_pton(AF_INET, argv[2], &address.sin_addr) != 1) {
		fputs(usage, stderr);
		return 2;
	}
	address.sin_port = htons((uint16_t)number(argv[3], 1, UINT16_MAX - 1));
	if (argc == 4 && strcmp(argv[1], "receive") == 0)
		return flow_receive(&address);
	code_point = argc < 5 ? 0 : (unsigned)number(argv[4], 0, CODE_POINTS - 1);
	if (argc == 8 && strcmp(argv[1], "datagrams") == 0)
		return flow_datagrams(&address, code_point, number(argv[5], 16, DATAGRAM_MOST), number(argv[6], 1000, 1e11), number(argv[7], 0.01, 900));
	if (argc == 7 && strcmp(argv[1], "stream") == 0)
		return flow_stream(&address, code_point, argv[5], number(argv[6], 0.01, 900));
	if (argc == 7 && strcmp(argv[1], "trips") == 0)
		return flow_trips(&address, code_point, (unsigned)number(argv[5], 1, 100000), number(argv[6], 0.0001, 10));
	fputs(usage, stderr);
	return 2;
}
