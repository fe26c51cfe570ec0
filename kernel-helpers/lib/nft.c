/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nftables in this process. One context, which is one netlink socket, is kept for the whole life of a handle: the kernel removes a table
 * with `flags owner` when the socket that made it closes (nf_tables_api.c, nft_rcv_nl_event), and so when the process ends in any way.
 */
#include "internal.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nft_library.h"

static struct nft_library library;
static bool library_is_there;
static pthread_once_t library_once = PTHREAD_ONCE_INIT;
/* libnftables says nothing of threads: one call at a time. */
static pthread_mutex_t nft_lock = PTHREAD_MUTEX_INITIALIZER;

static void open_library(void)
{
	void *handle = dlopen("libnftables.so.1", RTLD_NOW | RTLD_LOCAL);
	const struct {
		const char *name;
		void *function;
	} functions[] = {
		{ "nft_ctx_new", &library.ctx_new },
		{ "nft_ctx_free", &library.ctx_free },
		{ "nft_ctx_set_dry_run", &library.ctx_set_dry_run },
		{ "nft_ctx_buffer_output", &library.ctx_buffer_output },
		{ "nft_ctx_buffer_error", &library.ctx_buffer_error },
		{ "nft_ctx_get_output_buffer", &library.ctx_get_output_buffer },
		{ "nft_ctx_get_error_buffer", &library.ctx_get_error_buffer },
		{ "nft_run_cmd_from_buffer", &library.run_cmd_from_buffer },
	};

	if (!handle)
		return;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *symbol = dlsym(handle, functions[i].name);

		if (!symbol) {
			dlclose(handle);
			return;
		}
		memcpy(functions[i].function, &symbol, sizeof(symbol));
	}
	/* Never closed: contexts may live as long as the process. */
	library_is_there = true;
}

const struct nft_library *nft_library(void)
{
	pthread_once(&library_once, open_library);
	return library_is_there ? &library : NULL;
}

/*
 * libnftables does not keep its socket from programs that this process starts, and as long as one of them has it the table stays. Which
 * descriptor it is is not told: all of this protocol are closed at exec(2).
 */
static void close_on_exec(void)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		int fd = atoi(entry->d_name), domain = 0, protocol = 0;
		socklen_t size = sizeof(int);

		if (entry->d_name[0] != '.' && !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) && domain == AF_NETLINK
		    && !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) && protocol == NETLINK_NETFILTER)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (directory)
		closedir(directory);
}

struct nft_ctx *nft_context(int *error)
{
	const struct nft_library *nft = nft_library();
	struct nft_ctx *ctx;
	int probe;

	if (!nft) {
		*error = -ENOPKG;
		return NULL;
	}
	/* libnftables ends the process where it gets no socket: try first. */
	probe = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (probe < 0) {
		*error = -errno;
		return NULL;
	}
	close(probe);
	ctx = nft->ctx_new(0);
	if (!ctx || nft->ctx_buffer_output(ctx) || nft->ctx_buffer_error(ctx)) {
		if (ctx)
			nft->ctx_free(ctx);
		*error = -ENOMEM;
		return NULL;
	}
	close_on_exec();
	*error = 0;
	return ctx;
}

/* libnftables returns -1 for all errors, and ends the line of its message with the kernel's answer in the language of the locale. */
static int error_in(const char *message)
{
	static const int known[] = { EPERM, EACCES, EEXIST, ENOENT, EBUSY, EOPNOTSUPP, ENOSPC, ENOMEM, EMFILE, EAFNOSUPPORT, ENOBUFS };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(message, strerror(known[i])))
			return -known[i];
	return -EINVAL;
}

int nft_run(struct nft_ctx *ctx, const char *commands, const char **output, const char **message)
{
	const struct nft_library *nft = nft_library();
	int failed = nft->run_cmd_from_buffer(ctx, commands);

	/* Asking for a buffer also empties it for the next run. */
	*output = nft->ctx_get_output_buffer(ctx);
	*message = nft->ctx_get_error_buffer(ctx);
	return failed ? error_in(*message) : 0;
}

/* Without the capability libnftables writes to the standard error of the process. */
static bool has_net_admin(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &header, data) == 0 && (data[0].effective & (1u << CAP_NET_ADMIN));
}

static int run_for(struct tam *tam, const char *commands, char *output, size_t output_size, char *message, size_t size)
{
	const char *printed, *said;
	int error;

	if (!has_net_admin()) {
		tam_say(message, size, "CAP_NET_ADMIN is missing");
		return -EPERM;
	}
	if (!tam->nft)
		tam->nft = nft_context(&error);
	if (!tam->nft) {
		tam_say(message, size, "%s", error == -ENOPKG ? "libnftables.so.1 is not installed" : strerror(-error));
		return error;
	}
	error = nft_run(tam->nft, commands, &printed, &said);
	if (error) {
		tam_say(message, size, "%.*s", (int)strcspn(said, "\n"), said);
		return error;
	}
	return snprintf(output, output_size, "%s", printed);
}

int tam_nft(struct tam *tam, const char *commands, char *output, size_t output_size, char *message, size_t size)
{
	int result;

	pthread_mutex_lock(&nft_lock);
	result = run_for(tam, commands, output, output_size, message, size);
	pthread_mutex_unlock(&nft_lock);
	return result;
}

/* Closes the socket, and with it goes the table. Called once, by tam_close(). */
void tam_nft_close(struct tam *tam)
{
	pthread_mutex_lock(&nft_lock);
	if (tam->nft)
		nft_library()->ctx_free(tam->nft);
	tam->nft = NULL;
	pthread_mutex_unlock(&nft_lock);
}
