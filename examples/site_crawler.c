/* site_crawler.c - servers of small sites, and a crawler that finds all their pages over sockets.
 *
 *     site_crawler                    over loopback, with real time
 *     site_crawler --seed N           in the simulated network of test mode, with faults
 *     site_crawler --search N         the seeds 1 … N: prints the first one that finds other pages
 *     … --bug                         with a bug that is planted
 *
 * The protocol: a request is "GET name" and a newline. The answer is a line for each link, then a
 * line "." at the end; the server then closes. A page that does not come whole is fetched again.
 *
 * The bug: the crawler takes the end of the stream for the end of the page. That is right until a
 * connection ends in the middle. */
#include <arpa/inet.h>
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated.h"

enum { SITES = 3, PAGES_EACH = 10, PAGES = SITES * PAGES_EACH, LINKS = 2, AT_ONCE = 4 };
#define PATIENCE (500 * CO4_MS)

struct web {
    bool simulated, bug;
    int listener[SITES];
    struct sockaddr_in at[SITES];
    bool seen[PAGES], fetched[PAGES];
    int hung_up; /* every so many requests a server closes in the middle of a page; 0: never */
    int requests, again, failed;
    co4_sem turns;
    co4_waitgroup pages;
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        co4_close(*fd);
}

/* The pages are a tree; its leaves link to the root. */
static int link_of(int page, int i)
{
    int to = page * LINKS + 1 + i;
    return to < PAGES ? to : 0;
}

/* ---- servers ---- */

static int write_page(int page, char *out, size_t room)
{
    int n = 0;
    for (int i = 0; i < LINKS; i++)
        n += snprintf(out + n, room - (size_t)n, "/%d\n", link_of(page, i));
    return n + snprintf(out + n, room - (size_t)n, ".\n");
}

static pausable int serve(struct web *w, int accepted)
{
    __attribute__((cleanup(close_fd))) int fd = accepted;
    char request[64], page[128];
    size_t got = 0;
    while (got == 0 || request[got - 1] != '\n') {
        ssize_t n = co4_read(fd, request + got, sizeof request - 1 - got);
        if (n <= 0)
            return CO4_OK;
        got += (size_t)n;
    }
    request[got] = '\0';
    int number, length;
    if (sscanf(request, "GET /%d", &number) != 1 || number < 0 || number >= PAGES)
        return CO4_OK;
    length = write_page(number, page, sizeof page);
    if (w->hung_up && ++w->requests % w->hung_up == 0)
        length /= 2;
    co4_write(fd, page, (size_t)length);
    return CO4_OK;
}

static pausable int run_server(co4_scope *scope, struct web *w, int site)
{
    int fd;
    while ((fd = co4_accept(w->listener[site], NULL, NULL)) >= 0)
        if (co4_scope_spawn(scope, serve(w, fd)) != CO4_OK) {
            co4_close(fd);
            return CO4_ENOMEM;
        }
    return CO4_OK;
}

/* ---- the crawler ---- */

/* Reads a page into `links`. False: it has not come whole. */
static pausable bool read_page(struct web *w, int fd, int links[LINKS], int *count)
{
    int64_t deadline = co4_now() + PATIENCE;
    char page[128];
    size_t got = 0;
    ssize_t n;
    while ((n = co4_read_until(fd, page + got, sizeof page - 1 - got, deadline)) > 0)
        got += (size_t)n;
    page[got] = '\0';
    bool whole = got >= 2 && strcmp(page + got - 2, ".\n") == 0;
    if (n < 0 || !(whole || w->bug))
        return false;
    *count = 0;
    for (char *line = page; *count < LINKS && sscanf(line, "/%d", &links[*count]) == 1; ++*count) {
        line = strchr(line, '\n');
        if (!line++)
            return w->bug;
    }
    return true;
}

static pausable bool fetch(struct web *w, int page, int links[LINKS], int *count)
{
    const struct sockaddr_in *to = &w->at[page / PAGES_EACH];
    __attribute__((cleanup(close_fd))) int fd = co4_socket(AF_INET, SOCK_STREAM, 0);
    int64_t deadline = co4_now() + PATIENCE;
    char request[32];
    int n = snprintf(request, sizeof request, "GET /%d\n", page);
    return fd >= 0 &&
           co4_connect_until(fd, (const struct sockaddr *)to, sizeof *to, deadline) == 0 &&
           co4_write_until(fd, request, (size_t)n, deadline) == n && read_page(w, fd, links, count);
}

static pausable int visit(co4_scope *scope, struct web *w, int page);

static int see(co4_scope *scope, struct web *w, int page)
{
    if (w->seen[page])
        return CO4_OK;
    w->seen[page] = true;
    co4_waitgroup_add(&w->pages, 1);
    return co4_scope_spawn(scope, visit(scope, w, page));
}

