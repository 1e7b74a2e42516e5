/* cache.h - --auto: woven objects, kept for later links. */
#ifndef CW_AUTO_CACHE_H
#define CW_AUTO_CACHE_H

#include "base/buf.h"
#include "base/sha256.h"

typedef struct cw_cache {
    char *folder;            /* NULL: nothing is kept */
    unsigned long long most; /* bytes in it */
    bool grew;
    bool damaged; /* a link has said that an entry is */
} cw_cache;

/* What a weaving leaves behind. */
typedef struct cw_kept {
    cw_buf object; /* empty: not compiled, as a function had to stay plain, or did elsewhere */
    cw_buf left;   /* the functions that have stayed plain, with reasons */
    cw_buf said;   /* messages */
} cw_kept;

/* `folder`: where to keep; NULL: in the user's cache; "": nowhere. Makes the folder. Where that
 * fails, or the folder is of another user, nothing is kept. */
void cw_cache_open(cw_cache *cache, const char *folder, unsigned long long most);
/* Starts a key with what all weavings depend on: this program and libclang, as files. Returns false
 * if it cannot be known: then nothing is kept. */
bool cw_cache_key_begin(const cw_cache *cache, cw_sha256 *key);
bool cw_cache_find(cw_cache *cache, const char *key, cw_kept *kept);
/* Failures leave the cache as it was. */
void cw_cache_keep(cw_cache *cache, const char *key, const cw_kept *kept);
/* If the folder has become too large: removes what was not used for the longest time, until four
 * fifths of its size are left. */
void cw_cache_close(cw_cache *cache);

void cw_kept_free(cw_kept *kept);

#endif
