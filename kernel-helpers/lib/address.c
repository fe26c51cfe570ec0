/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of the node. A flow remembers by its identity the one that its sender uses; identities are not given twice, so an address
 * that has gone is not taken for the one that has its place now.
 */
#include "internal.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

static struct tam_address_slot *find(struct tam *tam, const uint8_t address[16])
{
	for (struct tam_address_slot *slot = tam->addresses; slot < tam->addresses + TAM_ADDRESSES; slot++)
		if (slot->identity && !memcmp(slot->address, address, 16))
			return slot;
	return NULL;
}

static int add(struct tam *tam, const uint8_t address[16])
{
	struct tam_address_body body = {.zero = 0};
	uint32_t place;

	if (find(tam, address))
		return 0;
	place = tam_pool_get(&tam->address_pool);
	if (place == TAM_NONE)
		return -ENOSPC;
	memcpy(body.address, address, 16);
	body.identity = ++tam->address_uses[place] << 10 | place;
	if (bpf_map_update_elem(tam->maps[TAM_MAP_ADDRESS_BODIES], &place, &body, BPF_ANY)
	    || bpf_map_update_elem(tam->maps[TAM_MAP_ADDRESSES], address, &body.identity, BPF_ANY)) {
		int error = errno;

		tam_pool_retire(&tam->address_pool, place);
		return error == E2BIG || error == ENOMEM ? -ENOSPC : -error;
	}
	tam->shapes->address_changes++;
	memcpy(tam->addresses[place].address, address, 16);
	tam->addresses[place].identity = body.identity;
	return 0;
}

int tam_address_add(struct tam *tam, const uint8_t address[16])
{
	int result;

	pthread_mutex_lock(&tam->lock);
	result = add(tam, address);
	pthread_mutex_unlock(&tam->lock);
	return result;
}

int tam_address_remove(struct tam *tam, const uint8_t address[16])
{
	struct tam_address_slot *slot;
	int result = -ENOENT;

	pthread_mutex_lock(&tam->lock);
	slot = find(tam, address);
	if (slot) {
		uint32_t place = (uint32_t)(slot - tam->addresses);
		struct tam_address_body none = {.identity = 0};	/* the address stays: a program may be reading it */

		memcpy(none.address, address, 16);
		result = bpf_map_delete_elem(tam->maps[TAM_MAP_ADDRESSES], address) ? -errno : 0;
		tam->shapes->address_changes++;
		/* No answer leaves from an address that the node does not have any more. */
		if (bpf_map_update_elem(tam->maps[TAM_MAP_ADDRESS_BODIES], &place, &none, BPF_ANY) && result == 0)
			result = -errno;
		slot->identity = 0;
		tam_pool_retire(&tam->address_pool, place);
	}
	pthread_mutex_unlock(&tam->lock);
	return result;
}
