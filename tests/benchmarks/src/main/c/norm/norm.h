/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What main.c calls of libnorm.so.1. The header of Debian's libnorm-dev 1.5.9 is for C++ alone: two of its declarations have a reference
 * and a preset argument. Meanings: the NORM developer's guide; the protocol: RFC 5740.
 */
#ifndef TAMANOIR_NORM_H
#define TAMANOIR_NORM_H

#include <stdbool.h>
#include <stdint.h>

typedef const void *norm_handle;	/* of an instance, session, sender or object; NULL is none */

/* The first of NormEventType that are looked at. */
enum norm_event_type {
	NORM_RX_OBJECT_COMPLETED = 20,
};

struct norm_event {
	int type;
	norm_handle session;
	norm_handle sender;
	norm_handle object;
};

enum norm_sync_policy {
	NORM_SYNC_ALL = 2,	/* also what was sent before the first packet that came */
};

norm_handle NormCreateInstance(bool priority_boost);
bool NormSetCacheDirectory(norm_handle instance, const char *path);
bool NormGetNextEvent(norm_handle instance, struct norm_event *event, bool wait);
int NormGetDescriptor(norm_handle instance);	/* readable when there are events */
norm_handle NormCreateSession(norm_handle instance, const char *address, uint16_t port, uint32_t node);
bool NormSetMulticastInterface(norm_handle session, const char *name);
bool NormSetTTL(norm_handle session, unsigned char hops);

bool NormStartSender(norm_handle session, uint16_t id, uint32_t buffer, uint16_t segment, uint16_t data, uint16_t parity, uint8_t fec);
void NormSetTxRate(norm_handle session, double bits_per_second);
void NormSetGrttEstimate(norm_handle session, double seconds);
void NormSetGroupSize(norm_handle session, unsigned int receivers);
norm_handle NormFileEnqueue(norm_handle session, const char *path, const char *info, unsigned int octets);

bool NormStartReceiver(norm_handle session, uint32_t buffer);
bool NormSetRxSocketBuffer(norm_handle session, unsigned int octets);
void NormSetDefaultUnicastNack(norm_handle session, bool on);
void NormSetDefaultSyncPolicy(norm_handle session, int policy);
bool NormFileRename(norm_handle object, const char *path);

#endif
