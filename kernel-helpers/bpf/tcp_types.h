/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The kernel's own types: only the members that are used, found by name when a program is loaded (CO-RE). */
#ifndef TAMANOIR_TCP_TYPES_H
#define TAMANOIR_TCP_TYPES_H

#include "tamanoir_shared.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		uint8_t u6_addr8[16];
	} in6_u;
};

struct sock_common {
	uint32_t skc_daddr;
	uint32_t skc_rcv_saddr;
	uint16_t skc_dport;	/* in network order */
	uint16_t skc_num;
	uint16_t skc_family;
	volatile unsigned char skc_state;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
};

struct tcp_sock {
	uint32_t snd_cwnd;	/* segments */
	uint32_t snd_cwnd_cnt;
	uint32_t snd_ssthresh;
	uint32_t prior_cwnd;
	uint32_t max_packets_out;
	uint32_t snd_cwnd_clamp;
	uint32_t srtt_us;	/* eighths of a microsecond */
	uint32_t total_retrans;
	uint32_t snd_una;
	uint32_t snd_nxt;
	uint64_t bytes_acked;
	uint8_t is_cwnd_limited : 1;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

struct tcp_congestion_ops {
	uint32_t (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, uint32_t ack, uint32_t acked);
	void (*set_state)(struct sock *sk, uint8_t state);
	uint32_t (*undo_cwnd)(struct sock *sk);
	char name[16];
};

#pragma clang attribute pop

#endif
