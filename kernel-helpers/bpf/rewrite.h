/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Sends a datagram another way: asks the routing table first, changes the packet when nothing can fail any more, redirects it.
 *
 * Checksums: the UDP checksum is changed by the difference (RFC 1624), so a packet that was damaged before stays so; 0, none, stays 0.
 * bpf_l4_csum_replace() knows the sender's checksum offload. What the driver summed over the packet (CHECKSUM_COMPLETE) stays right: on
 * IPv4 the header's checksum makes up for its change; on IPv6 the store accounts for it.
 */
#ifndef TAMANOIR_REWRITE_H
#define TAMANOIR_REWRITE_H

#include "actions.h"
#include "datagram.h"

/* Where a packet goes. */
struct tam_way {
	uint8_t source[16] tam_aligned;	/* new addresses, of the packet's own family */
	uint8_t destination[16] tam_aligned;
	uint16_t source_port;
	uint16_t destination_port;
	uint32_t interface;
	struct bpf_redir_neigh next;
};

/* Asks the routing table for the way between the addresses of `way`. Returns TAM_GOOD with the interface and neighbour, or a reason. */
tam_inline int tam_route(struct __sk_buff *skb, const struct tam_datagram *datagram, struct tam_way *way)
{
	struct bpf_fib_lookup fib;

	if (datagram->octets > 0xffff)
		return TAM_UP_MTU;
	__builtin_memset(&fib, 0, sizeof(fib));
	fib.family = datagram->family;
	fib.l4_protocol = TAM_UDP;
	fib.sport = bpf_htons(way->source_port);
	fib.dport = bpf_htons(way->destination_port);
	fib.tot_len = datagram->octets;
	fib.ifindex = skb->ifindex;
	if (datagram->family == TAM_AF_INET) {
		__builtin_memcpy(&fib.ipv4_src, way->source + 12, 4);
		__builtin_memcpy(&fib.ipv4_dst, way->destination + 12, 4);
	} else {
		__builtin_memcpy(fib.ipv6_src, way->source, 16);
		__builtin_memcpy(fib.ipv6_dst, way->destination, 16);
	}
	long found = bpf_fib_lookup(skb, &fib, sizeof(fib), 0);
	if (found == BPF_FIB_LKUP_RET_FRAG_NEEDED)
		return TAM_UP_MTU;
	if (found != BPF_FIB_LKUP_RET_SUCCESS)
		return TAM_UP_ROUTE;
	way->interface = fib.ifindex;
	__builtin_memset(&way->next, 0, sizeof(way->next));
	way->next.nh_family = fib.family;
	if (fib.family == TAM_AF_INET)
		way->next.ipv4_nh = fib.ipv4_dst;
	else
		__builtin_memcpy(way->next.ipv6_nh, fib.ipv6_dst, 16);
	return TAM_GOOD;
}

/* The pseudo-header's difference: the addresses. */
tam_inline uint64_t tam_differ_addresses(const struct tam_datagram *datagram, const struct tam_way *way)
{
	uint64_t difference = 0;

	for (int i = datagram->family == TAM_AF_INET ? 12 : 0; i < 16; i += 4) {
		tam_differ32(&difference, datagram->source + i, way->source + i);
		tam_differ32(&difference, datagram->destination + i, way->destination + i);
	}
	return difference;
}

tam_inline void tam_rewrite_ipv4(struct __sk_buff *skb, struct tam_datagram *datagram, const struct tam_way *way, uint32_t dscp)
{
	uint8_t *ip = datagram->ip;
	uint64_t sum = 0;

	if (dscp != TAM_NO_DSCP)
		ip[1] = dscp << 2 | (ip[1] & 3);
	ip[8]--;
	__builtin_memcpy(ip + 12, way->source + 12, 4);
	__builtin_memcpy(ip + 16, way->destination + 12, 4);
	ip[10] = ip[11] = 0;
	for (int i = 0; i < 20; i += 4)
		sum += *(uint32_t *)(ip + i);
	*(uint16_t *)(ip + 10) = ~tam_fold(sum);
	bpf_skb_store_bytes(skb, TAM_ETHERNET, ip, 20, 0);
}

tam_inline void tam_rewrite_ipv6(struct __sk_buff *skb, struct tam_datagram *datagram, const struct tam_way *way, uint32_t dscp)
{
	uint8_t *ip = datagram->ip;

	if (dscp != TAM_NO_DSCP)
		tam_put16(ip, (tam_get16(ip) & 0xf03f) | dscp << 6);
	ip[7]--;
	tam_copy_address(ip + 8, way->source);
	tam_copy_address(ip + 24, way->destination);
	bpf_skb_store_bytes(skb, TAM_ETHERNET, ip, 40, BPF_F_RECOMPUTE_CSUM);
}

/*
 * Changes the packet and redirects it. `difference` is that of what the caller has changed in datagram->anep, whose first `header` octets
 * are written back. The frame's headers lie in memory that may be written: bpf_skb_pull_data() has succeeded.
 */
tam_inline int tam_send(struct __sk_buff *skb, struct tam_datagram *datagram, struct tam_way *way, uint32_t dscp, uint64_t difference,
			uint32_t header)
{
	uint64_t addresses = tam_differ_addresses(datagram, way);
	uint32_t check_at = datagram->udp_at + 6;
	int checked = tam_get16(datagram->udp + 6) != 0;
	uint8_t ports[4] tam_aligned;

	tam_put16(ports, way->source_port);
	tam_put16(ports + 2, way->destination_port);
	tam_differ32(&difference, datagram->udp, ports);
	*(uint32_t *)datagram->udp = *(uint32_t *)ports;
	if (datagram->family == TAM_AF_INET)
		tam_rewrite_ipv4(skb, datagram, way, dscp);
	else
		tam_rewrite_ipv6(skb, datagram, way, dscp);
	if (header > TAM_HEADER_MOST)
		header = TAM_HEADER_MOST;
	bpf_skb_store_bytes(skb, datagram->udp_at, datagram->udp, TAM_UDP_HEADER + header, checked ? 0 : BPF_F_RECOMPUTE_CSUM);
	if (checked) {
		bpf_l4_csum_replace(skb, check_at, 0, tam_fold(addresses), BPF_F_PSEUDO_HDR | BPF_F_MARK_MANGLED_0);
		bpf_l4_csum_replace(skb, check_at, 0, tam_fold(difference), BPF_F_MARK_MANGLED_0);
	}
	return bpf_redirect_neigh(way->interface, &way->next, sizeof(way->next), 0);
}

#endif
