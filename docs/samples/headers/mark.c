/* mark.c - the marks that co4/mark.h shows.
 * modes: woven forced
 * expect: served / with 200
 * expect: moved 3 messages
 * expect: 7 settings
 * expect: blinked */
#include <co4.h>
#include <stdio.h>

struct req {
    const char *path;
};
struct config {
    int settings;
};
struct led {
    int on;
};

pausable int relay(co4_mailbox *in, co4_mailbox *out);
typedef pausable int handler(struct req *);
struct route {
    const char *path;
    pausable int (*serve)(struct req *);
};
static pausable int send_bytes(co4_mailbox *mb, const void *bytes, size_t size)
{
    return (co4_mailbox_send)(mb, bytes, size);
}
pausable_or_plain int config_load(const char *path, struct config *out);
struct queue;
struct job;
pausable_or_block int queue_take(struct queue *q, struct job *job, int64_t deadline);
pausable_max(96) int blink(struct led *led);

pausable int relay(co4_mailbox *in, co4_mailbox *out)
{
    int value, moved = 0;
    while (co4_mailbox_receive(in, &value) == CO4_OK &&
           send_bytes(out, &value, sizeof value) == CO4_OK)
        moved++;
    return moved;
}

static pausable int serve_root(struct req *r)
{
    co4_yield();
    printf("served %s with ", r->path);
    return 200;
}

pausable_or_plain int config_load(const char *path, struct config *out)
{
    co4_yield();
    out->settings = path[0] == '/' ? 7 : 0;
    return CO4_OK;
}

pausable_max(96) int blink(struct led *led)
{
    co4_yield();
    led->on = !led->on;
    return led->on;
}

static pausable int serve(const struct route *route, handler *other)
{
    struct req r = { route->path };
    return other != NULL ? other(&r) : route->serve(&r);
}

int main(void)
{
    struct route root = { "/", serve_root };
    printf("%d\n", co4_run(serve(&root, NULL)));
    co4_mailbox *in = co4_mailbox_create(sizeof(int), 4), *out = co4_mailbox_create(sizeof(int), 4);
    for (int i = 0; i < 3; i++)
        if (co4_mailbox_send_until(in, &i, CO4_NOW) != CO4_OK)
            return 1;
    co4_mailbox_close(in);
    printf("moved %d messages\n", co4_run(relay(in, out)));
    struct config config;
    if (config_load("/etc/co4", &config) == CO4_OK)
        printf("%d settings\n", config.settings);
    struct led led = { 0 };
    if (co4_run(blink(&led)) == 1)
        puts("blinked");
    co4_mailbox_destroy(in);
    return co4_mailbox_destroy(out);
}
