/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From open to close and to SIGKILL: what is attached, to what, and what stays. Runs in the node's namespace of net.sh, by tcx or, with
 * TAMANOIR_NO_TCX=1, by clsact.
 */
#include "common.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <net/if.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TYPE 0x5500
#define OTHER_PORT 3399
#define IDENTITIES 128

static bool tcx;
static char message[65536];

/* Runs a command, which must succeed. */
static void command(const char *words)
{
	check(system(words) == 0, "'%s' failed", words);
}

/* Lines of a command's output that have a word. */
static int lines(const char *words, const char *word)
{
	FILE *output = popen(words, "r");
	char line[512];
	int found = 0;

	check(output != NULL, "%s", words);
	while (fgets(line, sizeof(line), output))
		found += strstr(line, word) != NULL;
	pclose(output);
	return found;
}

/* Programs at the ingress of an interface: BPF_PROG_QUERY for tcx, of which older headers know only the first words. */
static int programs(const char *interface)
{
	struct {
		uint32_t ifindex, type, query_flags, attach_flags;
		uint64_t identities;
		uint32_t count, zero;
		uint64_t more[4];
	} query = {.ifindex = interface_of(interface), .type = 46};
	char words[100];

	if (tcx) {
		check(syscall(SYS_bpf, BPF_PROG_QUERY, &query, sizeof(query)) == 0, "BPF_PROG_QUERY: %s", strerror(errno));
		return (int)query.count;
	}
	snprintf(words, sizeof(words), "tc filter show dev %s ingress", interface);
	return lines(words, "tam_light");
}

static void put_rule(struct tam *tam)
{
	struct tam_rule rule = rule_of(1, TYPE, TAM_ACTION_COUNT, TAM_ACTION_DROP, 0);
	uint8_t address[16];

	address_of(address, "10.1.0.2");
	check_equal(tam_address_add(tam, address), 0, "address_add");
	check_equal(tam_rule_put(tam, 0, &rule), 0, "rule_put");
}

static void attach(struct tam *tam, const char *interface)
{
	int result = tam_attach(tam, interface_of(interface), 0, message, sizeof(message));

	check(result == (tcx ? TAM_BY_TCX : TAM_BY_CLSACT), "attached by %d: %s", result, message);
}

static uint64_t counted(struct tam *tam)
{
	struct tam_rule_counters counters;

	check_equal(tam_rule_read(tam, 0, &counters), 0, "rule_read");
	return counters.packets;
}

/* Two nodes on one host: each finishes its own packets and lets the other's go on. */
static void side_by_side(const char *client)
{
	struct tam *one = open_handle(NODE_PORT, false, 4, 4), *other = open_handle(OTHER_PORT, false, 4, 4);
	int sender = udp_socket(client, "10.1.0.1", 0), up = udp_socket(NULL, "10.1.0.2", OTHER_PORT);
	static struct packet packet;
	static struct datagram got;

	put_rule(one);
	put_rule(other);
	attach(one, "n0");
	attach(other, "n0");
	check_equal(tam_attach(one, interface_of("n0"), 0, message, sizeof(message)), -EEXIST, "attached twice");
	check_equal(programs("n0"), 2, "programs");
	packet_of(&packet, TYPE, 0, 9, 100);
	send_to(sender, "10.1.0.2", NODE_PORT, packet.octets, packet.length);
	for (int i = 0; i < 2; i++)
		send_to(sender, "10.1.0.2", OTHER_PORT, packet.octets, packet.length);
	check(nothing(up, 100), "a dropped packet arrived");
	check_equal(counted(one), 1, "packets of the one");
	check_equal(counted(other), 2, "packets of the other");
	check_equal(tam_attached(one, interface_of("n0")), 1, "attached");
	tam_close(one);
	check_equal(programs("n0"), 1, "programs after one was closed");
	send_to(sender, "10.1.0.2", OTHER_PORT, packet.octets, packet.length);
	check(nothing(up, 100), "a dropped packet arrived");
	check_equal(counted(other), 3, "packets of the other after the one was closed");
	check_equal(tam_detach(other, interface_of("n0")), 0, "detach");
	check_equal(tam_detach(other, interface_of("n0")), -ENOENT, "detached twice");
	check_equal(programs("n0"), 0, "programs");
	send_to(sender, "10.1.0.2", OTHER_PORT, packet.octets, packet.length);
	receive(up, &got, 1000);
	check_equal(got.length, packet.length, "a packet after detaching");
	tam_close(other);
	close(sender);
	close(up);
}

