/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Numbers in network order, read and written at addresses that are even; sums of the internet checksum. */
#ifndef TAMANOIR_OCTETS_H
#define TAMANOIR_OCTETS_H

#include <linux/types.h>

#include <bpf/bpf_endian.h>

#include "tamanoir_shared.h"

#ifdef __bpf__
#define tam_inline static __attribute__((always_inline)) inline
#else
#define tam_inline static inline
#endif

tam_inline uint16_t tam_get16(const uint8_t *at)
{
	return bpf_ntohs(*(const uint16_t *)at);
}

/* At a multiple of four. Options are whole words, and headers lie in memory that is aligned, so most values stand at one. */
tam_inline uint32_t tam_get32(const uint8_t *at)
{
	return bpf_ntohl(*(const uint32_t *)at);
}

tam_inline uint64_t tam_get64(const uint8_t *at)
{
	return (uint64_t)tam_get32(at) << 32 | tam_get32(at + 4);
}

/* Octets that are copied and compared by words. */
#define tam_aligned __attribute__((aligned(8)))

tam_inline void tam_copy_address(uint8_t to[16], const uint8_t from[16])
{
	((uint64_t *)to)[0] = ((const uint64_t *)from)[0];
	((uint64_t *)to)[1] = ((const uint64_t *)from)[1];
}

tam_inline int tam_same_address(const uint8_t one[16], const uint8_t other[16])
{
	return ((const uint64_t *)one)[0] == ((const uint64_t *)other)[0] && ((const uint64_t *)one)[1] == ((const uint64_t *)other)[1];
}

tam_inline void tam_put16(uint8_t *at, uint16_t value)
{
	*(uint16_t *)at = bpf_htons(value);
}

/* Adds to a difference of checksums (RFC 1624) that 16 bits, in network order, are written over others. */
tam_inline void tam_differ16(uint64_t *difference, const uint8_t *before, const uint8_t *after)
{
	*difference += (uint16_t)~*(const uint16_t *)before + (uint64_t)*(const uint16_t *)after;
}

/* The same for 32 bits at a multiple of four: 2^32 and 2^16 are both 1 where sums are folded. */
tam_inline void tam_differ32(uint64_t *difference, const uint8_t *before, const uint8_t *after)
{
	*difference += (uint32_t)~*(const uint32_t *)before + (uint64_t)*(const uint32_t *)after;
}

/* A sum of words of 16 or 32 bits, folded into one of 16. */
tam_inline uint32_t tam_fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)((sum & 0xffff) + (sum >> 16));
}

#endif
