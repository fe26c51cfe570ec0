/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this kernel lets this process do. Programs are loaded here, with this process's own capabilities. What has to be attached is
 * attached in a child (probe_child.c), in a network namespace that is made for it and ends with it: no interface of this host is touched,
 * and if something in it goes very wrong, it is the child that dies.
 */
#include "internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nft_library.h"
#include "probe_child.h"

#define PATIENCE 5000 /* ms for the child; it needs about 50 */

/* r0 = value; exit */
#define RETURN_VALUE(value)                                                          \
	{                                                                            \
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = (value) }, \
		{ .code = BPF_JMP | BPF_EXIT },                                      \
	}

/* Loads a program of two instructions; its descriptor, or a negative errno. */
static int load(enum bpf_prog_type type, const struct bpf_insn instructions[2], int attach_type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = (enum bpf_attach_type)attach_type);
	int fd = bpf_prog_load(type, "tamanoir_probe", "GPL", instructions, 2, &options);

	return fd < 0 ? -errno : fd;
}

/* A map of a type that no process without CAP_BPF gets, whatever kernel.unprivileged_bpf_disabled says. */
static int try_bpf(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_LRU_HASH, "tamanoir_probe", 8, 8, 16, NULL);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* A program that returns a pointer: without CAP_PERFMON the verifier calls that a leak of an address (EACCES). */
static int try_perfmon(void)
{
	static const struct bpf_insn leak[2] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 0, .src_reg = 10 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = load(BPF_PROG_TYPE_SOCKET_FILTER, leak, 0);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int try_sysctl(const char *path)
{
	char value = '0';
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t octets;

	if (fd < 0)
		return -errno;
	octets = read(fd, &value, 1);
	close(fd);
	return octets == 1 && value != '0' ? 0 : -ENOTSUP;
}

static void load_programs(struct probe_programs *programs)
{
	static const struct bpf_insn next[2] = RETURN_VALUE(-1);  /* TCX_NEXT, TC_ACT_UNSPEC */
	static const struct bpf_insn pass[2] = RETURN_VALUE(2);	  /* XDP_PASS */
	static const struct bpf_insn accept[2] = RETURN_VALUE(1); /* NF_ACCEPT */

	programs->tc = load(BPF_PROG_TYPE_SCHED_CLS, next, 0);
	programs->xdp = load(BPF_PROG_TYPE_XDP, pass, 0);
	programs->netfilter = load((enum bpf_prog_type)PROBE_PROG_NETFILTER, accept, PROBE_ATTACH_NETFILTER);
}

static void unload_programs(const struct probe_programs *programs)
{
	const int fds[] = { programs->tc, programs->xdp, programs->netfilter };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Reads the child's answer: 0, or a negative errno if there is none in time. */
static int await_answer(int fd, struct tam_probe *answer)
{
	struct pollfd waiting = { .fd = fd, .events = POLLIN };
	int ready;

	do
		ready = poll(&waiting, 1, PATIENCE);
	while (ready < 0 && errno == EINTR);
	if (ready == 0)
		return -ETIMEDOUT;
	return read(fd, answer, sizeof(*answer)) == (ssize_t)sizeof(*answer) ? 0 : -EIO;
}

/* Has the child try what needs attaching; its results are added to *probe. */
static int ask_child(const struct probe_programs *programs, struct tam_probe *probe)
{
	struct tam_probe answer = *probe;
	int fds[2], error;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child < 0) {
		error = -errno;
	} else if (child == 0) {
		probe_child(programs, &answer);
		_exit(write(fds[1], &answer, sizeof(answer)) != (ssize_t)sizeof(answer));
	}
	close(fds[1]);
	if (child > 0) {
		error = await_answer(fds[0], &answer);
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		if (!error)
			*probe = answer;
	}
	close(fds[0]);
	return error;
}

int tam_probe(struct tam_probe *probe)
{
	static const int attached[] = { TAM_FEATURE_TCX, TAM_FEATURE_CLSACT, TAM_FEATURE_XDP, TAM_FEATURE_NETFILTER, TAM_FEATURE_NFT };
	struct probe_programs programs;
	int error;

	memset(probe, 0, sizeof(*probe));
	probe->result[TAM_FEATURE_BPF] = try_bpf();
	probe->result[TAM_FEATURE_PERFMON] = try_perfmon();
	probe->result[TAM_FEATURE_FORWARD4] = try_sysctl("/proc/sys/net/ipv4/ip_forward");
	probe->result[TAM_FEATURE_FORWARD6] = try_sysctl("/proc/sys/net/ipv6/conf/all/forwarding");
	load_programs(&programs);
	/* Opened before the child is made: it must not wait for a lock of the loader that another thread held. */
	nft_library();
	error = ask_child(&programs, probe);
	for (size_t i = 0; error && i < sizeof(attached) / sizeof(attached[0]); i++)
		probe->result[attached[i]] = error;
	unload_programs(&programs);
	return 0;
}
