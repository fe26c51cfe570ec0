/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Reads the header of an ANEP packet by the rules of docs/anep.md. It is complete for packets that the kernel may finish: whatever
 * is malformed by EE-101 to EE-108, or asks for more than the kernel does, gets a reason TAM_UP_*. It is plain C, so that a fuzzer runs
 * the same source.
 */
#ifndef TAMANOIR_PARSE_H
#define TAMANOIR_PARSE_H

#include "octets.h"

#define TAM_GOOD (-1)			/* where a reason TAM_UP_* could stand */
#define TAM_FIXED 8			/* octets of a header without options */
#define TAM_HEADER_ROOM (TAM_HEADER_MOST + 32)	/* octets of a header's buffer: the widest value may be read behind the last tag */
/* Options that are read. Without unknown ones and doubles there are at most nine that the kernel understands. */
#define TAM_OPTIONS_READ 10
#define TAM_OPTIONS_PASSING 16

/* Option types: the first bit of FLG and the number; the discard bit plays no part for those that are known. */
#define TAM_OPTION_DISCARD 0x4000
#define TAM_OPTION_SOURCE 0x0001
#define TAM_OPTION_DESTINATION 0x0002
#define TAM_OPTION_CHECKSUM 0x0003
#define TAM_OPTION_AUTHENTICATION 0x0004
#define TAM_OPTION_STREAM 0x8001
#define TAM_OPTION_DELIVERY 0x8002
#define TAM_OPTION_CHAIN 0x8003
#define TAM_OPTION_PREVIOUS 0x8004
#define TAM_OPTION_HOPS 0x8005
#define TAM_HANDED_OVER 0x80	/* of the octet behind the hops */
#define TAM_OPTION_SESSION 0x8006
#define TAM_OPTION_TIMESTAMP 0x8007
#define TAM_OPTION_ENCODING 0x8008
#define TAM_OPTION_ERROR 0x8009
/* The last private number that a node knows. Of those behind the error nothing is finished here, and what they hold is not read. */
#define TAM_OPTION_LAST 19

/* What a header says. */
struct tam_packet {
	uint64_t destination[2];	/* as tam_match; only with has_destination */
	uint64_t session;		/* 0: none */
	uint64_t stream_id;
	uint32_t has_destination;
	uint32_t has_stream;
	uint32_t header_length;		/* octets */
	uint32_t type_id;
	uint32_t hops_at;		/* where in the header the values of these stand; 0: not there */
	uint32_t previous_at;
	volatile uint32_t at;		/* of the walk. In memory, so that the verifier does not follow each combination */
	volatile uint32_t seen;
};

/* Checks the fixed octets of a datagram of `length` octets. Fills header_length and type_id, or returns a reason. */
tam_inline int tam_parse_fixed(struct tam_packet *packet, const uint8_t *header, uint32_t length)
{
	uint32_t words = tam_get16(header + 4);

	if (header[0] != 1 || words < TAM_FIXED / 4 || tam_get16(header + 6) != length || words * 4 > length)
		return TAM_UP_MALFORMED;
	if (words * 4 > TAM_HEADER_MOST)
		return TAM_UP_LONG;
	packet->type_id = tam_get16(header + 2);
	packet->header_length = words * 4;
	return TAM_GOOD;
}

/* Whether an address of a scheme may have `size` octets; schemes that are not known are carried. */
tam_inline int tam_parse_address(uint32_t scheme, uint32_t size)
{
	return scheme == 1 ? size == 4 : scheme == 2 ? size == 16 : scheme == 3 ? size == 8 : 1;
}

tam_inline void tam_parse_destination(struct tam_packet *packet, const uint8_t *value)
{
	uint32_t scheme = tam_get32(value);

	if (scheme == 1) {
		packet->destination[0] = 0;
		packet->destination[1] = 0xffff00000000ULL | tam_get32(value + 4);
		packet->has_destination = 1;
	} else if (scheme == 2) {
		packet->destination[0] = tam_get64(value + 4);
		packet->destination[1] = tam_get64(value + 12);
		packet->has_destination = 1;
	}
}

