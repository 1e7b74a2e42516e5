/* processors.c - how many processors a process may use: its affinity, and the quota of its control
 * group. */
#ifdef __linux__
#define _GNU_SOURCE /* CPU_ALLOC */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#endif
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "platform/system.h"

#if defined(__linux__) && !defined(CO4__NO_THREADS)
#include <sched.h>
#endif
#ifndef CO4__NO_THREADS
#include <unistd.h>
#endif

#if defined(__linux__) && !defined(CO4__NO_THREADS)

/* Returns the quota in processors, rounded up; 0 if there is none. `file` contains "QUOTA PERIOD"
 * or "max PERIOD". If `period` is not NULL, `file` has the quota alone and `period` the period. */
static int quota_in(const char *folder, const char *file, const char *period)
{
    char path[PATH_MAX], text[64] = "";
    long long quota = 0, each = 0;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file) >= sizeof path)
        return 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    int n = fgets(text, sizeof text, f) ? sscanf(text, "%lld %lld", &quota, &each) : 0;
    fclose(f);
    if (period && n == 1) {
        bool fits = (size_t)snprintf(path, sizeof path, "%s/%s", folder, period) < sizeof path;
        if (fits && (f = fopen(path, "re")) != NULL) {
            n += fscanf(f, "%lld", &each);
            fclose(f);
        }
    }
    return n == 2 && quota > 0 && each > 0 && quota / each < INT32_MAX
               ? (int)((quota + each - 1) / each)
               : 0;
}

static int least(int a, int b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

/* Returns the least quota of the group and of all groups above it, up to the root of the tree. */
static int quota_up(const char *root, const char *group, const char *file, const char *period)
{
    char folder[PATH_MAX];
    int quota = 0;
    if ((size_t)snprintf(folder, sizeof folder, "%s%s", root, group) >= sizeof folder)
        return 0;
    for (size_t above = strlen(root);;) {
        quota = least(quota, quota_in(folder, file, period));
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < above)
            return quota;
        *slash = '\0';
    }
}

/* Returns the quota of this process's control group, of version 2 or 1; 0 if there is none.
 * Containers limit processors by it. */
int co4__processors_of_group(const char *groups, const char *root)
{
    char line[PATH_MAX], folder[PATH_MAX];
    int quota = 0;
    FILE *f = fopen(groups, "re");
    while (f && fgets(line, sizeof line, f)) { /* "0::/GROUP" or "4:cpu,cpuacct:/GROUP" */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'),
             *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        if (controllers[1] == '\0') {
            quota = least(quota,
                          quota_up(root, strcmp(group, "/") == 0 ? "" : group, "cpu.max", NULL));
        } else if (strncmp(controllers + 1, "cpu,", 4) == 0 ||
                   strcmp(controllers + 1, "cpu") == 0 || strstr(controllers + 1, ",cpu,") ||
                   strstr(controllers + 1, "cpuacct,cpu")) {
            if ((size_t)snprintf(folder, sizeof folder, "%s/cpu", root) >= sizeof folder)
                continue;
            quota = least(quota, quota_up(folder, strcmp(group, "/") == 0 ? "" : group,
                                          "cpu.cfs_quota_us", "cpu.cfs_period_us"));
        }
    }
    if (f)
        fclose(f);
    return quota;
}

#endif

#ifdef CO4__NO_THREADS

int co4__processors(void)
{
    return 1;
}

int co4__processors_online(void)
{
    return 1;
}

#else

/* The control group's quota counts. */
static int limited(long n)
{
#ifdef __linux__
    int quota = co4__processors_of_group("/proc/self/cgroup", "/sys/fs/cgroup");
    if (quota > 0 && quota < n)
        n = quota;
#endif
    return n > 0 ? (int)n : 1;
}

int co4__processors_online(void)
{
    return limited(sysconf(_SC_NPROCESSORS_ONLN));
}

int co4__processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t *set = NULL;
    for (int room = 1024; room <= 1 << 20;
         room *= 2) { /* the call fails if there are more processors */
        if (!(set = CPU_ALLOC((size_t)room)))
            break;
        if (sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)room), set) == 0) {
            n = CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)room), set);
            CPU_FREE(set);
            break;
        }
        CPU_FREE(set);
    }
#endif
    return limited(n);
}

#endif
