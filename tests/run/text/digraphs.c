/* digraphs.c - brackets as keyboards without them have them.
 * expect: 1 2 3
 * expect: <% %> <: :>
 * expect: 6 */
/* clang-format off */
%:include <co4.h>
%:include <stdio.h>

struct three <% int items<:3:>; %>;

static pausable int step(const struct three *t, int i)
<%
    co4_yield();
    return t->items<:i:>;
%>

static pausable int total(void)
<%
    struct three t = <% <% 1, 2, 3 %> %>;
    int sum = 0;
    for (int i = 0; i < 3; i++) <%
        int item = step(&t, i);
        printf("%d%c", item, i < 2 ? ' ' : '\n');
        sum += item;
    %>
    puts("<% %> <: :>");
    return sum;
%>

int main(void)
<%
    printf("%d\n", co4_run(total()));
    return 0;
%>
