/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of interfaces and addresses, by rtnetlink(7). One socket listens for a handle, from its first tam_event() on. */
#include "internal.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BUFFER 32768	   /* octets: more than the kernel puts into one datagram */
#define RECEIVE_BUFFER (1 << 20)

struct listener {
	int fd;
	pthread_mutex_t lock; /* of the rest */
	char *next;	      /* the messages of `buffer` that were not looked at */
	size_t rest;	      /* octets of these */
	char buffer[BUFFER] __attribute__((aligned(NLMSG_ALIGNTO)));
};

static int listen_to_kernel(void)
{
	struct sockaddr_nl own = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
	};
	int size = RECEIVE_BUFFER;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	if (fd < 0)
		return -errno;
	/* Cut to net.core.rmem_max without CAP_NET_ADMIN: what is lost is told. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (bind(fd, (struct sockaddr *)&own, sizeof(own))) {
		int error = -errno;

		close(fd);
		return error;
	}
	return fd;
}

/* The handle's listener, made at the first call; NULL with *error set. */
static struct listener *listener_of(struct tam *tam, int *error)
{
	struct listener *listener;

	pthread_mutex_lock(&tam->lock);
	listener = tam->event;
	if (!listener) {
		listener = calloc(1, sizeof(*listener));
		*error = listener ? 0 : -ENOMEM;
		if (listener && (listener->fd = listen_to_kernel()) < 0) {
			*error = listener->fd;
			free(listener);
			listener = NULL;
		}
		if (listener) {
			pthread_mutex_init(&listener->lock, NULL);
			tam->event = listener;
		}
	}
	pthread_mutex_unlock(&tam->lock);
	return listener;
}

/* The data of an attribute with at least `size` octets, or NULL. */
static const void *attribute(const struct rtattr *first, int octets, unsigned short type, size_t size)
{
	for (const struct rtattr *a = first; RTA_OK(a, octets); a = RTA_NEXT(a, octets))
		if (a->rta_type == type && RTA_PAYLOAD(a) >= size)
			return RTA_DATA(a);
	return NULL;
}

static int read_link(const struct nlmsghdr *message, struct tam_event *event)
{
	const struct ifinfomsg *link = NLMSG_DATA(message);
	const char *name;

	/* A port that leaves a bridge is told as RTM_DELLINK of the family AF_BRIDGE. */
	if (message->nlmsg_len < NLMSG_LENGTH(sizeof(*link)) || link->ifi_family != AF_UNSPEC)
		return 0;
	event->kind = message->nlmsg_type == RTM_NEWLINK ? TAM_EVENT_LINK_NEW : TAM_EVENT_LINK_GONE;
	event->ifindex = link->ifi_index;
	event->up = event->kind == TAM_EVENT_LINK_NEW && (link->ifi_flags & IFF_UP);
	name = attribute(IFLA_RTA(link), (int)IFLA_PAYLOAD(message), IFLA_IFNAME, 1);
	if (name)
		memcpy(event->name, name, strnlen(name, sizeof(event->name) - 1));
	return 1;
}

static int read_address(const struct nlmsghdr *message, struct tam_event *event)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const struct ifaddrmsg *about = NLMSG_DATA(message);
	const struct rtattr *first = IFA_RTA(about);
	int octets = (int)IFA_PAYLOAD(message);
	const void *address;
	const uint32_t *wide;
	uint32_t flags;
	size_t size;

	if (message->nlmsg_len < NLMSG_LENGTH(sizeof(*about)) || (about->ifa_family != AF_INET && about->ifa_family != AF_INET6))
		return 0;
	size = about->ifa_family == AF_INET ? 4 : 16;
	/* With a peer (point to point) IFA_ADDRESS is the peer's. */
	address = attribute(first, octets, IFA_LOCAL, size);
	if (!address)
		address = attribute(first, octets, IFA_ADDRESS, size);
	wide = attribute(first, octets, IFA_FLAGS, sizeof(*wide));
	flags = wide ? *wide : about->ifa_flags;
	/* Told again when duplicate address detection (RFC 4862) has ended well. */
	if (!address || (message->nlmsg_type == RTM_NEWADDR && (flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED)) && !(flags & IFA_F_OPTIMISTIC)))
		return 0;
	event->kind = message->nlmsg_type == RTM_NEWADDR ? TAM_EVENT_ADDRESS_NEW : TAM_EVENT_ADDRESS_GONE;
	event->ifindex = about->ifa_index;
	memcpy(event->address, mapped, sizeof(mapped));
	memcpy(event->address + sizeof(event->address) - size, address, size);
	return 1;
}

