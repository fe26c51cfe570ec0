/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ingress program as a direct-action filter, for kernels without tcx. A filter stays when its process is killed; it has the node's
 * port as its handle, so the next one of that port takes its place.
 */
#include "internal.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PRIORITY 0x5400	/* of our filters among those of an interface */

static void hook_of(struct bpf_tc_hook *hook, const struct tam_port *port)
{
	memset(hook, 0, sizeof(*hook));
	hook->sz = sizeof(*hook);
	hook->ifindex = (int)port->ifindex;
	hook->attach_point = BPF_TC_INGRESS;
}

static void options_of(struct bpf_tc_opts *options, const struct tam *tam)
{
	memset(options, 0, sizeof(*options));
	options->sz = sizeof(*options);
	options->handle = tam->options.port;
	options->priority = PRIORITY;
}

int tam_clsact_attach(struct tam *tam, struct tam_port *port)
{
	struct bpf_tc_hook hook;
	struct bpf_tc_opts options;
	int failed;

	hook_of(&hook, port);
	failed = bpf_tc_hook_create(&hook);
	if (failed && failed != -EEXIST)
		return failed;
	/* Where our filter is left over, so is our queueing discipline: the node before was killed. */
	options_of(&options, tam);
	port->made_clsact = failed == 0 || !bpf_tc_query(&hook, &options);
	options_of(&options, tam);
	options.prog_fd = tam->light_program;
	options.flags = BPF_TC_F_REPLACE;
	failed = bpf_tc_attach(&hook, &options);
	port->program = options.prog_id;
	return failed;
}

bool tam_clsact_attached(struct tam *tam, const struct tam_port *port)
{
	struct bpf_tc_hook hook;
	struct bpf_tc_opts options;

	hook_of(&hook, port);
	options_of(&options, tam);
	return !bpf_tc_query(&hook, &options) && options.prog_id == port->program;
}

/* Filters of a parent, of anybody: at least 1 where that cannot be found out. */
static int filters(uint32_t ifindex, uint32_t parent)
{
	struct {
		struct nlmsghdr header;
		struct tcmsg message;
	} request = {
		{sizeof(request), RTM_GETTFILTER, NLM_F_REQUEST | NLM_F_DUMP, 1, 0},
		{.tcm_family = AF_UNSPEC, .tcm_ifindex = (int)ifindex, .tcm_parent = parent},
	};
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int found = 1;
	char answer[8192] __attribute__((aligned(NLMSG_ALIGNTO)));

	if (netlink < 0)
		return 1;
	if (send(netlink, &request, sizeof(request), 0) == (ssize_t)sizeof(request)) {
		ssize_t length = recv(netlink, answer, sizeof(answer), 0);

		/* Without a filter the first message is the end of the dump. */
		if (length >= (ssize_t)sizeof(struct nlmsghdr) && ((struct nlmsghdr *)answer)->nlmsg_type == NLMSG_DONE)
			found = 0;
	}
	close(netlink);
	return found;
}

void tam_clsact_detach(struct tam *tam, const struct tam_port *port)
{
	struct bpf_tc_hook hook;
	struct bpf_tc_opts options;

	if (!tam_clsact_attached(tam, port))
		return;
	hook_of(&hook, port);
	options_of(&options, tam);
	bpf_tc_detach(&hook, &options);
	if (port->made_clsact && !filters(port->ifindex, TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS))
	    && !filters(port->ifindex, TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS))) {
		hook.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS;
		bpf_tc_hook_destroy(&hook);
	}
}
