/* process.c - the lead example of co4/process.h.
 * needs: descriptors forks
 * modes: woven forced
 * expect: a
 * expect: b */
#include <co4.h>
#include <co4/io.h>
#include <co4/process.h>

static pausable int sort(void)
{
    const char *const argv[] = { "sort", NULL };
    co4_process *p;
    int status;
    if (co4_process_start(&p, argv, &(co4_process_options){ .in = CO4_PROCESS_PIPE }) != CO4_OK)
        return -1;
    co4_write(co4_process_stdin(p), "b\na\n", 4);
    co4_process_close(p, STDIN_FILENO);
    co4_process_wait(p, &status);
    co4_process_destroy(p);
    return status;
}

int main(void)
{
    return co4_run(sort());
}
