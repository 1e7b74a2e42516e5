# 1 "loop.c"
/* loop.c - one suspension point in a loop. */
# 3 "loop.c"
 int total__co4(co4_fiber *, int n);
struct total__frame { /* loop.c:6 total() */
    co4_frame head;
    int n; /* parameter */
    int sum; /* local */
    int i; /* local */
};
_Static_assert(sizeof(struct total__frame) == 32, "co4weave: the frame of total has another size; "
               "was this text woven for another target?");
struct total__func { co4_abi_func func; co4_abi_point points[2]; };
static const struct total__func total__func;
# 6 "loop.c"
int total__co4(co4_fiber *co4, int n);
# 6 "loop.c"
static __inline__ __attribute__((always_inline)) int total(co4_fiber *co4, struct total__frame *co4_f, const int co4_resumed, int n)
# 7 "loop.c"
{
# 6 "loop.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; default: __builtin_unreachable(); }
# 7 "loop.c"
    int sum = 0;
    for (int i = 0; i < n; i++) {
        { int co4_t1;
# 10 "loop.c"
co4_t1 = co4_yield__co4(co4);
# 10 "loop.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &total__func.points[1])) != 0) { if (!co4_resumed) co4_f->n = n; co4_f->sum = sum; co4_f->i = i; } return 0;
# 6 "loop.c"
co4_resume_1:; n = co4_f->n; sum = co4_f->sum; i = co4_f->i; co4_t1 = *(int *)co4_abi_result_of(co4); }
# 10 "loop.c"
if (co4_t1 != 0)
            break; }
        sum += i;
    }
    return sum;
}
# 6 "loop.c"
int total__co4(co4_fiber *co4, int n)
# 6 "loop.c"
{ return total(co4, 0, 0, n); }
# 6 "loop.c"
static void total__resume(co4_fiber *co4, co4_frame *co4_head) { int co4_r = total(co4, (struct total__frame *)(void *)co4_head, 1, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(int *)co4_abi_result_of(co4) = co4_r; }
static const co4_abi_site total__sites[] = {
    { 10, 6, 1 },
};
static const unsigned short total__live[] = { 0, 3, 0, 1, 2 };
static const co4_abi_field total__fields[] = {
    { 16, 18, 16, 4, 0, 6 },
    { 22, 18, 20, 4, 0, 8 },
    { 26, 18, 24, 4, 0, 9 },
};
static const struct { char n0[6]; char n1[10]; char n2[2]; char n3[4]; char n4[4]; char n5[2]; } total__text = { "total", "co4_yield", "n", "int", "sum", "i" };
static const co4_abi_info total__info = { "loop.c", 6, 1, total__sites, total__fields, total__live, 3 };
static const struct total__func total__func = { { sizeof(struct total__frame), sizeof(int) | (_Alignof(struct total__frame) > 8 ? CO4_ABI_ALIGNED : 0), total__text.n0, &total__info, 0 },
    { { total__resume, 0 }, { total__resume, 1 } }
};
