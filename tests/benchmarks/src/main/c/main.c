/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char usage[] =
	"usage: tamanoir-load serve ADDRESS PORT\n"
	"       tamanoir-load CASE ENTRY PORT DESTINATION OCTETS SECONDS WARM HOPS WINDOW echo|check [TYPE SESSION]\n"
	"\n"
	"serve: echoes and counts datagrams and streams; answers each line 'count', 'dscp on' and 'dscp off' of its standard input by one.\n"
	"CASE is udp-trip, udp-window, udp-blast, udp-pace, tcp-trip or tcp-blast; packets for DESTINATION are sent to ENTRY:PORT. OCTETS of a packet\n"
	"(64 to 65000), SECONDS that count and WARM before them, HOPS that an answer must have (-1: any), WINDOW packets under way (1 to 1024);\n"
	"check compares each octet of each answer. TYPE: the Type ID, preset 0x5500; SESSION: a hexadecimal code, 0 for none.\n";

static int numbered(const char *text, double least, double most, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (*end != 0 || end == text || !(*value >= least && *value <= most)) {
		fprintf(stderr, "%s is not from %g to %g\n", text, least, most);
		return -1;
	}
	return 0;
}

static int listening(int type, const struct sockaddr_in *address)
{
	int on = 1;
	int buffer = SOCKET_BUFFER;
	int at = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (at < 0 || setsockopt(at, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
	    bind(at, (const struct sockaddr *)address, sizeof *address) < 0 || (type == SOCK_STREAM && listen(at, SERVER_STREAMS) < 0))
		exit(fail("cannot listen"));
	if (type == SOCK_DGRAM && setsockopt(at, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) < 0)
		setsockopt(at, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
	return at;
}

static void print_count(void)
{
	struct count count;

	udp_counted(&count);
	printf("count run %u packets %llu octets %llu nanos %llu disorder %llu bad %llu dscp %d cpu %llu\n", count.run,
	       (unsigned long long)count.packets,
	       (unsigned long long)count.octets, (unsigned long long)(count.last - count.first), (unsigned long long)count.disorder,
	       (unsigned long long)count.bad, count.dscp,
	       (unsigned long long)busy());
}

static int serve(const struct sockaddr_in *address)
{
	static int datagrams, streams;
	pthread_t one, other;
	char line[32];

	datagrams = listening(SOCK_DGRAM, address);
	streams = listening(SOCK_STREAM, address);
	if (pthread_create(&one, NULL, udp_serve, &datagrams) != 0 || pthread_create(&other, NULL, tcp_serve, &streams) != 0)
		return fail("cannot start a thread");
	printf("READY\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "count\n") == 0) {
			print_count();
		} else if (strcmp(line, "dscp on\n") == 0 || strcmp(line, "dscp off\n") == 0) {
			udp_watch_dscp(strcmp(line, "dscp on\n") == 0);
			printf("done\n");
		} else {
			printf("unknown\n");
		}
		fflush(stdout);
	}
	/* Whoever started it has gone. */
	return 0;
}

static int address_of(const char *host, const char *port, struct sockaddr_in *address)
{
	double number;

	*address = (struct sockaddr_in){.sin_family = AF_INET};
	if (numbered(port, 1, UINT16_MAX, &number) < 0)
		return -1;
	address->sin_port = htons((uint16_t)number);
	if (inet_pton(AF_INET, host, &address->sin_addr) != 1) {
		fprintf(stderr, "%s is no IPv4 address\n", host);
		return -1;
	}
	return 0;
}

/* The Type ID and the code of a session. */
static int read_flow(char **argv, struct shape *shape)
{
	double type;
	char *end;

	if (numbered(argv[0], 1, UINT16_MAX, &type) < 0)
		return -1;
	shape->type = (uint16_t)type;
	errno = 0;
	shape->session = strtoull(argv[1], &end, 16);
	if (errno != 0 || *end != 0 || end == argv[1]) {
		fprintf(stderr, "%s is no code of a session\n", argv[1]);
		return -1;
	}
	if (shape->session != 0 && shape->octets < SESSION_LEAST) {
		fprintf(stderr, "a packet with a session has %d octets or more\n", SESSION_LEAST);
		return -1;
	}
	return 0;
}

static int read_run(char **argv, struct run *run)
{
	double octets, seconds, warm, hops, window;

	if (address_of(argv[0], argv[1], &run->entry) < 0 || inet_pton(AF_INET, argv[2], &run->shape.destination) != 1 ||
	    numbered(argv[3], PACKET_LEAST, PACKET_MOST, &octets) < 0 || numbered(argv[4], 0.01, 60, &seconds) < 0 ||
	    numbered(argv[5], 0, 60, &warm) < 0 || numbered(argv[6], -1, 255, &hops) < 0 ||
	    numbered(argv[7], 1, WINDOW_MOST, &window) < 0 || (strcmp(argv[8], "echo") != 0 && strcmp(argv[8], "check") != 0))
		return -1;
	run->shape.octets = (size_t)octets;
	run->nanos = (uint64_t)(seconds * 1e9);
	run->warm = (uint64_t)(warm * 1e9);
	run->hops = (int)hops;
	run->window = (unsigned)window;
	run->intact = strcmp(argv[8], "check") == 0;
	/* No two runs alike: of one machine they differ in their time, and of one time in their process. */
	run->shape.run = ((uint32_t)(now() >> 20) ^ (uint32_t)getpid() << 10) & 0xffffff;
	run->shape.run += run->shape.run == 0;
	run->shape.stream = run->shape.run;
	run->shape.port = ntohs(run->entry.sin_port);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(const struct run *);
		enum kind kind;
	} cases[] = {
		{"udp-trip", udp_trip, KIND_ECHO}, {"udp-window", udp_window, KIND_ECHO}, {"udp-blast", udp_blast, KIND_COUNT},
		{"udp-pace", udp_pace, KIND_COUNT},
		{"tcp-trip", tcp_trip, KIND_ECHO}, {"tcp-blast", tcp_blast, KIND_COUNT},
	};
	struct sockaddr_in address;
	struct run run = {0};

	if (argc == 4 && strcmp(argv[1], "serve") == 0)
		return address_of(argv[2], argv[3], &address) < 0 ? 2 : serve(&address);
	for (size_t i = 0; (argc == 11 || argc == 13) && i < sizeof cases / sizeof cases[0]; i++) {
		if (strcmp(argv[1], cases[i].name) == 0) {
			run.shape.type = TYPE_ID;
			if (read_run(argv + 2, &run) < 0 || (argc == 13 && read_flow(argv + 11, &run.shape) < 0))
				return 2;
			run.shape.kind = cases[i].kind;
			return cases[i].run(&run);
		}
	}
	fputs(usage, stderr);
	return 2;
}