static void interface_goes(void)
{
	struct tam *tam = open_handle(NODE_PORT, false, 4, 4);
	uint32_t index;

	for (int i = 0; i < 3; i++) {
		command("ip link add gone0 type veth peer name gone1");
		index = interface_of("gone0");
		attach(tam, "gone0");
		check_equal(tam_attached(tam, index), 1, "attached");
		command("ip link delete gone0");
		check_equal(tam_attached(tam, index), 0, "attached to what has gone");
		check_equal(tam_attach(tam, index, 0, message, sizeof(message)), -ENODEV, "an interface that has gone");
		if (i == 0)
			check_equal(tam_detach(tam, index), -ENOENT, "detach");
	}
	/* The same number again: the old attachment must not stand in the way. */
	snprintf(message, sizeof(message), "ip link add gone0 index %u type veth peer name gone1", index);
	command(message);
	attach(tam, "gone0");
	check_equal(programs("gone0"), 1, "programs");
	tam_close(tam);
	check_equal(programs("gone0"), 0, "programs after close");
	check_equal(lines("tc qdisc show dev gone0", "clsact"), 0, "queueing disciplines after close");
	command("ip link delete gone0");
}

/* Somebody's own clsact and filter stay as they are. */
static void others_filters(void)
{
	struct tam *tam = open_handle(NODE_PORT, false, 4, 4);

	command("ip link add own0 type veth peer name own1");
	if (!tcx)
		attach(tam, "own0");
	else
		command("tc qdisc add dev own0 clsact");
	command("tc filter add dev own0 egress protocol ip prio 7 u32 match u32 0 0 classid 1:1");
	if (tcx)
		attach(tam, "own0");
	tam_close(tam);
	check_equal(lines("tc filter show dev own0 egress", "u32") > 0, 1, "the filter of somebody else");
	command("ip link delete own0");
}

static void namespace_goes(const char *name)
{
	struct tam *tam = open_handle(NODE_PORT, false, 4, 4);
	int before;
	uint32_t index;

	snprintf(message, sizeof(message), "ip netns add %s && ip link add gone0 netns %s type veth peer name gone1 netns %s", name, name, name);
	command(message);
	before = enter(name);
	index = interface_of("gone0");
	attach(tam, "gone0");
	leave(before);
	snprintf(message, sizeof(message), "ip netns delete %s", name);
	command(message);
	for (int i = 0; i < 100 && tcx && tam_attached(tam, index); i++)
		usleep(50000);	/* the kernel removes a namespace in its own time */
	check_equal(tcx ? tam_attached(tam, index) : 0, 0, "attached in a namespace that has gone");
	tam_close(tam);
}

/* Maps and programs of this process, by identity. */
struct identities {
	uint32_t programs[IDENTITIES], maps[IDENTITIES];
	int program_count, map_count;
};

static void identify(struct identities *all)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	memset(all, 0, sizeof(*all));
	while ((entry = readdir(folder))) {
		char path[300], line[256];
		uint32_t identity;
		FILE *info;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", entry->d_name);
		info = fopen(path, "r");
		while (info && fgets(line, sizeof(line), info)) {
			if (sscanf(line, "prog_id: %u", &identity) == 1 && all->program_count < IDENTITIES)
				all->programs[all->program_count++] = identity;
			if (sscanf(line, "map_id: %u", &identity) == 1 && all->map_count < IDENTITIES)
				all->maps[all->map_count++] = identity;
		}
		if (info)
			fclose(info);
	}
	closedir(folder);
}

