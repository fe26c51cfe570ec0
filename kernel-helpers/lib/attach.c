/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces with our programs. */
#include "internal.h"

#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct tam_port **find(struct tam *tam, uint32_t ifindex)
{
	struct tam_port **at = &tam->ports;

	while (*at && (*at)->ifindex != ifindex)
		at = &(*at)->next;
	return at;
}

/* An interface that was deleted takes the link with it; another may have got its number. */
static bool attached(struct tam *tam, const struct tam_port *port)
{
	return port->by == TAM_BY_TCX ? tam_link_ifindex(port->link) == port->ifindex : tam_clsact_attached(tam, port);
}

static void detach(struct tam *tam, struct tam_port **at)
{
	struct tam_port *port = *at;

	*at = port->next;
	if (port->link >= 0)
		close(port->link);
	else
		tam_clsact_detach(tam, port);
	if (port->xdp >= 0)
		close(port->xdp);
	free(port);
}

void tam_ports_close(struct tam *tam)
{
	while (tam->ports)
		detach(tam, &tam->ports);
}

/* The programs read Ethernet frames. */
static int check_interface(uint32_t ifindex, struct ifreq *request, char *message, size_t size)
{
	int socket_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = 0;

	memset(request, 0, sizeof(*request));
	if (socket_fd < 0 || !if_indextoname(ifindex, request->ifr_name) || ioctl(socket_fd, SIOCGIFHWADDR, request)) {
		result = -errno == -ENXIO ? -ENODEV : -errno;
		tam_say(message, size, "there is no interface with the index %u: %s", ifindex, strerror(-result));
	} else if (request->ifr_hwaddr.sa_family != ARPHRD_ETHER && request->ifr_hwaddr.sa_family != ARPHRD_LOOPBACK) {
		result = -EOPNOTSUPP;
		tam_say(message, size, "interface %s has no Ethernet header", request->ifr_name);
	}
	if (socket_fd >= 0)
		close(socket_fd);
	return result;
}

static int attach_ingress(struct tam *tam, struct tam_port *port, const char *name, char *message, size_t size)
{
	const char *no_tcx = getenv("TAMANOIR_NO_TCX");
	int failed = -EOPNOTSUPP;

	port->by = TAM_BY_TCX;
	if (!no_tcx || strcmp(no_tcx, "1")) {
		port->link = tam_tcx_attach(tam->light_program, port->ifindex);
		failed = port->link < 0 ? port->link : 0;
	}
	/* A kernel before 6.6 does not know the attach type. */
	if (failed == -EINVAL || failed == -EOPNOTSUPP) {
		port->by = TAM_BY_CLSACT;
		port->link = -1;
		failed = tam_clsact_attach(tam, port);
	}
	if (failed)
		tam_say(message, size, "the program was not attached to interface %s: %s%s", name, strerror(-failed),
			failed == -EPERM ? "; it needs CAP_NET_ADMIN and CAP_BPF" : "");
	return failed;
}

static int attach(struct tam *tam, uint32_t ifindex, int xdp, char *message, size_t size)
{
	struct tam_port **at = find(tam, ifindex), *port;
	struct ifreq request;
	int failed = check_interface(ifindex, &request, message, size);

	if (failed)
		return failed;
	if (*at && attached(tam, *at)) {
		tam_say(message, size, "interface %s is attached already", request.ifr_name);
		return -EEXIST;
	}
	if (*at)
		detach(tam, at);
	port = calloc(1, sizeof(*port));
	if (!port)
		return -ENOMEM;
	port->ifindex = ifindex;
	port->link = port->xdp = -1;
	failed = attach_ingress(tam, port, request.ifr_name, message, size);
	if (failed) {
		free(port);
		return failed;
	}
	port->next = tam->ports;
	tam->ports = port;
	if (xdp)
		failed = tam_xdp_attach(tam, port, message, size);
	if (failed)
		detach(tam, &tam->ports);
	return failed ? failed : port->by;
}

int tam_attach(struct tam *tam, uint32_t ifindex, int xdp, char *message, size_t size)
{
	int result;

	tam_say(message, size, "%s", "");
	pthread_mutex_lock(&tam->lock);
	result = attach(tam, ifindex, xdp, message, size);
	pthread_mutex_unlock(&tam->lock);
	return result;
}

int tam_detach(struct tam *tam, uint32_t ifindex)
{
	struct tam_port **at;
	int result = -ENOENT;

	pthread_mutex_lock(&tam->lock);
	at = find(tam, ifindex);
	if (*at) {
		result = attached(tam, *at) ? 0 : -ENOENT;
		detach(tam, at);
	}
	pthread_mutex_unlock(&tam->lock);
	return result;
}

int tam_attached(struct tam *tam, uint32_t ifindex)
{
	struct tam_port *port;
	int result;

	pthread_mutex_lock(&tam->lock);
	port = *find(tam, ifindex);
	result = port && attached(tam, port);
	pthread_mutex_unlock(&tam->lock);
	return result;
}
