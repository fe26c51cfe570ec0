/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The maps. A program that names one shares it with the others: the library gives all of them the same. Sizes of 1 are set by it. */
#ifndef TAMANOIR_MAPS_H
#define TAMANOIR_MAPS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "meter.h"
#include "parse.h"
#include "state.h"

const volatile struct tam_constants tam_constants = {0};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TAM_ADDRESSES);
	__type(key, uint8_t[16]);
	__type(value, uint32_t);	/* identity */
} tam_addresses SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_statistics);
} tam_counts SEC(".maps");

#define tam_map_array(name, value_type) \
struct { \
	__uint(type, BPF_MAP_TYPE_ARRAY); \
	__uint(max_entries, 1); \
	__type(key, uint32_t); \
	__type(value, value_type); \
} name SEC(".maps")

#ifdef TAM_MAPS_RULES
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_shapes);
} tam_shapes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct tam_match);
	__type(value, uint32_t);	/* the body of the rule with the lowest priority of those that match this */
} tam_rules SEC(".maps");

tam_map_array(tam_rule_bodies, struct tam_rule_body);

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_rule_counters);
} tam_rule_counts SEC(".maps");
#endif

#ifdef TAM_MAPS_LIGHT
struct tam_meter_state {
	struct bpf_spin_lock lock;
	uint32_t zero;
	struct tam_buckets buckets;
};
tam_map_array(tam_meters, struct tam_meter_state);

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TAM_ADDRESSES);
	__type(key, uint32_t);
	__type(value, struct tam_address_body);
} tam_address_bodies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct tam_flow_key);
	__type(value, uint32_t);	/* body */
} tam_flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct tam_back_key);
	__type(value, uint32_t);	/* body */
} tam_backs SEC(".maps");

tam_map_array(tam_flow_bodies, struct tam_flow_body);

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_flow_counters);
} tam_flow_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_gates);
} tam_gates SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct tam_answer_ports);
} tam_answer_ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);	/* nanoseconds, with tam_test_clock */
} tam_test_time SEC(".maps");
#endif

#endif
