/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An input: an octet (bit 0x80: the source is an IPv4 address; modulo 7: how many rules), 16 octets of source address, the rules, and the
 * datagram as UDP carries it.
 */
#ifndef TAMANOIR_INPUT_H
#define TAMANOIR_INPUT_H

#include <stddef.h>
#include <stdint.h>

#define RULES 6
#define RULE_OCTETS 12
#define INPUT_RULES 17

/* Where the datagram begins; 0 if the input is too short for its rules. */
static inline size_t input_datagram(const uint8_t *data, size_t size)
{
	size_t before = size == 0 ? 0 : INPUT_RULES + data[0] % (RULES + 1) * RULE_OCTETS;

	return before <= size ? before : 0;
}

#endif
