// SPDX-License-Identifier: Apache-2.0
/*
 * Tells the queues of an assured forwarding class which drop precedence a packet has (RFC 2597: code points AFx1, AFx2 and AFx3).
 *
 * sch_gred takes the number of a packet's virtual queue from skb->tc_index, which no filter of tc(8) writes. This is the first filter at the
 * root of a domain ("qos domain"): it writes the number, 0 to 2, and leaves the choice of a class to the filters behind it.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define NO_MATCH 0

SEC("tc")
int precedence(struct __sk_buff *skb)
{
	__u8 head[2];
	__u32 code_point = 0;

	/* From the network header on: the interface need not be of Ethernet. */
	if (bpf_skb_load_bytes_relative(skb, 0, head, sizeof(head), BPF_HDR_START_NET) == 0) {
		if (skb->protocol == bpf_htons(ETH_P_IP))
			code_point = head[1] >> 2;
		else if (skb->protocol == bpf_htons(ETH_P_IPV6))
			code_point = (head[0] & 0xf) << 2 | head[1] >> 6;
	}
	/* AFxy is 8x + 2y, x from 1 to 4; every other code point is of the precedence that is dropped last. */
	__u32 class = code_point >> 3, drop = code_point >> 1 & 3;

	skb->tc_index = class >= 1 && class <= 4 && !(code_point & 1) && drop ? drop - 1 : 0;
	return NO_MATCH;
}

char _license[] SEC("license") = "Apache-2.0";
