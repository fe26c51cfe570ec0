/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs to replace the rules of an nftables table: through libnftables in this process, and by `nft -f`. Prints medians.
 * Run it in a network namespace of its own: unshare -n ./bench-nft [RUNS]
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tamanoir_kernel.h"

#define MOST_RUNS 1000

extern char **environ;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static int by_number(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

/* One transaction that empties the chain of a table and puts `rules` into it. */
static char *transaction(const char *table, const char *flags, int rules)
{
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	fprintf(stream, "add table inet %s { %s\n}\n", table, flags);
	fprintf(stream, "add chain inet %s arrive { type nat hook prerouting priority dstnat; }\n", table);
	fprintf(stream, "flush chain inet %s arrive\ntable inet %s {\n%s\nchain arrive {\n", table, table, flags);
	for (int i = 0; i < rules; i++)
		fprintf(stream, "ip saddr 10.%d.%d.0/24 tcp dport 3323 counter dnat ip to 10.255.0.1:3323\n", i / 250, i % 250);
	fprintf(stream, "}\n}\n");
	fclose(stream);
	return text;
}

static void in_process(struct tam *tam, const char *text)
{
	char output[64], message[256];

	if (tam_nft(tam, text, output, sizeof(output), message, sizeof(message)) < 0) {
		fprintf(stderr, "bench-nft: %s\n", message);
		exit(1);
	}
}

static void by_program(const char *text)
{
	char file[] = "/tmp/bench-nft-XXXXXX";
	char *arguments[] = { "nft", "-f", file, NULL };
	int fd = mkstemp(file), status;
	pid_t child;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || posix_spawnp(&child, "nft", NULL, NULL, arguments, environ) ||
	    waitpid(child, &status, 0) != child || status != 0) {
		perror("bench-nft");
		exit(1);
	}
	close(fd);
	unlink(file);
}

int main(int count, char **arguments)
{
	static const int sizes[] = { 1, 100, 1000 };
	static double inside[MOST_RUNS], outside[MOST_RUNS];
	struct tam_options options = { .node_id = 1, .port = 3322, .rules = 1, .flows = 1 };
	int runs = count > 1 ? atoi(arguments[1]) : 20, error;
	char message[4096];
	struct tam *tam = tam_open(&options, &error, message, sizeof(message));

	if (!tam || runs < 1 || runs > MOST_RUNS) {
		fprintf(stderr, "bench-nft: %s\n", tam ? "1 to 1000 runs" : message);
		return 1;
	}
	printf("rules  in process (ms)  nft -f (ms)   medians of %d, least and most\n", runs);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		char *own = transaction("bench_own", "flags owner;", sizes[s]);
		char *other = transaction("bench_other", "", sizes[s]);

		for (int i = -1; i < runs; i++) {
			double begin = now(), middle;

			in_process(tam, own);
			middle = now();
			by_program(other);
			/* The first one makes the table. */
			if (i >= 0) {
				inside[i] = middle - begin;
				outside[i] = now() - middle;
			}
		}
		qsort(inside, runs, sizeof(double), by_number);
		qsort(outside, runs, sizeof(double), by_number);
		printf("%5d  %6.2f (%.2f-%.2f)  %6.2f (%.2f-%.2f)\n", sizes[s], inside[runs / 2], inside[0], inside[runs - 1],
		       outside[runs / 2], outside[0], outside[runs - 1]);
		free(own);
		free(other);
	}
	tam_close(tam);
	return 0;
}
