/* state.c - what all files of the simulated disk share: its state, random numbers, memory. */
#define _GNU_SOURCE
#include <unistd.h>

#include "base/random.h"
#include "posix/decides.h"
#include "simulation/disk.h"
#include "simulation/faults.h"

struct co4__disk *co4__disk;

uint64_t co4__disk_random(void)
{
    uint64_t life = co4__random(co4__disk->seed ^ co4__random(co4__disk->life));
    return co4__random(life + ++co4__disk->drawn);
}

bool co4__disk_happens(uint64_t once_in, const char *fault)
{
    return once_in > 0 && co4__fault(fault, co4__disk_random() % once_in == 0);
}

void *co4__disk_alloc(size_t bytes)
{
    char *found = co4__disk->next;
    bytes = (bytes + 15) & ~(size_t)15;
    if ((size_t)(co4__disk->end - found) < bytes) {
        static const char text[] = "co4: the simulated disk is out of memory\n";
        if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
            _exit(CO4__REFUSED);
        _exit(CO4__REFUSED);
    }
    co4__disk->next += bytes;
    return found;
}
