/* driver.c - runs a program without marks in a task. Its main is program_main here, and what yields
 * in it is auto_yield, a root. */
#include <co4.h>

extern int program_main(int argc, char **argv);

pausable int auto_yield_waits(void);
pausable int auto_yield_waits(void)
{
    return co4_yield();
}

int main(int argc, char **argv)
{
    return co4_run(program_main(argc, argv));
}
