/* SPDX-License-Identifier: Apache-2.0 */
/* Datagram sockets with the kernel's time, code point and time to live of each datagram. The caller has threads and order, we have none. */
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64	     /* datagrams of one system call */
#define BUFFER (4 << 20)     /* of a socket, octets: a train of 256 full packets counts with 600 kB */
#define SOCKETS 30	     /* in one wait */
#define SECOND 1000000000LL
#define SINCE_1900 2208988800LL /* seconds from 1900 to 1970: RFC 5905 section 6 */

/* Room for what we ask for: the time, and of each family the octet of the code point, the time to live and the own address. */
#define CONTROL (CMSG_SPACE(sizeof(struct timespec)) + 2 * CMSG_SPACE(sizeof(int)) + 2 * CMSG_SPACE(sizeof(struct in6_pktinfo)) + 64)

static bool is_mapped(const uint8_t address[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(address, mapped, sizeof(mapped));
}

static bool is_zero(const uint8_t address[16])
{
	static const uint8_t zero[16];

	return !memcmp(address, zero, sizeof(zero));
}

static void map(uint8_t address[16], const struct in_addr *from)
{
	memset(address, 0, 10);
	memset(address + 10, 0xff, 2);
	memcpy(address + 12, from, 4);
}

static void put_name(struct sockaddr_storage *name, socklen_t *size, int family, const uint8_t address[16], uint32_t interface, uint16_t port)
{
	memset(name, 0, sizeof(*name));
	if (family == AF_INET) {
		struct sockaddr_in *to = (struct sockaddr_in *)name;

		to->sin_family = AF_INET;
		to->sin_port = htons(port);
		memcpy(&to->sin_addr, address + 12, 4);
		*size = sizeof(*to);
	} else {
		struct sockaddr_in6 *to = (struct sockaddr_in6 *)name;

		to->sin6_family = AF_INET6;
		to->sin6_port = htons(port);
		to->sin6_scope_id = interface;
		memcpy(&to->sin6_addr, address, 16);
		*size = sizeof(*to);
	}
}

static void buffer_of(int fd, int forced, int asked)
{
	int size = BUFFER;

	/* Without CAP_NET_ADMIN as much as net.core.rmem_max and wmem_max allow. */
	if (setsockopt(fd, SOL_SOCKET, forced, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, asked, &size, sizeof(size));
}

static int ask_for_all(int fd, int family)
{
	static const int options[] = { IP_RECVTOS, IP_RECVTTL, IP_PKTINFO };
	static const int options6[] = { IPV6_RECVTCLASS, IPV6_RECVHOPLIMIT, IPV6_RECVPKTINFO };
	int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)))
		return -errno;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		/* IPv4 reaches a socket of IPv6 too. */
		if (setsockopt(fd, IPPROTO_IP, options[i], &on, sizeof(on)))
			return -errno;
		if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, options6[i], &on, sizeof(on)))
			return -errno;
	}
	buffer_of(fd, SO_RCVBUFFORCE, SO_RCVBUF);
	buffer_of(fd, SO_SNDBUFFORCE, SO_SNDBUF);
	return 0;
}

static int bind_to(int family, const uint8_t address[16], uint32_t interface, uint16_t *port)
{
	struct sockaddr_storage name;
	socklen_t size;
	int off = 0, result;
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	put_name(&name, &size, family, address, interface, *port);
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	result = bind(fd, (struct sockaddr *)&name, size) || getsockname(fd, (struct sockaddr *)&name, &size) ? -errno : ask_for_all(fd, family);
	if (result) {
		close(fd);
		return result;
	}
	*port = ntohs(family == AF_INET ? ((struct sockaddr_in *)&name)->sin_port : ((struct sockaddr_in6 *)&name)->sin6_port);
	return fd;
}

int tam_datagram_open(const uint8_t address[16], uint32_t interface, uint16_t *port)
{
	int fd = is_mapped(address) ? bind_to(AF_INET, address, interface, port) : bind_to(AF_INET6, address, interface, port);

	/* A host without IPv6, asked for all of its addresses. */
	if (fd == -EAFNOSUPPORT && is_zero(address))
		fd = bind_to(AF_INET, address, interface, port);
	return fd;
}

