/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * The queue "eds_bpf": eds.h as a queue in BPF (struct_ops of Qdisc_ops), for Linux 6.16 and later with CONFIG_NET_SCH_BPF. At the root of an interface, or
 * below mq, once in a kernel. Its parameters are compiled in: make bpf BPF_EDS='-DEDS_LIMIT=100000 …'.
 *
 * COMPILED, AND NEVER RUN: no kernel that this project has met has such queues. What its verifier accepts is eds.h, in tests/arithmetic.bpf.c.
 */
#include <linux/types.h>
#include <stdbool.h>
/* The headers of a distribution have these types of an older kernel, or not at all: they are given below as Linux 6.16 has them. */
#define bpf_list_head bpf_list_head_of_headers
#define bpf_list_node bpf_list_node_of_headers
#include <linux/bpf.h>
#undef bpf_list_head
#undef bpf_list_node
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_endian.h>
#include "eds.h"

#ifndef EDS_LIMIT
#define EDS_LIMIT 100000
#endif
#ifndef EDS_DEPTH
#define EDS_DEPTH 1200
#endif
#ifndef EDS_DELAYS
#define EDS_DELAYS 10, 12, 15, 20, 30, 60
#define EDS_LOSSES 60, 30, 20, 15, 12, 10
#define EDS_NUMBER 6
#endif
/* RED at 100 Mbit/s: min 6000 max 80000 probability 0.1 avpkt 1065 burst 30, without aging on an idle link. -DEDS_RED_MAX=0 for none. */
#ifndef EDS_RED_MAX
#define EDS_RED_MIN 6000
#define EDS_RED_MAX 80000
#define EDS_RED_WEIGHT 7
#define EDS_RED_PROBABILITY 20
#endif
#ifndef EDS_RED_MIN
#define EDS_RED_MIN 0
#define EDS_RED_WEIGHT 0
#define EDS_RED_PROBABILITY 0
#endif

#define NET_XMIT_SUCCESS 0
#define NET_XMIT_DROP 1
#define ETHERTYPE_IP 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define MOST_LOST 32	/* packets that one arrival may cost */
#define EDS_ROOM 4096	/* packets that may wait in a class; a power of two */

struct bpf_list_head { __u64 opaque[2]; } __attribute__((aligned(8)));
struct bpf_list_node { __u64 opaque[3]; } __attribute__((aligned(8)));

/* Of the kernel's types, what is read here. */
struct qdisc_skb_head { __u32 qlen; } __attribute__((preserve_access_index));
struct gnet_stats_queue { __u32 backlog; __u32 drops; } __attribute__((preserve_access_index));
struct Qdisc { struct qdisc_skb_head q; struct gnet_stats_queue qstats; } __attribute__((preserve_access_index));
struct sk_buff {
	unsigned int len;
	__be16 protocol;
	__u16 network_header;
	unsigned char *head, *data;
	char cb[48];
} __attribute__((preserve_access_index));
struct qdisc_skb_cb { unsigned int pkt_len; } __attribute__((preserve_access_index));
struct bpf_sk_buff_ptr;
struct nlattr;
struct netlink_ext_ack;

struct Qdisc_ops {
	int (*enqueue)(struct sk_buff *, struct Qdisc *, struct bpf_sk_buff_ptr *);
	struct sk_buff *(*dequeue)(struct Qdisc *);
	int (*init)(struct Qdisc *, struct nlattr *, struct netlink_ext_ack *);
	void (*reset)(struct Qdisc *);
	void (*destroy)(struct Qdisc *);
	char id[16];
};

extern void bpf_qdisc_skb_drop(struct sk_buff *skb, struct bpf_sk_buff_ptr *to_free) __ksym;
extern void bpf_kfree_skb(struct sk_buff *skb) __ksym;
extern void bpf_qdisc_bstats_update(struct Qdisc *sch, const struct sk_buff *skb) __ksym;
extern int bpf_dynptr_from_skb(struct sk_buff *skb, __u64 flags, struct bpf_dynptr *to) __ksym;
extern void *bpf_dynptr_slice(const struct bpf_dynptr *from, __u32 offset, void *buffer, __u32 size) __ksym;
extern void *bpf_obj_new_impl(__u64 type, void *meta) __ksym;
extern void bpf_obj_drop_impl(void *object, void *meta) __ksym;
extern int bpf_list_push_back_impl(struct bpf_list_head *head, struct bpf_list_node *node, void *meta, __u64 offset) __ksym;
extern struct bpf_list_node *bpf_list_pop_front(struct bpf_list_head *head) __ksym;
extern struct bpf_list_node *bpf_list_pop_back(struct bpf_list_head *head) __ksym;

