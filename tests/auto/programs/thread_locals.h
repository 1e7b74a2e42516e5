/* thread_locals.h - variables of thread_locals_more.c. */
#ifndef THREAD_LOCALS_H
#define THREAD_LOCALS_H

struct both {
    int number;
    char text[12];
};

extern __thread int outside;
extern __thread int outsides[];
extern _Thread_local struct both pair;
extern _Thread_local char wide[] __attribute__((aligned(64)));

/* They never wait. */
int next_serial(void);
const char *spelled(int n);
int *own_place(void);
void count_signal(int signo);
int signals(void);

#endif
