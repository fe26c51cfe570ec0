/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Tunes TCP sockets of other programs by rules: new ones when their connection stands (sock_ops of the root cgroup), open ones in passes over all
 * sockets of the namespace (iter/tcp). A second iterator puts all of them back.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define SOL_SOCKET 1
#define SOL_TCP 6
#define SO_MAX_PACING_RATE 47
#define TCP_CONGESTION 13

#include "wad.h"

/* Both ends of a socket, and the rule that was found for them. */
struct tam_tune_search {
	uint32_t remote[4];
	uint32_t local[4];
	uint16_t remote_port;
	uint16_t local_port;
	uint32_t found;		/* place of the rule, or TAM_TUNE_RULES */
};

tam_inline bool tam_tune_within(const uint32_t address[4], const uint8_t prefix[16], const uint8_t mask[16])
{
	const uint32_t *p = (const uint32_t *)prefix, *m = (const uint32_t *)mask;

	return !(((address[0] ^ p[0]) & m[0]) | ((address[1] ^ p[1]) & m[1]) | ((address[2] ^ p[2]) & m[2]) | ((address[3] ^ p[3]) & m[3]));
}

static long tam_tune_try(uint32_t place, void *context)
{
	struct tam_tune_search *search = context;
	struct tam_tune_rule *rule = bpf_map_lookup_elem(&tam_tune_rules, &place);

	if (!rule)
		return 1;
	if (search->remote_port < rule->remote_first || search->remote_port > rule->remote_last || search->local_port < rule->local_first
	    || search->local_port > rule->local_last || !tam_tune_within(search->remote, rule->remote, rule->remote_mask)
	    || !tam_tune_within(search->local, rule->local, rule->local_mask))
		return 0;
	search->found = place;
	return 1;
}

tam_inline struct tam_tune_rule *tam_tune_find(const struct tam_tune_state *state, struct tam_tune_search *search)
{
	search->found = TAM_TUNE_RULES;
	bpf_loop(state->rules, tam_tune_try, search, 0);
	return bpf_map_lookup_elem(&tam_tune_rules, &search->found);
}

tam_inline void tam_tune_ipv4(uint32_t to[4], uint32_t address)
{
	to[0] = to[1] = 0;
	to[2] = bpf_htonl(0xffff);
	to[3] = address;
}

tam_inline bool tam_tune_same(const char a[TAM_TUNE_NAME], const char b[TAM_TUNE_NAME])
{
	const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;

	return x[0] == y[0] && x[1] == y[1];
}

/* An IPv4 flow on a socket of IPv6: the kernel lets no program of BPF say its code point. */
tam_inline bool tam_tune_mapped(uint32_t family, const struct tam_tune_search *search)
{
	return family == AF_INET6 && !search->remote[0] && !search->remote[1] && search->remote[2] == bpf_htonl(0xffff);
}

