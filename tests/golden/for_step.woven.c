# 1 "for_step.c"
/* for_step.c - a for loop that waits in its condition and in its step, with continue. */
# 3 "for_step.c"
 int next__co4(co4_fiber *, int n);
 int count__co4(co4_fiber *, int n);
struct count__frame { /* for_step.c:7 count() */
    co4_frame head;
    int n; /* parameter */
    int seen; /* local */
    int i; /* local */
};
_Static_assert(sizeof(struct count__frame) == 32, "co4weave: the frame of count has another size; "
               "was this text woven for another target?");
struct count__func { co4_abi_func func; co4_abi_point points[3]; };
static const struct count__func count__func;
# 7 "for_step.c"
int count__co4(co4_fiber *co4, int n);
# 7 "for_step.c"
static __inline__ __attribute__((always_inline)) int count(co4_fiber *co4, struct count__frame *co4_f, const int co4_resumed, int n)
# 8 "for_step.c"
{
# 7 "for_step.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; case 2: goto co4_resume_2; default: __builtin_unreachable(); }
# 8 "for_step.c"
    int seen = 0;
    for (int i = 0; ; ) { int co4_t1;
# 10 "for_step.c"
co4_t1 = next__co4(co4, n);
# 10 "for_step.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &count__func.points[1])) != 0) { if (!co4_resumed) co4_f->n = n; co4_f->seen = seen; co4_f->i = i; } return 0;
# 7 "for_step.c"
co4_resume_1:; n = co4_f->n; seen = co4_f->seen; i = co4_f->i; co4_t1 = *(int *)co4_abi_result_of(co4); }
# 10 "for_step.c"
if (!(i < co4_t1)) break;
# 10 "for_step.c"
{
        if (i % 2 == 0)
            goto co4_next_1;
        seen++;
    }
# 10 "for_step.c"
co4_next_1:; { int co4_t2;
# 10 "for_step.c"
co4_t2 = next__co4(co4, i);
# 10 "for_step.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 2 */ if ((co4_f = co4_abi_save(co4, co4_f, &count__func.points[2])) != 0) { if (!co4_resumed) co4_f->n = n; co4_f->seen = seen; } return 0;
# 7 "for_step.c"
co4_resume_2:; n = co4_f->n; seen = co4_f->seen; co4_t2 = *(int *)co4_abi_result_of(co4); }
# 10 "for_step.c"
i = co4_t2; } }
# 14 "for_step.c"
    return seen;
}
# 7 "for_step.c"
int count__co4(co4_fiber *co4, int n)
# 7 "for_step.c"
{ return count(co4, 0, 0, n); }
# 7 "for_step.c"
static void count__resume(co4_fiber *co4, co4_frame *co4_head) { int co4_r = count(co4, (struct count__frame *)(void *)co4_head, 1, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(int *)co4_abi_result_of(co4) = co4_r; }
static const co4_abi_site count__sites[] = {
    { 10, 6, 1 },
    { 10, 6, 5 },
};
static const unsigned short count__live[] = { 0, 3, 0, 1, 2, 2, 0, 1 };
static const co4_abi_field count__fields[] = {
    { 11, 13, 16, 4, 0, 7 },
    { 17, 13, 20, 4, 0, 9 },
    { 22, 13, 24, 4, 0, 10 },
};
static const struct { char n0[6]; char n1[5]; char n2[2]; char n3[4]; char n4[5]; char n5[2]; } count__text = { "count", "next", "n", "int", "seen", "i" };
static const co4_abi_info count__info = { "for_step.c", 7, 2, count__sites, count__fields, count__live, 3 };
static const struct count__func count__func = { { sizeof(struct count__frame), sizeof(int) | (_Alignof(struct count__frame) > 8 ? CO4_ABI_ALIGNED : 0), count__text.n0, &count__info, 0 },
    { { count__resume, 0 }, { count__resume, 1 }, { count__resume, 2 } }
};
