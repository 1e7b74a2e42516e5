/* farm.c - draws a picture with many processes, which may end at any time.
 *
 *     farm --out picture.bmp --page 8080       a server, four workers, a page to look at
 *     farm --kill 1000 --wait 200              each second one of them is killed
 *     farm --nats nats://host --run big        with a server and workers that are there:
 *     farm work --nats nats://host --jobs 4    a worker; any number, on any machine
 *     farm draw --out same.bmp                 the same picture by this process alone
 *
 * Each tile is a job in a stream. Jobs go to workers that are free; the job of a worker that ends
 * is given to another one. Each tile is stored once. */
#include <co4/blocking.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/time.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "farm.h"

static int usage(void)
{
    fprintf(stderr, "usage: farm [--nats URL] [--run NAME] [--workers N] [--jobs N] [--page PORT]\n"
                    "            [--out FILE.bmp] [--kill MS] [--quiet] [PICTURE]\n"
                    "       farm work [--nats URL] [--jobs N] [--name NAME] [--quiet]\n"
                    "       farm draw --out FILE.bmp [PICTURE]\n"
                    "PICTURE: [--size COLUMNSxROWS] [--tile POINTS] [--depth N] [--at X,Y]\n"
                    "         [--width W] [--wait MS]\n");
    return 2;
}

/* ---- options ---- */

static bool number(const char *text, long least, long most, long *n)
{
    char *end;
    errno = 0;
    *n = strtol(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *n >= least && *n <= most;
}

static bool picture_option(struct picture *p, const char *name, const char *value)
{
    int end = -1;
    if (strcmp(name, "--size") == 0)
        sscanf(value, "%dx%d%n", &p->columns, &p->rows, &end);
    else if (strcmp(name, "--tile") == 0)
        sscanf(value, "%d%n", &p->tile, &end);
    else if (strcmp(name, "--depth") == 0)
        sscanf(value, "%d%n", &p->depth, &end);
    else if (strcmp(name, "--at") == 0)
        sscanf(value, "%lf,%lf%n", &p->x, &p->y, &end);
    else if (strcmp(name, "--width") == 0)
        sscanf(value, "%lf%n", &p->width, &end);
    else if (strcmp(name, "--wait") == 0)
        sscanf(value, "%d%n", &p->wait, &end);
    return end > 0 && value[end] == '\0' && picture_is_valid(p);
}

static bool text_option(struct options *o, const char *name, const char *value)
{
    const struct {
        const char *name, **to;
    } all[] = { { "--nats", &o->nats },
                { "--run", &o->run },
                { "--out", &o->out },
                { "--page", &o->page },
                { "--name", &o->name } };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(name, all[i].name) == 0) {
            *all[i].to = value;
            return true;
        }
    return false;
}

static bool number_option(struct options *o, const char *name, const char *value)
{
    long n;
    if (strcmp(name, "--workers") == 0 && number(value, 0, MOST_WORKERS, &n))
        o->workers = (int)n;
    else if (strcmp(name, "--jobs") == 0 && number(value, 1, 1000, &n))
        o->jobs = (int)n;
    else if (strcmp(name, "--kill") == 0 && number(value, 1, 3600000, &n))
        o->kill = n * CO4_MS;
    else
        return false;
    return true;
}

/* A run is a part of subjects. */
static bool is_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n > 0 && n < 32 && text[n] == '\0';
}

static bool read_options(struct options *o, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--quiet") == 0) {
            o->quiet = true;
            continue;
        }
        if (i + 1 == argc ||
            !(text_option(o, argv[i], argv[i + 1]) || number_option(o, argv[i], argv[i + 1]) ||
              picture_option(&o->picture, argv[i], argv[i + 1])))
            return false;
        i++;
    }
    bool others = o->nats && (o->kill > 0 || o->workers >= 0); /* those are not ours */
    o->workers = o->workers >= 0 ? o->workers : 4;
    return is_name(o->run) && (!o->name || is_name(o->name)) && !others;
}

/* ---- a picture by others ---- */

static void free_farm(struct farm *f)
{
    free(f->is_done);
    free(f->order);
    free(f->picture);
    co4_mailbox_destroy(f->over);
}

static bool make_farm(struct farm *f, const struct options *o)
{
    f->o = o;
    f->tiles = picture_tiles(&o->picture);
    f->is_done = calloc((size_t)f->tiles, sizeof *f->is_done);
    f->order = calloc((size_t)f->tiles, sizeof *f->order);
    f->picture = calloc(3 * (size_t)o->picture.columns, (size_t)o->picture.rows);
    f->over = co4_mailbox_create(sizeof(int), 1);
    if (f->is_done && f->order && f->picture && f->over)
        return true;
    fprintf(stderr, "farm: out of memory\n");
    return false;
}

