/* library.c - where co4's headers declare a name, and which name may be meant.
 *
 * The headers are read, since a table of ours would be one more place for what they say. Messages
 * alone need this, after an error. */
#include "text/library.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/text.h"

const char *cw_library_folder(cw_arena *arena, const char *text)
{
    static const char mark[] = "co4/mark.h\"";
    for (const char *at = text; (at = strstr(at, mark)) != NULL; at += sizeof mark - 1) {
        const char *begin = at;
        while (begin > text && begin[-1] != '"' && begin[-1] != '\n')
            begin--;
        if (begin > text && begin[-1] == '"')
            return cw_strndup(arena, begin, (size_t)(at - begin));
    }
    return NULL;
}

/* ---- the lines of the headers ---- */

typedef struct search {
    cw_arena *arena;
    const char *folder;
    const char *header; /* the one that is read: "co4/io.h" */
    /* Called with each line that is no comment's, until it returns true. */
    bool (*line)(struct search *s, const char *line);
    const char *name, *found;
    size_t distance;
} search;

static bool read_header(search *s, const char *header)
{
    char line[512];
    bool over = false;
    FILE *file = fopen(cw_format(s->arena, "%s%s", s->folder, header), "r");
    s->header = header;
    while (file != NULL && !over && fgets(line, sizeof line, file) != NULL)
        over = strncmp(line, " *", 2) != 0 && strncmp(line, "/*", 2) != 0 && s->line(s, line);
    if (file != NULL)
        fclose(file);
    return over;
}

static void read_headers(search *s)
{
    DIR *headers = s->folder != NULL ? opendir(cw_format(s->arena, "%sco4", s->folder)) : NULL;
    for (const struct dirent *entry; headers != NULL && (entry = readdir(headers)) != NULL;)
        if (strstr(entry->d_name, ".h") != NULL &&
            read_header(s, cw_format(s->arena, "co4/%s", entry->d_name)))
            break;
    if (headers != NULL)
        closedir(headers);
}

/* ---- headers ---- */

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Does the word at `at` declare what it names? A function's or a macro's name is before its
 * bracket, that of a type at the end of a declaration, that of a number at the beginning of a line
 * of an enum. */
static bool is_declared_at(const char *line, const char *at, char next)
{
    const char *blank = line + strspn(line, " ");
    if (begins(line, "#"))
        return at == line + strlen("#define ");
    if (begins(blank, "return "))
        return false;
    if (next == '(')
        return at > line && line[0] != ' ' && strchr(" *(", at[-1]) != NULL;
    if (next == ';')
        return begins(line, "typedef ") || line[0] == '}';
    return at == blank && blank > line && strchr(" ,\n", next) != NULL;
}

static bool declares(const char *line, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = line; (at = strstr(at, name)) != NULL; at += length)
        if ((at == line || !cw_is_word(at[-1])) && !cw_is_word(at[length]) &&
            is_declared_at(line, at, at[length]))
            return true;
    return false;
}

static bool look_for_header(search *s, const char *line)
{
    if (!declares(line, s->name))
        return false;
    s->found = s->header;
    return true;
}

static bool look_for_include(search *s, const char *line)
{
    return begins(line, "#include ") && strstr(line, s->name) != NULL;
}

const char *cw_library_header(cw_arena *arena, const char *folder, const char *name)
{
    search s = { .arena = arena, .folder = folder, .line = look_for_header, .name = name };
    read_headers(&s);
    if (s.found == NULL)
        return NULL;
    search all = { .arena = arena, .folder = folder, .line = look_for_include, .name = s.found };
    return read_header(&all, "co4.h") ? "co4.h" : s.found;
}

/* ---- what is meant ---- */

