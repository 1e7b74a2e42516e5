/* crawler.c - fetches all pages that can be reached from one, politely, over a network that is
 * simulated.
 *
 *     crawler [SEED [MS]]      MS: it stops after so many milliseconds; without, at the end
 *
 * Each page is a task, which fetches it and starts tasks for those that it links to. A host gets
 * two requests at a time (a semaphore each), the network one every two milliseconds (a ticker for
 * all); a slow request is cancelled, and a failed one is tried again later, after longer and longer
 * pauses. All tasks belong to one scope: the crawl is over when the last one has ended, and its
 * deadline cancels those that are left.
 *
 * All of it runs in test mode: by a clock that jumps, in an order that the seed decides, with wakes
 * that come late. The same seed makes the same run; every seed has to find the same pages, those
 * that a plain search finds. */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS = 6, PAGES_EACH = 12, PAGES = HOSTS * PAGES_EACH, LINKS = 5 };
enum { PER_HOST = 2, ATTEMPTS = 4 };
#define PERIOD   (2 * CO4_MS)
#define PATIENCE (50 * CO4_MS)

/* ---- the network ---- */

enum { OK = 200, GONE = 404, FAILED = 500 };

struct answer {
    int status;
    int links[LINKS], count;
};

/* A property of a page is the same each time: a number between 0 and `below` - 1. */
static int chance(int page, int what, int below)
{
    unsigned x = (unsigned)(page * 31 + what) * 2654435761u;
    x = (x ^ (x >> 15)) * 2246822519u;
    return (int)((x ^ (x >> 13)) % (unsigned)below);
}

static int host_of(int page)
{
    return page / PAGES_EACH;
}

static bool is_dead(int host)
{
    return host == HOSTS - 1; /* it never answers */
}

static struct answer page_of(int page)
{
    struct answer answer = { chance(page, 0, 12) == 0 && page != 0 ? GONE : OK, { 0 }, 0 };
    if (answer.status == OK)
        answer.count = page == 0 ? LINKS : 1 + chance(page, 1, LINKS);
    for (int i = 0; i < answer.count; i++)
        answer.links[i] = chance(page, 2 + i, PAGES);
    return answer;
}

static struct {
    int active[HOSTS];  /* requests under way */
    int64_t last_begun; /* when the last one began */
    int requests, crowded, hurried;
} network;

static void request_ends(int **active)
{
    --**active;
}

/* The n-th request for a page. Some pages fail at first, some take too long at first. */
static pausable struct answer network_get(int page, int n)
{
    int host = host_of(page);
    __attribute__((cleanup(request_ends))) int *active = &network.active[host];
    struct answer answer = { FAILED, { 0 }, 0 };
    network.requests++;
    network.crowded += ++*active > PER_HOST;
    if (is_dead(host)) {
        co4_sleep(3600 * CO4_SEC);
        return answer;
    }
    bool slow = n <= chance(page, 10, 4) - 1;
    co4_sleep((slow ? 200 : 2 + host * 3 + chance(page, 20 + n, 15)) * CO4_MS);
    if (n > chance(page, 11, 5) - 2)
        answer = page_of(page);
    return answer;
}

/* ---- the crawler ---- */

enum { UNSEEN, SEEN, FETCHED, LOST };

struct crawl {
    co4_sem host[HOSTS];
    co4_ticker ticker;
    co4_waitgroup pages; /* those that are seen and not done */
    int state[PAGES];
    int64_t deadline;
};

struct visit {
    struct crawl *crawl;
    int page;
    struct answer answer;
};

static void show(const struct visit *v, int attempt, const char *what)
{
    printf("%7.2f  host %d page %2d  %d: %s\n", (double)co4_now() / CO4_MS, host_of(v->page),
           v->page, attempt, what);
}

static void release(co4_sem **sem)
{
    if (*sem)
        co4_sem_release(*sem);
}

/* When the host has time for us, and the network, too. */
static pausable int wait_for_turn(struct crawl *crawl, co4_sem *host, co4_sem **held)
{
    int err = co4_sem_acquire(host);
    if (err != CO4_OK)
        return err;
    *held = host;
    err = co4_await(co4_ticker_source(&crawl->ticker), NULL);
    if (err != CO4_OK)
        return err;
    int64_t slot = co4_now() / PERIOD;
    network.hurried += slot == network.last_begun;
    network.last_begun = slot;
    return CO4_OK;
}

/* Also for a request in whose middle the task is abandoned when out of memory. */
static void let_go(co4_future **get)
{
    co4_future_cancel(*get, 0);
    co4_future_release(*get);
}

/* One request: its status, or a code. */
static pausable int request(struct visit *v, int attempt)
{
    __attribute__((cleanup(release))) co4_sem *held = NULL;
    int err = wait_for_turn(v->crawl, &v->crawl->host[host_of(v->page)], &held);
    if (err != CO4_OK)
        return err;
    __attribute__((cleanup(let_go))) co4_future *get = co4_async(network_get(v->page, attempt));
    if (!get)
        return CO4_ENOMEM;
    err = co4_future_await_until(get, &v->answer, co4_now() + PATIENCE);
    if (err != CO4_OK) {
        co4_future_cancel(get, 0); /* the host has us to bear until the request has really ended */
        co4_shield_begin();
        co4_future_await(get, NULL);
        co4_shield_end();
    }
    int status = err == CO4_OK ? v->answer.status : err;
    show(v, attempt,
         status == OK       ? "fetched"
         : status == GONE   ? "gone"
         : status == FAILED ? "the host has failed"
                            : co4_strerror(status));
    return status;
}

