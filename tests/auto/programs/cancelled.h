/* cancelled.h - waits of every kind. */
#ifndef CANCELLED_H
#define CANCELLED_H

struct wait {
    const char *name;
    int (*run)(void);
    void (*release)(void); /* NULL: a cancellation ends the wait */
    void (*before)(void);
};
extern const struct wait waits[];

int run_wait(int i);
void begin_waits(void);
void hold_stream(void);
/* Returns whether all that has been waited for still works. */
int end_waits(void);

#endif
