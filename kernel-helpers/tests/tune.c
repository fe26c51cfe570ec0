/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows over loopback, in a namespace without anything else: which of them rules reach, at once or with a pass, and that each has again what it
 * had: when no process wants it otherwise, when the process closes its handle, is killed, or is killed with the one that stands in for it.
 */
#include "common.h"
#include "tamanoir_tune.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT 7001
#define OTHER_PORT 7002
#define MOST 16
#define AS_EVER "reno"

static char message[65536];
static struct tam_tune_flow found[MOST];
static struct tam_tune_counts counts;

/* Both ends of a connection. */
struct flow {
	int client;
	int server;
};

static int listener(const char *address, uint16_t port)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

	address_of(at.sin6_addr.s6_addr, address);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	check(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 8) == 0, "%s: %s", address, strerror(errno));
	return fd;
}

static void choose(int fd, const char *name)
{
	check(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, strlen(name)) == 0, "%s: %s", name, strerror(errno));
}

/* A flow whose client begins with AS_EVER; IPv4 on sockets of IPv6 where `address` is one of IPv4. */
static struct flow flow_to(const char *address, uint16_t port)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct flow flow = {socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), -1};
	int listens = listener(address, port);

	choose(flow.client, AS_EVER);
	address_of(at.sin6_addr.s6_addr, address);
	check(connect(flow.client, (struct sockaddr *)&at, sizeof(at)) == 0, "%s: %s", address, strerror(errno));
	flow.server = accept4(listens, NULL, NULL, SOCK_CLOEXEC);
	check(flow.server >= 0, "%s", strerror(errno));
	close(listens);
	return flow;
}

static void end(struct flow flow)
{
	close(flow.client);
	close(flow.server);
}

static const char *algorithm(int fd)
{
	static char name[TAM_TUNE_NAME + 1];
	socklen_t size = TAM_TUNE_NAME;

	memset(name, 0, sizeof(name));
	check(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &size) == 0, "%s", strerror(errno));
	return name;
}

#define check_has(flow, want, when) \
	do { \
		const char *has_ = algorithm((flow).client); \
		check(!strcmp(has_, want), "%s has %s and not %s", when, has_, want); \
	} while (0)

static uint32_t pacing(int fd)
{
	uint32_t rate = 0;
	socklen_t size = sizeof(rate);

	check(getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, &size) == 0, "%s", strerror(errno));
	return rate;
}

static struct tam_tune_rule rule_to(uint32_t number, const char *remote, uint32_t bits, uint16_t port, const char *congestion)
{
	struct tam_tune_rule rule = {.remote_first = port, .remote_last = port ? port : 65535, .local_last = 65535, .number = number, .ai = 4,
				     .md = 12500, .max_ssthresh = 200};

	address_of(rule.remote, remote);
	for (uint32_t i = 0; i < bits; i++)
		rule.remote_mask[i / 8] |= 0x80 >> i % 8;
	snprintf(rule.congestion, sizeof(rule.congestion), "%s", congestion);
	return rule;
}

/* One that says the class of packets too. */
static struct tam_tune_rule rule_marked(uint32_t number, const char *remote, uint32_t marking, uint8_t base)
{
	struct tam_tune_rule rule = rule_to(number, remote, 128, PORT, TAM_TUNE_WAD);

	rule.marking = marking, rule.base = base, rule.classes = TAM_TUNE_CLASSES;
	memcpy(rule.code_points, (const uint8_t[]){3, 7, 11, 15, 19, 23}, TAM_TUNE_CLASSES);
	return rule;
}

static struct tam_tune *opened(const struct tam_tune_rule *rules, uint32_t count, uint32_t most)
{
	int new_flows, part, error;
	struct tam_tune *tune = tam_tune_open(rules, count, most, &new_flows, &part, &error, message, sizeof(message));

	if (!tune && part != TAM_TUNE_PART_HELD && (error == -EPERM || error == -ENOTSUP))
		skip(message);
	check(tune, "part %d: %s", part, message);
	check_equal(new_flows, 0, "the hook for new flows");
	return tune;
}