#define container(pointer, type, member) ((type *)((char *)(pointer) - __builtin_offsetof(type, member)))

struct eds_waiting {
	struct bpf_list_node node;
	struct sk_buff __attribute__((btf_type_tag("kptr"))) *skb;
};

/* What stands behind the head of a list cannot be read while it is in the list: what is known of the packets stands beside them. */
struct eds_known {
	__u64 came;
	__u32 sequence;
	__u32 octets;
};

struct eds_waiting_queue {
	struct bpf_spin_lock lock;
	struct bpf_list_head packets __attribute__((btf_decl_tag("contains:eds_waiting:node")));
	__u32 first, end;
	struct eds_known known[EDS_ROOM];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, EDS_CLASSES);
	__type(key, __u32);
	__type(value, struct eds_waiting_queue);
} eds_queues SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct eds);
} eds_state SEC(".maps");

const volatile __u32 delays[EDS_CLASSES] = {EDS_DELAYS};
const volatile __u32 losses[EDS_CLASSES] = {EDS_LOSSES};

static struct eds *state(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&eds_state, &key);
}

static __u32 length(const struct sk_buff *skb)
{
	return ((const struct qdisc_skb_cb *)skb->cb)->pkt_len;
}

/* DSCP 3, 7, 11, … are the classes; everything else goes in the middle. */
static __u32 classify(struct sk_buff *skb)
{
	__u32 offset = skb->network_header - (__u32)(skb->data - skb->head), dscp;
	struct bpf_dynptr packet;
	__u8 room[2], *header;

	if (bpf_dynptr_from_skb(skb, 0, &packet))
		return (EDS_NUMBER - 1) / 2;
	header = bpf_dynptr_slice(&packet, offset, room, sizeof(room));
	if (!header)
		return (EDS_NUMBER - 1) / 2;
	if (skb->protocol == bpf_htons(ETHERTYPE_IP))
		dscp = header[1] >> 2;
	else if (skb->protocol == bpf_htons(ETHERTYPE_IPV6))
		dscp = (header[0] & 0xf) << 2 | header[1] >> 6;
	else
		return (EDS_NUMBER - 1) / 2;
	return (dscp & 3) == 3 && dscp >> 2 < EDS_NUMBER ? dscp >> 2 : (EDS_NUMBER - 1) / 2;
}

static struct eds_waiting_queue *queue_of(__u32 class)
{
	return bpf_map_lookup_elem(&eds_queues, &class);
}

/* The packet of a node that was taken out of its list; NULL if there was none. */
static struct sk_buff *unwrap(struct bpf_list_node *node)
{
	struct eds_waiting *waiting;
	struct sk_buff *skb;

	if (!node)
		return NULL;
	waiting = container(node, struct eds_waiting, node);
	skb = bpf_kptr_xchg(&waiting->skb, NULL);
	bpf_obj_drop_impl(waiting, NULL);
	return skb;
}

/* Returns whether the packet of this number is among the lost. */
static bool lose(struct eds *e, struct Qdisc *sch, struct bpf_sk_buff_ptr *to_free, __u32 sequence)
{
	bool mine = false, over = true;
	int i;

	for (i = 0; i < MOST_LOST && over; i++) {
		__u32 loser = eds_loser(e);
		struct eds_waiting_queue *queue = queue_of(loser);
		struct bpf_list_node *node;
		struct eds_known known;
		struct sk_buff *skb;

		if (!queue)
			break;
		bpf_spin_lock(&queue->lock);
		node = bpf_list_pop_back(&queue->packets);
		bpf_spin_unlock(&queue->lock);
		skb = unwrap(node);
		if (!skb)
			break;
		known = queue->known[--queue->end & (EDS_ROOM - 1)];
		over = eds_loses(e, loser, known.octets, known.sequence);
		mine |= known.sequence == sequence;
		sch->q.qlen--;
		sch->qstats.backlog -= known.octets;
		bpf_qdisc_skb_drop(skb, to_free);
	}
	return mine;
}

