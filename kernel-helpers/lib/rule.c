/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of rules. The hash of the programs has, for each match, the body of the rule with the lowest priority; the library knows the
 * others, by a hash of its own, and puts the next best there when that rule goes.
 */
#include "internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS (sizeof(struct tam_rule_counters) / sizeof(uint64_t))

int tam_rules_open(struct tam *tam)
{
	uint32_t buckets = 16;

	while (buckets < tam->options.rules)
		buckets *= 2;
	tam->rules = calloc(tam->options.rules, sizeof(*tam->rules));
	tam->rule_buckets = malloc(buckets * sizeof(*tam->rule_buckets));
	if (!tam->rules || !tam->rule_buckets)
		return -ENOMEM;
	memset(tam->rule_buckets, 0xff, buckets * sizeof(*tam->rule_buckets));
	tam->rule_bucket_mask = buckets - 1;
	return tam_pool_open(&tam->rule_pool, tam->options.rules + TAM_SPARE);
}

void tam_rules_close(struct tam *tam)
{
	free(tam->rules);
	free(tam->rule_buckets);
	tam_pool_close(&tam->rule_pool);
}

/* FNV-1a by words: a match's place among the buckets. Rules come from the node, not from strangers. */
static uint32_t *bucket_of(struct tam *tam, const struct tam_match *match)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	uint64_t words[sizeof(*match) / sizeof(uint64_t)];

	memcpy(words, match, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = (hash ^ words[i] ^ words[i] >> 32) * 0x100000001b3ULL;
	return &tam->rule_buckets[(hash ^ hash >> 32) & tam->rule_bucket_mask];
}

static void link_slot(struct tam *tam, uint32_t slot)
{
	uint32_t *bucket = bucket_of(tam, &tam->rules[slot].match);

	tam->rules[slot].next = *bucket;
	*bucket = slot;
}

static void unlink_slot(struct tam *tam, uint32_t slot)
{
	uint32_t *at = bucket_of(tam, &tam->rules[slot].match);

	while (*at != slot)
		at = &tam->rules[*at].next;
	*at = tam->rules[slot].next;
}

static bool taken(struct tam *tam, uint32_t slot, const struct tam_match *match, uint32_t priority)
{
	for (uint32_t at = *bucket_of(tam, match); at != TAM_NONE; at = tam->rules[at].next)
		if (at != slot && tam->rules[at].rule.priority == priority && !memcmp(&tam->rules[at].match, match, sizeof(*match)))
			return true;
	return false;
}

/* Shows the programs the best rule of a match, or that there is none. */
static int publish(struct tam *tam, const struct tam_match *match)
{
	struct tam_rule_slot *best = NULL;

	for (uint32_t at = *bucket_of(tam, match); at != TAM_NONE; at = tam->rules[at].next) {
		struct tam_rule_slot *other = &tam->rules[at];

		if (!memcmp(&other->match, match, sizeof(*match)) && (!best || other->rule.priority < best->rule.priority))
			best = other;
	}
	if (best)
		return bpf_map_update_elem(tam->maps[TAM_MAP_RULES], match, &best->body, BPF_ANY) ? -errno : 0;
	return bpf_map_delete_elem(tam->maps[TAM_MAP_RULES], match) && errno != ENOENT ? -errno : 0;
}

static bool same_meter(const struct tam_rule *one, const struct tam_rule *other)
{
	return one->meter == other->meter && one->cir == other->cir && one->cbs == other->cbs && one->pir == other->pir
	       && one->pbs == other->pbs;
}

static int full(int error)
{
	return error == -E2BIG || error == -ENOMEM ? -ENOSPC : error;
}

/* Whether a rule drops whatever it matches, which XDP can do. */
static uint32_t drops(const struct tam_rule *rule)
{
	for (int i = 0; i < TAM_ACTIONS; i++)
		if (rule->actions[i] == TAM_ACTION_DROP && !rule->passing)
			return 1;
	return 0;
}