static void report(const struct farm *f, const struct local *l)
{
    long starts, kills, before = 0;
    for (int i = 0; i < f->worker_count; i++)
        before += f->workers[i].before;
    printf("%d tiles in %.1f s, %ld given again, %ld drawn twice and refused, %ld stored twice\n",
           f->finished, (double)(f->ended - f->began) / 1e9, f->again, before, f->twice);
    printf("the server was lost %ld times\n", f->lost);
    if (!l)
        return;
    local_counts(l, &starts, &kills);
    printf("%ld processes were started, %ld killed\n", starts, kills);
}

/* With a connection. Returns the exit status. */
static pausable int draw_picture(struct farm *f, const char *url, const struct local *l)
{
    const struct options *o = f->o;
    f->c = open_nats(url, "farm");
    if (!f->c)
        return 1;
    f->up = true;
    int status = coordinate(f);
    int err = 0;
    if (status == 0 && o->out)
        err = co4_blocking(picture_write(&o->picture, f->picture, o->out));
    if (err)
        fprintf(stderr, "farm: %s: %s\n", o->out, strerror(err));
    if (status == 0)
        report(f, l);
    co4_nats_close(f->c, co4_now() + CO4_SEC);
    return err ? 1 : status;
}

/* Opens the page, if there is one to open. */
static pausable bool open_page(struct farm *f, co4_task **task)
{
    int listener = f->o->page ? co4_tcp_listen("127.0.0.1", f->o->page, 0) : -1;
    *task = NULL;
    if (!f->o->page)
        return true;
    if (listener < 0)
        fprintf(stderr, "farm: port %s: %s\n", f->o->page, co4_strerror(listener));
    else if (!(*task = co4_spawn(serve_page(f, listener))))
        co4_close(listener);
    else
        printf("http://127.0.0.1:%d/ shows the picture\n", co4_socket_port(listener));
    fflush(stdout);
    return *task != NULL;
}

static pausable void end_task(co4_task *task)
{
    if (!task)
        return;
    co4_task_cancel(task, 0);
    co4_join(task, NULL);
}

static pausable int farm(const struct options *o)
{
    struct farm f = { 0 };
    struct local *l = NULL;
    co4_task *keeper = NULL, *page = NULL;
    char url[64];
    int status = 1;
    if (!make_farm(&f, o) || !open_page(&f, &page)) {
        free_farm(&f);
        return 1;
    }
    if (!o->nats && (l = local_start(o, url, sizeof url)) != NULL) {
        printf("add a worker: farm work --nats %s\n", url);
        fflush(stdout);
        keeper = co4_spawn(local_keep(l));
    }
    if (o->nats || keeper)
        status = draw_picture(&f, o->nats ? o->nats : url, l);
    end_task(page);
    end_task(keeper);
    local_end(l);
    free_farm(&f);
    return status;
}

/* ---- a picture without others ---- */

static int draw(const struct options *o)
{
    const struct picture *p = &o->picture;
    unsigned char *picture = calloc(3 * (size_t)p->columns, (size_t)p->rows);
    unsigned char *tile = malloc(3 * (size_t)p->tile * (size_t)p->tile);
    int err = picture && tile ? 0 : ENOMEM;
    for (int i = 0; !err && i < picture_tiles(p); i++) {
        picture_draw(p, i, tile);
        picture_place(p, i, tile, picture);
    }
    if (!err)
        err = picture_write(p, picture, o->out);
    if (err)
        fprintf(stderr, "farm: %s: %s\n", o->out, strerror(err));
    free(picture);
    free(tile);
    return err ? 1 : 0;
}

/* Before the work, not after it. */
static bool can_write(const char *path)
{
    FILE *file = path ? fopen(path, "ab") : NULL;
    if (path && !file)
        fprintf(stderr, "farm: %s: %s\n", path, strerror(errno));
    if (file)
        fclose(file);
    return !path || file;
}

int main(int argc, char **argv)
{
    char run[32];
    struct options o = { .run = run, .program = argv[0], .workers = -1, .jobs = 1 };
    o.picture = (struct picture){ .x = -0.743643,
                                  .y = 0.131825,
                                  .width = 0.01,
                                  .columns = 1280,
                                  .rows = 720,
                                  .tile = 64,
                                  .depth = 2000 };
    snprintf(run, sizeof run, "run-%llx", (unsigned long long)co4_now());
    if (argc > 2 && strcmp(argv[1], "keep") == 0) /* for the farm itself */
        return co4_run(keep((const char *const *)argv + 2));
    int words = argc > 1 && argv[1][0] != '-' ? 2 : 1;
    if (!read_options(&o, argc - words, argv + words))
        return usage();
    if (words == 1)
        return can_write(o.out) ? co4_run(farm(&o)) : 1;
    if (strcmp(argv[1], "work") == 0)
        return co4_run(work(&o));
    return strcmp(argv[1], "draw") == 0 && o.out ? draw(&o) : usage();
}