SEC("struct_ops/eds_enqueue")
int BPF_PROG(eds_enqueue, struct sk_buff *skb, struct Qdisc *sch, struct bpf_sk_buff_ptr *to_free)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 class = classify(skb), octets = length(skb), sequence;
	struct eds_waiting_queue *queue = queue_of(class);
	struct eds *e = state();
	struct eds_waiting *waiting;

	if (!e || !queue || queue->end - queue->first >= EDS_ROOM)
		goto drop;
	waiting = bpf_obj_new_impl(bpf_core_type_id_local(struct eds_waiting), NULL);
	if (!waiting)
		goto drop;
	skb = bpf_kptr_xchg(&waiting->skb, skb);
	if (skb)
		bpf_qdisc_skb_drop(skb, to_free);
	sequence = e->sequence;
	queue->known[queue->end++ & (EDS_ROOM - 1)] = (struct eds_known){now, sequence, octets};
	bpf_spin_lock(&queue->lock);
	bpf_list_push_back_impl(&queue->packets, &waiting->node, NULL, 0);
	bpf_spin_unlock(&queue->lock);
	sch->q.qlen++;
	sch->qstats.backlog += octets;
	if (eds_arrives(e, class, octets, now, bpf_get_prandom_u32()) && lose(e, sch, to_free, sequence))
		return NET_XMIT_DROP;
	return NET_XMIT_SUCCESS;
drop:
	bpf_qdisc_skb_drop(skb, to_free);
	return NET_XMIT_DROP;
}

SEC("struct_ops/eds_dequeue")
struct sk_buff *BPF_PROG(eds_dequeue, struct Qdisc *sch)
{
	__u64 now = bpf_ktime_get_ns();
	struct eds_waiting_queue *queue;
	struct bpf_list_node *node;
	struct eds *e = state();
	struct sk_buff *skb;
	__u32 next, octets;

	if (!e)
		return NULL;
	next = eds_next(e, now);
	queue = queue_of(next);
	if (!queue)
		return NULL;
	bpf_spin_lock(&queue->lock);
	node = bpf_list_pop_front(&queue->packets);
	bpf_spin_unlock(&queue->lock);
	skb = unwrap(node);
	if (!skb)
		return NULL;
	octets = queue->known[queue->first++ & (EDS_ROOM - 1)].octets;
	eds_departs(e, next, octets, queue->known[queue->first & (EDS_ROOM - 1)].came, now);
	sch->q.qlen--;
	sch->qstats.backlog -= octets;
	bpf_qdisc_bstats_update(sch, skb);
	return skb;
}

SEC("struct_ops/eds_init")
int BPF_PROG(eds_open, struct Qdisc *sch, struct nlattr *options, struct netlink_ext_ack *extack)
{
	struct eds *e = state();
	int i;

	if (!e)
		return -22;
	e->parameters.limit = EDS_LIMIT;
	e->parameters.classes = EDS_NUMBER;
	e->parameters.history = EDS_DEPTH;
	for (i = 0; i < EDS_CLASSES; i++) {
		e->parameters.delay[i] = delays[i];
		e->parameters.loss[i] = losses[i];
	}
	e->parameters.red.min = EDS_RED_MIN;
	e->parameters.red.max = EDS_RED_MAX;
	e->parameters.red.weight_log = EDS_RED_WEIGHT;
	e->parameters.red.probability_log = EDS_RED_PROBABILITY;
	eds_init(e);
	return eds_valid(&e->parameters) ? 0 : -22;
}

SEC("struct_ops/eds_reset")
void BPF_PROG(eds_reset, struct Qdisc *sch)
{
	struct eds *e = state();
	__u32 class;
	int i;

	for (class = 0; class < EDS_CLASSES; class++) {
		struct eds_waiting_queue *queue = queue_of(class);

		for (i = 0; queue && i < EDS_ROOM; i++) {
			struct bpf_list_node *node;
			struct sk_buff *skb;

			bpf_spin_lock(&queue->lock);
			node = bpf_list_pop_front(&queue->packets);
			bpf_spin_unlock(&queue->lock);
			if (!node)
				break;
			skb = unwrap(node);
			if (skb)
				bpf_kfree_skb(skb);
		}
		if (queue)
			queue->first = queue->end = 0;
		if (e)
			e->classes[class].packets = 0;
	}
	if (e) {
		e->packets = 0;
		e->octets = 0;
		e->average = 0;
		e->idle = 1;
	}
	sch->q.qlen = 0;
	sch->qstats.backlog = 0;
}

SEC("struct_ops/eds_destroy")
void BPF_PROG(eds_destroy, struct Qdisc *sch)
{
}

SEC(".struct_ops")
struct Qdisc_ops eds_bpf = {
	.enqueue = (void *)eds_enqueue,
	.dequeue = (void *)eds_dequeue,
	.init = (void *)eds_open,
	.reset = (void *)eds_reset,
	.destroy = (void *)eds_destroy,
	.id = "eds_bpf",
};

char LICENSE[] SEC("license") = "GPL";	/* what the kernel's functions ask for; see the first line */
