/* station.c - a light that blinks, a sensor that is read, a console that is answered: four tasks on
 * a bare Cortex-M3.
 *
 * Each is a loop that waits where it has to, with its locals in plain sight. No stack for each of
 * them, no malloc, no operating system; all memory that co4 will ever use is `memory`, and its size
 * is a sum that the compiler checks: co4weave --report says what a task keeps at most. */
#include "board.h"

#include <co4.h>
#include <co4/small.h>
#include <stddef.h>

enum { LINE = 16, READINGS = 4 };

/* What --report says of each task, "in all": the test compares. */
enum { STATION = 24, LIGHT = 16, SENSE = 24, AVERAGE = 40, CONSOLE = 56 };

enum {
    FRAMES = CO4_MEMORY_OF(STATION) + CO4_MEMORY_OF(LIGHT) + CO4_MEMORY_OF(SENSE) +
             CO4_MEMORY_OF(AVERAGE) + CO4_MEMORY_OF(CONSOLE),
    TASKS = CO4_MEMORY_RUN + 4 * (CO4_MEMORY_TASK + CO4_MEMORY_CALL(0)),
    MAILBOXES = CO4_MEMORY_MAILBOX(sizeof(int), READINGS) + CO4_MEMORY_MAILBOX(1, LINE)
};
static _Alignas(max_align_t) unsigned char memory[FRAMES + TASKS + MAILBOXES];

static co4_mailbox *readings, *keys;
static int period = 100; /* of the sensor, in ms */
static int mean;         /* of the last readings */

/* ---- what co4 asks for ---- */

void *co4_port_memory(size_t *bytes)
{
    *bytes = sizeof memory;
    return memory;
}

int64_t co4_port_now(void)
{
    return board_ticks() * CO4_MS;
}

int co4_port_idle(int64_t deadline)
{
    (void)deadline; /* there is a tick every millisecond */
    board_wait();
    for (int key; co4_mailbox_len(keys) < LINE && (key = board_key()) >= 0;)
        if (co4_mailbox_send_until(keys, &(char){ (char)key }, CO4_NOW) != CO4_OK)
            break; /* never: there was room */
    return 0;
}

/* ---- the tasks ---- */

static pausable void light(void)
{
    for (bool on = true; co4_sleep(50 * CO4_MS) == CO4_OK; on = !on)
        board_light(on);
}

static pausable void sense(void)
{
    for (int64_t next = co4_now(); co4_sleep_until(next) == CO4_OK; next += period * CO4_MS) {
        int value = board_sensor();
        co4_mailbox_send(readings, &value);
    }
}

static pausable void average(void)
{
    int last[READINGS] = { 0 }, value, sum = 0;
    for (unsigned n = 0; co4_mailbox_receive(readings, &value) == CO4_OK; n++) {
        sum += value - last[n % READINGS];
        last[n % READINGS] = value;
        mean = sum / (int)(n + 1 < READINGS ? n + 1 : READINGS);
    }
}

static void print_number(int n)
{
    char text[12], *at = text + sizeof text - 1;
    *at = '\0';
    do
        *--at = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    board_print(at);
}

static bool equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* A line without its end; a line that is too long is cut. */
static pausable void read_line(char *line)
{
    int n = 0;
    char c;
    while (co4_mailbox_receive(keys, &c) == CO4_OK && c != '\n')
        if (n < LINE - 1)
            line[n++] = c;
    line[n] = '\0';
}

static pausable int console(void)
{
    char line[LINE];
    for (;;) {
        board_print("> ");
        read_line(line);
        if (equal(line, "fast")) {
            period = 10;
            board_print("every 10 ms\n");
        } else if (equal(line, "mean")) {
            co4_sleep(8 * period * CO4_MS); /* a while of measuring */
            print_number(mean / 100);
            board_print(" degrees\n");
        } else if (equal(line, "light")) {
            unsigned before = board_light_changes();
            co4_sleep(500 * CO4_MS);
            unsigned changes = board_light_changes() - before;
            board_print(changes >= 9 && changes <= 11 ? "blinks\n" : "does not blink\n");
        } else if (equal(line, "quit")) {
            return 0;
        } else {
            board_print("fast, mean, light, quit\n");
        }
    }
}

static pausable int station(void)
{
    co4_task *loops[] = { co4_spawn(light()), co4_spawn(sense()), co4_spawn(average()) };
    co4_task *talk = co4_spawn(console());
    if (!readings || !keys || !loops[0] || !loops[1] || !loops[2] || !talk)
        return CO4_ENOMEM;
    int err = co4_task_join(talk);
    co4_task_release(talk);
    for (int i = 0; i < 3; i++) {
        co4_task_cancel(loops[i], 0);
        co4_task_release(loops[i]);
    }
    return err;
}

int main(void)
{
    board_start();
    readings = co4_mailbox_create(sizeof(int), READINGS);
    keys = co4_mailbox_create(1, LINE);
    board_print("station\n");
    int err = co4_run(station());
    print_number((int)co4_memory_left());
    board_print(" bytes of memory never used\n");
    return err != CO4_OK;
}
