/* SPDX-License-Identifier: Apache-2.0 */
/* Maps and programs of this process, found as anybody could who looks at it. */
#include "common.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <string.h>

#define KEPT 15	/* of a name: BPF_OBJ_NAME_LEN - 1 */

int descriptor(const char *name, bool map)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;
	int found = -1;

	while ((entry = readdir(folder)) && found < 0) {
		struct bpf_map_info map_info = {0};
		struct bpf_prog_info program_info = {0};
		uint32_t map_size = sizeof(map_info), program_size = sizeof(program_info);
		int fd = atoi(entry->d_name);
		char path[300], line[256];
		bool right = false;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", entry->d_name);
		FILE *info = fopen(path, "r");
		while (info && fgets(line, sizeof(line), info))
			right |= !strncmp(line, map ? "map_id" : "prog_id", map ? 6 : 7);
		if (info)
			fclose(info);
		if (right && map && !bpf_obj_get_info_by_fd(fd, &map_info, &map_size) && !strncmp(map_info.name, name, KEPT))
			found = fd;
		if (right && !map && !bpf_obj_get_info_by_fd(fd, &program_info, &program_size) && !strncmp(program_info.name, name, KEPT))
			found = fd;
	}
	closedir(folder);
	check(found >= 0, "no descriptor of %s", name);
	return found;
}

uint32_t entries(const char *name)
{
	int map = descriptor(name, true);
	uint8_t key[64], next[64];
	uint32_t count = 0;

	for (void *before = NULL; !bpf_map_get_next_key(map, before, next); before = key, count++)
		memcpy(key, next, sizeof(key));
	return count;
}
