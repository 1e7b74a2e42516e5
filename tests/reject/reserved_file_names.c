/* reserved_file_names.c - names at file scope that woven code makes from those of functions. */
#include <co4.h>

struct work__frame { /* error: 'work__frame' is a name that woven code gives to a part of 'work' */ /* hint: another name */
    int mine;
};
static int work__resume(struct work__frame *f) /* error: 'work__resume' is a name that woven code gives to a part of 'work' */
{
    return f->mine;
}
enum { started__run = 1, work__run = 2 }; /* error: 'started__run' is a name that woven code gives to a part of 'started' */
static int work__co4 = 3;                 /* error: 'work__co4' is a name that woven code gives to a part of 'work' */

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(void);

pausable int work(void)
{
    struct work__frame f = { 1 };
    return work__resume(&f) + wait_for(2) + work__co4 + work__run;
}

static pausable int started(void)
{
    return work();
}

int main(void)
{
    return co4_run(started());
}
