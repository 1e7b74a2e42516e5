/* handler_table - a table of handlers, marked by a typedef of their function type.
 * expect: image:/i1 text:/t2 image:/q3 text:/x4 text:/i1 text:/t2 image:/i1 image:/t2 76 2011 1022 1003 14 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct request {
    const char *path;
    int size;
};
typedef pausable int handler(struct request *);

static handler serve_text, serve_image;

static handler *const table[] = { serve_text, serve_image, NULL };

static const struct route {
    const char *prefix;
    handler *serve;
} routes[] = { { "/t", serve_text },
               { "/i", serve_image },
               { .serve = serve_text, .prefix = "/x" } };

static pausable int serve_text(struct request *r)
{
    r->size += wait_for(10);
    return printf("text:%s ", r->path);
}

static pausable int serve_image(struct request *r)
{
    r->size += wait_for(1000);
    return printf("image:%s ", r->path);
}

static pausable int dispatch(struct request *r, handler *fallback)
{
    for (unsigned i = 0; i < sizeof routes / sizeof *routes; i++)
        if (routes[i].prefix[1] == r->path[1])
            return routes[i].serve(r);
    return fallback(r);
}

static pausable void work(void)
{
    struct request r[] = { { "/i1", 1 }, { "/t2", 2 }, { "/q3", 3 }, { "/x4", 4 } };
    int printed = 0;
    for (int i = 0; i < 4; i++)
        printed += dispatch(&r[i], i % 2 ? serve_text : serve_image);
    for (handler *const *h = table; *h != NULL; h++)
        printed += (*h)(&r[0]) + (**h)(&r[1]);
    printf("%d %d %d %d %d\n", printed, r[0].size, r[1].size, r[2].size, r[3].size);
}

int main(void)
{
    co4_run(work());
    return 0;
}
