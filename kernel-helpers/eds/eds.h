/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * Equivalent differentiated services (DataTAG D2.2, 2003, section 4): classes of which the one with the i-th shortest delay has the i-th highest loss.
 *
 *   WTP (Dovrolis)  which class sends next: the one whose oldest packet has waited longest for its delay factor
 *   PLR (Dovrolis)  which class loses a packet: the one that has lost least for its loss factor, since the start or of the last M arrivals
 *   RED (Floyd)     when one is lost: by the average of the whole queue, in the arithmetic of tc: exponents of two, no division
 *
 * This is the arithmetic alone, for the kernel module, the BPF qdisc and processes: integers, no allocation, no clock, no source of random numbers. The
 * caller has the packets in a queue for each class, and the types __u8 to __u64. org.tamanoir.qos.eds.Eds is the same in Java; a test compares them.
 *
 *   arrival:    put the packet at the tail of its class; if eds_arrives() says so, drop the tail of eds_loser(), tell eds_loses(), while that says so
 *   departure:  take the head of eds_next(), tell eds_departs()
 */
#ifndef TAMANOIR_EDS_H
#define TAMANOIR_EDS_H

#define EDS_CLASSES 8		/* most classes; a power of two */
#define EDS_HISTORY 16384	/* longest history of PLR(M), in arrivals; a power of two */
#define EDS_DAMPING 256		/* entries of the table that ages the average of an idle link */
#define EDS_MOST_FACTOR 1000
#define EDS_MOST_LIMIT (1u << 30)
#define EDS_NOBODY EDS_CLASSES

/* lost * arrived * factor fits 62 bits. Counters of PLR(infinity) are halved when one gets there, which leaves their ratios. */
#define EDS_MOST_COUNT (1ull << 26)
/* A wait in nanoseconds, 52 days; times a factor it fits 62 bits. */
#define EDS_LONGEST_WAIT ((1ull << 52) - 1)

#define EDS_LOST 0x80

struct eds_red {
	__u32 min;		/* octets of the average queue below which nothing is lost */
	__u32 max;		/* from which every arrival costs a packet; 0: no RED, losses at the limit alone */
	__u8 weight_log;	/* Wlog: an arrival has the weight 2^-Wlog in the average */
	__u8 probability_log;	/* Plog: the probability grows by 2^-Plog for each octet above min */
	__u8 cell_log;		/* Scell_log: an entry of damping is 2^(Scell_log + 10) nanoseconds */
	__u8 unused;
	__u8 damping[EDS_DAMPING];	/* by how many powers of two the average falls in so many cells */
};

struct eds_parameters {
	__u32 limit;		/* octets of all queues together */
	__u32 classes;		/* 1 to EDS_CLASSES */
	__u32 history;		/* M of PLR(M), 0 for PLR(infinity) */
	__u32 delay[EDS_CLASSES];	/* delay factors: delays are in their proportion */
	__u32 loss[EDS_CLASSES];	/* loss factors, the same of loss rates */
	struct eds_red red;
};

struct eds_class {
	__u64 arrived;		/* for PLR: in the history, or since the start and then halved */
	__u64 lost;
	__u64 head;		/* when the oldest packet came, nanoseconds */
	__u32 packets;		/* that wait */
};

struct eds {
	struct eds_parameters parameters;
	struct eds_class classes[EDS_CLASSES];
	__u64 octets;		/* that wait */
	__u64 average;		/* of octets, times 2^Wlog */
	__u64 idle_since;
	__u64 now;		/* of the last arrival */
	__u32 packets;
	__u32 idle;
	__u32 since_loss;	/* arrivals above min since RED's last loss, and 1; 0: the average is not between min and max */
	__u32 random;		/* what these have to get over */
	__u32 sequence;		/* of the next arrival */
	__u32 at;		/* place of the next arrival in the history */
	__u32 kept;		/* arrivals in the history */
	__u8 history[EDS_HISTORY];
};

