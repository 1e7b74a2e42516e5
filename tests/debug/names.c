/* names.c - names that mean more than one thing, and the way out of functions: see names.py. */
#include <co4.h>
#include <stdio.h>

struct part {
    int level, text;
};

static int level = 1000, shelf = 2000;

static pausable void touch(int *at)
{
    co4_yield();
    (*at)++;
} /* touch ends */

static pausable int deep(int n)
{
    int mine = n;
    if (n > 0)
        return deep(n - 1) + mine; /* deeper */
    touch(&mine);
    return mine; /* deep returns */
}

static pausable int use(int count, struct part part)
{
    char text[8] = "abc";
    struct {
        int a, b;
    } pair = { 3, 4 };
    int *to = &pair.b;
    struct part *p = &part;
    touch(&count); /* before touch */
    count += *to;  /* after touch */
    {
        int level = count; /* inner */
        touch(&level);
        count += level; /* end of inner */
    }
    part.level += text[0];            /* arguments */
    count += deep(2);                 /* call deep */
    return count + p->level + pair.a; /* use returns */
}

static pausable_or_plain int both(int n)
{
    int here[2] = { n, 1 };
    touch(here);
    return here[0] + here[1]; /* both returns */
}

static pausable int task(int n)
{
    int got = use(n, (struct part){ 5, 6 }); /* the call of use */
    shelf += got;                            /* after use */
    got += both(n);
    return got; /* the task returns */
}

int main(void)
{
    int sum = both(4); /* main calls both */
    sum += level;      /* after both */
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    co4_future *f = co4_async(task(1));
    int got = 0;
    co4_block(co4_future_await(f, &got));
    co4_future_release(f);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf("%d\n", sum + got);
    return 0;
}
