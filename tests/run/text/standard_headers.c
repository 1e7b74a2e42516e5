/* standard_headers.c - every header of C11, most of POSIX, and the processor's: things of them are
 * kept across pauses.
 * flags: -D_GNU_SOURCE
 * needs: setjmp threads
 * expect: 3.0 4.0 5 7 2.5 1
 * expect: 10 26 3 1 */
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <iso646.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <tgmath.h>
#include <threads.h>
#include <time.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>

#include <aio.h>
#include <arpa/inet.h>
#include <cpio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmtmsg.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <langinfo.h>
#include <libgen.h>
#include <monetary.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nl_types.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <spawn.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <syslog.h>
#include <tar.h>
#include <termios.h>
#include <ulimit.h>
#include <unistd.h>
#include <utime.h>
#include <utmpx.h>
#include <wordexp.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static atomic_int counted;

static pausable void of_c(void)
{
    double _Complex z = 3.0 + 4.0 * I;
    div_t parts = div(wait_for(38), 5);
    struct tm date = { .tm_mday = wait_for(7) };
    atomic_fetch_add(&counted, wait_for(1));
    float square = (float)wait_for(25), root = sqrt(square); /* of tgmath.h */
    wait_for(0);
    printf("%.1f %.1f %d %d %.1f %d\n", creal(z), cimag(z), (int)root, parts.quot, root / 2.0F,
           atomic_load(&counted));
    assert(date.tm_mday == 7);
}

static pausable int lanes(void)
{
#if defined(__SSE2__)
    __m128i sum = _mm_set_epi32(1, 2, 3, 4);
    for (int i = 0; i < 4; i++)
        sum = _mm_add_epi32(sum, _mm_set1_epi32(wait_for(i) == 3));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, _MM_SHUFFLE(1, 0, 3, 2)));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm_cvtsi128_si32(sum) - 4 * wait_for(1);
#else
    return wait_for(10);
#endif
}

static pausable void of_posix(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)wait_for(26)) };
    struct timespec when = { .tv_sec = wait_for(3) };
    struct stat about = { .st_size = 1 };
    fd_set set;
    FD_ZERO(&set);
    FD_SET(wait_for(5), &set);
    int first = lanes();
    printf("%d %d %ld %d\n", first, ntohs(to.sin_port), (long)when.tv_sec,
           FD_ISSET(5, &set) && about.st_size == wait_for(1));
}

int main(void)
{
    co4_run(of_c());
    co4_run(of_posix());
    return 0;
}