/* Whether parameters are in their ranges. The class with the i-th lowest delay factor is to have the i-th highest loss factor: classes stand in that order. */
static inline int eds_valid(const struct eds_parameters *p)
{
	__u32 i;

	if (p->classes < 1 || p->classes > EDS_CLASSES || p->limit < 1 || p->limit > EDS_MOST_LIMIT || p->history > EDS_HISTORY)
		return 0;
	for (i = 0; i < EDS_CLASSES; i++) {
		if (i >= p->classes)
			break;
		if (p->delay[i] < 1 || p->delay[i] > EDS_MOST_FACTOR || p->loss[i] < 1 || p->loss[i] > EDS_MOST_FACTOR)
			return 0;
		if (i && (p->delay[i] < p->delay[i - 1] || p->loss[i] > p->loss[i - 1]))
			return 0;
	}
	if (!p->red.max)
		return 1;
	return p->red.min < p->red.max && p->red.max <= EDS_MOST_LIMIT && p->red.weight_log >= 1 && p->red.weight_log <= 20
		&& p->red.probability_log <= 31 && p->red.cell_log <= 31;
}

/* Begins. What is given is zero but for valid parameters. */
static inline void eds_init(struct eds *e)
{
	e->idle = 1;
}

/* The average of the queue that an arrival finds. On an idle link it falls as if small queues had been seen. */
static inline void eds_average(struct eds *e, __u64 now)
{
	const struct eds_red *red = &e->parameters.red;
	__u64 cells, fall;
	__u8 shift;

	if (!e->idle) {
		e->average += e->octets - (e->average >> red->weight_log);
		return;
	}
	e->idle = 0;
	cells = now > e->idle_since ? (now - e->idle_since) >> 10 : 0;
	if (cells >> red->cell_log >= EDS_DAMPING)
		cells = (__u64)(EDS_DAMPING - 1) << red->cell_log;
	shift = red->damping[(cells >> red->cell_log) & (EDS_DAMPING - 1)];
	if (shift) {
		e->average >>= shift & 63;
		return;
	}
	/* Less than a halving: linear in a cell, as tc has it. The factor has 12 bits at most, so that the product fits 62. */
	shift = red->cell_log > 12 ? red->cell_log - 12 : 0;
	fall = cells >> red->cell_log ? e->average : (e->average * (cells >> shift)) >> (red->cell_log - shift);
	e->average = fall < e->average >> 1 ? e->average - fall : e->average >> 1;
}

/* Whether RED wants a packet to go. @random 32 bits, used if it begins to count anew */
static inline int eds_early(struct eds *e, __u32 random)
{
	const struct eds_red *red = &e->parameters.red;
	__u64 average = e->average >> red->weight_log;

	if (!red->max || average < red->min) {
		e->since_loss = 0;
		return 0;
	}
	if (average >= red->max) {
		e->since_loss = 0;
		return 1;
	}
	random &= (1u << red->probability_log) - 1;
	if (!e->since_loss) {
		e->since_loss = 1;
		e->random = random;
		return 0;
	}
	if ((average - red->min) * e->since_loss < e->random) {
		e->since_loss++;
		return 0;
	}
	e->since_loss = 1;
	e->random = random;
	return 1;
}

/* Counts an arrival for PLR. */
static inline void eds_count(struct eds *e, __u32 class)
{
	__u32 depth = e->parameters.history, i;
	__u8 old;

	e->sequence++;
	e->classes[class].arrived++;
	if (!depth) {
		if (e->classes[class].arrived < EDS_MOST_COUNT)
			return;
		for (i = 0; i < EDS_CLASSES; i++) {
			e->classes[i].arrived >>= 1;
			e->classes[i].lost >>= 1;
		}
		return;
	}
	if (e->kept < depth) {
		e->kept++;
	} else {
		old = e->history[e->at & (EDS_HISTORY - 1)];
		e->classes[old & (EDS_CLASSES - 1)].arrived--;
		if (old & EDS_LOST)
			e->classes[old & (EDS_CLASSES - 1)].lost--;
	}
	e->history[e->at & (EDS_HISTORY - 1)] = class;
	e->at = e->at + 1 < depth ? e->at + 1 : 0;
}

