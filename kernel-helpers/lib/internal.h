/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the library share. Every file of it includes this one first: it makes tam_* of the contract the only exported names. */
#ifndef TAMANOIR_INTERNAL_H
#define TAMANOIR_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>

#pragma GCC visibility push(default)
#include "tamanoir_kernel.h"
#include "tamanoir_tune.h"
#pragma GCC visibility pop

#include "state.h"

struct bpf_object;

/* Places in an array of bodies. One that is given back is used again only after a grace period: no program reads it any more. */
struct tam_pool {
	uint32_t *free;		/* numbers of the free places, `free_count` of them */
	uint32_t free_count;
	uint32_t *retired;	/* given back since the last grace period */
	uint32_t retired_count;
};

/* A rule slot as the library knows it. */
struct tam_rule_slot {
	struct tam_rule rule;
	struct tam_match match;
	uint64_t generation;	/* of its meter */
	uint32_t body;
	uint32_t next;		/* slot of the same bucket, or TAM_NONE */
	bool used;
};

struct tam_flow_slot {
	struct tam_flow_key key;
	struct tam_back_key back;
	uint32_t body;
	bool used;
};

struct tam_shape_use {
	uint32_t shape;		/* 0: none */
	uint32_t rules;		/* in use by so many */
};

struct tam_address_slot {
	uint8_t address[16];
	uint32_t identity;	/* 0: none */
};

/* An interface with our program. */
struct tam_port {
	uint32_t ifindex;
	int by;			/* TAM_BY_TCX or TAM_BY_CLSACT */
	int link;		/* of tcx, or -1 */
	int xdp;		/* link, or -1 */
	uint32_t program;	/* identity of the program in the clsact filter */
	bool made_clsact;	/* the queueing discipline was not there before */
	struct tam_port *next;
};

#define TAM_NONE UINT32_MAX

enum tam_map {
	TAM_MAP_ADDRESSES, TAM_MAP_COUNTS, TAM_MAP_SHAPES, TAM_MAP_RULES, TAM_MAP_RULE_BODIES, TAM_MAP_RULE_COUNTS, TAM_MAP_METERS,
	TAM_MAP_ADDRESS_BODIES, TAM_MAP_FLOWS, TAM_MAP_BACKS, TAM_MAP_FLOW_BODIES, TAM_MAP_FLOW_COUNTS, TAM_MAP_ANSWER_PORTS,
	TAM_MAP_TEST_TIME, TAM_MAP_REFUSED, TAM_MAP_GATES, TAM_MAPS
};

struct tam {
	pthread_mutex_t lock;		/* of everything below that changes after tam_open() */
	pthread_cond_t left;		/* signalled when `waiting` falls to 0 */
	uint32_t waiting;		/* threads in a call that waits: tam_wait_begin() */
	int shutdown_fd;		/* an eventfd: readable once tam_close() has begun */
	bool closing;
	void *nft;			/* nft.c's own */
	void *event;			/* event.c's own */

	struct tam_options options;
	struct bpf_object *light;
	struct bpf_object *passing;	/* loaded when asked for; NULL before */
	struct bpf_object *refuse;
	int light_program;
	int apply_program;
	int refuse_program;
	int passing_links[2];		/* IPv4, IPv6; -1 */
	int maps[TAM_MAPS];		/* descriptors */
	int processors;			/* values in an element of a map that has one for each */
	struct tam_shapes *shapes;	/* shared with the programs */
	struct tam_answer_ports *answer_ports;
	struct tam_gates *gates;	/* options.flows */
	volatile uint64_t *test_time;

	struct tam_rule_slot *rules;	/* options.rules */
	uint32_t *rule_buckets;		/* first slot of those whose match has a hash, or TAM_NONE */
	uint32_t rule_bucket_mask;
	struct tam_pool rule_pool;
	struct tam_shape_use shape_uses[TAM_SHAPE_WORDS];
	uint64_t generations;		/* of meters, so far */

	struct tam_flow_slot *flows;	/* options.flows */
	uint32_t *flow_of_body;
	uint32_t *answers_at;		/* flows by local port */
	struct tam_pool flow_pool;

	struct tam_address_slot addresses[TAM_ADDRESSES];
	uint32_t address_uses[TAM_ADDRESSES];
	struct tam_pool address_pool;

	struct tam_port *ports;
};