static int left(const struct identities *all)
{
	int count = 0, fd;

	for (int i = 0; i < all->program_count + all->map_count; i++) {
		fd = i < all->program_count ? bpf_prog_get_fd_by_id(all->programs[i]) : bpf_map_get_fd_by_id(all->maps[i - all->program_count]);
		if (fd >= 0) {
			close(fd);
			count++;
		}
	}
	return count;
}

/* A process with everything attached, which is killed. */
static void killed(void)
{
	struct identities all;
	int ends[2], status;
	pid_t child;

	check(pipe(ends) == 0, "pipe");
	child = fork();
	if (child == 0) {
		struct tam *tam = open_handle(NODE_PORT, false, 4, 4);

		put_rule(tam);
		attach(tam, "n0");
		check(tam_attach(tam, interface_of("n1"), 1, message, sizeof(message)) > 0, "%s", message);
		check_equal(tam_attach_passing(tam, message, sizeof(message)), 0, message);
		identify(&all);
		check(write(ends[1], &all, sizeof(all)) == sizeof(all), "write");
		pause();
		_exit(1);
	}
	close(ends[1]);
	check(read(ends[0], &all, sizeof(all)) == sizeof(all), "the process that should be killed has ended");
	close(ends[0]);
	check(all.program_count >= 4 && all.map_count >= 16, "%d programs, %d maps", all.program_count, all.map_count);
	check_equal(left(&all), all.program_count + all.map_count, "programs and maps");
	check_equal(programs("n0") + programs("n1"), 2, "programs attached");
	check_equal(lines("ip link show n1", "prog/xdp"), 1, "XDP programs");
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	check(WIFSIGNALED(status), "the process ended by itself");
	if (!tcx) {
		/* A filter stays; the next node of the port takes its place, and leaves nothing. */
		struct tam *tam = open_handle(NODE_PORT, false, 4, 4);

		check_equal(programs("n0"), 1, "filters left by a killed node");
		attach(tam, "n0");
		attach(tam, "n1");
		check_equal(programs("n0") + programs("n1"), 2, "filters after the next node's start");
		tam_close(tam);
	}
	for (int i = 0; i < 100 && left(&all); i++)
		usleep(20000);	/* freed behind a grace period */
	check_equal(left(&all), 0, "programs and maps after SIGKILL");
	check_equal(programs("n0") + programs("n1") + lines("ip link show n1", "prog/xdp"), 0, "programs attached after SIGKILL");
}

/* What a process is told that may not do it, with capabilities as a bit mask. */
static void refused(uint64_t capabilities, int error, const char *words)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
		struct __user_cap_data_struct data[2] = {{0}};
		struct tam_options options = {1, NODE_PORT, 0, 4, 4, 0};
		struct tam *tam;
		int got = 0;

		for (int i = 0; i < 2; i++)
			data[i].effective = data[i].permitted = (uint32_t)(capabilities >> 32 * i);
		check(syscall(SYS_capset, &header, data) == 0, "capset");
		tam = tam_open(&options, &got, message, sizeof(message));
		check(error ? !tam : tam != NULL, "opened: %d", got);
		check_equal(got, error, message);
		check(strstr(message, words), "'%s' is not in: %s", words, message);
		tam_close(tam);
		_exit(0);
	}
	waitpid(child, &status, 0);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the process without capabilities");
}

int main(int count, char **words)
{
	const char *no_tcx = getenv("TAMANOIR_NO_TCX");
	const uint64_t admin = 1ULL << CAP_NET_ADMIN, bpf = 1ULL << CAP_BPF, perfmon = 1ULL << CAP_PERFMON;

	check(count == 3, "usage: life CLIENT NAMESPACE");
	tcx = !no_tcx || strcmp(no_tcx, "1");
	side_by_side(words[1]);
	interface_goes();
	others_filters();
	namespace_goes(words[2]);
	killed();
	refused(0, -EPERM, "CAP_BPF");
	refused(admin, -EPERM, "CAP_BPF");
	refused(admin | bpf, -EACCES, "processed ");	/* CAP_PERFMON is missing: the verifier's log is in the message, to its last line */
	refused(admin | bpf | perfmon, 0, "");
	return 0;
}
