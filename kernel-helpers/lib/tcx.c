/* SPDX-License-Identifier: Apache-2.0 */
/* Links of tcx, netfilter and XDP by the system call itself: libbpf 1.1 does not know the first two. They end with their descriptor. */
#include "internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first words of the command BPF_LINK_CREATE; all kernels since 5.7. */
struct link_create {
	uint32_t program;
	uint32_t ifindex;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t more[2];
};

int tam_tcx_attach(int program, uint32_t ifindex)
{
	struct link_create create = {.program = (uint32_t)program, .ifindex = ifindex, .attach_type = TAM_ATTACH_TCX_INGRESS};
	long link = syscall(SYS_bpf, BPF_LINK_CREATE, &create, sizeof(create));

	return link < 0 ? -errno : (int)link;
}

uint32_t tam_link_ifindex(int link)
{
	struct bpf_link_info info;
	uint32_t size = sizeof(info);

	memset(&info, 0, sizeof(info));
	/* Of tcx the interface stands where that of XDP does. */
	return bpf_obj_get_info_by_fd(link, &info, &size) ? 0 : info.xdp.ifindex;
}
