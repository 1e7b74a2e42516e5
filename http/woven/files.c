/* files.c - see ../files.h: the answer. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../files.h"

#include "co4/blocking.h"
#include "co4/time.h"

enum { PIECE = 256 << 10 }; /* bytes of a file that are sent before one deadline */

static pausable int send_range(co4_http_call *call, int fd, const struct co4__http_version *v)
{
    struct co4__http *h = &call->h;
    off_t at = (off_t)v->from;
    for (int64_t left = v->bytes; left > 0;) {
        size_t piece = left < PIECE ? (size_t)left : PIECE;
        ssize_t n = co4_conn_send_file_until(h->c, fd, &at, piece, co4_now() + h->limits->progress);
        /* The file is shorter now, or the peer is gone or too slow. */
        if (n < CO4__HTTP_PROGRESS && n != (ssize_t)piece) {
            h->closes = true;
            return h->code = n < 0 ? (int)n : CO4_ECLOSED;
        }
        left -= n;
        call->bytes += n;
    }
    return CO4_OK;
}

static int set_version(co4_http_call *call, const struct co4__http_version *v, int64_t size)
{
    char range[96];
    int err = co4_http_set(call, "ETag", v->tag);
    if (err == CO4_OK)
        err = co4_http_set(call, "Last-Modified", v->modified);
    if (err == CO4_OK)
        err = co4_http_set(call, "Accept-Ranges", "bytes");
    if (v->status == 206)
        snprintf(range, sizeof range, "bytes %lld-%lld/%lld", (long long)v->from,
                 (long long)(v->from + v->bytes - 1), (long long)size);
    else
        snprintf(range, sizeof range, "bytes */%lld", (long long)size);
    if (err == CO4_OK && (v->status == 206 || v->status == 416))
        err = co4_http_set(call, "Content-Range", range);
    return err;
}

static pausable int send_found(co4_http_call *call, const struct co4__http_found *f)
{
    struct co4__http_version v;
    co4__http_choose(&call->h, &f->stat, &v);
    int err = set_version(call, &v, f->stat.st_size);
    if (err != CO4_OK)
        return err;
    if (v.status == 304 || v.status == 416)
        return co4_http_answer_status(call, v.status);
    if (f->bytes)
        return co4_http_answer(call, v.status, f->type, f->bytes + v.from, (size_t)v.bytes);
    err = co4_http_begin(call, v.status, f->type, v.bytes);
    return err == CO4_OK && !call->quiet ? send_range(call, f->fd, &v) : err;
}

/* The way to a folder is relative, so that no host can come of it. */
static pausable int send_to_folder(co4_http_call *call)
{
    char to[1024];
    struct co4__http_text path = co4__http_text(&call->h, call->h.path);
    const char *name = memrchr(path.at, '/', path.size);
    size_t size = (size_t)(path.at + path.size - name) - 1;
    const char *query = co4_http_query(call);
    if (size + (query ? strlen(query) : 0) > 1000)
        return co4_http_answer_status(call, 404);
    snprintf(to, sizeof to, "./%.*s/%s%s", (int)size, name + 1, query ? "?" : "",
             query ? query : "");
    return co4_http_redirect(call, 301, to);
}

static pausable int send_file(co4_http_call *call, const co4_http_folder *folder,
                              struct co4__http_text name)
{
    __attribute__((cleanup(co4__http_found_end))) struct co4__http_found f = { .folder = folder,
                                                                               .fd = -1,
                                                                               .cached = true };
    if (co4__http_has_cached(folder))
        co4__http_find(&f, name);
    f.cached = false;
    if (f.status == 0)
        co4_blocking(co4__http_find(&f, name));
    return f.status == 200   ? send_found(call, &f)
           : f.status == 301 ? send_to_folder(call)
                             : co4_http_answer_status(call, f.status ? f.status : 500);
}

pausable int co4_http_file(co4_http_call *call, const co4_http_folder *folder, const char *path)
{
    if (!call || !folder || !path)
        return CO4_EINVAL;
    return send_file(call, folder, (struct co4__http_text){ path, strlen(path) });
}

pausable int co4_http_files(co4_http_call *call, void *folder)
{
    struct co4__http_text name = call ? co4__http_rest(call) : (struct co4__http_text){ NULL, 0 };
    return name.at && folder ? send_file(call, folder, name) : CO4_EINVAL;
}
