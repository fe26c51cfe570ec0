/* SPDX-License-Identifier: Apache-2.0 */
/* libnftables, opened at run time: a machine without it still runs everything else. */
#ifndef TAMANOIR_NFT_LIBRARY_H
#define TAMANOIR_NFT_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

struct nft_ctx; /* libnftables' own */

/* The part of libnftables(3) that is used here. */
struct nft_library {
	struct nft_ctx *(*ctx_new)(uint32_t flags);
	void (*ctx_free)(struct nft_ctx *ctx);
	void (*ctx_set_dry_run)(struct nft_ctx *ctx, bool dry);
	int (*ctx_buffer_output)(struct nft_ctx *ctx);
	int (*ctx_buffer_error)(struct nft_ctx *ctx);
	const char *(*ctx_get_output_buffer)(struct nft_ctx *ctx);
	const char *(*ctx_get_error_buffer)(struct nft_ctx *ctx);
	int (*run_cmd_from_buffer)(struct nft_ctx *ctx, const char *commands);
};

/* The library, opened once for the process; NULL if it is not installed or lacks a function. For all threads. */
const struct nft_library *nft_library(void);

/*
 * A context with its own netlink socket, whose output and errors are kept in buffers. A table with `flags owner` belongs to this socket.
 * NULL with *error a negative errno: -ENOPKG without the library, -EPROTONOSUPPORT on a kernel without nftables.
 */
struct nft_ctx *nft_context(int *error);

/*
 * Runs commands as one transaction. 0, or the negative errno that libnftables' message names; -EINVAL if it names none, as it does of
 * commands that it cannot read. *output and *message are valid until the next call with this context.
 */
int nft_run(struct nft_ctx *ctx, const char *commands, const char **output, const char **message);

#endif
