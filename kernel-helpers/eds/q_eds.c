/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Teaches tc(8) the queue "eds": tc loads q_eds.so from the folder that TC_LIB_DIR names, as in 2003.
 *
 *   tc qdisc add dev eth1 root eds limit 100000 [min 6000 max 80000 probability 0.1 bandwidth 100000 avpkt 1065 burst 30]
 *     [hist_depth 1200] nb 6 fact_delay 10 12 15 20 30 60 fact_loss 60 30 20 15 12 10 [dscp 3 7 11 15 19 23] [default 3]
 *
 * limit, min, max and avpkt in octets, bandwidth in kbit/s, burst in packets of avpkt; default: the class, from 1, of what has another code point.
 */
#include <linux/types.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "eds.h"
#include "eds_netlink.h"

/* As tc(8) has it, from iproute2 4.17 on: tc/tc_util.h. */
struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(struct qdisc_util *, int, char **, struct nlmsghdr *, const char *);
	int (*print_qopt)(struct qdisc_util *, FILE *, struct rtattr *);
	int (*print_xstats)(struct qdisc_util *, FILE *, struct rtattr *);
	int (*parse_copt)(struct qdisc_util *, int, char **, struct nlmsghdr *, const char *);
	int (*print_copt)(struct qdisc_util *, FILE *, struct rtattr *);
	int (*has_block)(struct qdisc_util *, struct nlmsghdr *, struct rtattr *, bool *);
};

/* The option at the front: which word, and how many numbers follow. */
struct words {
	int count;
	char **at;
};

static int wrong(const char *what)
{
	fprintf(stderr, "eds: %s\n", what);
	return -1;
}

static bool numbers(struct words *words, int count, double *values)
{
	char *end;
	int i;

	for (i = 0; i < count; i++) {
		if (i + 1 >= words->count)
			return false;
		values[i] = strtod(words->at[i + 1], &end);
		if (*end || end == words->at[i + 1] || !(values[i] >= 0 && values[i] <= EDS_MOST_LIMIT))
			return false;
	}
	words->at += count + 1;
	words->count -= count + 1;
	return true;
}

/* The exponents of RED, as tc's own red has them: so that a burst of so many packets passes an empty queue (Floyd and Jacobson, 1993). */
static int red(struct eds_red *red, double min, double max, double probability, double bandwidth, double avpkt, double burst)
{
	double room = burst + 1 - min / avpkt, slope = probability / (max - min), cells;
	int weight, cell, i;

	for (weight = 1; weight <= 20 && room > (1 - pow(1 - pow(2, -weight), burst)) * pow(2, weight); weight++)
		;
	if (!(room >= 1) || weight > 20)
		return wrong("RED has no weight for this burst: min is more than avpkt, and burst more than min / avpkt");
	for (i = 0; i < 32 && slope <= 1; i++)
		slope *= 2;
	if (i == 32)
		return wrong("probability is too small for max - min");
	/* Powers of two that the average falls in a unit of 1024 ns: one weight for each packet that could have been sent. */
	cells = -log2(1 - pow(2, -weight)) / (avpkt * 8e6 / bandwidth / 1024);
	for (cell = 0; cell < 31 && 31 / cells / pow(2, cell) >= 2 * EDS_DAMPING; cell++)
		;
	red->min = min;
	red->max = max;
	red->weight_log = weight;
	red->probability_log = i;
	red->cell_log = cell;
	for (i = 1; i < EDS_DAMPING; i++)
		red->damping[i] = i < EDS_DAMPING - 1 && i * pow(2, cell) * cells < 31 ? i * pow(2, cell) * cells : 31;
	return 0;
}

