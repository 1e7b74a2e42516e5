/* place.c - where a build's server listens, and which builds share one.
 *
 * Purpose: a server weaves for processes that would do exactly the same themselves. So its socket
 * is named after all that may change what a process does: the files of co4weave and libclang, the
 * user and the groups, namespaces, root and control group, limits, and the environment of the
 * dynamic linker, of malloc and of the language. A rebuilt co4weave has another name, and finds
 * another server.
 *
 * Invariants: the folder belongs to this user, and no other may enter it. Otherwise nobody is asked
 * and no server starts.
 *
 * Rejected: a folder in TMPDIR, which many programs expect to be as empty as before. Sockets
 * without a file, which a process in a sandbox of the same user may take over. */
#define _DEFAULT_SOURCE /* getgroups */
#include "driver/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__

extern char **environ;

/* ---- the key -------------------------------------------------------------------------------- */

static void mix(uint64_t *key, const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < length; i++)
        *key = (*key ^ p[i]) * 0x100000001b3; /* FNV-1a */
}

static bool mix_file(uint64_t *key, const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return false;
    mix(key, &s.st_dev, sizeof s.st_dev);
    mix(key, &s.st_ino, sizeof s.st_ino);
    if (s.st_size > 0 && S_ISREG(s.st_mode)) { /* a namespace has no size, and any time */
        mix(key, &s.st_size, sizeof s.st_size);
        mix(key, &s.st_mtim, sizeof s.st_mtim);
    }
    return true;
}

static void mix_text_of(uint64_t *key, const char *path)
{
    char bytes[4096];
    ssize_t got = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        got = read(fd, bytes, sizeof bytes);
    if (got > 0)
        mix(key, bytes, (size_t)got);
    if (fd >= 0)
        close(fd);
}

