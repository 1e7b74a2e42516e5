/* condition.c - see files.h: versions of files, conditions and ranges of RFC 9110. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "files.h"

/* ---- conditions ---- */

static void make_tag(const struct stat *s, char tag[CO4__HTTP_TAG])
{
    snprintf(tag, CO4__HTTP_TAG, "\"%llx-%llx-%llx\"", (unsigned long long)s->st_mtim.tv_sec,
             (unsigned long long)s->st_mtim.tv_nsec, (unsigned long long)s->st_size);
}

static void make_date(time_t when, char date[CO4__HTTP_DATE])
{
    struct tm tm;
    gmtime_r(&when, &tm);
    strftime(date, CO4__HTTP_DATE, "%a, %d %b %Y %H:%M:%S GMT", &tm);
}

/* The three forms of RFC 9110. Returns -1 for another one. */
static time_t read_date(struct co4__http_text text)
{
    static const char *const forms[] = { "%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                         "%a %b %e %H:%M:%S %Y" };
    char date[64];
    if (text.size >= sizeof date)
        return -1;
    memcpy(date, text.at, text.size);
    date[text.size] = '\0';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm tm = { 0 };
        const char *end = strptime(date, forms[i], &tm);
        if (end && *end == '\0')
            return timegm(&tm);
    }
    return -1;
}

/* Whether a tag is in a list; "W/" before it does not matter. */
static bool is_listed(struct co4__http_text list, const char *tag)
{
    const char *at = list.at, *end = at + list.size;
    size_t size = strlen(tag);
    if (co4__http_is(list, "*"))
        return true;
    while (at < end) {
        if (*at == ' ' || *at == '\t' || *at == ',') {
            at++;
            continue;
        }
        if (end - at > 2 && memcmp(at, "W/", 2) == 0)
            at += 2;
        const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at) - 1) : NULL;
        if (!close)
            return false;
        if ((size_t)(close + 1 - at) == size && memcmp(at, tag, size) == 0)
            return true;
        at = close + 1;
    }
    return false;
}

static bool is_unchanged(struct co4__http *h, const struct stat *s, const char *tag)
{
    struct co4__http_text none = co4__http_value(h, "If-None-Match");
    struct co4__http_text since = co4__http_value(h, "If-Modified-Since");
    if (none.at)
        return is_listed(none, tag);
    time_t when = since.at ? read_date(since) : -1;
    return when != -1 && s->st_mtime <= when;
}

/* ---- ranges ---- */

static bool take_number(struct co4__http_text *t, int64_t *n)
{
    size_t digits = 0;
    *n = 0;
    for (; digits < t->size && t->at[digits] >= '0' && t->at[digits] <= '9'; digits++)
        *n = *n > INT64_MAX / 20 ? *n : *n * 10 + (t->at[digits] - '0');
    t->at += digits;
    t->size -= digits;
    return digits > 0;
}

/* "bytes=0-9", "bytes=10-", "bytes=-10". Other forms, and several ranges, count as none. Returns
 * the status: 200, 206, 416. */
static int read_range(struct co4__http_text t, int64_t size, struct co4__http_version *v)
{
    int64_t first, last = INT64_MAX;
    if (t.size < 7 || strncasecmp(t.at, "bytes=", 6) != 0)
        return 200;
    t.at += 6;
    t.size -= 6;
    bool has_first = take_number(&t, &first);
    if (t.size == 0 || *t.at != '-')
        return 200;
    t.at++;
    t.size--;
    bool has_last = take_number(&t, &last);
    if (t.size > 0 || (!has_first && !has_last) || (has_first && has_last && last < first))
        return 200;
    if (!has_first) {
        first = last < size ? size - last : 0;
        first = last > 0 ? first : size;
        has_last = false;
    }
    if (first >= size)
        return 416;
    last = has_last && last < size ? last : size - 1;
    v->from = first;
    v->bytes = last - first + 1;
    return 206;
}

/* ---- the choice ---- */

static int choose_range(struct co4__http *h, const struct stat *s, struct co4__http_version *v)
{
    struct co4__http_text range = co4__http_value(h, "Range");
    struct co4__http_text same = co4__http_value(h, "If-Range");
    if (h->method != CO4__HTTP_GET || !range.at ||
        (same.at && !co4__http_is(same, v->tag) && !co4__http_is(same, v->modified)))
        return 200;
    return read_range(range, s->st_size, v);
}

void co4__http_choose(struct co4__http *h, const struct stat *s, struct co4__http_version *v)
{
    make_tag(s, v->tag);
    make_date(s->st_mtime, v->modified);
    v->from = 0;
    v->bytes = s->st_size;
    v->status = is_unchanged(h, s, v->tag) ? 304 : choose_range(h, s, v);
}
