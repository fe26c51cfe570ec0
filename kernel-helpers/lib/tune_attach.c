/* SPDX-License-Identifier: Apache-2.0 */
/* Where the programs for TCP flows hang: everything by links, which end with the process. */
#include "tune.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define ALGORITHMS "/proc/sys/net/ipv4/tcp_available_congestion_control"
/* BPF_STRUCT_OPS of enum bpf_attach_type, Linux 6.4. */
#define ATTACH_STRUCT_OPS 44
#define TRIES 100

/* The first words of the command BPF_LINK_CREATE, of a map. */
struct link_create {
	uint32_t map;
	uint32_t target;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t more[2];
};

static bool is_held(void)
{
	char line[1024] = "", *word, *rest = line;
	FILE *file = fopen(ALGORITHMS, "re");
	bool held = false;

	if (!file)
		return false;
	if (fgets(line, sizeof(line), file))
		while (!held && (word = strsep(&rest, " \n")))
			held = !strcmp(word, TAM_TUNE_WAD);
	fclose(file);
	return held;
}

int tam_tune_look_at_kernel(struct tam_tune_failure *failure)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int failed = libbpf_get_error(btf) ? -errno : 0;

	if (failed)
		return tam_tune_fails(failure, TAM_TUNE_PART_BTF, failed, BTF_FILE " cannot be read");
	if (btf__find_by_name_kind(btf, "bpf_struct_ops_tcp_congestion_ops", BTF_KIND_STRUCT) < 0)
		failed = tam_tune_fails(failure, TAM_TUNE_PART_STRUCT_OPS, -ENOTSUP, "this kernel takes no congestion control in BPF");
	else if (btf__find_by_name_kind(btf, "bpf_iter_tcp", BTF_KIND_FUNC) < 0)
		failed = tam_tune_fails(failure, TAM_TUNE_PART_ITERATOR, -ENOTSUP, "this kernel has no iterator over TCP sockets");
	else if (is_held())
		failed = tam_tune_fails(failure, TAM_TUNE_PART_HELD, -EEXIST, TAM_TUNE_WAD " is registered by another process");
	btf__free(btf);
	return failed;
}

/* Newer versions of libbpf make the link themselves; 1.1 only fills the map. */
static int enroll(struct tam_tune *tune)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(tune->object, TAM_TUNE_WAD);
	struct link_create create = {.map = (uint32_t)bpf_map__fd(map), .attach_type = ATTACH_STRUCT_OPS};

	tune->algorithm = bpf_map__attach_struct_ops(map);
	if (!tune->algorithm)
		return -errno;
	if (bpf_link__fd(tune->algorithm) != bpf_map__fd(map))
		return 0;
	tune->registration = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &create, sizeof(create));
	return tune->registration < 0 ? -errno : 0;
}

static int iterator(struct tam_tune *tune, const char *name, struct bpf_link **link)
{
	*link = bpf_program__attach_iter(bpf_object__find_program_by_name(tune->object, name), NULL);
	return *link ? 0 : -errno;
}

int tam_tune_attach(struct tam_tune *tune, struct tam_tune_failure *failure)
{
	int failed = enroll(tune);

	if (failed == -EEXIST)
		return tam_tune_fails(failure, TAM_TUNE_PART_HELD, failed, TAM_TUNE_WAD " is registered by another process");
	if (failed)
		return tam_tune_fails(failure, TAM_TUNE_PART_STRUCT_OPS, failed, TAM_TUNE_WAD " cannot be registered by a link (Linux 6.4)");
	failed = iterator(tune, "tam_tune_look", &tune->look);
	if (!failed)
		failed = iterator(tune, "tam_tune_restore", &tune->restore);
	return failed ? tam_tune_fails(failure, TAM_TUNE_PART_ITERATOR, failed, "the iterator over TCP sockets cannot be used") : 0;
}

/* The root of the cgroups of version 2, wherever and whether it is mounted: a mount that is nowhere, for as long as it is open. */
static int open_cgroup(void)
{
	int context = (int)syscall(SYS_fsopen, "cgroup2", FSOPEN_CLOEXEC), fd;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = -errno;
	else if ((fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0)) < 0)
		fd = -errno;
	close(context);
	return fd;
}

int tam_tune_attach_new_flows(struct tam_tune *tune)
{
	int cgroup = open_cgroup(), failed = 0;

	if (cgroup < 0)
		return cgroup;
	tune->new_flows = bpf_program__attach_cgroup(bpf_object__find_program_by_name(tune->object, "tam_tune_new"), cgroup);
	if (!tune->new_flows)
		failed = -errno;
	close(cgroup);
	return failed;
}

ssize_t tam_tune_iterate(const struct bpf_link *link, void *to, size_t room)
{
	char rest[4096];
	size_t octets = 0;
	ssize_t got = 1;
	int fd = bpf_iter_create(bpf_link__fd(link)), tries = 0;

	if (fd < 0)
		return -errno;
	while (got) {
		bool fits = octets < room;

		got = read(fd, fits ? (char *)to + octets : rest, fits ? room - octets : sizeof(rest));
		if (got > 0)
			octets += (size_t)got;
		/* A million sockets without one of ours: it goes on where it was. */
		else if (got < 0 && ((errno != EAGAIN && errno != EINTR) || ++tries > TRIES))
			break;
	}
	if (got < 0)
		got = -errno;
	close(fd);
	return got < 0 ? got : (ssize_t)octets;
}

void tam_tune_detach(struct tam_tune *tune)
{
	bpf_link__destroy(tune->new_flows);
	if (tune->restore)
		tam_tune_iterate(tune->restore, NULL, 0);
	if (tune->registration >= 0) {
		close(tune->registration);
		/* What libbpf 1.1 calls a link is the map, which the object closes. */
		bpf_link__disconnect(tune->algorithm);
	}
	bpf_link__destroy(tune->algorithm);
	bpf_link__destroy(tune->look);
	bpf_link__destroy(tune->restore);
}
