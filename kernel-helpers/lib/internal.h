/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the library share. Every file of it includes this one first: it makes tam_* the only exported names. */
#ifndef TAMANOIR_INTERNAL_H
#define TAMANOIR_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>

#pragma GCC visibility push(default)
#include "tamanoir_kernel.h"
#pragma GCC visibility pop

struct tam {
	pthread_mutex_t lock;		/* of everything below that changes after tam_open() */
	int shutdown_fd;		/* an eventfd: readable once tam_close() has begun */
	void *nft;			/* nft.c's own */
	void *event;			/* event.c's own */
};

/* Ends what nft.c has in tam->nft; NULL is nothing. Weak, so that the library can be built without it. */
void tam_nft_close(struct tam *tam) __attribute__((weak));
/* Wakes whoever waits in tam_event(), waits until they have left, and ends what event.c has in tam->event. Likewise weak. */
void tam_event_close(struct tam *tam) __attribute__((weak));

/* Writes a sentence into a caller's buffer, cut to its size and ended by a 0; a size of 0 or no buffer is allowed. */
void tam_say(char *message, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
