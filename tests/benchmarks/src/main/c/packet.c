/* SPDX-License-Identifier: Apache-2.0 */
/* ANEP packets of the load: docs/anep.md, "Header" and "Options". */
#include "load.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

#define HEADER 8
#define OPTIONS 48	/* destination 12, stream 20, delivery 8, hops 8 */
#define SESSION 12
#define HOPS 16
#define TAIL 4		/* the sequence number again, inverted, if the packet is that long */

static void put16(uint8_t *out, uint16_t value)
{
	value = htons(value);
	memcpy(out, &value, sizeof value);
}

static void put32(uint8_t *out, uint32_t value)
{
	value = htonl(value);
	memcpy(out, &value, sizeof value);
}

static void put64(uint8_t *out, uint64_t value)
{
	value = htobe64(value);
	memcpy(out, &value, sizeof value);
}

static uint16_t get16(const uint8_t *in)
{
	uint16_t value;

	memcpy(&value, in, sizeof value);
	return ntohs(value);
}

static uint32_t get32(const uint8_t *in)
{
	uint32_t value;

	memcpy(&value, in, sizeof value);
	return ntohl(value);
}

static size_t header_length(const uint8_t *packet)
{
	return 4 * (size_t)get16(packet + 4);
}

static uint8_t filler(size_t at)
{
	return (uint8_t)(at * 131 + 7);
}

void packet_make(uint8_t *out, const struct shape *shape, uint32_t sequence, int bare)
{
	size_t header = bare ? HEADER : HEADER + OPTIONS + (shape->session != 0 ? SESSION : 0);
	uint8_t *at = out + HEADER;

	out[0] = 1;
	out[1] = 0;
	put16(out + 2, shape->type);
	put16(out + 4, (uint16_t)(header / 4));
	put16(out + 6, (uint16_t)shape->octets);
	if (!bare) {
		put16(at, 0x0002);		/* destination: scheme IPv4 */
		put16(at + 2, 3);
		put32(at + 4, 1);
		memcpy(at + 8, &shape->destination, 4);
		at += 12;
		put16(at, 0x8001);		/* stream */
		put16(at + 2, 5);
		put64(at + 4, shape->stream);
		put64(at + 12, 0);
		at += 20;
		put16(at, 0xc002);		/* delivery: port, as ANEP packets */
		put16(at + 2, 2);
		put32(at + 4, (uint32_t)shape->port << 16);
		at += 8;
		put16(at, 0x8005);		/* hops */
		put16(at + 2, 2);
		put32(at + 4, (uint32_t)HOPS << 24);
		at += 8;
		if (shape->session != 0) {
			put16(at, 0x8006);	/* QoS session */
			put16(at + 2, 3);
			put64(at + 4, shape->session);
		}
	}
	for (size_t i = header + MARK_OCTETS; i < shape->octets; i++)
		out[i] = filler(shape->octets - i);
	put32(out + header + 4, shape->run << 8 | shape->kind);
	packet_number(out, sequence);
}

/* Whether there is room for the number at the end too. */
static int has_tail(size_t header, size_t octets)
{
	return octets >= header + MARK_OCTETS + TAIL;
}

void packet_number(uint8_t *packet, uint32_t sequence)
{
	size_t header = header_length(packet);
	size_t octets = get16(packet + 6);

	put32(packet + header, sequence);
	if (has_tail(header, octets))
		put32(packet + octets - TAIL, ~sequence);
}

void packet_note(uint8_t *packet, uint32_t note)
{
	put32(packet + header_length(packet) + MARK_OCTETS, note);
}

size_t packet_length(const uint8_t *packet)
{
	size_t octets = get16(packet + 6);

	if (packet[0] != 1 || header_length(packet) < HEADER || header_length(packet) > octets)
		return 0;
	return octets;
}

int packet_read(const uint8_t *packet, size_t octets, struct mark *mark)
{
	size_t header;

	if (octets < HEADER + MARK_OCTETS || packet_length(packet) != octets)
		return -1;
	header = header_length(packet);
	if (octets < header + MARK_OCTETS)
		return -1;
	mark->sequence = get32(packet + header);
	mark->run = get32(packet + header + 4) >> 8;
	mark->kind = packet[header + 7];
	if (has_tail(header, octets) && get32(packet + octets - TAIL) != ~mark->sequence)
		return -1;
	return 0;
}

int packet_intact(const uint8_t *packet, size_t octets)
{
	size_t header = header_length(packet);
	size_t end = has_tail(header, octets) ? octets - TAIL : octets;

	for (size_t i = header + MARK_OCTETS; i < end; i++)
		if (packet[i] != filler(octets - i))
			return 0;
	return 1;
}

int packet_hops(const uint8_t *packet, size_t octets)
{
	size_t end = header_length(packet);
	size_t at = HEADER;

	while (end <= octets && at + 8 <= end) {
		size_t words = get16(packet + at + 2);

		if (get16(packet + at) == 0x8005)
			return packet[at + 4];
		if (words == 0)
			break;
		at += 4 * words;
	}
	return -1;
}
