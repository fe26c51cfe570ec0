/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Where an Ethernet frame has a UDP datagram, and what its IP header says. */
#ifndef TAMANOIR_DATAGRAM_H
#define TAMANOIR_DATAGRAM_H

#include "maps.h"

/* A frame, on its way up as a packet of the kernel's, or in front of that (TAM_XDP). */
#ifdef TAM_XDP
typedef struct xdp_md tam_frame;
#define tam_load(frame, at, to, size) bpf_xdp_load_bytes(frame, at, to, size)
#define tam_frame_length(frame) ((uint32_t)bpf_xdp_get_buff_len(frame))
#define tam_is_aggregated(frame) 0
#else
typedef struct __sk_buff tam_frame;
#define tam_load(frame, at, to, size) bpf_skb_load_bytes(frame, at, to, size)
#define tam_frame_length(frame) ((frame)->len)
#define tam_is_aggregated(frame) ((frame)->gso_size)
#endif

#define TAM_ETHERNET 14
#define TAM_ETHERTYPE_IP 0x0800
#define TAM_ETHERTYPE_IPV6 0x86dd
#define TAM_AF_INET 2
#define TAM_AF_INET6 10
#define TAM_UDP 17
#define TAM_UDP_HEADER 8
#define TAM_EXTENSIONS 4	/* IPv6 extension headers that are looked behind */

struct tam_datagram {
	uint8_t ip[40] tam_aligned;	/* header, without IPv4 options and extension headers */
	uint8_t source[16] tam_aligned;	/* of the IP packet, as in tam_rule */
	uint8_t destination[16] tam_aligned;
	uint8_t udp[TAM_UDP_HEADER] tam_aligned;	/* behind it, in the frame and here, the ANEP header */
	uint8_t anep[TAM_HEADER_ROOM] tam_aligned;
	uint32_t family;
	uint32_t udp_at;	/* from the beginning of the frame */
	uint32_t octets;	/* of the IP packet */
	uint32_t udp_octets;	/* that IP carries */
	int reason;		/* why the packet goes up whatever is in it, or TAM_GOOD */
};

/* ::ffff:a.b.c.d */
tam_inline void tam_map_ipv4(uint8_t address[16], const uint8_t ipv4[4])
{
	((uint64_t *)address)[0] = 0;
	((uint32_t *)address)[2] = bpf_htonl(0xffff);
	((uint32_t *)address)[3] = *(const uint32_t *)ipv4;
}

/* IPv4, RFC 791. Returns 0 if there is no UDP header. */
tam_inline int tam_read_ipv4(tam_frame *frame, struct tam_datagram *datagram)
{
	uint8_t *ip = datagram->ip;

	if (tam_load(frame, TAM_ETHERNET, ip, 20) || ip[0] >> 4 != 4 || (ip[0] & 15) < 5 || ip[9] != TAM_UDP)
		return 0;
	uint32_t fragment = tam_get16(ip + 6);
	uint32_t header = (ip[0] & 15) * 4, octets = tam_get16(ip + 2);

	if (fragment & 0x1fff)
		return 0;
	datagram->family = TAM_AF_INET;
	datagram->udp_at = TAM_ETHERNET + header;
	datagram->octets = octets;
	datagram->udp_octets = octets - header;
	if (fragment & 0x2000)
		datagram->reason = TAM_UP_FRAGMENT;
	else if (header != 20)
		datagram->reason = TAM_UP_IP_OPTIONS;
	else if (octets < 20 || octets > tam_frame_length(frame) - TAM_ETHERNET)
		datagram->reason = TAM_UP_MALFORMED;
	tam_map_ipv4(datagram->source, ip + 12);
	tam_map_ipv4(datagram->destination, ip + 16);
	return 1;
}