static bool begins_with_one_of(const char *text, const char *const *prefixes)
{
    for (; *prefixes != NULL; prefixes++)
        if (strncmp(text, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

/* Returns false if a variable changes what libclang prints or does. */
static bool mix_environment(uint64_t *key)
{
    static const char *const unusual[] = { "LIBCLANG_", "CCC_", "CINDEXTEST_", NULL };
    static const char *const watched[] = {
        "LD_",      "LC_",     "LANG",    "MALLOC_",      "GLIBC_",          "C_INCL", "CPATH=",
        "SDKROOT=", "ASAN_OP", "UBSAN_O", "SOURCE_DATE_", "CO4_TIME_LIMIT=", NULL
    };
    for (char **variable = environ; *variable != NULL; variable++) {
        if (begins_with_one_of(*variable, unusual))
            return false;
        if (begins_with_one_of(*variable, watched))
            mix(key, *variable, strlen(*variable) + 1);
    }
    return true;
}

static void mix_limits(uint64_t *key)
{
    static const int resources[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU, RLIMIT_STACK,
                                     RLIMIT_CORE };
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        struct rlimit limit = { 0, 0 };
        getrlimit(resources[i], &limit);
        mix(key, &limit.rlim_cur, sizeof limit.rlim_cur);
        mix(key, &limit.rlim_max, sizeof limit.rlim_max);
    }
    int nice_value = getpriority(PRIO_PROCESS, 0);
    mix(key, &nice_value, sizeof nice_value);
}

static bool mix_user(uint64_t *key)
{
    gid_t groups[256];
    uid_t user = geteuid();
    gid_t group = getegid();
    int count = getgroups((int)(sizeof groups / sizeof *groups), groups);
    if (count < 0 || user != getuid() || group != getgid())
        return false;
    mix(key, &user, sizeof user);
    mix(key, &group, sizeof group);
    mix(key, groups, (size_t)count * sizeof *groups);
    return true;
}

static bool mix_all(uint64_t *key)
{
    static const char *const files[] = { "/proc/self/exe",     "/proc/self/root",
                                         "/proc/self/ns/mnt",  "/proc/self/ns/pid",
                                         "/proc/self/ns/user", CO4_LIBCLANG_PATHS };
    bool ok = true;
    for (size_t i = 0; i < 5; i++)
        ok = ok && mix_file(key, files[i]);
    for (size_t i = 5; i < sizeof files / sizeof *files; i++)
        if (!mix_file(key, files[i]))
            mix(key, files[i], strlen(files[i]));
    mix_text_of(key, "/proc/self/cgroup");
    mix_limits(key);
    return ok && mix_user(key) && mix_environment(key);
}

/* ---- the folder ----------------------------------------------------------------------------- */

bool cw_place_find(cw_place_of_server *place)
{
    uint64_t key = 0xcbf29ce484222325;
    if (!mix_all(&key))
        return false;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int length = runtime != NULL && *runtime == '/'
                     ? snprintf(place->folder, sizeof place->folder, "%s/co4weave", runtime)
                     : snprintf(place->folder, sizeof place->folder, "/tmp/co4weave-%lu",
                                (unsigned long)geteuid());
    if (length < 0 || (size_t)length >= sizeof place->folder)
        return false;
    snprintf(place->socket, sizeof place->socket, "%s/%016llx", place->folder,
             (unsigned long long)key);
    snprintf(place->lock, sizeof place->lock, "%s/%016llx.lock", place->folder,
             (unsigned long long)key);
    return true;
}

bool cw_place_is_private(const cw_place_of_server *place)
{
    struct stat s;
    return lstat(place->folder, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
           (s.st_mode & 077) == 0;
}

bool cw_place_make(const cw_place_of_server *place)
{
    return (mkdir(place->folder, 0700) == 0 || errno == EEXIST) && cw_place_is_private(place);
}

/* ---- the build ------------------------------------------------------------------------------ */

/* Reads the name and the parent of a process: `12 (make) S 7 …`. */
static bool read_process(pid_t process, char name[64], pid_t *parent)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return false;
    line[got] = '\0';
    char *open_ = strchr(line, '('), *close_ = strrchr(line, ')');
    if (open_ == NULL || close_ == NULL || strlen(close_) < 5)
        return false;
    *close_ = '\0';
    snprintf(name, 64, "%s", open_ + 1);
    *parent = (pid_t)strtol(close_ + 4, NULL, 10);
    return true;
}

/* The leader of this process's session: a terminal's shell, a script. 0: there is none, or it has
 * another root folder or namespace, which may be left before it ends. */
static pid_t session_leader(void)
{
    pid_t leader = getsid(0);
    if (leader <= 0 || leader == getpid())
        return 0;
    static const char *const places[] = { "root", "ns/mnt", "ns/pid", "ns/user" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[64], own[64];
        struct stat theirs, ours;
        snprintf(path, sizeof path, "/proc/%ld/%s", (long)leader, places[i]);
        snprintf(own, sizeof own, "/proc/self/%s", places[i]);
        if (stat(path, &theirs) != 0 || stat(own, &ours) != 0 || theirs.st_dev != ours.st_dev ||
            theirs.st_ino != ours.st_ino)
            return 0;
    }
    return leader;
}

pid_t cw_place_build(void)
{
    static const char *const builders[] = { "make", "gmake", "bmake", "ninja", "samu" };
    enum { MOST_PARENTS = 64 };
    pid_t found = 0, process = getppid(), parent = 0;
    char name[64];
    for (int i = 0; i < MOST_PARENTS && process > 0 && read_process(process, name, &parent); i++) {
        for (size_t k = 0; k < sizeof builders / sizeof *builders; k++)
            if (strcmp(name, builders[k]) == 0)
                found = process;
        process = parent;
    }
    return found != 0 ? found : session_leader();
}

#else

bool cw_place_find(cw_place_of_server *place)
{
    (void)place;
    return false;
}

bool cw_place_make(const cw_place_of_server *place)
{
    (void)place;
    return false;
}

bool cw_place_is_private(const cw_place_of_server *place)
{
    (void)place;
    return false;
}

pid_t cw_place_build(void)
{
    return 0;
}

#endif