static bool registered(void)
{
	char line[1024] = "";
	FILE *file = fopen("/proc/sys/net/ipv4/tcp_available_congestion_control", "r");

	check(file && fgets(line, sizeof(line), file), "%s", strerror(errno));
	fclose(file);
	return strstr(line, TAM_TUNE_WAD);
}

static const struct tam_tune_flow *found_of(uint16_t port, int count)
{
	for (int i = 0; i < count; i++)
		if (found[i].remote_port == port)
			return &found[i];
	return NULL;
}

static void rules_reach_what_they_name(void)
{
	struct flow open = flow_to("127.0.0.2", PORT), other = flow_to("127.0.0.4", PORT), six = flow_to("::1", PORT);
	struct tam_tune_rule rules[] = {rule_to(7, "127.0.0.2", 128, PORT, TAM_TUNE_WAD), rule_to(8, "127.0.0.2", 128, 0, "cubic"),
					rule_to(9, "::1", 128, PORT, "cubic"), rule_to(10, "127.0.0.8", 125, 0, "")};
	struct flow fresh, port, paced, own;
	uint32_t rate = 7000000;
	struct tam_tune *tune;

	rules[3].pacing = 5000000;
	tune = opened(rules, 4, MOST);
	check_has(open, AS_EVER, "an open flow before a pass");
	fresh = flow_to("127.0.0.2", PORT), port = flow_to("127.0.0.2", OTHER_PORT), paced = flow_to("127.0.0.15", PORT);
	own = flow_to("127.0.0.14", PORT);
	check_has(fresh, TAM_TUNE_WAD, "a new flow");
	check_has(port, "cubic", "a new flow of the second rule");
	check_has(paced, AS_EVER, "a flow that is only paced");
	check_equal(pacing(paced.client), 5000000, "its rate");
	check_equal(tam_tune_pass(tune, found, MOST, &counts), 6, "flows found");
	check_has(open, TAM_TUNE_WAD, "an open flow after a pass");
	check_has(six, "cubic", "an open flow of IPv6");
	check_has(other, AS_EVER, "a flow of no rule");
	check_equal(counts.tuned, 6, "flows tuned");
	check_equal(found_of(OTHER_PORT, 6)->rule, 8, "the rule of the flow to the other port");
	check(!strcmp(found_of(OTHER_PORT, 6)->before, AS_EVER) && !strcmp(found_of(OTHER_PORT, 6)->congestion, "cubic"), "what is said of it");
	choose(fresh.client, "cubic");
	check(setsockopt(own.client, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof(rate)) == 0, "%s", strerror(errno));
	check_equal(tam_tune_pass(tune, found, MOST, &counts), 6, "flows found again");
	tam_tune_close(tune);
	check_has(open, AS_EVER, "an open flow afterwards");
	check_has(fresh, "cubic", "a flow whose program chose for itself");
	check_has(port, AS_EVER, "the flow of the second rule afterwards");
	check_equal(pacing(paced.client), UINT32_MAX, "the rate afterwards");
	check_equal(pacing(own.client), rate, "the rate of a flow whose program chose it");
	check(!registered(), "closed");
	end(open), end(other), end(six), end(fresh), end(port), end(paced), end(own);
}

static int code_point(int fd, bool six)
{
	int tos = 0;
	socklen_t size = sizeof(tos);

	check(getsockopt(fd, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_TCLASS : IP_TOS, &tos, &size) == 0, "%s", strerror(errno));
	return tos >> 2;
}

/* A flow on sockets of IPv4. */
static struct flow flow_of_ipv4(uint32_t address, uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
	struct flow flow = {socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), -1};
	int listens = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

	setsockopt(listens, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	check(bind(listens, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listens, 8) == 0, "%s", strerror(errno));
	choose(flow.client, AS_EVER);
	check(connect(flow.client, (struct sockaddr *)&at, sizeof(at)) == 0, "%s", strerror(errno));
	flow.server = accept4(listens, NULL, NULL, SOCK_CLOEXEC);
	close(listens);
	return flow;
}