/* One known option; `at` is where its value stands in the header, `size` the value's octets. Returns TAM_GOOD or a reason. */
tam_inline int tam_parse_known(struct tam_packet *packet, const uint8_t *value, uint32_t option, uint32_t at, uint32_t size)
{
	switch (option) {
	case TAM_OPTION_SOURCE:
		return size >= 4 && tam_parse_address(tam_get32(value), size - 4) ? TAM_GOOD : TAM_UP_MALFORMED;
	case TAM_OPTION_DESTINATION:
		if (size < 4 || !tam_parse_address(tam_get32(value), size - 4))
			return TAM_UP_MALFORMED;
		tam_parse_destination(packet, value);
		return TAM_GOOD;
	case TAM_OPTION_CHECKSUM:
		return size == 4 ? TAM_UP_CHECKSUM : TAM_UP_MALFORMED;
	case TAM_OPTION_AUTHENTICATION:
		return size >= 4 ? TAM_GOOD : TAM_UP_MALFORMED;
	case TAM_OPTION_STREAM:
		if (size != 16)
			return TAM_UP_MALFORMED;
		packet->has_stream = 1;
		packet->stream_id = tam_get64(value);
		return TAM_GOOD;
	case TAM_OPTION_DELIVERY:
		if (size != 4 || !tam_get16(value) || value[2] > 1)
			return TAM_UP_MALFORMED;
		return value[2] == 0 ? TAM_GOOD : TAM_UP_OPTIONS;
	case TAM_OPTION_PREVIOUS:
		packet->previous_at = at;
		return size == 12 ? TAM_GOOD : TAM_UP_MALFORMED;
	case TAM_OPTION_HOPS:
		packet->hops_at = at;
		return size == 4 ? TAM_GOOD : TAM_UP_MALFORMED;
	case TAM_OPTION_SESSION:
		packet->session = tam_get64(value);
		return size == 8 ? TAM_GOOD : TAM_UP_MALFORMED;
	case TAM_OPTION_TIMESTAMP:
		return size == 8 ? TAM_GOOD : TAM_UP_MALFORMED;
	default:	/* chain, encoding, error: nothing that the kernel finishes, whatever is in them */
		return TAM_UP_OPTIONS;
	}
}

/*
 * Reads the options behind the fixed octets. With `passing`, for packets that the host forwards as a router, what only asks for more
 * than the kernel does is no reason, and values are checked no further than a rule reads them.
 */
tam_inline int tam_parse_options(struct tam_packet *packet, const uint8_t *header, int passing)
{
	packet->has_destination = packet->has_stream = 0;
	packet->session = packet->stream_id = 0;
	packet->hops_at = packet->previous_at = 0;
	packet->at = TAM_FIXED;
	packet->seen = 0;
	for (int i = 0; i < (passing ? TAM_OPTIONS_PASSING : TAM_OPTIONS_READ); i++) {
		uint32_t at = packet->at;

		if (at >= packet->header_length)
			return TAM_GOOD;
		at &= TAM_HEADER_MOST - 4;	/* changes nothing; the verifier sees that it lies within */
		uint32_t tag = tam_get16(header + at);
		uint32_t size = tam_get16(header + at + 2) * 4;
		uint32_t option = tag & ~TAM_OPTION_DISCARD;
		uint32_t number = option & 0x3fff;
		int known = number >= 1 && number <= (option & 0x8000 ? 9 : 4);

		if (size == 0 || size > packet->header_length - at)
			return TAM_UP_MALFORMED;
		packet->at = at + size;
		if (!known) {
			if (tag & TAM_OPTION_DISCARD && !(option & 0x8000 && number <= TAM_OPTION_LAST))
				return TAM_UP_MALFORMED;
			if (!passing)
				return TAM_UP_OPTIONS;
			continue;
		}
		uint32_t bit = 1U << (option & 0x8000 ? number + 16 : number);
		if (packet->seen & bit)
			return TAM_UP_MALFORMED;
		packet->seen |= bit;
		int reason = tam_parse_known(packet, header + at + 4, option, at + 4, size - 4);
		if (reason != TAM_GOOD && (!passing || reason == TAM_UP_MALFORMED))
			return reason;
	}
	return packet->at == packet->header_length ? TAM_GOOD : TAM_UP_OPTIONS;
}

#endif
