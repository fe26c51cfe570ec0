/* SPDX-License-Identifier: Apache-2.0 */
/* The XDP program that drops refused Type IDs. */
#include "internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <string.h>

static int load(struct tam *tam, char *message, size_t size)
{
	int failed;

	if (tam->refuse)
		return 0;
	failed = tam_object_load(tam, &tam_image_refuse, &tam->refuse, message, size);
	if (!failed)
		tam->refuse_program = tam_object_program(tam->refuse, "tam_refuse_types");
	return failed;
}

/* Without a flag the kernel takes the driver's XDP where there is one; a driver may refuse, for its MTU or its peer. */
int tam_xdp_attach(struct tam *tam, struct tam_port *port, char *message, size_t size)
{
	LIBBPF_OPTS(bpf_link_create_opts, generic, .flags = XDP_FLAGS_SKB_MODE);
	int failed = load(tam, message, size);

	if (failed)
		return failed;
	port->xdp = bpf_link_create(tam->refuse_program, (int)port->ifindex, BPF_XDP, NULL);
	if (port->xdp < 0 && port->xdp != -EBUSY)
		port->xdp = bpf_link_create(tam->refuse_program, (int)port->ifindex, BPF_XDP, &generic);
	if (port->xdp >= 0)
		return 0;
	failed = port->xdp;
	port->xdp = -1;
	tam_say(message, size, "XDP was not attached to interface %u: %s%s", port->ifindex, strerror(-failed),
		failed == -EBUSY ? "; another XDP program is there" : "");
	return failed;
}

int tam_refuse(struct tam *tam, uint16_t type_id, int refuse)
{
	uint32_t key = type_id;
	uint64_t dropped;
	int result;

	pthread_mutex_lock(&tam->lock);
	result = load(tam, NULL, 0);
	if (!result && !refuse)
		result = bpf_map_delete_elem(tam->maps[TAM_MAP_REFUSED], &key) ? -errno : 0;
	else if (!result && tam_sum(tam, TAM_MAP_REFUSED, &key, &dropped, 1) == -ENOENT)
		result = tam_clear(tam, TAM_MAP_REFUSED, &key, 1);
	pthread_mutex_unlock(&tam->lock);
	return result == -E2BIG ? -ENOSPC : result;
}

int tam_refused(struct tam *tam, uint16_t type_id, uint64_t *packets)
{
	uint32_t key = type_id;
	int result;

	pthread_mutex_lock(&tam->lock);
	result = tam->refuse ? tam_sum(tam, TAM_MAP_REFUSED, &key, packets, 1) : -ENOENT;
	pthread_mutex_unlock(&tam->lock);
	return result;
}