/* What happens to a class at a loss needs a path that loses: AHostIsTunedTest. */
static void rules_say_the_class(void)
{
	struct tam_tune_rule rules[] = {rule_marked(1, "127.0.0.2", TAM_TUNE_BULK, 2), rule_marked(2, "::1", TAM_TUNE_MESSAGE, 0)};
	struct flow open = flow_of_ipv4(0x7f000002, PORT), fresh, mapped, six, own;
	struct tam_tune *tune;
	int new_flows, part, error, tos = 8 << 2;

	check(setsockopt(open.client, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)) == 0, "%s", strerror(errno));
	tune = opened(rules, 2, MOST);
	fresh = flow_of_ipv4(0x7f000002, PORT), own = flow_of_ipv4(0x7f000002, PORT);
	mapped = flow_to("127.0.0.2", PORT), six = flow_to("::1", PORT);
	check_equal(tam_tune_pass(tune, found, MOST, &counts), 4, "flows found");
	check_equal(code_point(open.client, false), 11, "the code point of an open flow");
	check_equal(code_point(fresh.client, false), 11, "the code point of a new flow");
	check_equal(code_point(six.client, true), 3, "the code point of a flow of IPv6");
	check_equal(found_of(PORT, 4)->class, found_of(PORT, 4)->rule == 1 ? 2 : 0, "the class that is told");
	check_has(mapped, AS_EVER, "a flow whose class cannot be told");
	check(counts.refused >= 1, "it is counted");
	tos = 46 << 2;
	check(setsockopt(own.client, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)) == 0, "%s", strerror(errno));
	tam_tune_close(tune);
	check_equal(code_point(open.client, false), 8, "the code point of an open flow afterwards");
	check_equal(code_point(fresh.client, false), 0, "the code point of a new flow afterwards");
	check_equal(code_point(six.client, true), 0, "the code point of a flow of IPv6 afterwards");
	check_equal(code_point(own.client, false), 46, "the code point that its program chose");
	rules[0].base = 6;
	check(!tam_tune_open(rules, 1, MOST, &new_flows, &part, &error, message, sizeof(message)) && error == -EINVAL, "a class that there is not");
	end(open), end(fresh), end(mapped), end(six), end(own);
}

static void one_process_holds_the_name(void)
{
	struct tam_tune_rule rule = rule_to(1, "127.0.0.2", 128, 0, TAM_TUNE_WAD);
	struct tam_tune *tune = opened(&rule, 1, MOST);
	int new_flows, part, error;

	check(!tam_tune_open(&rule, 1, MOST, &new_flows, &part, &error, message, sizeof(message)), "a second one");
	check(part == TAM_TUNE_PART_HELD && error == -EEXIST, "part %d, %s", part, message);
	tam_tune_close(tune);
	rule.md = TAM_TUNE_PART;
	check(!tam_tune_open(&rule, 1, MOST, &new_flows, &part, &error, message, sizeof(message)) && error == -EINVAL, "a window that vanishes");
}

static void no_more_than_so_many(void)
{
	struct tam_tune_rule rule = rule_to(1, "127.0.0.0", 104, 0, TAM_TUNE_WAD);
	struct tam_tune *tune = opened(&rule, 1, 2);
	struct flow first = flow_to("127.0.0.2", PORT), second = flow_to("127.0.0.3", PORT);	/* their servers' ends match, too */

	check_has(first, TAM_TUNE_WAD, "the first flow");
	check_has(second, AS_EVER, "a flow beyond the most");
	check_equal(tam_tune_pass(tune, found, MOST, &counts), 2, "flows found");
	check(counts.beyond >= 2, "%llu", (unsigned long long)counts.beyond);
	end(first);
	tam_tune_pass(tune, found, MOST, &counts);
	tam_tune_pass(tune, found, MOST, &counts);
	check_has(second, TAM_TUNE_WAD, "a flow for which there is room now");
	tam_tune_close(tune);
	end(second);
}

/* A process that tunes flows until it is killed. */
static pid_t tuner(const struct tam_tune_rule *rule)
{
	int ready[2];
	char octet;
	pid_t child;

	check(pipe(ready) == 0, "%s", strerror(errno));
	child = fork();
	if (child == 0) {
		struct tam_tune *tune = opened(rule, 1, MOST);

		check(tam_tune_pass(tune, found, MOST, &counts) == 1 && write(ready[1], "", 1) == 1, "%s", strerror(errno));
		for (;;)
			pause();
	}
	close(ready[1]);
	check(read(ready[0], &octet, 1) == 1, "the tuner has ended");
	close(ready[0]);
	return child;
}

