// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/*
 * The queue "eds" for tc(8): classes by DSCP that differ in delay and loss, and of which none is better. The arithmetic is in eds.h; here are the packets.
 * A packet is what the kernel hands down: segments that GRO or TSO has put together count as one.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <net/dsfield.h>
#include <net/gen_stats.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include "eds.h"
#include "eds_netlink.h"

struct eds_queue {
	struct eds eds;
	struct sk_buff_head waiting[EDS_CLASSES];
	struct eds_statistics statistics;
	u8 class_of[EDS_CODE_POINTS];
};

/* What a packet carries while it waits. */
struct eds_cb {
	u64 came;
	u32 sequence;
};

static struct eds_cb *eds_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct eds_cb));
	return (struct eds_cb *)qdisc_skb_cb(skb)->data;
}

static u32 eds_classify(const struct eds_queue *q, struct sk_buff *skb)
{
	int end = skb_network_offset(skb);

	switch (skb_protocol(skb, true)) {
	case htons(ETH_P_IP):
		return q->class_of[pskb_may_pull(skb, end + sizeof(struct iphdr)) ? ipv4_get_dsfield(ip_hdr(skb)) >> 2 : 0];
	case htons(ETH_P_IPV6):
		return q->class_of[pskb_may_pull(skb, end + sizeof(struct ipv6hdr)) ? ipv6_get_dsfield(ipv6_hdr(skb)) >> 2 : 0];
	default:
		return q->class_of[0];
	}
}

static int eds_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct eds_queue *q = qdisc_priv(sch);
	u32 class = eds_classify(q, skb), loser, others = 0, octets = 0, length;
	struct sk_buff *lost;
	bool stays = true;
	int over;

	eds_cb(skb)->came = ktime_get_ns();
	eds_cb(skb)->sequence = q->eds.sequence;
	q->statistics.classes[class].arrived++;
	over = eds_arrives(&q->eds, class, qdisc_pkt_len(skb), eds_cb(skb)->came, get_random_u32());
	__skb_queue_tail(&q->waiting[class], skb);
	qdisc_qstats_backlog_inc(sch, skb);
	sch->q.qlen++;
	while (over) {
		loser = eds_loser(&q->eds);
		if (WARN_ON_ONCE(loser == EDS_NOBODY))
			break;
		lost = __skb_dequeue_tail(&q->waiting[loser]);
		length = qdisc_pkt_len(lost);
		over = eds_loses(&q->eds, loser, length, eds_cb(lost)->sequence);
		q->statistics.classes[loser].lost++;
		qdisc_qstats_backlog_dec(sch, lost);
		sch->q.qlen--;
		if (lost == skb) {
			stays = false;
		} else {
			others++;
			octets += length;
		}
		qdisc_qstats_drop(sch);
		__qdisc_drop(lost, to_free);
	}
	/* The queues above have counted the others, and count this one if it is said to be in. */
	if (others)
		qdisc_tree_reduce_backlog(sch, others, octets);
	return stays ? NET_XMIT_SUCCESS : NET_XMIT_DROP;
}

static struct sk_buff *eds_dequeue(struct Qdisc *sch)
{
	struct eds_queue *q = qdisc_priv(sch);
	u64 now = ktime_get_ns(), came;
	u32 class = eds_next(&q->eds, now);
	struct sk_buff *skb, *behind;

	if (class == EDS_NOBODY)
		return NULL;
	skb = __skb_dequeue(&q->waiting[class]);
	behind = skb_peek(&q->waiting[class]);
	came = eds_cb(skb)->came;
	eds_departs(&q->eds, class, qdisc_pkt_len(skb), behind ? eds_cb(behind)->came : 0, now);
	q->statistics.classes[class].sent++;
	q->statistics.classes[class].waited += now > came ? now - came : 0;
	qdisc_qstats_backlog_dec(sch, skb);
	qdisc_bstats_update(sch, skb);
	sch->q.qlen--;
	return skb;
}

static void eds_begin(struct eds_queue *q, const struct eds_parameters *parameters)
{
	memset(&q->eds, 0, sizeof(q->eds));
	q->eds.parameters = *parameters;
	eds_init(&q->eds);
}