/* Puts `next` into its slot; its shape is taken and its body written. Nothing has changed where it fails. */
static int replace(struct tam *tam, uint32_t slot, const struct tam_rule_slot *next)
{
	struct tam_rule_slot before = tam->rules[slot];
	int failed;

	if (before.used)
		unlink_slot(tam, slot);
	tam->rules[slot] = *next;
	link_slot(tam, slot);
	failed = publish(tam, &next->match);
	if (failed) {
		unlink_slot(tam, slot);
		tam->rules[slot] = before;
		if (before.used)
			link_slot(tam, slot);
		return full(failed);
	}
	tam->shapes->drops += drops(&next->rule);
	if (before.used) {
		tam->shapes->drops -= drops(&before.rule);
		if (memcmp(&before.match, &next->match, sizeof(next->match))) {
			tam->shapes->moves++;
			publish(tam, &before.match);
		}
		tam_shape_give(tam, before.match.shape);
		tam_pool_retire(&tam->rule_pool, before.body);
	}
	return 0;
}

static int put(struct tam *tam, uint32_t slot, const struct tam_rule *rule)
{
	struct tam_rule_slot *before = &tam->rules[slot];
	struct tam_rule_slot next = {.rule = *rule, .used = true};
	struct tam_rule_body body;
	int failed;

	tam_body_match(&next.match, rule);
	if (taken(tam, slot, &next.match, rule->priority))
		return -EEXIST;
	next.generation = before->used && same_meter(&before->rule, rule) ? before->generation : ++tam->generations;
	next.body = tam_pool_get(&tam->rule_pool);
	if (next.body == TAM_NONE)
		return -ENOSPC;
	tam_body_of(&body, rule, &next.match, slot, next.generation);
	failed = bpf_map_update_elem(tam->maps[TAM_MAP_RULE_BODIES], &next.body, &body, BPF_ANY) ? -errno : 0;
	if (!failed)
		failed = tam_shape_take(tam, next.match.shape, before->used ? before->match.shape : 0);
	if (!failed) {
		failed = replace(tam, slot, &next);
		if (failed)
			tam_shape_give(tam, next.match.shape);
	}
	if (failed)
		tam_pool_retire(&tam->rule_pool, next.body);
	return failed;
}

int tam_rule_put(struct tam *tam, uint32_t slot, const struct tam_rule *rule)
{
	int result;

	if (slot >= tam->options.rules || tam_rule_check(rule))
		return -EINVAL;
	pthread_mutex_lock(&tam->lock);
	result = put(tam, slot, rule);
	pthread_mutex_unlock(&tam->lock);
	return result;
}

int tam_rule_remove(struct tam *tam, uint32_t slot)
{
	struct tam_rule_slot *rule = slot < tam->options.rules ? &tam->rules[slot] : NULL;
	int result = -ENOENT;

	if (!rule)
		return -EINVAL;
	pthread_mutex_lock(&tam->lock);
	if (rule->used) {
		unlink_slot(tam, slot);
		rule->used = false;
		tam->shapes->drops -= drops(&rule->rule);
		result = publish(tam, &rule->match);
		tam_shape_give(tam, rule->match.shape);
		tam_pool_retire(&tam->rule_pool, rule->body);
		tam_clear(tam, TAM_MAP_RULE_COUNTS, &slot, COUNTERS);
	}
	pthread_mutex_unlock(&tam->lock);
	return result;
}

int tam_rule_read(struct tam *tam, uint32_t slot, struct tam_rule_counters *counters)
{
	int result = -ENOENT;

	if (slot >= tam->options.rules)
		return -EINVAL;
	pthread_mutex_lock(&tam->lock);
	if (tam->rules[slot].used)
		result = tam_sum(tam, TAM_MAP_RULE_COUNTS, &slot, (uint64_t *)counters, COUNTERS);
	pthread_mutex_unlock(&tam->lock);
	return result;
}