static void add(struct nlmsghdr *n, int type, const void *data, size_t length)
{
	struct rtattr *attribute = (struct rtattr *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = RTA_LENGTH(length);
	if (length)
		memcpy(RTA_DATA(attribute), data, length);
	n->nlmsg_len = NLMSG_ALIGN(n->nlmsg_len) + RTA_ALIGN(attribute->rta_len);
}

static int parse(struct qdisc_util *util, int argc, char **argv, struct nlmsghdr *n, const char *dev)
{
	struct words words = {argc, argv};
	struct eds_parameters p = {.limit = 0};
	double limit = 0, min = 0, max = 0, probability = 0.02, bandwidth = 0, avpkt = 0, burst = 0, history = 0, nb = 0, other = 0;
	double delay[EDS_CLASSES], loss[EDS_CLASSES], dscp[EDS_CLASSES] = {3, 7, 11, 15, 19, 23, 27, 31};
	const struct { const char *name; double *value; } single[] = {{"limit", &limit}, {"min", &min}, {"max", &max}, {"probability", &probability},
		{"bandwidth", &bandwidth}, {"avpkt", &avpkt}, {"burst", &burst}, {"hist_depth", &history}, {"nb", &nb}, {"default", &other}};
	const struct { const char *name; double *values; } lists[] = {{"fact_delay", delay}, {"fact_loss", loss}, {"dscp", dscp}};
	__u8 class_of[EDS_CODE_POINTS];
	bool factors[2] = {false, false};
	struct rtattr *options;
	size_t i;

	(void)util;
	(void)dev;
	while (words.count > 0) {
		const char *name = words.at[0];
		bool known = false;

		for (i = 0; i < sizeof(single) / sizeof(*single) && !known; i++) {
			if (strcmp(name, single[i].name))
				continue;
			known = true;
			if (!numbers(&words, 1, single[i].value))
				return wrong("a number is missing or out of range");
		}
		for (i = 0; i < sizeof(lists) / sizeof(*lists) && !known; i++) {
			if (strcmp(name, lists[i].name))
				continue;
			known = true;
			if (nb < 1 || nb > EDS_CLASSES)
				return wrong("nb, the number of classes, 1 to 8, stands before what is said of each");
			if (!numbers(&words, nb, lists[i].values))
				return wrong("fact_delay, fact_loss and dscp have a number for each class");
			if (i < 2)
				factors[i] = true;
		}
		if (!known)
			return wrong("options: limit min max probability bandwidth avpkt burst hist_depth nb fact_delay fact_loss dscp default");
	}
	if (!factors[0] || !factors[1])
		return wrong("fact_delay and fact_loss are needed");
	p.limit = limit;
	p.classes = nb;
	p.history = history;
	for (i = 0; i < p.classes; i++) {
		p.delay[i] = delay[i];
		p.loss[i] = loss[i];
		if (dscp[i] >= EDS_CODE_POINTS)
			return wrong("a code point is 0 to 63");
	}
	if (max > 0) {
		if (!(max > min && avpkt > 0 && bandwidth > 0 && probability > 0 && probability <= 1))
			return wrong("RED needs min below max, probability of at most 1, bandwidth, avpkt and burst");
		if (red(&p.red, min, max, probability, bandwidth, avpkt, burst))
			return -1;
	}
	if (!eds_valid(&p))
		return wrong("out of range: limit, hist_depth to 16384, factors from 1 to 1000; fact_delay does not fall and fact_loss does not rise");
	if (other > nb)
		return wrong("default is a class from 1 to nb");
	memset(class_of, other >= 1 ? (int)other - 1 : ((int)nb - 1) / 2, sizeof(class_of));
	for (i = 0; i < p.classes; i++)
		class_of[(int)dscp[i]] = i;
	options = (struct rtattr *)((char *)n + NLMSG_ALIGN(n->nlmsg_len));
	add(n, TCA_OPTIONS, NULL, 0);
	add(n, TCA_EDS_PARAMETERS, &p, sizeof(p));
	add(n, TCA_EDS_CLASS_OF, class_of, sizeof(class_of));
	options->rta_len = (char *)n + n->nlmsg_len - (char *)options;
	return 0;
}

static int print(struct qdisc_util *util, FILE *out, struct rtattr *options)
{
	const struct rtattr *each = options ? RTA_DATA(options) : NULL;
	const struct eds_parameters *p = NULL;
	int left = options ? (int)RTA_PAYLOAD(options) : 0;
	__u32 i;

	(void)util;
	for (; each && RTA_OK(each, left); each = RTA_NEXT(each, left)) {
		if ((each->rta_type & NLA_TYPE_MASK) == TCA_EDS_PARAMETERS && RTA_PAYLOAD(each) >= sizeof(*p))
			p = RTA_DATA(each);
	}
	if (!p)
		return 0;
	fprintf(out, "limit %ub nb %u hist_depth %u ", p->limit, p->classes, p->history);
	if (p->red.max)
		fprintf(out, "min %ub max %ub Wlog %u Plog %u Scell_log %u ", p->red.min, p->red.max, p->red.weight_log, p->red.probability_log, p->red.cell_log);
	fprintf(out, "fact_delay");
	for (i = 0; i < p->classes && i < EDS_CLASSES; i++)
		fprintf(out, " %u", p->delay[i]);
	fprintf(out, " fact_loss");
	for (i = 0; i < p->classes && i < EDS_CLASSES; i++)
		fprintf(out, " %u", p->loss[i]);
	fprintf(out, " ");
	return 0;
}

static int print_statistics(struct qdisc_util *util, FILE *out, struct rtattr *said)
{
	const struct eds_statistics *statistics;
	bool first = true;
	int i;

	(void)util;
	if (!said || RTA_PAYLOAD(said) < sizeof(*statistics))
		return 0;
	statistics = RTA_DATA(said);
	for (i = 0; i < EDS_CLASSES; i++) {
		if (!statistics->classes[i].arrived)
			continue;
		fprintf(out, "%s  class %d arrived %llu lost %llu sent %llu waited %lluus", first ? "" : "\n", i + 1, (unsigned long long)statistics->classes[i].arrived,
			(unsigned long long)statistics->classes[i].lost, (unsigned long long)statistics->classes[i].sent,
			(unsigned long long)statistics->classes[i].waited / 1000);
		first = false;
	}
	return 0;
}

struct qdisc_util eds_qdisc_util = {.id = "eds", .parse_qopt = parse, .print_qopt = print, .print_xstats = print_statistics};
