/* randoms.c - random numbers of the system, for a program of --auto=test: the seed decides them. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "posix/wraps.h"
#include "simulation/devices.h"
#include "simulation/run.h"

ssize_t __wrap_getrandom(void *bytes, size_t count, unsigned flags);
ssize_t __real_getrandom(void *bytes, size_t count, unsigned flags);
CO4__WRAPS(getentropy, (void *bytes, size_t count));
/* Those of libbsd, or of a C library from 2.36 on. */
uint32_t __wrap_arc4random(void);
uint32_t __wrap_arc4random_uniform(uint32_t bound);
void __wrap_arc4random_buf(void *bytes, size_t count);

void co4__simulated_fill(void *bytes, size_t count)
{
    for (size_t done = 0, part; done < count; done += part) {
        uint64_t number = co4__simulated_random();
        part = count - done < sizeof number ? count - done : sizeof number;
        memcpy((char *)bytes + done, &number, part);
    }
}

ssize_t __wrap_getrandom(void *bytes, size_t count, unsigned flags)
{
    if (!co4__program_is_simulated() || (flags & ~(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE)) ||
        count > SSIZE_MAX)
        return __real_getrandom(bytes, count, flags);
    co4__simulated_fill(bytes, count);
    return (ssize_t)count;
}

int __wrap_getentropy(void *bytes, size_t count)
{
    if (!co4__program_is_simulated() || count > 256)
        return __real_getentropy(bytes, count);
    co4__simulated_fill(bytes, count);
    return 0;
}

static uint32_t number(void)
{
    uint32_t n;
    __wrap_arc4random_buf(&n, sizeof n);
    return n;
}

void __wrap_arc4random_buf(void *bytes, size_t count)
{
    if (co4__program_is_simulated())
        co4__simulated_fill(bytes, count);
    else
        for (size_t done = 0, part; done < count; done += part) {
            part = count - done < 256 ? count - done : 256;
            if (__real_getentropy((char *)bytes + done, part) != 0)
                __builtin_trap(); /* as theirs, which cannot fail either */
        }
}

uint32_t __wrap_arc4random(void)
{
    return number();
}

/* Numbers below 2^32 % bound would come once more than others. */
uint32_t __wrap_arc4random_uniform(uint32_t bound)
{
    uint32_t n = 0, least = bound > 1 ? -bound % bound : 0;
    while (bound > 1 && (n = number()) < least)
        ;
    return bound > 1 ? n % bound : 0;
}
