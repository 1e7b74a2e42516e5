/* stream - the first readings above a limit, of a sensor that is read only on demand.
 * modes: woven forced
 * expect: 21.5 degrees
 * expect: 23.5 degrees
 * expect: the sensor was read 6 times, then switched off */
#include <co4.h>
#include <stdio.h>

static int reads;

static pausable void sensor(co4_mailbox *readings)
{
    int tenths = 0;
    for (int i = 0; co4_mailbox_send(readings, &tenths) == CO4_OK; i++) {
        co4_sleep(CO4_MS);
        tenths = i % 2 ? 150 + 10 * i : 195 + 10 * i;
        reads++;
    }
    printf("the sensor was read %d times, then switched off\n", reads);
}

static pausable int is_warm(void *limit, const void *tenths)
{
    return *(const int *)tenths > *(int *)limit;
}

static pausable int degrees(void *arg, const void *tenths, void *out)
{
    (void)arg;
    *(double *)out = *(const int *)tenths / 10.0;
    return CO4_OK;
}

static pausable int watch(co4_mailbox *readings, int limit)
{
    double d;
    int err;
    co4_stream *s = co4_stream_of_mailbox(readings);
    s = co4_stream_filter(s, is_warm, &limit);
    s = co4_stream_map(s, sizeof d, degrees, NULL);
    s = co4_stream_take(s, 2);
    while ((err = co4_stream_next(s, &d)) == CO4_OK)
        printf("%.1f degrees\n", d);
    co4_stream_destroy(s); /* closes the channel, if it has not ended */
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable int work(co4_mailbox *readings)
{
    co4_task *t = co4_task_create(sensor(readings));
    co4_runtime_schedule(NULL, t);
    int err = watch(readings, 200);
    co4_task_join(t);
    co4_task_release(t);
    return err;
}

int main(void)
{
    co4_mailbox *readings = co4_mailbox_create(sizeof(int), 0);
    int err = co4_run(work(readings));
    co4_mailbox_destroy(readings);
    return err != CO4_OK;
}
