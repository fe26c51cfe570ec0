/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that are nearly packets: most random octets fail at the first length, and what lies behind it would hardly be tried. */
#include "input.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static unsigned next(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 10;
}

static void put16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* Makes the lengths of the fixed octets true, `words` of them header. */
static void repair(uint8_t *packet, size_t length, size_t words)
{
	if (length < 8)
		return;
	packet[0] = 1;
	put16(packet + 4, words);
	put16(packet + 6, length);
}

/* Puts an option in front of the others: mostly one that is known, mostly of the size that it should have. */
static size_t insert(uint8_t *packet, size_t length, size_t room, unsigned *seed)
{
	static const uint16_t tags[] = {0x0001, 0x0002, 0x0003, 0x0004, 0x8001, 0x8002, 0x8003, 0x8004, 0x8005, 0x8006, 0x8007, 0x8008, 0x8009};
	static const uint8_t words[] = {3, 6, 2, 3, 5, 2, 2, 4, 2, 3, 3, 2, 3};
	unsigned kind = next(seed) % 13, size = words[kind];
	uint16_t tag = tags[kind];

	if (next(seed) % 8 == 0)
		tag ^= (uint16_t)(1u << next(seed) % 16);
	if (next(seed) % 8 == 0)
		size += next(seed) % 5;
	if (length < 8 || length + size * 4 > room)
		return length;
	memmove(packet + 8 + size * 4, packet + 8, length - 8);
	put16(packet + 8, tag);
	put16(packet + 10, next(seed) % 16 ? size : size - 1);
	for (unsigned i = 4; i < size * 4; i++)
		packet[8 + i] = next(seed) % 4 ? (i == 7 ? (uint8_t)(next(seed) % 4) : 0) : (uint8_t)next(seed);
	put16(packet + 4, (packet[4] << 8 | packet[5]) + (size_t)size);
	return length + size * 4;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	size_t before = input_datagram(data, size);

	if (before == 0 || size < before + 8 || next(&seed) % 4 == 0)
		return LLVMFuzzerMutate(data, size, most);
	uint8_t *packet = data + before;
	size_t length = size - before, words;

	if (next(&seed) % 2)
		length = insert(packet, length, most - before, &seed);
	else
		length = LLVMFuzzerMutate(packet, length, most - before);
	words = length < 8 ? 2 : (size_t)(packet[4] << 8 | packet[5]);
	if (next(&seed) % 8)
		repair(packet, length, words < 2 || words * 4 > length ? 2 + next(&seed) % (length / 4 + 1) : words);
	return before + length;
}