/*
 * A packet has come and stands at the tail of its class; its number, for eds_loses(), is what sequence was before.
 * @class from 0, below classes  @now nanoseconds, not before what was told  @random 32 bits
 * Returns whether one has to go.
 */
static inline int eds_arrives(struct eds *e, __u32 class, __u32 octets, __u64 now, __u32 random)
{
	int early;

	class &= EDS_CLASSES - 1;
	e->now = now;
	eds_average(e, now);
	early = eds_early(e, random);
	eds_count(e, class);
	if (!e->classes[class].packets++)
		e->classes[class].head = now;
	e->packets++;
	e->octets += octets;
	return early || e->octets > e->parameters.limit;
}

/* The class that loses its last packet: of those that have one, the one with the least lost / arrived / factor, the first of equals. EDS_NOBODY if all are empty. */
static inline __u32 eds_loser(const struct eds *e)
{
	__u64 lost = 0, arrived = 1, mine;
	__u32 i, loser = EDS_NOBODY, factor = 1;

	for (i = 0; i < EDS_CLASSES; i++) {
		if (!e->classes[i].packets)
			continue;
		mine = e->classes[i].arrived ? e->classes[i].arrived : 1;
		if (loser == EDS_NOBODY || e->classes[i].lost * arrived * factor < lost * mine * e->parameters.loss[i]) {
			loser = i;
			lost = e->classes[i].lost;
			arrived = mine;
			factor = e->parameters.loss[i];
		}
	}
	return loser;
}

/* The last packet of a class is lost. @sequence its number. Returns whether another one has to go. */
static inline int eds_loses(struct eds *e, __u32 class, __u32 octets, __u32 sequence)
{
	__u32 age = e->sequence - 1 - sequence, depth = e->parameters.history, place;

	class &= EDS_CLASSES - 1;
	if (!depth) {
		e->classes[class].lost++;
	} else if (age < e->kept) {
		place = e->at + depth - 1 - age;
		place -= place >= depth ? depth : 0;
		e->history[place & (EDS_HISTORY - 1)] |= EDS_LOST;
		e->classes[class].lost++;
	}
	e->classes[class].packets--;
	e->octets -= octets;
	if (!--e->packets) {
		e->idle = 1;
		e->idle_since = e->now;
	}
	return e->octets > e->parameters.limit;
}

/* The class that sends next: the greatest wait / factor, the first of equals. EDS_NOBODY if all are empty. */
static inline __u32 eds_next(const struct eds *e, __u64 now)
{
	__u64 longest = 0, wait;
	__u32 i, next = EDS_NOBODY, factor = 1;

	for (i = 0; i < EDS_CLASSES; i++) {
		if (!e->classes[i].packets)
			continue;
		wait = now > e->classes[i].head ? now - e->classes[i].head : 0;
		if (wait > EDS_LONGEST_WAIT)
			wait = EDS_LONGEST_WAIT;
		if (next == EDS_NOBODY || wait * factor > longest * e->parameters.delay[i]) {
			next = i;
			longest = wait;
			factor = e->parameters.delay[i];
		}
	}
	return next;
}

/* The oldest packet of a class has gone. @head when the one behind it came; whatever if there is none */
static inline void eds_departs(struct eds *e, __u32 class, __u32 octets, __u64 head, __u64 now)
{
	class &= EDS_CLASSES - 1;
	e->classes[class].packets--;
	e->classes[class].head = head;
	e->octets -= octets;
	if (!--e->packets) {
		e->idle = 1;
		e->idle_since = now;
	}
}

#endif
