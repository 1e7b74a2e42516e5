/* main_loop.c - tasks in a program with a main loop of its own, as games and firmware have: one
 * step for each task a frame.
 *
 * co4_runtime_run_once() gives each task that is ready one step and comes back, so for a task
 * co4_yield() is "in the next frame". A state machine with a counter becomes a loop. Prints each
 * frame. */
#include <co4.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 24

static char frame[WIDTH + 1];
static int frames_left = 16;

static void draw(int at, const char *what)
{
    size_t n = strlen(what);
    if (at >= 0 && at + n <= WIDTH)
        memcpy(frame + at, what, n);
}

/* Runs from left to right, and looks about halfway. */
static pausable void walker(const char *left, const char *right)
{
    for (int at = 0; at < 6; at++) {
        draw(at, at % 2 ? left : right);
        co4_yield();
    }
    for (int i = 0; i < 3; i++) {
        draw(6, i % 2 ? "?" : "!");
        co4_yield();
    }
    for (int at = 6; at < WIDTH; at += 2) {
        draw(at, at % 4 ? right : left);
        co4_yield();
    }
}

static pausable void lamp(int at, int on, int off)
{
    for (;;) {
        for (int i = 0; i < on; i++) {
            draw(at, "*");
            if (co4_yield() != CO4_OK)
                return;
        }
        for (int i = 0; i < off; i++)
            if (co4_yield() != CO4_OK)
                return; /* cancelled: the loop is over */
    }
}

static int failed(void)
{
    fprintf(stderr, "main_loop: %s\n", co4_strerror(CO4_ENOMEM));
    return 1;
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    if (rt == NULL || co4_runtime_start(rt) != CO4_OK)
        return failed();
    co4_task *light = co4_task_create(lamp(WIDTH - 1, 2, 3));
    co4_task *walk = co4_task_create(walker("/", "|"));
    if (co4_runtime_schedule(rt, light) != CO4_OK || co4_runtime_schedule(rt, walk) != CO4_OK)
        return failed();
    /* The program's loop: here it would read the keys, and wait for the screen. */
    while (frames_left-- > 0) {
        memset(frame, '.', WIDTH);
        co4_runtime_run_once(rt);
        puts(frame);
    }
    co4_task_cancel(light, 0);
    co4_runtime_join(rt); /* the remaining tasks come to their end */
    int err = co4_task_error(light) != CO4_OK ? CO4_ENOMEM : co4_task_error(walk);
    co4_task_release(light);
    co4_task_release(walk);
    co4_runtime_destroy(rt);
    return err == CO4_OK ? 0 : failed();
}
