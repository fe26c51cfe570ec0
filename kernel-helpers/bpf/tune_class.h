/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * The equivalent class of a tuned socket's packets, by the code point of the socket. A `socket` is whatever bpf_setsockopt() takes in the program that
 * asks.
 */
#ifndef TAMANOIR_TUNE_CLASS_H
#define TAMANOIR_TUNE_CLASS_H

#include "tcp_types.h"
#include "tune_maps.h"

#define AF_INET 2
#define AF_INET6 10
#define SOL_IP 0
#define SOL_IPV6 41
#define IP_TOS 1
#define IPV6_TCLASS 67
#define CODE_POINT_SHIFT 2

tam_inline long tam_tos_get(void *socket, uint16_t family, int *tos)
{
	return family == AF_INET ? bpf_getsockopt(socket, SOL_IP, IP_TOS, tos, sizeof(*tos)) : bpf_getsockopt(socket, SOL_IPV6, IPV6_TCLASS, tos, sizeof(*tos));
}

tam_inline long tam_tos_set(void *socket, uint16_t family, int tos)
{
	return family == AF_INET ? bpf_setsockopt(socket, SOL_IP, IP_TOS, &tos, sizeof(tos)) : bpf_setsockopt(socket, SOL_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
}

tam_inline int tam_class_tos(const struct tam_tuned *tuned, uint32_t class)
{
	return tuned->code_points[class < TAM_TUNE_CLASSES ? class : TAM_TUNE_CLASSES - 1] << CODE_POINT_SHIFT;
}

tam_inline void tam_enter_class(struct sock *sk, struct tam_tuned *tuned, uint8_t class)
{
	if (class != tuned->class && !tam_tos_set(sk, sk->__sk_common.skc_family, tam_class_tos(tuned, class)))
		tuned->class = class;
}

/* The socket has again what it had before, unless its program has chosen for itself meanwhile. */
tam_inline void tam_leave_classes(void *socket, uint16_t family, const struct tam_tuned *tuned)
{
	int tos = 0;

	if (tuned->marking && !tam_tos_get(socket, family, &tos) && tos == tam_class_tos(tuned, tuned->class))
		tam_tos_set(socket, family, tuned->tos_before);
}

#endif