/* Gives a socket what its rule says, and remembers what it had. `socket` is what bpf_setsockopt() takes, `key` what its storage hangs on. */
#define tam_tune_give(state, rule, socket, key, family, search) do { \
	struct tam_tuned tuned_ = { .rule = (rule)->number, .ai = (rule)->ai, .md = (rule)->md, .max_ssthresh = (rule)->max_ssthresh, \
		.marking = (rule)->marking, .classes = (rule)->classes, .base = (rule)->base, .class = (rule)->base }; \
	uint32_t pacing_ = (rule)->pacing; \
	char name_[TAM_TUNE_NAME] = {}; \
	if ((state)->flows >= (state)->most) { \
		__sync_fetch_and_add(&(state)->beyond, 1); \
		break; \
	} \
	if (bpf_getsockopt(socket, SOL_TCP, TCP_CONGESTION, tuned_.before, sizeof(tuned_.before))) \
		break; \
	__builtin_memcpy(tuned_.given, (rule)->congestion[0] ? (rule)->congestion : tuned_.before, sizeof(tuned_.given)); \
	if (pacing_ && !bpf_getsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &tuned_.pacing_before, sizeof(tuned_.pacing_before))) \
		tuned_.paced = true, tuned_.pacing = pacing_; \
	__builtin_memcpy(tuned_.code_points, (rule)->code_points, sizeof(tuned_.code_points)); \
	if (tuned_.marking && (tam_tune_mapped(family, search) || tam_tos_get(socket, family, &tuned_.tos_before))) { \
		__sync_fetch_and_add(&(state)->refused, 1); \
		break; \
	} \
	if (!bpf_sk_storage_get(&tam_tuned_sockets, key, &tuned_, BPF_SK_STORAGE_GET_F_CREATE)) \
		break; \
	__builtin_memcpy(name_, tuned_.given, sizeof(name_)); \
	if (((rule)->congestion[0] && bpf_setsockopt(socket, SOL_TCP, TCP_CONGESTION, name_, sizeof(name_))) \
	    || (tuned_.marking && tam_tos_set(socket, family, tam_class_tos(&tuned_, tuned_.base))) \
	    || (pacing_ && bpf_setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing_, sizeof(pacing_)))) { \
		__sync_fetch_and_add(&(state)->refused, 1); \
		bpf_sk_storage_delete(&tam_tuned_sockets, key); \
		break; \
	} \
	__sync_fetch_and_add(&(state)->flows, 1); \
	__sync_fetch_and_add(&(state)->tuned, 1); \
} while (0)

/* Keeps the compiler from making one read of two branches: the verifier takes no address in the context that was computed. */
#define tam_apart() asm volatile("" ::: "memory")

SEC("sockops")
int tam_tune_new(struct bpf_sock_ops *context)
{
	struct tam_tune_state *state = tam_tune_state();
	struct tam_tune_search search = {};
	struct tam_tune_rule *rule;
	struct bpf_sock *key = context->sk;

	if ((context->op != BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB && context->op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB) || !state || !key
	    || bpf_get_netns_cookie(context) != state->network)
		return 1;
	if (context->family == AF_INET) {
		tam_tune_ipv4(search.remote, context->remote_ip4);
		tam_tune_ipv4(search.local, context->local_ip4);
		tam_apart();
	} else {
		search.remote[0] = context->remote_ip6[0], search.remote[1] = context->remote_ip6[1];
		search.remote[2] = context->remote_ip6[2], search.remote[3] = context->remote_ip6[3];
		search.local[0] = context->local_ip6[0], search.local[1] = context->local_ip6[1];
		search.local[2] = context->local_ip6[2], search.local[3] = context->local_ip6[3];
	}
	search.remote_port = bpf_ntohl(context->remote_port);
	search.local_port = context->local_port;
	rule = tam_tune_find(state, &search);
	if (rule)
		tam_tune_give(state, rule, context, key, context->family, &search);
	return 1;
}

/* Of a socket that carries, or may yet carry, data of this host. The numbers are those of the kernel's <net/tcp_states.h>. */
tam_inline bool tam_tune_carries(const struct sock_common *common)
{
	return common->skc_state == 1 || common->skc_state == 4 || common->skc_state == 8;	/* ESTABLISHED, FIN_WAIT1, CLOSE_WAIT */
}

tam_inline void tam_tune_ends(const struct sock_common *common, struct tam_tune_search *search)
{
	if (common->skc_family == AF_INET6) {
		__builtin_memcpy(search->remote, &common->skc_v6_daddr, 16);
		__builtin_memcpy(search->local, &common->skc_v6_rcv_saddr, 16);
	} else {
		tam_tune_ipv4(search->remote, common->skc_daddr);
		tam_tune_ipv4(search->local, common->skc_rcv_saddr);
	}
	search->remote_port = bpf_ntohs(common->skc_dport);
	search->local_port = common->skc_num;
}

