/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the BPF objects. What libbpf prints and what the verifier says is kept, for the message of a failure. */
#include "internal.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERIFIER_LOG (1 << 20)
#define SAID 2048

extern const char tam_light_start[], tam_light_end[], tam_passing_start[], tam_passing_end[], tam_refuse_start[], tam_refuse_end[],
	tam_tune_start[], tam_tune_end[];
const struct tam_program_image tam_image_light = {"light", tam_light_start, tam_light_end};
const struct tam_program_image tam_image_passing = {"passing", tam_passing_start, tam_passing_end};
const struct tam_program_image tam_image_refuse = {"refuse", tam_refuse_start, tam_refuse_end};
const struct tam_program_image tam_image_tune = {"tune", tam_tune_start, tam_tune_end};

static const char *const map_names[TAM_MAPS] = {
	"tam_addresses", "tam_counts", "tam_shapes", "tam_rules", "tam_rule_bodies", "tam_rule_counts", "tam_meters", "tam_address_bodies",
	"tam_flows", "tam_backs", "tam_flow_bodies", "tam_flow_counts", "tam_answer_ports", "tam_test_time", "tam_refused",
	"tam_gates",
};

/* The first warning of libbpf is the cause; later ones follow from it. */
static __thread char said[SAID];

static int keep(enum libbpf_print_level level, const char *format, va_list values)
{
	if (level == LIBBPF_WARN && strlen(said) < SAID / 2)
		vsnprintf(said + strlen(said), SAID - strlen(said), format, values);
	return 0;
}

static void set_size(struct tam *tam, struct bpf_map *map)
{
	const char *name = bpf_map__name(map);
	uint32_t rules = tam->options.rules, flows = tam->options.flows;

	if (!strcmp(name, "tam_rules"))
		bpf_map__set_max_entries(map, rules + 1);
	else if (!strcmp(name, "tam_rule_bodies"))
		bpf_map__set_max_entries(map, rules + TAM_SPARE);
	else if (!strcmp(name, "tam_rule_counts") || !strcmp(name, "tam_meters"))
		bpf_map__set_max_entries(map, rules);
	else if (!strcmp(name, "tam_flows") || !strcmp(name, "tam_backs"))
		bpf_map__set_max_entries(map, flows + 1);
	else if (!strcmp(name, "tam_flow_bodies"))
		bpf_map__set_max_entries(map, flows + TAM_SPARE);
	else if (!strcmp(name, "tam_flow_counts") || !strcmp(name, "tam_gates"))
		bpf_map__set_max_entries(map, flows);
}

/* They are the only thing in the section. */
static int set_constants(struct tam *tam, struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata");
	struct tam_constants constants = {tam->options.node_id, tam->options.port, tam->options.code_port, tam->options.test_clock, 0};

	return map ? bpf_map__set_initial_value(map, &constants, sizeof(constants)) : -ENOENT;
}

static int prepare(void *context, struct bpf_object *object)
{
	struct tam *tam = context;
	struct bpf_program *program;
	struct bpf_map *map;
	int failed = set_constants(tam, object);

	/* libbpf 1.1 does not know the section. */
	program = bpf_object__find_program_by_name(object, "tam_forwarded");
	if (program) {
		bpf_program__set_type(program, TAM_PROGRAM_NETFILTER);
		bpf_program__set_expected_attach_type(program, TAM_ATTACH_NETFILTER);
	}
	bpf_object__for_each_map(map, object) {
		for (int i = 0; i < TAM_MAPS && !failed; i++)
			if (tam->maps[i] >= 0 && !strcmp(bpf_map__name(map), map_names[i]))
				failed = bpf_map__reuse_fd(map, tam->maps[i]);
		if (!failed)
			set_size(tam, map);
	}
	return failed;
}

static void take_maps(struct tam *tam, struct bpf_object *object)
{
	for (int i = 0; i < TAM_MAPS; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, map_names[i]);

		if (tam->maps[i] < 0 && map)
			tam->maps[i] = bpf_map__fd(map);
	}
}

static const char *remedy(int error)
{
	return error == -EPERM ? "it needs CAP_BPF and CAP_NET_ADMIN" :
	       error == -EACCES ? "the verifier refused it, or it needs CAP_PERFMON" :
	       error == -ENOMEM ? "there is not enough memory" : "this kernel does not know something that it needs";
}

/* The end of the verifier's log is what counts: the reason, then one line of statistics. */
static void explain(const struct tam_program_image *image, int error, const char *log, char *message, size_t size)
{
	size_t room = size > 600 ? size - 600 : 0, length = strlen(log);

	tam_say(message, size, "the BPF object '%s' was not loaded: %s; %s. %.300s%s%s", image->name, strerror(-error), remedy(error), said,
		length > 0 ? "\n" : "", length > room ? log + length - room : log);
}

int tam_object_load_with(const struct tam_program_image *image, int (*prepare)(void *context, struct bpf_object *object), void *context,
			 struct bpf_object **object, char *message, size_t size)
{
	char *log = calloc(1, VERIFIER_LOG);
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = image->name, .kernel_log_buf = log, .kernel_log_size = VERIFIER_LOG);
	size_t octets = (size_t)((const char *)image->end - (const char *)image->start);
	struct bpf_object *opened;
	int failed = 0;

	if (!log)
		return -ENOMEM;
	said[0] = 0;
	libbpf_set_print(keep);
	opened = bpf_object__open_mem(image->start, octets, &options);
	if (!opened)
		failed = -errno;
	if (!failed)
		failed = prepare(context, opened);
	if (!failed)
		failed = bpf_object__load(opened);
	if (failed) {
		explain(image, failed, log, message, size);
		bpf_object__close(opened);
	} else {
		*object = opened;
	}
	free(log);
	return failed;
}

int tam_object_load(struct tam *tam, const struct tam_program_image *image, struct bpf_object **object, char *message, size_t size)
{
	int failed = tam_object_load_with(image, prepare, tam, object, message, size);

	if (!failed)
		take_maps(tam, *object);
	return failed;
}

int tam_object_program(struct bpf_object *object, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);

	return program ? bpf_program__fd(program) : -ENOENT;
}
