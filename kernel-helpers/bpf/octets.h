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

/* Two halves: a packet's header need not lie on a multiple of four. */
tam_inline uint32_t tam_get32(const uint8_t *at)
{
	return (uint32_t)tam_get16(at) << 16 | tam_get16(at + 2);
}

tam_inline uint64_t tam_get64(const uint8_t *at)
{
	return (uint64_t)tam_get32(at) << 32 | tam_get32(at + 4);
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

/* A sum of 16-bit words, folded into one. */
tam_inline uint32_t tam_fold(uint64_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)((sum & 0xffff) + (sum >> 16));
}

#endif