static void kill_it(pid_t process)
{
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
}

static bool goes_back(struct flow flow, double most)
{
	double until = seconds() + most;
	char octets[1000] = "";

	while (strcmp(algorithm(flow.client), AS_EVER) && seconds() < until) {
		check(write(flow.client, octets, sizeof(octets)) > 0 && read(flow.server, octets, sizeof(octets)) > 0, "the flow breaks");
		usleep(10000);
	}
	return !strcmp(algorithm(flow.client), AS_EVER);
}

static void a_killed_process_leaves_nothing(void)
{
	struct tam_tune_rule rule = rule_marked(1, "127.0.0.2", TAM_TUNE_BULK, 2);
	struct flow flow = flow_of_ipv4(0x7f000002, PORT), fresh;
	pid_t process = tuner(&rule);

	check_has(flow, TAM_TUNE_WAD, "a tuned flow");
	check_equal(code_point(flow.client, false), 11, "its code point");
	kill_it(process);
	check(!registered(), "killed");
	check(goes_back(flow, 2), "%s", algorithm(flow.client));
	check_equal(code_point(flow.client, false), 0, "its code point after that");
	fresh = flow_to("127.0.0.2", PORT);
	check_has(fresh, AS_EVER, "a flow after that");
	end(flow), end(fresh);
}

/* With everything gone that could do it, the flow does it itself, when the lease is over. */
static void a_flow_goes_back_by_itself(void)
{
	struct tam_tune_rule rule = rule_marked(1, "127.0.0.2", TAM_TUNE_BULK, 2);
	struct flow flow = flow_of_ipv4(0x7f000002, PORT);
	pid_t process = tuner(&rule), guard;
	char path[64], line[64] = "";
	FILE *children;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", process, process);
	children = fopen(path, "r");
	if (!children)
		skip("this kernel does not tell children (CONFIG_PROC_CHILDREN)");
	check(fgets(line, sizeof(line), children) && sscanf(line, "%d", &guard) == 1, "no guard");
	fclose(children);
	kill(process, SIGSTOP);
	kill(guard, SIGKILL);
	kill_it(process);
	check(!goes_back(flow, 1), "before the lease is over");
	check(goes_back(flow, TAM_TUNE_LEASE + 1), "%s", algorithm(flow.client));
	check_equal(code_point(flow.client, false), 0, "its code point after that");
	end(flow);
}

/* One that was stopped, and goes on. */
static void a_flow_whose_lease_was_over_is_tuned_again(void)
{
	struct tam_tune_rule rule = rule_to(1, "127.0.0.2", 128, 0, TAM_TUNE_WAD);
	struct flow flow = flow_to("127.0.0.2", PORT);
	struct tam_tune *tune;

	rule.pacing = 5000000;
	tune = opened(&rule, 1, MOST);
	check_equal(tam_tune_pass(tune, found, MOST, &counts), 1, "flows found");
	check(goes_back(flow, TAM_TUNE_LEASE + 1), "%s", algorithm(flow.client));
	check_equal(tam_tune_pass(tune, found, MOST, &counts), 1, "flows found later");
	check_has(flow, TAM_TUNE_WAD, "the flow later");
	check(!found_of(PORT, 1)->own, "nobody has chosen");
	tam_tune_close(tune);
	check_has(flow, AS_EVER, "the flow afterwards");
	check_equal(pacing(flow.client), UINT32_MAX, "its rate afterwards");
	end(flow);
}

int main(void)
{
	/* What a flow has before is the same on every machine. */
	rules_reach_what_they_name();
	rules_say_the_class();
	one_process_holds_the_name();
	no_more_than_so_many();
	a_killed_process_leaves_nothing();
	a_flow_goes_back_by_itself();
	a_flow_whose_lease_was_over_is_tuned_again();
	return 0;
}
