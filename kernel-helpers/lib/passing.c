/* SPDX-License-Identifier: Apache-2.0 */
/* The netfilter programs on FORWARD. A link ends with its descriptor. */
#include "internal.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/netfilter.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Before the filter chains of nftables and iptables (0). A priority is one program's: with several nodes each takes the next. */
#define PRIORITY_FIRST (-190)
#define PRIORITIES 64

/* The first words of the command BPF_LINK_CREATE, for BPF_NETFILTER (6.4). */
struct link_create {
	uint32_t program;
	uint32_t target;
	uint32_t attach_type;
	uint32_t flags;
	uint32_t family;
	uint32_t hook;
	int32_t priority;
	uint32_t netfilter_flags;
};

static int link_at(int program, uint32_t family)
{
	struct link_create create = {.program = (uint32_t)program, .attach_type = TAM_ATTACH_NETFILTER, .family = family,
				     .hook = NF_INET_FORWARD};
	long link = -EBUSY;

	for (int i = 0; i < PRIORITIES && link == -EBUSY; i++) {
		create.priority = PRIORITY_FIRST + i;
		link = syscall(SYS_bpf, BPF_LINK_CREATE, &create, sizeof(create));
		if (link < 0)
			link = -errno;
	}
	return (int)link;
}

void tam_passing_close(struct tam *tam)
{
	for (int i = 0; i < 2; i++) {
		if (tam->passing_links[i] >= 0)
			close(tam->passing_links[i]);
		tam->passing_links[i] = -1;
	}
}

static int attach(struct tam *tam, char *message, size_t size)
{
	int program, failed = 0;

	if (tam->passing_links[0] >= 0) {
		tam_say(message, size, "the programs on FORWARD are attached already");
		return -EEXIST;
	}
	if (!tam->passing)
		failed = tam_object_load(tam, &tam_image_passing, &tam->passing, message, size);
	if (failed)
		return failed;
	program = tam_object_program(tam->passing, "tam_forwarded");
	tam->passing_links[0] = link_at(program, NFPROTO_IPV4);
	tam->passing_links[1] = link_at(program, NFPROTO_IPV6);
	failed = tam->passing_links[0] < 0 ? tam->passing_links[0] : tam->passing_links[1] < 0 ? tam->passing_links[1] : 0;
	if (failed) {
		tam_passing_close(tam);
		tam_say(message, size, "the programs on FORWARD were not attached: %s", strerror(-failed));
	}
	return failed;
}

int tam_attach_passing(struct tam *tam, char *message, size_t size)
{
	int result;

	tam_say(message, size, "%s", "");
	pthread_mutex_lock(&tam->lock);
	result = attach(tam, message, size);
	pthread_mutex_unlock(&tam->lock);
	return result;
}
