/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Congestion control `tam_wad`: additive increase, multiplicative decrease and limited slow start (RFC 3742) with the numbers of the socket's
 * rule, as Net100's Work Around Daemon set them; and, where the rule has a marking, the class of a flow's packets by what has become of those before
 * (DataTAG D2.2, section 4.3). Recovery itself is the kernel's (RFC 6675, RFC 6937). A socket that has chosen it
 * without us is Reno's.
 */
#ifndef TAMANOIR_WAD_H
#define TAMANOIR_WAD_H

#include "tune_class.h"

#define RENO_AI 1
#define RENO_MD (TAM_TUNE_PART / 2)
#define LEAST_WINDOW 2
/* Of the kernel's <net/tcp.h>. */
#define TCP_CA_OPEN 0
#define TCP_CA_RECOVERY 3
#define TCP_CA_LOSS 4

tam_inline uint32_t tam_wad_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The window is full, or will be: tcp_is_cwnd_limited() of the kernel. A window that is not used says nothing of the path. */
tam_inline bool tam_wad_limited(const struct tcp_sock *tcp)
{
	if (BPF_CORE_READ_BITFIELD(tcp, is_cwnd_limited))
		return true;
	return tcp->snd_cwnd < tcp->snd_ssthresh && tcp->snd_cwnd < 2 * tcp->max_packets_out;
}

/* Adds 1 to the window for every `each` segments that are acknowledged `times` over. */
tam_inline void tam_wad_grow(struct tcp_sock *tcp, uint32_t each, uint32_t times)
{
	uint32_t count = tcp->snd_cwnd_cnt + times, whole = count / each;

	tcp->snd_cwnd_cnt = count - whole * each;
	tcp->snd_cwnd = tam_wad_min(tcp->snd_cwnd + whole, tcp->snd_cwnd_clamp);
}

/* RFC 3742 section 2: K = int(cwnd / (0.5 max_ssthresh)); cwnd grows by MSS / K for each segment acknowledged. */
tam_inline void tam_wad_slow_start(struct tcp_sock *tcp, uint32_t max_ssthresh, uint32_t acked)
{
	uint32_t each = 1;

	if (max_ssthresh && tcp->snd_cwnd > max_ssthresh)
		each = tcp->snd_cwnd * 2 / max_ssthresh;
	tam_wad_grow(tcp, each, acked);
}

/*
 * A loss is found before its repair is sent, so the repair goes in the last class. What the tail-loss probe of RFC 8985 sends again goes in the class of
 * the moment: the kernel takes no loss for granted there.
 */
SEC("struct_ops/tam_wad_set_state")
int tam_wad_set_state(uint64_t *arguments)
{
	struct sock *sk = (struct sock *)arguments[0];
	uint8_t state = (uint8_t)arguments[1];
	struct tam_tuned *tuned = bpf_sk_storage_get(&tam_tuned_sockets, sk, 0, 0);

	if (!tuned || !tuned->marking || tuned->lapsed)
		return 0;
	if (state == TCP_CA_RECOVERY || state == TCP_CA_LOSS) {
		tuned->repairing = true;
		tam_enter_class(sk, tuned, tuned->classes - 1);
	} else if (state == TCP_CA_OPEN && tuned->marking == TAM_TUNE_MESSAGE) {
		tam_enter_class(sk, tuned, tuned->base);
	} else if (state == TCP_CA_OPEN && tuned->repairing) {
		tuned->repairing = false;
		tuned->round_end = ((struct tcp_sock *)sk)->snd_nxt;
	}
	return 0;
}

/* The window after the repair is over, or another round trip: something has come of what was sent since it began. */
tam_inline void tam_wad_round(struct sock *sk, struct tam_tuned *tuned)
{
	struct tcp_sock *tcp = (struct tcp_sock *)sk;

	if (tuned->marking != TAM_TUNE_BULK || tuned->class <= tuned->base || tuned->repairing || (int32_t)(tcp->snd_una - tuned->round_end) <= 0)
		return;
	tam_enter_class(sk, tuned, tuned->class - 1);
	tuned->round_end = tcp->snd_nxt;
}

/* The process has gone, and so has the one that stands in for it: the socket goes back by itself. */
tam_inline bool tam_wad_abandoned(struct sock *sk, struct tam_tuned *tuned)
{
	struct tam_tune_state *state = tam_tune_state();

	if (!state || bpf_ktime_get_ns() < state->until)
		return false;
	tam_leave_classes(sk, sk->__sk_common.skc_family, tuned);
	tuned->lapsed = true;
	bpf_setsockopt(sk, SOL_TCP, TCP_CONGESTION, tuned->before, sizeof(tuned->before));
	return true;
}

SEC("struct_ops/tam_wad_cong_avoid")
int tam_wad_cong_avoid(uint64_t *arguments)
{
	struct sock *sk = (struct sock *)arguments[0];
	struct tcp_sock *tcp = (struct tcp_sock *)sk;
	uint32_t acked = (uint32_t)arguments[2];
	struct tam_tuned *tuned = bpf_sk_storage_get(&tam_tuned_sockets, sk, 0, 0);

	if (tuned && tam_wad_abandoned(sk, tuned))
		return 0;
	if (tuned)
		tam_wad_round(sk, tuned);
	if (!tam_wad_limited(tcp))
		return 0;
	if (tcp->snd_cwnd < tcp->snd_ssthresh)
		tam_wad_slow_start(tcp, tuned ? tuned->max_ssthresh : 0, acked);
	else if (tcp->snd_cwnd)
		tam_wad_grow(tcp, tcp->snd_cwnd, acked * (tuned ? tuned->ai : RENO_AI));
	return 0;
}

SEC("struct_ops/tam_wad_ssthresh")
uint32_t tam_wad_ssthresh(uint64_t *arguments)
{
	struct sock *sk = (struct sock *)arguments[0];
	struct tcp_sock *tcp = (struct tcp_sock *)sk;
	struct tam_tuned *tuned = bpf_sk_storage_get(&tam_tuned_sockets, sk, 0, 0);
	uint32_t window = tcp->snd_cwnd, less = (uint64_t)window * (tuned ? tuned->md : RENO_MD) / TAM_TUNE_PART;

	/* At least by one: a window that never shrinks knows no congestion. */
	if (less == 0)
		less = 1;
	return window > less + LEAST_WINDOW ? window - less : LEAST_WINDOW;
}

/* A loss that was none: what there was before it. */
SEC("struct_ops/tam_wad_undo_cwnd")
uint32_t tam_wad_undo_cwnd(uint64_t *arguments)
{
	struct sock *sk = (struct sock *)arguments[0];
	struct tcp_sock *tcp = (struct tcp_sock *)sk;

	return tcp->snd_cwnd > tcp->prior_cwnd ? tcp->snd_cwnd : tcp->prior_cwnd;
}

SEC(".struct_ops")
struct tcp_congestion_ops tam_wad = {
	.cong_avoid = (void *)tam_wad_cong_avoid,
	.ssthresh = (void *)tam_wad_ssthresh,
	.set_state = (void *)tam_wad_set_state,
	.undo_cwnd = (void *)tam_wad_undo_cwnd,
	.name = TAM_TUNE_WAD,
};

#endif
