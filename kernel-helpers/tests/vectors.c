/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The golden vectors of the ANEP module through the ingress program, with a rule that drops everything: what is malformed must go up
 * unchanged; what is good is dropped exactly if its fields are those that the kernel finishes. Reads the files that it is given.
 */
#include "common.h"

#include <string.h>

static struct tam *tam;
static int tried, finished;

struct vector {
	char name[512];
	uint8_t octets[4096];
	uint32_t length;
	bool hops, more;	/* hops left; something that the kernel leaves to the node */
};

static void read_octets(struct vector *vector, const char *hex)
{
	for (const char *at = hex; *at;) {
		unsigned octet;

		if (*at == ' ' || *at == '\n') {
			at++;
			continue;
		}
		check(sscanf(at, "%2x", &octet) == 1 && vector->length < sizeof(vector->octets), "%s: %s", vector->name, at);
		vector->octets[vector->length++] = (uint8_t)octet;
		at += 2;
	}
}

static void read_field(struct vector *vector, const char *line)
{
	static const char *const more[] = {"checksum", "chain ", "contentEncoding ", "error ", "unknown "};
	int hops;

	if (sscanf(line, "hops %d", &hops) == 1)
		vector->hops = hops > 0;
	if (!strncmp(line, "delivery ", 9) && strstr(line, "RAW"))
		vector->more = true;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		vector->more |= !strncmp(line, more[i], strlen(more[i]));
}

/* As an IPv6 datagram on the loopback interface. */
static void try(const struct vector *vector, bool good)
{
	static uint8_t frame[8192], out[16384];
	uint32_t udp = vector->length + 8, length = sizeof(out);
	int want = good && vector->hops && !vector->more ? 2 : -1;

	memset(frame, 0, sizeof(frame));
	frame[12] = 0x86;
	frame[13] = 0xdd;
	frame[14] = 0x60;
	frame[18] = (uint8_t)(udp >> 8);
	frame[19] = (uint8_t)udp;
	frame[20] = 17;
	frame[21] = 64;
	frame[22] = frame[38] = 0xfd;
	frame[37] = 1;
	frame[53] = 2;
	frame[54] = 0x30;
	frame[56] = NODE_PORT >> 8;
	frame[57] = NODE_PORT & 0xff;
	frame[58] = (uint8_t)(udp >> 8);
	frame[59] = (uint8_t)udp;
	frame[61] = 1;	/* any checksum but 0 */
	memcpy(frame + 62, vector->octets, vector->length);
	int got = tam_run(tam, 1, frame, 54 + udp, out, &length);
	check(got == want, "%s: %d and not %d", vector->name, got, want);
	check(length == 54 + udp && !memcmp(frame, out, length), "%s: the packet has changed", vector->name);
	frame[61] = 0;
	length = sizeof(out);
	check_equal(tam_run(tam, 1, frame, 54 + udp, out, &length), -1, "a packet without a UDP checksum");
	tried++;
	finished += got == 2;
}

static void read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	struct vector vector;
	char line[8192];
	bool good = strstr(path, "good") != NULL;

	check(file != NULL, "%s is not there", path);
	memset(&vector, 0, sizeof(vector));
	for (bool more = true; more;) {
		more = fgets(line, sizeof(line), file) != NULL;
		if (!more || line[0] == '\n') {
			if (vector.name[0])
				try(&vector, good);
			memset(&vector, 0, sizeof(vector));
		} else if (line[0] == '#') {
			continue;
		} else if (!vector.name[0]) {
			snprintf(vector.name, sizeof(vector.name), "%.*s", (int)strcspn(line, "\n"), line);
		} else if (!strncmp(line, "octets", 6)) {
			read_octets(&vector, line + 6);
		} else {
			read_field(&vector, line);
		}
	}
	fclose(file);
}

int main(int count, char **words)
{
	struct tam_rule rule = rule_of(1, 0, TAM_ACTION_DROP, 0, 0);
	uint8_t address[16];

	tam = open_handle(NODE_PORT, true, 1, 1);
	rule.has_type = 0;
	address_of(address, "fd00::2");
	check(tam_address_add(tam, address) == 0 && tam_rule_put(tam, 0, &rule) == 0, "no rule");
	for (int i = 1; i < count; i++)
		read_file(words[i]);
	check(tried > 60 && finished >= 2, "%d vectors, %d finished: hardly anything was tried", tried, finished);
	printf("%d vectors, %d of them finished by the kernel\n", tried, finished);
	tam_close(tam);
	return 0;
}
