/* SPDX-License-Identifier: Apache-2.0 */
/* nftables in the process: errors, output, a table that lives as long as its process, and no longer. Runs in a namespace of its own. */
#include "common.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRANSACTIONS 500
#define STRANGERS 2

static char output[8192], message[4096];

static int run(struct tam *tam, const char *commands)
{
	message[0] = 0;
	return tam_nft(tam, commands, output, sizeof(output), message, sizeof(message));
}

static void must(struct tam *tam, const char *commands)
{
	int result = run(tam, commands);

	check(result >= 0, "%d %s", result, message);
}

static void own_table(struct tam *tam)
{
	must(tam, "add table inet own { flags owner;\n}\nadd chain inet own a { type nat hook prerouting priority dstnat; }");
}

/* Whether nft, another process, sees the table. */
static bool is_seen(void)
{
	return system("nft list tables | grep -q 'inet own'") == 0;
}

static void errors_and_output(void)
{
	struct tam *tam = open_handle(NODE_PORT, false, 1, 1);
	int octets;
	char little[8];

	if (run(tam, "list tables") == -ENOPKG)
		skip("libnftables.so.1 is not installed");
	own_table(tam);
	check_equal(run(tam, "create table inet own"), -EEXIST, "create again");
	check_equal(run(tam, "delete table inet nobody"), -ENOENT, "delete what is not there");
	check_equal(run(tam, "what is this"), -EINVAL, "no command");
	check(strstr(message, "syntax error") && !strchr(message, '\n'), "'%s'", message);
	octets = tam_nft(tam, "list table inet own", output, sizeof(output), message, sizeof(message));
	check_equal(octets, (long long)strlen(output), "octets of the output");
	check(strstr(output, "flags owner"), "%s", output);
	check_equal(tam_nft(tam, "list table inet own", little, sizeof(little), message, sizeof(message)), octets, "octets of an output that is cut");
	check_equal(strlen(little), sizeof(little) - 1, "the part that fits");
	tam_close(tam);
	check(!is_seen(), "the table outlives its handle");
}

/* Strangers change rules all the time: libnftables has to begin anew, and must not do so with another socket. */
static void stays_while_others_change_rules(void)
{
	struct tam *tam = open_handle(NODE_PORT, false, 1, 1);
	pid_t strangers[STRANGERS];
	char commands[256];

	own_table(tam);
	for (int i = 0; i < STRANGERS; i++) {
		strangers[i] = fork();
		if (strangers[i] == 0) {
			snprintf(commands, sizeof(commands), "for i in $(seq 100); do nft 'add table inet s%d; delete table inet s%d'; done", i, i);
			execlp("sh", "sh", "-c", commands, NULL);
			_exit(127);
		}
	}
	for (int i = 1; i <= TRANSACTIONS; i++) {
		snprintf(commands, sizeof(commands), "flush chain inet own a\nadd rule inet own a tcp dport %d dnat ip to 192.0.2.1:%d", i, i);
		must(tam, commands);
		must(tam, "list table inet own");
		snprintf(commands, sizeof(commands), "tcp dport %d dnat", i);
		check(strstr(output, "flags owner") && strstr(output, commands), "%s", output);
	}
	check(system("nft delete table inet own 2>&1 | grep -q 'not permitted'") == 0, "a stranger may delete the table");
	for (int i = 0; i < STRANGERS; i++)
		waitpid(strangers[i], NULL, 0);
	tam_close(tam);
}

/* A node that is killed has started a program that still runs. */
static void goes_with_a_process_that_is_killed(void)
{
	int fds[2], status;
	pid_t child, started = 0;

	check(pipe(fds) == 0, "no pipe");
	child = fork();
	if (child == 0) {
		own_table(open_handle(NODE_PORT, false, 1, 1));
		started = fork();
		if (started == 0) {
			execlp("sleep", "sleep", "60", NULL);
			_exit(127);
		}
		check(is_seen(), "there is no table");
		check(write(fds[1], &started, sizeof(started)) == sizeof(started), "the pipe is closed");
		kill(getpid(), SIGKILL);
	}
	check(waitpid(child, &status, 0) == child && WIFSIGNALED(status), "status %d", status);
	check(read(fds[0], &started, sizeof(started)) == sizeof(started), "the child has said nothing");
	bool seen = is_seen();

	check(kill(started, 0) == 0, "what was started does not run");
	kill(started, SIGKILL);
	check(!seen, "the table outlives its process");
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	errors_and_output();
	stays_while_others_change_rules();
	goes_with_a_process_that_is_killed();
	return 0;
}