static void read_control(struct tam_datagram *datagram, struct msghdr *message)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		const unsigned char *data = CMSG_DATA(c);
		int number = 0;

		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
			struct timespec time;

			memcpy(&time, data, sizeof(time));
			datagram->time = time.tv_sec * SECOND + time.tv_nsec;
			datagram->knows |= TAM_KNOWS_TIME;
		} else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) {
			datagram->tos = *data;
			datagram->knows |= TAM_KNOWS_TOS;
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS) {
			memcpy(&number, data, sizeof(number));
			datagram->tos = (uint8_t)number;
			datagram->knows |= TAM_KNOWS_TOS;
		} else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL) || (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPLIMIT)) {
			memcpy(&number, data, sizeof(number));
			datagram->ttl = (uint8_t)number;
			datagram->knows |= TAM_KNOWS_TTL;
		} else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo info;

			memcpy(&info, data, sizeof(info));
			map(datagram->local, &info.ipi_spec_dst);
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo info;

			memcpy(&info, data, sizeof(info));
			/* Of IPv4 the other message says it, and says the host's own address where this has a broadcast one. */
			if (!IN6_IS_ADDR_V4MAPPED(&info.ipi6_addr) && !IN6_IS_ADDR_MULTICAST(&info.ipi6_addr))
				memcpy(datagram->local, &info.ipi6_addr, 16);
		}
	}
}

static void read_name(struct tam_datagram *datagram, const struct sockaddr_storage *name)
{
	if (name->ss_family == AF_INET) {
		const struct sockaddr_in *from = (const struct sockaddr_in *)name;

		map(datagram->address, &from->sin_addr);
		datagram->port = ntohs(from->sin_port);
	} else {
		const struct sockaddr_in6 *from = (const struct sockaddr_in6 *)name;

		memcpy(datagram->address, &from->sin6_addr, 16);
		datagram->port = ntohs(from->sin6_port);
		datagram->interface = from->sin6_scope_id;
	}
}

int tam_datagram_receive(int fd, struct tam_datagram *datagrams, void *octets, uint32_t stride, uint32_t most)
{
	struct mmsghdr messages[BATCH];
	struct iovec rooms[BATCH];
	struct sockaddr_storage names[BATCH];
	char controls[BATCH][CONTROL] __attribute__((aligned(sizeof(size_t))));
	int count;

	most = most < BATCH ? most : BATCH;
	memset(messages, 0, most * sizeof(*messages));
	for (uint32_t i = 0; i < most; i++) {
		rooms[i] = (struct iovec){ .iov_base = (char *)octets + (size_t)i * stride, .iov_len = stride };
		messages[i].msg_hdr = (struct msghdr){ .msg_name = &names[i], .msg_namelen = sizeof(names[i]), .msg_iov = &rooms[i],
			.msg_iovlen = 1, .msg_control = controls[i], .msg_controllen = CONTROL };
	}
	count = recvmmsg(fd, messages, most, MSG_DONTWAIT, NULL);
	if (count < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < count; i++) {
		memset(&datagrams[i], 0, sizeof(datagrams[i]));
		datagrams[i].length = messages[i].msg_len;
		datagrams[i].cut = !!(messages[i].msg_hdr.msg_flags & MSG_TRUNC);
		read_name(&datagrams[i], &names[i]);
		read_control(&datagrams[i], &messages[i].msg_hdr);
	}
	return count;
}

static struct cmsghdr *add_control(struct msghdr *message, int level, int type, const void *data, size_t size)
{
	struct cmsghdr *c = (struct cmsghdr *)((char *)message->msg_control + message->msg_controllen);

	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), data, size);
	message->msg_controllen += CMSG_SPACE(size);
	return c;
}