static int try_again(void *arg, int code, int attempt)
{
    (void)arg;
    (void)attempt;
    return code == FAILED || code == CO4_ETIMEDOUT;
}

static const co4_retry politely = {
    .attempts = ATTEMPTS,
    .backoff = CO4_BACKOFF_EXPONENTIAL,
    .delay = 10 * CO4_MS,
    .jitter = CO4_JITTER_EQUAL,
    .again = try_again,
};

static pausable int visit(co4_scope *scope, struct crawl *crawl, int page);

static int see(co4_scope *scope, struct crawl *crawl, int page)
{
    if (crawl->state[page] != UNSEEN)
        return CO4_OK;
    crawl->state[page] = SEEN;
    co4_waitgroup_add(&crawl->pages, 1);
    return co4_scope_spawn(scope, visit(scope, crawl, page));
}

/* A page that cannot be allocated is no failure of the crawl; having no memory is. */
static pausable int visit(co4_scope *scope, struct crawl *crawl, int page)
{
    struct visit v = { .crawl = crawl, .page = page };
    int err = co4_retry_run(&politely, request(&v, co4_attempt));
    if (err == CO4_ENOMEM || err == CO4_ECANCELED)
        return err;
    crawl->state[page] = err == OK ? FETCHED : LOST;
    for (int i = 0; err == OK && i < v.answer.count; i++) {
        int code = see(scope, crawl, v.answer.links[i]);
        if (code != CO4_OK)
            return code;
    }
    co4_waitgroup_done(&crawl->pages);
    return CO4_OK;
}

static pausable int crawl_from_first(struct crawl *crawl)
{
    int err = see(co4_scope_here(), crawl, 0);
    return err == CO4_OK ? co4_waitgroup_wait_until(&crawl->pages, crawl->deadline) : err;
}

static pausable int run_crawl(struct crawl *crawl)
{
    return co4_scope_run(0, crawl_from_first(crawl));
}

/* ---- the check ---- */

/* What there is to find, by a plain search. */
static void search(int state[PAGES])
{
    int queue[PAGES], first = 0, last = 0;
    queue[last++] = 0;
    state[0] = SEEN;
    while (first < last) {
        int page = queue[first++];
        struct answer answer = page_of(page);
        bool lost = answer.status != OK || is_dead(host_of(page));
        state[page] = lost ? LOST : FETCHED;
        for (int i = 0; !lost && i < answer.count; i++)
            if (state[answer.links[i]] == UNSEEN) {
                state[answer.links[i]] = SEEN;
                queue[last++] = answer.links[i];
            }
    }
}

/* All that was found is there, and all that is there was found, if there was time. */
static bool is_right(const struct crawl *crawl, bool stopped)
{
    int there[PAGES] = { 0 }, busy = 0, wrong = 0, count[4] = { 0 };
    search(there);
    for (int page = 0; page < PAGES; page++) {
        int state = crawl->state[page];
        wrong += stopped && state <= SEEN ? there[page] < state : there[page] != state;
        count[state]++;
    }
    for (int host = 0; host < HOSTS; host++)
        busy += network.active[host];
    printf("%d fetched, %d lost, %d left, %d not seen; %d requests\n", count[FETCHED], count[LOST],
           count[SEEN], count[UNSEEN], network.requests);
    if (wrong || busy || network.crowded || network.hurried)
        printf("%d pages wrong, %d requests left, %d too many at a host, %d too early\n", wrong,
               busy, network.crowded, network.hurried);
    return !wrong && !busy && !network.crowded && !network.hurried;
}

int main(int argc, char **argv)
{
    unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int ms = argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 3 || (argc > 2 && ms <= 0)) {
        fprintf(stderr, "usage: crawler [SEED [MS]]\n");
        return 2;
    }
    const co4_test_options options = {
        .seed = seed, .step_ns = CO4_US, .late = 6, .late_steps = 50
    };
    int err = co4_test_begin(&options);
    if (err != CO4_OK) {
        fprintf(stderr, "crawler: %s\n", co4_strerror(err));
        return 1;
    }
    struct crawl crawl = { .deadline = ms ? co4_now() + ms * CO4_MS : CO4_NEVER };
    for (int host = 0; host < HOSTS; host++)
        crawl.host[host] = (co4_sem)CO4_SEM_INIT(PER_HOST);
    network.last_begun = -1;
    co4_ticker_init(&crawl.ticker);
    co4_ticker_start(&crawl.ticker, co4_now() + PERIOD, PERIOD);
    err = co4_run(run_crawl(&crawl));
    if (co4_run_error() != CO4_OK)
        err = co4_run_error();
    co4_ticker_destroy(&crawl.ticker);
    co4_test_end(NULL);
    if (err != CO4_OK && err != CO4_ETIMEDOUT) {
        fprintf(stderr, "crawler: %s\n", co4_strerror(err));
        return 1;
    }
    if (err == CO4_ETIMEDOUT)
        printf("stopped at the deadline\n");
    return is_right(&crawl, err == CO4_ETIMEDOUT) ? 0 : 1;
}
