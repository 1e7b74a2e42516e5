/* rejects.c - a promise of EM_ASYNC_JS() that is rejected is an error that no one has caught; SDL's
 * wait, and that of a yield.
 *
 * expect: slept | uncaught: no luck | 0 */
#include <emscripten.h>
#include <stdio.h>
#include <unistd.h>

void SDL_Delay(unsigned ms);

/* clang-format off */
EM_ASYNC_JS(int, ask, (void), { throw new Error('no luck'); });
EM_JS(void, watch, (void), {
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (e) => out('uncaught: ' + e.message));
});
/* clang-format on */

int main(void)
{
    watch();
    SDL_Delay(1);
    emscripten_sleep(1);
    puts("slept");
    int n = ask();
    usleep(20000);
    printf("%d\n", n);
    return 0;
}