/* The next event among the messages that were received: 1, or 0 if there is none. */
static int next_event(struct listener *listener, struct tam_event *event)
{
	while (listener->rest > 0) {
		const struct nlmsghdr *message = (const struct nlmsghdr *)listener->next;
		size_t step;
		int found = 0;

		if (!NLMSG_OK(message, listener->rest)) {
			listener->rest = 0;
			return 0;
		}
		step = NLMSG_ALIGN(message->nlmsg_len);
		step = step < listener->rest ? step : listener->rest;
		listener->next += step;
		listener->rest -= step;
		memset(event, 0, sizeof(*event));
		if (message->nlmsg_type == RTM_NEWLINK || message->nlmsg_type == RTM_DELLINK)
			found = read_link(message, event);
		else if (message->nlmsg_type == RTM_NEWADDR || message->nlmsg_type == RTM_DELADDR)
			found = read_address(message, event);
		if (found)
			return 1;
	}
	return 0;
}

/* An event that is there already: 1, 0, or a negative errno. */
static int take(struct listener *listener, struct tam_event *event)
{
	struct sockaddr_nl from;
	socklen_t size;
	ssize_t octets;

	while (!next_event(listener, event)) {
		size = sizeof(from);
		octets = recvfrom(listener->fd, listener->buffer, sizeof(listener->buffer), 0, (struct sockaddr *)&from, &size);
		if (octets < 0 && errno == ENOBUFS) {
			memset(event, 0, sizeof(*event));
			event->kind = TAM_EVENT_LOST;
			return 1;
		}
		if (octets < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		/* Only the kernel is believed. */
		listener->next = listener->buffer;
		listener->rest = from.nl_pid == 0 ? (size_t)octets : 0;
	}
	return 1;
}

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static int wait_for(struct tam *tam, struct listener *listener, struct tam_event *event, int timeout)
{
	int64_t end = milliseconds() + timeout;

	for (;;) {
		struct pollfd fds[] = { { .fd = tam->shutdown_fd, .events = POLLIN }, { .fd = listener->fd, .events = POLLIN } };
		int64_t left = timeout < 0 ? -1 : end - milliseconds();
		int result;

		pthread_mutex_lock(&listener->lock);
		result = take(listener, event);
		pthread_mutex_unlock(&listener->lock);
		if (result)
			return result;
		if (poll(fds, 2, timeout < 0 ? -1 : left < 0 ? 0 : (int)left) < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents)
			return -ESHUTDOWN;
		if (timeout >= 0 && left <= 0 && !fds[1].revents)
			return 0;
	}
}

int tam_event(struct tam *tam, struct tam_event *event, int timeout)
{
	int result = tam_wait_begin(tam);
	struct listener *listener;

	if (result)
		return result;
	listener = listener_of(tam, &result);
	if (listener)
		result = wait_for(tam, listener, event, timeout);
	tam_wait_end(tam);
	return result;
}

void tam_wake(struct tam *tam)
{
	eventfd_write(tam->shutdown_fd, 1);
}

void tam_event_close(struct tam *tam)
{
	struct listener *listener = tam->event;

	if (!listener)
		return;
	close(listener->fd);
	pthread_mutex_destroy(&listener->lock);
	free(listener);
	tam->event = NULL;
}
