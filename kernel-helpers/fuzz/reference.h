/* SPDX-License-Identifier: Apache-2.0 */
/* A second reading of docs/anep.md, written for clearness: no octet of code is shared with bpf/. */
#ifndef TAMANOIR_REFERENCE_H
#define TAMANOIR_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tamanoir_shared.h"

struct reference {
	int error;		/* 101 to 108 as in the table "Malformed input", but 106; 0: none */
	size_t header;		/* octets */
	unsigned type_id;
	bool checksum, chain, raw, encoding, error_packet, unknown, authentication;
	bool has_destination, has_stream, has_session, has_hops, has_previous;
	uint8_t destination[16];	/* IPv4 as ::ffff:a.b.c.d */
	uint64_t stream, session;
	unsigned hops;
	size_t hops_at, previous_at;	/* of the value, from the start of the packet */
	unsigned options;
	bool deep;		/* the error lies in a value that only user space reads: chain, delivery, encoding, error text */
};

void reference_read(struct reference *read, const uint8_t *octets, size_t length);

/* Whether a rule is for a packet from `source`. */
bool reference_matches(const struct tam_rule *rule, const struct reference *read, const uint8_t source[16]);

#endif