/* Ends what nft.c has in tam->nft; NULL is nothing. Weak, so that the library can be built without it. */
void tam_nft_close(struct tam *tam) __attribute__((weak));
/* Ends what event.c has in tam->event, when nobody waits any more. Likewise weak. */
void tam_event_close(struct tam *tam) __attribute__((weak));

/* Around a call that waits: tam_close() frees nothing before the last has ended. -ESHUTDOWN: it has begun; do not end then. */
int tam_wait_begin(struct tam *tam);
void tam_wait_end(struct tam *tam);

/* Writes a sentence into a caller's buffer, cut to its size and ended by a 0; a size of 0 or no buffer is allowed. */
void tam_say(char *message, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* pool.c. tam_pool_get() returns TAM_NONE if every place is in use. */
int tam_pool_open(struct tam_pool *pool, uint32_t places);
void tam_pool_close(struct tam_pool *pool);
uint32_t tam_pool_get(struct tam_pool *pool);
void tam_pool_retire(struct tam_pool *pool, uint32_t place);

/* object.c: loads one of the embedded objects; it gets the maps of tam that it names, and tam those that it brings. */
struct tam_program_image {
	const char *name;
	const void *start;
	const void *end;
};
extern const struct tam_program_image tam_image_light, tam_image_passing, tam_image_refuse, tam_image_tune;
int tam_object_load(struct tam *tam, const struct tam_program_image *image, struct bpf_object **object, char *message, size_t size);
/* The same for an object without a handle; `prepare` sets what has to be set before. */
int tam_object_load_with(const struct tam_program_image *image, int (*prepare)(void *context, struct bpf_object *object), void *context,
			 struct bpf_object **object, char *message, size_t size);
/* The descriptor of a program in an object, or a negative errno. */
int tam_object_program(struct bpf_object *object, const char *name);

/* rule.c, flow.c, address.c: their tables. Closing one that is not open does nothing. */
int tam_rules_open(struct tam *tam);
void tam_rules_close(struct tam *tam);
int tam_flows_open(struct tam *tam);
void tam_flows_close(struct tam *tam);

/* validate.c: 0 or -EINVAL. */
int tam_rule_check(const struct tam_rule *rule);
int tam_flow_check(const struct tam_flow *flow);
bool tam_address_is_ipv4(const uint8_t address[16]);

/* shape.c: a rule takes a shape, and the programs look for it from then on; -ENOSPC. TAM_SHAPES at most when `most` is TAM_SHAPES. */
int tam_shape_take(struct tam *tam, uint32_t shape, uint32_t leaving);
void tam_shape_give(struct tam *tam, uint32_t shape);

/* body.c: what a rule is in the maps. */
void tam_body_match(struct tam_match *match, const struct tam_rule *rule);
void tam_body_of(struct tam_rule_body *body, const struct tam_rule *rule, const struct tam_match *match, uint32_t slot, uint64_t generation);

/* percpu.c: elements of maps with a value for each processor. Values are 64-bit numbers, `count` of them. */
int tam_sum(struct tam *tam, enum tam_map map, const void *key, uint64_t *sums, uint32_t count);
/* As tam_sum(), of which the number at `largest` is the largest and no sum. */
int tam_sum_but(struct tam *tam, enum tam_map map, const void *key, uint64_t *sums, uint32_t count, uint32_t largest);
int tam_clear(struct tam *tam, enum tam_map map, const void *key, uint32_t count);

/* tcx.c, clsact.c, xdp.c. The lock is held. */
int tam_tcx_attach(int program, uint32_t ifindex);
uint32_t tam_link_ifindex(int link);
int tam_clsact_attach(struct tam *tam, struct tam_port *port);
bool tam_clsact_attached(struct tam *tam, const struct tam_port *port);
void tam_clsact_detach(struct tam *tam, const struct tam_port *port);
int tam_xdp_attach(struct tam *tam, struct tam_port *port, char *message, size_t size);
void tam_ports_close(struct tam *tam);
void tam_passing_close(struct tam *tam);

/* What lies in TAM_LINK_CREATE and BPF_PROG_TYPE_* beyond the headers of older systems. */
#define TAM_ATTACH_TCX_INGRESS 46
#define TAM_ATTACH_NETFILTER 45
#define TAM_PROGRAM_NETFILTER 32

#endif
