/* files.h - answers from the files of a folder.
 *
 * A name is looked up below the folder by the kernel, so that no link and no ".." leads out. The
 * first try takes what the kernel has in memory, and does not wait; a second one is made by a
 * thread of the blocking pool. Either also reads a small file. A large file is sent by sendfile().
 * The open itself would wait only for a network file system. */
#ifndef CO4_HTTP_FILES_H
#define CO4_HTTP_FILES_H

#include <sys/stat.h>

#include "call.h"

struct co4_http_folder {
    int root;
    bool links; /* are followed */
};

struct co4__http_found {
    const co4_http_folder *folder;
    bool cached; /* only what is in memory */
    int status;  /* 0: that is not in memory */
    int fd;      /* of a large file; else -1 */
    char *bytes; /* of a small file */
    struct stat stat;
    const char *type;
};

enum { CO4__HTTP_TAG = 64, CO4__HTTP_DATE = 32 };

/* The version of a file, and what a peer asks of it. */
struct co4__http_version {
    char tag[CO4__HTTP_TAG], modified[CO4__HTTP_DATE];
    int status; /* 200, 206, 304, 416 */
    int64_t from, bytes;
};

/* ---- find.c ---- */

/* Whether a lookup can be made without a wait. */
bool co4__http_has_cached(const co4_http_folder *folder);
/* Looks a name up, as it is in an address. The status is 301 for a folder whose name lacks its
 * '/'. */
void co4__http_find(struct co4__http_found *f, struct co4__http_text name);
/* Frees what was found. */
void co4__http_found_end(struct co4__http_found *f);

/* ---- condition.c ---- */

/* Chooses the status and the range by the fields of the request. */
void co4__http_choose(struct co4__http *h, const struct stat *s, struct co4__http_version *v);

#endif