/* IPv6, RFC 8200. Looks behind a few extension headers, so as to count what goes up because of them. */
tam_inline int tam_read_ipv6(tam_frame *frame, struct tam_datagram *datagram)
{
	uint8_t *ip = datagram->ip;
	uint8_t extension[4];
	uint32_t at = TAM_ETHERNET + 40;

	if (tam_load(frame, TAM_ETHERNET, ip, 40) || ip[0] >> 4 != 6)
		return 0;
	uint32_t next = ip[6], octets = tam_get16(ip + 4);

	for (int i = 0; i < TAM_EXTENSIONS && (next == 0 || next == 43 || next == 44 || next == 60); i++) {
		if (tam_load(frame, at, extension, 4))
			return 0;
		if (next == 44) {	/* fragment */
			if (tam_get16(extension + 2) & 0xfff8)
				return 0;
			datagram->reason = TAM_UP_FRAGMENT;
			at += 8;
		} else {
			if (datagram->reason == TAM_GOOD)
				datagram->reason = TAM_UP_IP_OPTIONS;
			at += 8 + extension[1] * 8;
		}
		next = extension[0];
	}
	if (next != TAM_UDP)
		return 0;
	datagram->family = TAM_AF_INET6;
	datagram->udp_at = at;
	datagram->octets = octets + 40;
	datagram->udp_octets = octets;
	if (datagram->reason == TAM_GOOD && octets > tam_frame_length(frame) - TAM_ETHERNET - 40)
		datagram->reason = TAM_UP_MALFORMED;
	tam_copy_address(datagram->source, ip + 8);
	tam_copy_address(datagram->destination, ip + 24);
	return 1;
}

/* Reads a frame up to its UDP header, and the fixed octets of the ANEP header if they are there. Returns 0 if it has no UDP header. */
tam_inline int tam_read_datagram(tam_frame *frame, struct tam_datagram *datagram)
{
	uint16_t protocol = 0;
	int found = 0;

	datagram->reason = TAM_GOOD;
#ifdef TAM_XDP
	tam_load(frame, TAM_ETHERNET - 2, &protocol, 2);
#else
	protocol = frame->protocol;
#endif
	if (protocol == bpf_htons(TAM_ETHERTYPE_IP))
		found = tam_read_ipv4(frame, datagram);
	else if (protocol == bpf_htons(TAM_ETHERTYPE_IPV6))
		found = tam_read_ipv6(frame, datagram);
	/* Mostly one read; a datagram that is shorter is none of ours, but it is counted. */
	return found && (!tam_load(frame, datagram->udp_at, datagram->udp, TAM_UDP_HEADER + TAM_FIXED)
			 || !tam_load(frame, datagram->udp_at, datagram->udp, TAM_UDP_HEADER));
}

/* Whether the IPv4 header's own checksum is right: nobody has looked at it yet. */
tam_inline int tam_ipv4_whole(const uint8_t *ip)
{
	uint64_t sum = 0;

	for (int i = 0; i < 20; i += 4)
		sum += *(const uint32_t *)(ip + i);
	return tam_fold(sum) == 0xffff;
}

tam_inline uint32_t tam_traffic_class(const struct tam_datagram *datagram)
{
	return datagram->family == TAM_AF_INET ? datagram->ip[1] : (tam_get16(datagram->ip) >> 4 & 0xff);
}

/* Time to live, or hop limit. */
tam_inline uint32_t tam_ttl(const struct tam_datagram *datagram)
{
	return datagram->ip[datagram->family == TAM_AF_INET ? 8 : 7];
}

/*
 * Reads the ANEP packet of a datagram for this node, once tam_read_datagram() has found it: everything that does not depend on a rule.
 * Returns TAM_GOOD or a reason.
 */
tam_inline int tam_read_packet(tam_frame *frame, struct tam_datagram *datagram, struct tam_packet *packet)
{
	uint32_t udp_octets = datagram->udp_octets;
	int reason = datagram->reason;

	if (reason != TAM_GOOD)
		return reason;
	if (tam_is_aggregated(frame))
		return TAM_UP_MTU;
	if (datagram->family == TAM_AF_INET ? !tam_ipv4_whole(datagram->ip) : !tam_get16(datagram->udp + 6))
		return TAM_UP_MALFORMED;	/* IPv6 does without the UDP checksum only for tunnels (RFC 8200, section 8.1) */
	if (udp_octets < TAM_UDP_HEADER + TAM_FIXED || tam_get16(datagram->udp + 4) != udp_octets)
		return TAM_UP_MALFORMED;
	reason = tam_parse_fixed(packet, datagram->anep, udp_octets - TAM_UDP_HEADER);
	if (reason != TAM_GOOD)
		return reason;
	uint32_t options = packet->header_length - TAM_FIXED;
	if (options > 0) {
		if (options > TAM_HEADER_MOST - TAM_FIXED
		    || tam_load(frame, datagram->udp_at + TAM_UDP_HEADER + TAM_FIXED, datagram->anep + TAM_FIXED, options))
			return TAM_UP_MALFORMED;
	}
	reason = tam_parse_options(packet, datagram->anep, 0);
	if (reason == TAM_GOOD && tam_ttl(datagram) <= 1)
		reason = TAM_UP_HOPS;
	return reason;
}

#endif