/* Unless the program has chosen for itself meanwhile. */
tam_inline void tam_tune_restore_one(struct tcp_sock *tcp, struct sock_common *common, struct tam_tuned *tuned)
{
	char now[TAM_TUNE_NAME] = {}, before[TAM_TUNE_NAME];
	uint32_t pacing = 0, pacing_before = tuned->pacing_before;

	if (!bpf_getsockopt(tcp, SOL_TCP, TCP_CONGESTION, now, sizeof(now)) && tam_tune_same(now, tuned->given)
	    && !tam_tune_same(tuned->before, tuned->given)) {
		__builtin_memcpy(before, tuned->before, sizeof(before));
		bpf_setsockopt(tcp, SOL_TCP, TCP_CONGESTION, before, sizeof(before));
	}
	if (tuned->paced && !bpf_getsockopt(tcp, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing, sizeof(pacing)) && pacing == tuned->pacing)
		bpf_setsockopt(tcp, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing_before, sizeof(pacing_before));
	tam_leave_classes(tcp, common->skc_family, tuned);
	bpf_sk_storage_delete(&tam_tuned_sockets, common);
}

tam_inline void tam_tune_report(struct seq_file *out, struct tcp_sock *tcp, const struct tam_tune_search *search, const struct tam_tuned *tuned)
{
	struct tam_tune_flow flow = { .remote_port = search->remote_port, .local_port = search->local_port, .rule = tuned->rule,
		.window = tcp->snd_cwnd, .ssthresh = tcp->snd_ssthresh, .round_trip = tcp->srtt_us >> 3, .retransmitted = tcp->total_retrans,
		.acknowledged = tcp->bytes_acked, .class = tuned->class };

	__builtin_memcpy(flow.remote, search->remote, 16);
	__builtin_memcpy(flow.local, search->local, 16);
	__builtin_memcpy(flow.before, tuned->before, sizeof(flow.before));
	bpf_getsockopt(tcp, SOL_TCP, TCP_CONGESTION, flow.congestion, sizeof(flow.congestion));
	flow.own = !tam_tune_same(flow.congestion, tuned->given);
	bpf_seq_write(out, &flow, sizeof(flow));
}

SEC("iter/tcp")
int tam_tune_look(struct bpf_iter__tcp *context)
{
	struct sock_common *common = context->sk_common;
	struct tam_tune_state *state = tam_tune_state();
	struct tam_tune_search search = {};
	struct tam_tune_rule *rule;
	struct tam_tuned *tuned;
	struct tcp_sock *tcp;

	if (!common || !state || !tam_tune_carries(common))
		return 0;
	tcp = bpf_skc_to_tcp_sock(common);
	if (!tcp)
		return 0;
	tam_tune_ends(common, &search);
	tuned = bpf_sk_storage_get(&tam_tuned_sockets, common, 0, 0);
	if (tuned && tuned->lapsed) {
		/* Its process was stopped, and goes on. */
		tam_tune_restore_one(tcp, common, tuned);
		tuned = 0;
	}
	if (!tuned) {
		rule = tam_tune_find(state, &search);
		if (!rule)
			return 0;
		tam_tune_give(state, rule, tcp, common, common->skc_family, &search);
		tuned = bpf_sk_storage_get(&tam_tuned_sockets, common, 0, 0);
	}
	if (tuned)
		tam_tune_report(context->meta->seq, tcp, &search, tuned);
	return 0;
}

SEC("iter/tcp")
int tam_tune_restore(struct bpf_iter__tcp *context)
{
	struct sock_common *common = context->sk_common;
	struct tam_tuned *tuned;
	struct tcp_sock *tcp;

	if (!common)
		return 0;
	tcp = bpf_skc_to_tcp_sock(common);
	tuned = tcp ? bpf_sk_storage_get(&tam_tuned_sockets, common, 0, 0) : 0;
	if (tuned)
		tam_tune_restore_one(tcp, common, tuned);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
