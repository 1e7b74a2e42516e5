/* net_exit.c - a process exits while lookups hang: in a thread, and behind it in the queue. Tasks
 * have given them up.
 * needs: descriptors threads workers
 * modes: plain woven forced
 * expect: CO4_ETIMEDOUT CO4_ETIMEDOUT */
#include <co4.h>
#include <co4/net.h>
#include <netdb.h>
#include <stdio.h>
#include <unistd.h>

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    (void)host, (void)service, (void)result;
    if (hints && hints->ai_flags & AI_NUMERICHOST)
        return EAI_NONAME;
    for (;;)
        pause();
}

static pausable void give_up(void)
{
    co4_resolver_limit(1);
    int a = co4_tcp_connect_until("hang", "80", co4_now() + 10 * CO4_MS);
    int b = co4_tcp_connect_until("hang", "80", co4_now() + 10 * CO4_MS);
    printf("%s %s\n", co4_errname(a), co4_errname(b));
}

int main(void)
{
    co4_run(give_up());
    return 0;
}
