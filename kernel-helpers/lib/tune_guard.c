/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that outlives this one by a moment: it waits for the end of a pipe that this process alone holds open, then reads the iterator that puts
 * flows back. So they are put back after SIGKILL too. A shell and cat suffice for that, since all the work is the kernel's.
 */
#include "tune.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define ITERATOR 3	/* its descriptor in the guard */
#define ABOVE 10	/* descriptors of ours lie there while they are dealt out */

/* Whoever ends this process politely may do so to its children too; the guard ends by itself. */
static char script[] = "trap '' HUP INT TERM; cat >/dev/null; exec cat <&3 >/dev/null";
static char *const arguments[] = {"sh", "-c", script, "tamanoir-tune-guard", NULL};
static char *const environment[] = {"PATH=/usr/bin:/bin", NULL};

static int spawn(pid_t *guard, int iterator, int end)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int failed;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	posix_spawn_file_actions_adddup2(&actions, iterator, ITERATOR);
	posix_spawn_file_actions_addclosefrom_np(&actions, ITERATOR + 1);
	/* A session of its own: what a terminal sends to this process does not reach it. */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	failed = posix_spawn(guard, "/bin/sh", &actions, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -failed;
}

static int above(int fd)
{
	int other = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);

	close(fd);
	return other;
}

int tam_tune_guard(struct tam_tune *tune)
{
	int iterator = bpf_iter_create(bpf_link__fd(tune->restore)), ends[2] = {-1, -1}, failed;

	if (iterator < 0)
		return -errno;
	iterator = above(iterator);
	failed = iterator < 0 || pipe2(ends, O_CLOEXEC) ? -errno : 0;
	if (!failed) {
		ends[0] = above(ends[0]);
		failed = ends[0] < 0 ? -errno : spawn(&tune->guard, iterator, ends[0]);
	}
	if (!failed) {
		if (tune->guard_pipe >= 0)
			close(tune->guard_pipe);
		tune->guard_pipe = ends[1];
		ends[1] = -1;
	} else {
		tune->guard = 0;
	}
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	if (iterator >= 0)
		close(iterator);
	return failed;
}

bool tam_tune_guarded(struct tam_tune *tune)
{
	if (tune->guard && waitpid(tune->guard, NULL, WNOHANG) != 0)
		tune->guard = 0;
	return tune->guard != 0;
}

void tam_tune_dismiss(struct tam_tune *tune)
{
	if (tune->guard_pipe >= 0)
		close(tune->guard_pipe);
	if (tune->guard)
		while (waitpid(tune->guard, NULL, 0) < 0 && errno == EINTR)
			;
	tune->guard = 0;
	tune->guard_pipe = -1;
}