/* Names that other libraries have for these operations. */
static const struct {
    const char *name, *meant;
} elsewhere[] = {
    { "co4_sleep_ms", "co4_sleep(n * CO4_MS)" },
    { "co4_msleep", "co4_sleep(n * CO4_MS)" },
    { "co4_usleep", "co4_sleep(n * CO4_US)" },
    { "co4_nanosleep", "co4_sleep(ns)" },
    { "co4_delay", "co4_sleep(n * CO4_MS)" },
    { "co4_go", "co4_spawn(f(x))" },
    { "co4_start", "co4_spawn(f(x))" },
    { "co4_task_start", "co4_spawn(f(x))" },
    { "co4_create", "co4_spawn(f(x))" },
    { "co4_wait", "co4_join(task, &result)" },
    { "co4_task_wait", "co4_join(task, &result)" },
    { "co4_task_destroy", "co4_task_release(task)" },
    { "co4_task_free", "co4_task_release(task)" },
    { "co4_detach", "co4_task_release(task)" },
    { "co4_task_detach", "co4_task_release(task)" },
    { "co4_task_kill", "co4_task_cancel(task, reason)" },
    { "co4_task_stop", "co4_task_cancel(task, reason)" },
    { "co4_cancel", "co4_task_cancel(task, reason)" },
    { "co4_kill", "co4_task_cancel(task, reason)" },
    { "co4_exit", "a return of the task's function" },
    { "co4_current", "co4_self()" },
    { "co4_this_task", "co4_self()" },
    { "co4_with_timeout", "co4_timeout(ns, f(x))" },
    { "co4_channel_create", "co4_mailbox_create(bytes, capacity)" },
    { "co4_chan_create", "co4_mailbox_create(bytes, capacity)" },
    { "co4_channel_send", "co4_mailbox_send(mailbox, &message)" },
    { "co4_chan_send", "co4_mailbox_send(mailbox, &message)" },
    { "co4_queue_push", "co4_mailbox_send(mailbox, &message)" },
    { "co4_channel_receive", "co4_mailbox_receive(mailbox, &message)" },
    { "co4_channel_recv", "co4_mailbox_receive(mailbox, &message)" },
    { "co4_chan_recv", "co4_mailbox_receive(mailbox, &message)" },
    { "co4_queue_pop", "co4_mailbox_receive(mailbox, &message)" },
    { "co4_mailbox_recv", "co4_mailbox_receive(mailbox, &message)" },
    { "co4_mailbox_get", "co4_mailbox_receive(mailbox, &message)" },
    { "co4_mailbox_put", "co4_mailbox_send(mailbox, &message)" },
    { "co4_mailbox_free", "co4_mailbox_destroy(mailbox)" },
    { "co4_mutex_init", "= CO4_MUTEX_INIT" },
    { "co4_sem_init", "= CO4_SEM_INIT(permits)" },
    { "co4_cond_init", "= CO4_COND_INIT" },
    { "co4_sem_wait", "co4_sem_acquire(sem)" },
    { "co4_sem_post", "co4_sem_release(sem)" },
    { "co4_future_get", "co4_future_await(future, &result)" },
    { "co4_future_wait", "co4_future_await(future, &result)" },
    { "co4_future_set", "co4_future_complete(future, &result)" },
    { "co4_future_resolve", "co4_future_complete(future, &result)" },
    { "co4_future_destroy", "co4_future_release(future)" },
    { "co4_future_free", "co4_future_release(future)" },
    { "co4_gen_free", "co4_gen_destroy(gen)" },
    { "co4_listen_tcp", "co4_tcp_listen(host, port, flags)" },
    { "co4_connect_tcp", "co4_tcp_connect(host, port)" },
    { "co4_spawn_process", "co4_process_start(&process, argv, options)" },
};

/* The number of letters to change, add or leave out, if it is below `most`; else `most`. */
static size_t distance_of(const char *a, const char *b, size_t most)
{
    enum { LONGEST = 48 };
    size_t n = strlen(a), m = strlen(b), row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST || n + most <= m || m + most <= n)
        return most;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j], best = corner + (a[i - 1] != b[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            corner = above;
        }
    }
    return row[m] < most ? row[m] : most;
}

static bool look_for_nearest(search *s, const char *line)
{
    for (const char *at = line; (at = strstr(at, "co4_")) != NULL;) {
        size_t length = 0;
        while (cw_is_word(at[length]))
            length++;
        const char *name = cw_strndup(s->arena, at, length);
        size_t distance = at[length] == '(' && at[4] != '_' && declares(line, name)
                              ? distance_of(s->name, name, s->distance)
                              : s->distance;
        if (distance < s->distance) {
            s->distance = distance;
            s->found = name;
        }
        at += length;
    }
    return false;
}

const char *cw_library_meant(cw_arena *arena, const char *folder, const char *name)
{
    static const char try_[] = "co4_try_", block[] = "_block";
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i].name, name) == 0)
            return elsewhere[i].meant;
    if (begins(name, try_)) /* as in co4 0.1 */
        return cw_format(arena, "co4_%s_until(…, CO4_NOW)", name + sizeof try_ - 1);
    if (length > sizeof block && strcmp(name + length + 1 - sizeof block, block) == 0)
        return cw_format(arena, "co4_block(%.*s(…))", (int)(length + 1 - sizeof block), name);
    search s = { .arena = arena, .folder = folder, .line = look_for_nearest, .name = name };
    s.distance = 2 + length / 8;
    read_headers(&s);
    return s.found != NULL ? cw_format(arena, "%s()", s.found) : NULL;
}
