/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are run by a call, and not by a packet. */
#include "internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#define TRIES 100

/* The rule of a slot may be replaced between the two calls; then its new body is asked. */
int tam_rule_apply(struct tam *tam, uint32_t slot, uint32_t octets, uint32_t colour)
{
	struct {
		uint8_t ethernet[TAM_REQUEST_OFFSET];
		struct tam_request request;
	} __attribute__((packed)) frame = {.request = {.slot = slot, .octets = octets, .colour = colour}};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = &frame, .data_size_in = sizeof(frame), .repeat = 1);

	if (slot >= tam->options.rules || colour > TAM_RED)
		return -EINVAL;
	for (int i = 0; i < TRIES; i++) {
		bool used;

		pthread_mutex_lock(&tam->lock);
		used = tam->rules[slot].used;
		frame.request.body = tam->rules[slot].body;
		pthread_mutex_unlock(&tam->lock);
		if (!used)
			return -ENOENT;
		if (bpf_prog_test_run_opts(tam->apply_program, &run))
			return -errno;
		if (run.retval != TAM_DONE_STALE)
			return (int)run.retval;
	}
	return -EAGAIN;
}

int tam_clock(struct tam *tam, uint64_t nanoseconds)
{
	if (!tam->options.test_clock)
		return -EOPNOTSUPP;
	*tam->test_time = nanoseconds;
	return 0;
}

int tam_run(struct tam *tam, uint32_t ifindex, const void *in, uint32_t in_length, void *out, uint32_t *length)
{
	struct __sk_buff context;
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = in, .data_size_in = in_length, .data_out = out, .data_size_out = *length,
		    .ctx_in = &context, .ctx_size_in = sizeof(context), .repeat = 1);

	memset(&context, 0, sizeof(context));
	context.ifindex = ifindex;
	if (bpf_prog_test_run_opts(tam->light_program, &run))
		return -errno;
	*length = run.data_size_out;
	return (int)run.retval;
}
