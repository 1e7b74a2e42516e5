/* handler_table.c - a table of pausable functions, marked by a typedef, and a call through it. */
#include <co4.h>

struct request {
    unsigned kind;
    const char *path;
};
typedef pausable int handler(struct request *);

handler serve_file, serve_list;
pausable int serve(struct request *r);

static handler *const table[] = { serve_file, serve_list };

pausable int serve(struct request *r)
{
    int result = table[r->kind % 2](r);
    return result != 0 ? result : table[0](r);
}
