/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The half of tam_probe() that runs in a child of its own. It makes a network namespace: with CAP_SYS_ADMIN directly, without it inside a
 * user namespace. There a child may do to its network what it likes, so that only the kernel's features show; the capabilities of the
 * process have shown when the programs were loaded, and nftables is asked before, in the real namespace and without committing.
 */
#include "internal.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/netfilter.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nft_library.h"
#include "probe_child.h"

#define LOOPBACK 1	      /* ifindex, in every network namespace */
#define NO_INTERFACE 0x7fffffff

/* What a node's table has: an owner, dnat, masquerade, a code point. Addresses of documentation (RFC 5737). */
static const char nft_table[] =
	"table inet tamanoir_probe_%d {\n"
	"flags owner;\n"
	"chain a {\n"
	"type nat hook prerouting priority dstnat;\n"
	"ip daddr 192.0.2.1 tcp dport 3323 counter dnat ip to 192.0.2.2:3323\n"
	"}\n"
	"chain b {\n"
	"type nat hook postrouting priority srcnat;\n"
	"ct status dnat ct original ip daddr 192.0.2.1 masquerade\n"
	"}\n"
	"chain c {\n"
	"type filter hook forward priority mangle;\n"
	"ct status dnat ct direction original ip dscp set 46\n"
	"}\n"
	"}\n";

static int try_nft(bool dry)
{
	char commands[sizeof(nft_table) + 16];
	const char *output, *message;
	struct nft_ctx *ctx;
	int error;

	ctx = nft_context(&error);
	if (!ctx)
		return error;
	nft_library()->ctx_set_dry_run(ctx, dry);
	snprintf(commands, sizeof(commands), nft_table, getpid());
	return nft_run(ctx, commands, &output, &message);
}

static int try_tcx(int program, int ifindex)
{
	int link = bpf_link_create(program, ifindex, (enum bpf_attach_type)PROBE_ATTACH_TCX, NULL);

	if (link < 0)
		return -errno;
	close(link);
	return 0;
}

static int try_xdp(int program)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_SKB_MODE);
	int link = bpf_link_create(program, LOOPBACK, BPF_XDP, &options);

	if (link < 0)
		return -errno;
	close(link);
	return 0;
}

static int try_clsact(int program)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = LOOPBACK, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, options, .prog_fd = program);
	int error = bpf_tc_hook_create(&hook);

	return error ? error : bpf_tc_attach(&hook, &options);
}

/* BPF_LINK_CREATE of union bpf_attr, as far as netfilter links use it (linux/bpf.h of Linux 6.4). */
static int try_netfilter(int program)
{
	struct {
		uint32_t prog_fd;
		uint32_t target_fd;
		uint32_t attach_type;
		uint32_t flags;
		uint32_t pf;
		uint32_t hooknum;
		int32_t priority;
		uint32_t netfilter_flags;
	} attributes = {
		.prog_fd = program, .attach_type = PROBE_ATTACH_NETFILTER, .pf = NFPROTO_IPV4, .hooknum = NF_INET_FORWARD, .priority = -128
	};
	long link = syscall(SYS_bpf, BPF_LINK_CREATE, &attributes, sizeof(attributes));

	if (link < 0)
		return -errno;
	close((int)link);
	return 0;
}

/* The parent's handlers, its size in a core file and its log are not for what goes wrong here. */
static void become_a_child(void)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPIPE };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	/* libnftables and libbpf write there what is said by the results. */
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	libbpf_set_print(NULL);
}

/* A negative program is the errno of its loading: the answer for all that would need it. */
static int with(int program, int (*try)(int program))
{
	return program < 0 ? program : try(program);
}

static int try_tcx_here(int program)
{
	return try_tcx(program, LOOPBACK);
}

/* A kernel with tcx looks for the interface and one without it does not get that far: nothing is touched. */
static int try_tcx_nowhere(int program)
{
	int error = try_tcx(program, NO_INTERFACE);

	return error == -ENODEV ? 0 : error;
}

static int loaded(int program)
{
	return program < 0 ? program : 0;
}

void probe_child(const struct probe_programs *programs, struct tam_probe *probe)
{
	int32_t *result = probe->result;

	become_a_child();
	if (unshare(CLONE_NEWNET) == 0) {
		result[TAM_FEATURE_NFT] = try_nft(false);
	} else {
		result[TAM_FEATURE_NFT] = try_nft(true);
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET)) {
			/* No namespace to be had: what can be known without one. */
			result[TAM_FEATURE_TCX] = with(programs->tc, try_tcx_nowhere);
			result[TAM_FEATURE_CLSACT] = loaded(programs->tc);
			result[TAM_FEATURE_XDP] = loaded(programs->xdp);
			result[TAM_FEATURE_NETFILTER] = loaded(programs->netfilter);
			return;
		}
	}
	result[TAM_FEATURE_TCX] = with(programs->tc, try_tcx_here);
	result[TAM_FEATURE_CLSACT] = with(programs->tc, try_clsact);
	result[TAM_FEATURE_XDP] = with(programs->xdp, try_xdp);
	result[TAM_FEATURE_NETFILTER] = with(programs->netfilter, try_netfilter);
}