static void eds_reset(struct Qdisc *sch)
{
	struct eds_queue *q = qdisc_priv(sch);
	struct eds_parameters *parameters = kmemdup(&q->eds.parameters, sizeof(*parameters), GFP_ATOMIC);
	int i;

	for (i = 0; i < EDS_CLASSES; i++) {
		rtnl_kfree_skbs(skb_peek(&q->waiting[i]), skb_peek_tail(&q->waiting[i]));
		__skb_queue_head_init(&q->waiting[i]);
		q->eds.classes[i].packets = 0;
	}
	q->eds.packets = 0;
	q->eds.octets = 0;
	/* Without memory the averages of before go on: nothing depends on them but which packets are lost next. */
	if (parameters)
		eds_begin(q, parameters);
	kfree(parameters);
	sch->qstats.backlog = 0;
	sch->q.qlen = 0;
}

static const struct nla_policy eds_policy[TCA_EDS_LAST + 1] = {
	[TCA_EDS_PARAMETERS] = NLA_POLICY_EXACT_LEN(sizeof(struct eds_parameters)),
	[TCA_EDS_CLASS_OF] = NLA_POLICY_EXACT_LEN(EDS_CODE_POINTS),
};

static int eds_open(struct Qdisc *sch, struct nlattr *options, struct netlink_ext_ack *extack)
{
	struct eds_queue *q = qdisc_priv(sch);
	struct nlattr *said[TCA_EDS_LAST + 1];
	const struct eds_parameters *parameters;
	int i, error;

	for (i = 0; i < EDS_CLASSES; i++)
		__skb_queue_head_init(&q->waiting[i]);
	if (!options) {
		NL_SET_ERR_MSG(extack, "eds needs its parameters");
		return -EINVAL;
	}
	error = nla_parse_nested_deprecated(said, TCA_EDS_LAST, options, eds_policy, extack);
	if (error)
		return error;
	if (!said[TCA_EDS_PARAMETERS] || !said[TCA_EDS_CLASS_OF]) {
		NL_SET_ERR_MSG(extack, "eds needs its parameters and the classes of code points");
		return -EINVAL;
	}
	parameters = nla_data(said[TCA_EDS_PARAMETERS]);
	if (!eds_valid(parameters)) {
		NL_SET_ERR_MSG(extack, "a parameter of eds is out of range");
		return -EINVAL;
	}
	memcpy(q->class_of, nla_data(said[TCA_EDS_CLASS_OF]), EDS_CODE_POINTS);
	for (i = 0; i < EDS_CODE_POINTS; i++) {
		if (q->class_of[i] >= parameters->classes) {
			NL_SET_ERR_MSG(extack, "a code point has a class that is not there");
			return -EINVAL;
		}
	}
	eds_begin(q, parameters);
	return 0;
}

static int eds_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct eds_queue *q = qdisc_priv(sch);
	struct nlattr *options = nla_nest_start_noflag(skb, TCA_OPTIONS);

	if (!options)
		return -EMSGSIZE;
	if (nla_put(skb, TCA_EDS_PARAMETERS, sizeof(q->eds.parameters), &q->eds.parameters) || nla_put(skb, TCA_EDS_CLASS_OF, EDS_CODE_POINTS, q->class_of)) {
		nla_nest_cancel(skb, options);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, options);
}

static int eds_dump_stats(struct Qdisc *sch, struct gnet_dump *dump)
{
	struct eds_queue *q = qdisc_priv(sch);

	return gnet_stats_copy_app(dump, &q->statistics, sizeof(q->statistics));
}

static struct Qdisc_ops eds_ops __read_mostly = {
	.id = "eds",
	.priv_size = sizeof(struct eds_queue),
	.enqueue = eds_enqueue,
	.dequeue = eds_dequeue,
	.peek = qdisc_peek_dequeued,
	.init = eds_open,
	.reset = eds_reset,
	.dump = eds_dump,
	.dump_stats = eds_dump_stats,
	.owner = THIS_MODULE,
};

static int __init eds_module_init(void)
{
	return register_qdisc(&eds_ops);
}

static void __exit eds_module_exit(void)
{
	unregister_qdisc(&eds_ops);
}

module_init(eds_module_init)
module_exit(eds_module_exit)
MODULE_DESCRIPTION("Equivalent differentiated services: WTP, PLR and RED");
/* Dual, see the first line; the kernel knows no better word. */
MODULE_LICENSE("GPL");