static int64_t stamp_now(char *data, uint32_t length, int32_t stamp)
{
	struct timespec now;
	uint64_t ntp;

	clock_gettime(CLOCK_REALTIME, &now);
	if (stamp >= 0 && length >= (uint32_t)stamp + sizeof(ntp)) {
		ntp = (uint64_t)(now.tv_sec + SINCE_1900) << 32 | ((uint64_t)now.tv_nsec << 32) / SECOND;
		ntp = htobe64(ntp);
		memcpy(data + stamp, &ntp, sizeof(ntp));
	}
	return now.tv_sec * SECOND + now.tv_nsec;
}

static bool send_one(int fd, int family, struct tam_datagram *datagram, char *data, int32_t stamp)
{
	char control[CONTROL] __attribute__((aligned(sizeof(size_t)))) = { 0 };
	struct sockaddr_storage name;
	struct iovec all = { .iov_base = data, .iov_len = datagram->length };
	struct msghdr message = { .msg_name = &name, .msg_iov = &all, .msg_iovlen = 1, .msg_control = control };
	bool ipv4 = is_mapped(datagram->address);
	int tos = datagram->tos;
	int64_t time;

	put_name(&name, &message.msg_namelen, family, datagram->address, datagram->interface, datagram->port);
	add_control(&message, ipv4 ? IPPROTO_IP : IPPROTO_IPV6, ipv4 ? IP_TOS : IPV6_TCLASS, &tos, sizeof(tos));
	if (!is_zero(datagram->local) && ipv4 == is_mapped(datagram->local)) {
		struct in_pktinfo info = { 0 };
		struct in6_pktinfo info6 = { .ipi6_ifindex = datagram->interface };

		memcpy(&info.ipi_spec_dst, datagram->local + 12, 4);
		memcpy(&info6.ipi6_addr, datagram->local, 16);
		if (ipv4)
			add_control(&message, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
		else
			add_control(&message, IPPROTO_IPV6, IPV6_PKTINFO, &info6, sizeof(info6));
	}
	time = stamp_now(data, datagram->length, stamp);
	datagram->time = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? 0 : time;
	return datagram->time != 0;
}

int tam_datagram_send(int fd, struct tam_datagram *datagrams, void *octets, uint32_t stride, uint32_t count, int32_t stamp)
{
	int family, sent = 0;
	socklen_t size = sizeof(family);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size))
		return -errno;
	/* sendmmsg() would spare 0.1 us each, and the time of all would be that of the first. */
	for (uint32_t i = 0; i < count; i++) {
		datagrams[i].time = 0;
		if (datagrams[i].length && datagrams[i].length <= stride && (family == AF_INET6 || is_mapped(datagrams[i].address)))
			sent += send_one(fd, family, &datagrams[i], (char *)octets + (size_t)i * stride, stamp);
	}
	return sent;
}

int tam_datagram_close(int fd)
{
	return close(fd) ? -errno : 0;
}

int tam_datagram_waker(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int tam_datagram_wake(int waker)
{
	return eventfd_write(waker, 1) ? -errno : 0;
}

int tam_datagram_wait(int waker, const int *fds, uint32_t count, int64_t nanoseconds)
{
	static __thread bool exact;
	struct pollfd polled[SOCKETS + 1] = { { .fd = waker, .events = POLLIN } };
	struct timespec time = { .tv_sec = nanoseconds / SECOND, .tv_nsec = nanoseconds % SECOND };
	eventfd_t times;

	if (count > SOCKETS || nanoseconds < 0)
		return -EINVAL;
	/* Other threads may sleep 50 us longer than they asked for: that is the kernel's preset. */
	if (!exact)
		exact = !prctl(PR_SET_TIMERSLACK, 1UL);
	for (uint32_t i = 0; i < count; i++)
		polled[i + 1] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	if (ppoll(polled, count + 1, &time, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	if (polled[0].revents)
		eventfd_read(waker, &times);
	return 0;
}

int tam_clock_quality(int64_t *nanoseconds)
{
	struct timex clock = { 0 };
	int state = adjtimex(&clock);

	if (state < 0)
		return -errno;
	*nanoseconds = clock.maxerror * 1000LL;
	return state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}
