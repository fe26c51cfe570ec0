/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <string.h>

static unsigned two(const uint8_t *at)
{
	return at[0] * 256u + at[1];
}

static uint64_t number(const uint8_t *at, int octets)
{
	uint64_t value = 0;

	while (octets-- > 0)
		value = value * 256 + *at++;
	return value;
}

/* Well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing beyond 10FFFF. */
static bool is_text(const uint8_t *at, size_t length)
{
	for (size_t i = 0; i < length;) {
		unsigned first = at[i], more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 :
			       first >= 0xf0 && first < 0xf5 ? 3 : 9;

		if (more == 9 || i + more >= length + (more == 0))
			return false;
		for (unsigned k = 1; k <= more; k++)
			if ((at[i + k] & 0xc0) != 0x80)
				return false;
		if ((first == 0xe0 && at[i + 1] < 0xa0) || (first == 0xed && at[i + 1] > 0x9f) || (first == 0xf0 && at[i + 1] < 0x90)
		    || (first == 0xf4 && at[i + 1] > 0x8f))
			return false;
		i += 1 + more;
	}
	return true;
}

static bool address(const uint8_t *value, size_t size)
{
	if (size < 4)
		return false;
	switch (number(value, 4)) {
	case 1: return size == 4 + 4;
	case 2: return size == 4 + 16;
	case 3: return size == 4 + 8;
	default: return true;
	}
}

static void destination(struct reference *read, const uint8_t *value)
{
	uint64_t scheme = number(value, 4);

	if (scheme == 1) {
		memset(read->destination, 0, 10);
		memset(read->destination + 10, 0xff, 2);
		memcpy(read->destination + 12, value + 4, 4);
		read->has_destination = true;
	} else if (scheme == 2) {
		memcpy(read->destination, value + 4, 16);
		read->has_destination = true;
	}
}

static bool chain(const uint8_t *value, size_t size)
{
	size_t services = size / 2;

	while (services > 0 && two(value + 2 * (services - 1)) == 0)
		services--;
	for (size_t i = 0; i < services; i++)
		if (two(value + 2 * i) == 0)
			return false;
	return services >= 1 && services <= 15 && size <= 32;
}

static bool error_text(const uint8_t *value, size_t size)
{
	if (size < 4)
		return false;
	size_t text = two(value + 2), room = size - 4;

	return text <= 1024 && text <= room && room - text <= 3 && is_text(value + 4, text);
}

/* A known private option; false: its size or value cannot be. */
static bool private(struct reference *read, unsigned option, const uint8_t *value, size_t size, size_t at)
{
	switch (option) {
	case 1:
		if (size != 16)
			return false;
		read->has_stream = true;
		read->stream = number(value, 8);
		return true;
	case 2:
		read->deep = true;
		if (size != 4 || two(value) == 0 || value[2] > 1)
			return false;
		read->deep = false;
		read->raw = value[2] == 1;
		return true;
	case 3:
		read->chain = read->deep = true;
		if (!chain(value, size))
			return false;
		read->deep = false;
		return true;
	case 4:
		read->has_previous = true;
		read->previous_at = at;
		return size == 12;
	case 5:
		read->has_hops = true;
		read->hops_at = at;
		read->hops = size > 0 ? value[0] : 0;
		return size == 4;
	case 6:
		if (size != 8)
			return false;
		read->session = number(value, 8);
		read->has_session = read->session != 0;
		return true;
	case 7:
		return size == 8;
	case 8:
		read->encoding = read->deep = true;
		if (size != 4 || value[0] < 1 || value[0] > 3)
			return false;
		read->deep = false;
		return true;
	default:
		read->error_packet = read->deep = true;
		if (!error_text(value, size))
			return false;
		read->deep = false;
		return true;
	}
}

static bool public(struct reference *read, unsigned option, const uint8_t *value, size_t size)
{
	switch (option) {
	case 1:
		return address(value, size);
	case 2:
		if (!address(value, size))
			return false;
		destination(read, value);
		return true;
	case 3:
		read->checksum = true;
		return size == 4;
	default:
		read->authentication = true;
		return size >= 4;
	}
}

static int options(struct reference *read, const uint8_t *octets)
{
	bool seen[2][10] = {{false}};

	for (size_t at = 8; at < read->header;) {
		unsigned first = two(octets + at), option = first % 0x4000;
		size_t size = two(octets + at + 2) * (size_t)4;
		bool is_private = first >= 0x8000, discard = (first / 0x4000) % 2 == 1;
		bool known = option >= 1 && option <= (is_private ? 9u : 4u);

		read->options++;
		if (size == 0 || at + size > read->header)
			return 104;
		if (!known && discard && !(is_private && option <= 19))
			return 107;
		if (!known) {
			read->unknown = true;
		} else {
			if (seen[is_private][option])
				return 108;
			seen[is_private][option] = true;
			if (is_private ? !private(read, option, octets + at + 4, size - 4, at + 4) : !public(read, option, octets + at + 4, size - 4))
				return 108;
		}
		at += size;
	}
	return 0;
}

void reference_read(struct reference *read, const uint8_t *octets, size_t length)
{
	memset(read, 0, sizeof(*read));
	if (length < 8)
		read->error = 105;
	else if (octets[0] != 1)
		read->error = 101;
	else if (two(octets + 4) < 2)
		read->error = 102;
	else if (two(octets + 4) * 4u > two(octets + 6))
		read->error = 103;
	else if (two(octets + 6) != length)
		read->error = 105;
	if (read->error)
		return;
	read->header = two(octets + 4) * (size_t)4;
	read->type_id = two(octets + 2);
	read->error = options(read, octets);
}

static bool in_prefix(const uint8_t prefix[16], unsigned bits, const uint8_t address[16])
{
	static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

	if (bits > 0 && bits < 96 && memcmp(address, mapped, 12) == 0)
		return false;
	for (unsigned bit = 0; bit < bits; bit++)
		if (((prefix[bit / 8] ^ address[bit / 8]) >> (7 - bit % 8)) % 2 == 1)
			return false;
	return true;
}

bool reference_matches(const struct tam_rule *rule, const struct reference *read, const uint8_t source[16])
{
	if (rule->has_type && rule->type_id != read->type_id)
		return false;
	if (rule->has_session && (!read->has_session || rule->session != read->session))
		return false;
	if (rule->destination_bits && (!read->has_destination || !in_prefix(rule->destination, rule->destination_bits, read->destination)))
		return false;
	return in_prefix(rule->source, rule->source_bits, source);
}
