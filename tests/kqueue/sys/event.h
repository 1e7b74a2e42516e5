/* event.h - the calls of kqueue that runtime/io/kqueue.c makes, for tests on Linux. */
#ifndef CO4_TEST_EVENT_H
#define CO4_TEST_EVENT_H

#include <stdint.h>
#include <time.h>

struct kevent {
    uintptr_t ident;
    short filter;
    unsigned short flags;
    unsigned fflags;
    intptr_t data;
    void *udata;
};

#define EVFILT_READ  (-1)
#define EVFILT_WRITE (-2)
#define EVFILT_USER  (-10)
#define EV_ADD       0x0001
#define EV_DELETE    0x0002
#define EV_CLEAR     0x0020
#define EV_RECEIPT   0x0040
#define EV_ERROR     0x4000
#define EV_EOF       0x8000
#define NOTE_TRIGGER 0x01000000

int kqueue(void);
int kevent(int kq, const struct kevent *changes, int nchanges, struct kevent *events, int nevents,
           const struct timespec *timeout);

#endif