static pausable int visit(co4_scope *scope, struct web *w, int page)
{
    int links[LINKS], count = 0, err;
    for (bool whole = false; !whole;) {
        if ((err = co4_sem_acquire(&w->turns)) != CO4_OK)
            return err;
        whole = fetch(w, page, links, &count);
        co4_sem_release(&w->turns);
        if (!whole) {
            w->again++;
            if ((err = co4_sleep(20 * CO4_MS)) != CO4_OK)
                return err;
        }
    }
    w->fetched[page] = true;
    for (int i = 0; i < count; i++)
        if (links[i] >= 0 && links[i] < PAGES && (err = see(scope, w, links[i])) != CO4_OK)
            return err;
    co4_waitgroup_done(&w->pages);
    return CO4_OK;
}

/* ---- the run ---- */

static pausable int run_all(struct web *w)
{
    co4_scope *scope = co4_scope_here();
    int err = CO4_OK;
    for (int site = 0; err == CO4_OK && site < SITES; site++)
        err = co4_scope_spawn(scope, run_server(scope, w, site));
    if (err == CO4_OK)
        err = see(scope, w, 0);
    if (err == CO4_OK)
        err = co4_waitgroup_wait(&w->pages);
    w->failed = err;
    return co4_scope_cancel(scope, 0);
}

static int open_site(struct web *w, int site)
{
    struct sockaddr_in *at = &w->at[site];
    socklen_t length = sizeof *at;
    *at = (struct sockaddr_in){ .sin_family = AF_INET };
    at->sin_addr.s_addr = htonl(w->simulated ? 0x0a000001u + (unsigned)site : INADDR_LOOPBACK);
    w->listener[site] = co4_socket(AF_INET, SOCK_STREAM, 0);
    if (w->listener[site] < 0)
        return -1;
    if (co4_bind(w->listener[site], (struct sockaddr *)at, length) != 0 ||
        co4_listen(w->listener[site], 8) != 0)
        return -1;
    return co4_getsockname(w->listener[site], (struct sockaddr *)at, &length);
}

static pausable int run_web(struct web *w)
{
    for (int site = 0; site < SITES; site++)
        w->listener[site] = -1;
    for (int site = 0; site < SITES && w->failed == 0; site++)
        if (open_site(w, site) != 0)
            w->failed = CO4_EAGAIN;
    int err = w->failed == 0 ? co4_scope_run(0, run_all(w)) : w->failed;
    for (int site = 0; site < SITES; site++)
        close_fd(&w->listener[site]);
    return err;
}

/* ---- the check ---- */

static void search_plainly(bool there[PAGES], int page)
{
    if (there[page])
        return;
    there[page] = true;
    for (int i = 0; i < LINKS; i++)
        search_plainly(there, link_of(page, i));
}

static const char *wrong_in(const struct web *w)
{
    bool there[PAGES] = { false };
    search_plainly(there, 0);
    if (w->failed != 0)
        return co4_strerror(w->failed);
    return memcmp(there, w->fetched, sizeof there) == 0 ? NULL : "a page was not found";
}

static const char *run_simulated(struct web *w, unsigned long long seed)
{
    w->simulated = true;
    w->hung_up = 13;
    int err = co4_test_begin(&(co4_test_options){ .seed = seed, .late = 10, .late_steps = 20 });
    if (err == CO4_OK)
        err = co4_test_network(&(co4_test_network_options){
            .latency_min = CO4_MS, .latency_max = 20 * CO4_MS, .reset = 30, .refuse = 20 });
    if (err != CO4_OK)
        return co4_strerror(err);
    err = co4_run(run_web(w));
    if (co4_run_error() != CO4_OK)
        err = co4_run_error();
    co4_test_end(NULL);
    return err == CO4_OK ? wrong_in(w) : co4_strerror(err);
}

static int report(const struct web *w, const char *wrong)
{
    int found = 0;
    for (int page = 0; page < PAGES; page++)
        found += w->fetched[page];
    printf("%d pages, %d requests again\n", found, w->again);
    if (wrong)
        fprintf(stderr, "site_crawler: %s\n", wrong);
    return wrong ? 1 : 0;
}

static const char *run_one(unsigned long long seed, bool bug)
{
    struct web w = { .bug = bug, .turns = CO4_SEM_INIT(AT_ONCE) };
    return run_simulated(&w, seed);
}

int main(int argc, char **argv)
{
    struct simulated s = { 0 };
    if (!simulated_options(&s, argc, argv) || s.trace) {
        fprintf(stderr, "usage: site_crawler [--seed N | --search N] [--bug]\n");
        return 2;
    }
    if (s.seeds > 0)
        return simulated_search(&s, run_one);
    struct web w = { .bug = s.bug, .turns = CO4_SEM_INIT(AT_ONCE) };
    if (s.seed > 0)
        return report(&w, run_simulated(&w, s.seed));
    int err = co4_run(run_web(&w));
    if (co4_run_error() != CO4_OK)
        err = co4_run_error();
    return report(&w, err == CO4_OK ? wrong_in(&w) : co4_strerror(err));
}
