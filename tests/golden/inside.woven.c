# 1 "inside.c"
/* inside.c - a function of the library whose direct entry is counted. */
# 3 "inside.c"
static inline void co4_abi_enter(void) {}
static inline void co4_abi_leave(void) {}
struct two_steps__frame { /* inside.c:7 two_steps() */
    co4_frame head;
    int n; /* parameter */
};
_Static_assert(sizeof(struct two_steps__frame) == 24, "co4weave: the frame of two_steps has another size; "
               "was this text woven for another target?");
struct two_steps__func { co4_abi_func func; co4_abi_point points[2]; };
static const struct two_steps__func two_steps__func;
# 7 "inside.c"
__attribute__((annotate("co4_abi_inside"))) int two_steps__co4(co4_fiber *co4, int n);
# 7 "inside.c"
static __inline__ __attribute__((always_inline)) __attribute__((annotate("co4_abi_inside"))) int two_steps(co4_fiber *co4, struct two_steps__frame *co4_f, const int co4_resumed, int n)
# 8 "inside.c"
{
# 7 "inside.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; default: __builtin_unreachable(); }
# 8 "inside.c"
    {
# 9 "inside.c"
co4_yield__co4(co4);
# 9 "inside.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &two_steps__func.points[1])) != 0) { if (!co4_resumed) co4_f->n = n; } return 0;
# 7 "inside.c"
co4_resume_1:; n = co4_f->n; }
# 9 "inside.c"
 }
# 9 "inside.c"
    return n + 1;
}
# 7 "inside.c"
__attribute__((annotate("co4_abi_inside"))) int two_steps__co4(co4_fiber *co4, int n)
# 7 "inside.c"
{ co4_abi_enter(); int co4_r = two_steps(co4, 0, 0, n); co4_abi_leave(); return co4_r; }
# 7 "inside.c"
static void two_steps__resume(co4_fiber *co4, co4_frame *co4_head) { int co4_r = two_steps(co4, (struct two_steps__frame *)(void *)co4_head, 1, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(int *)co4_abi_result_of(co4) = co4_r; }
static const co4_abi_site two_steps__sites[] = {
    { 9, 10, 1 },
};
static const unsigned short two_steps__live[] = { 0, 1, 0 };
static const co4_abi_field two_steps__fields[] = {
    { 20, 22, 16, 4, 0, 7 },
};
static const struct { char n0[10]; char n1[10]; char n2[2]; char n3[4]; } two_steps__text = { "two_steps", "co4_yield", "n", "int" };
static const co4_abi_info two_steps__info = { "inside.c", 7, 1, two_steps__sites, two_steps__fields, two_steps__live, 1 };
static const struct two_steps__func two_steps__func = { { sizeof(struct two_steps__frame), sizeof(int) | (_Alignof(struct two_steps__frame) > 8 ? CO4_ABI_ALIGNED : 0), two_steps__text.n0, &two_steps__info, 0 },
    { { two_steps__resume, 0 }, { two_steps__resume, 1 } }
};
# 11 "inside.c"
struct one_step__frame { /* inside.c:13 one_step() */
    co4_frame head;
};
_Static_assert(sizeof(struct one_step__frame) == 16, "co4weave: the frame of one_step has another size; "
               "was this text woven for another target?");
struct one_step__func { co4_abi_func func; co4_abi_point points[2]; };
static const struct one_step__func one_step__func;
# 13 "inside.c"
__attribute__((annotate("co4_abi_inside"))) void one_step__co4(co4_fiber *co4);
# 13 "inside.c"
static __inline__ __attribute__((always_inline)) __attribute__((annotate("co4_abi_inside"))) void one_step(co4_fiber *co4, struct one_step__frame *co4_f, const int co4_resumed)
# 14 "inside.c"
{
# 13 "inside.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; default: __builtin_unreachable(); }
# 14 "inside.c"
    {
# 15 "inside.c"
co4_yield__co4(co4);
# 15 "inside.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &one_step__func.points[1])) != 0) { } return;
# 13 "inside.c"
co4_resume_1:; }
# 15 "inside.c"
 }
# 15 "inside.c"
}
# 13 "inside.c"
__attribute__((annotate("co4_abi_inside"))) void one_step__co4(co4_fiber *co4)
# 13 "inside.c"
{ co4_abi_enter(); one_step(co4, 0, 0); co4_abi_leave(); }
# 13 "inside.c"
static void one_step__resume(co4_fiber *co4, co4_frame *co4_head) { one_step(co4, (struct one_step__frame *)(void *)co4_head, 1); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); }
static const co4_abi_site one_step__sites[] = {
    { 15, 9, 0 },
};
static const unsigned short one_step__live[] = { 0 };
static const struct { char n0[9]; char n1[10]; } one_step__text = { "one_step", "co4_yield" };
static const co4_abi_info one_step__info = { "inside.c", 13, 1, one_step__sites, 0, one_step__live, 0 };
static const struct one_step__func one_step__func = { { sizeof(struct one_step__frame), (_Alignof(struct one_step__frame) > 8 ? CO4_ABI_ALIGNED : 0), one_step__text.n0, &one_step__info, 0 },
    { { one_step__resume, 0 }, { one_step__resume, 1 } }
};
