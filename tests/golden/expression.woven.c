# 1 "expression.c"
/* expression.c - suspension points inside an expression, taken out left to right. */
# 3 "expression.c"
 int ask__co4(co4_fiber *, int n);
int plain(int n);
 int work__co4(co4_fiber *, int n);
struct work__frame { /* expression.c:8 work() */
    co4_frame head;
    int n; /* parameter */
    int co4_t3; /* a value kept */
};
_Static_assert(sizeof(struct work__frame) == 24, "co4weave: the frame of work has another size; "
               "was this text woven for another target?");
struct work__func { co4_abi_func func; co4_abi_point points[4]; };
static const struct work__func work__func;
# 8 "expression.c"
int work__co4(co4_fiber *co4, int n);
# 8 "expression.c"
static __inline__ __attribute__((always_inline)) int work(co4_fiber *co4, struct work__frame *co4_f, const int co4_resumed, int n)
# 9 "expression.c"
{
# 8 "expression.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; case 2: goto co4_resume_2; case 3: goto co4_resume_3; default: __builtin_unreachable(); }
# 9 "expression.c"
    { int co4_t1; int co4_t2;
# 10 "expression.c"
co4_t1 = (plain(n)) != 0;if (co4_t1) {
# 10 "expression.c"
co4_t2 = ask__co4(co4, n + 1);
# 10 "expression.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &work__func.points[1])) != 0) { if (!co4_resumed) co4_f->n = n; } return 0;
# 8 "expression.c"
co4_resume_1:; n = co4_f->n; co4_t2 = *(int *)co4_abi_result_of(co4); }
# 10 "expression.c"
co4_t1 = (co4_t2 > 2) != 0; }
# 10 "expression.c"
if (co4_t1)
        { int co4_t3; int co4_t4;
# 11 "expression.c"
co4_t3 = plain(1);
# 11 "expression.c"
co4_t4 = ask__co4(co4, 2);
# 11 "expression.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 2 */ if ((co4_f = co4_abi_save(co4, co4_f, &work__func.points[2])) != 0) { co4_f->co4_t3 = co4_t3; } return 0;
# 8 "expression.c"
co4_resume_2:; co4_t3 = co4_f->co4_t3; co4_t4 = *(int *)co4_abi_result_of(co4); }
# 11 "expression.c"
return co4_t3 + co4_t4 * plain(3); }
# 11 "expression.c"
 }
    { int co4_t6; int co4_t5;
# 12 "expression.c"
if (n > 0) {
# 12 "expression.c"
co4_t6 = ask__co4(co4, n);
# 12 "expression.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 3 */ if ((co4_f = co4_abi_save(co4, co4_f, &work__func.points[3])) != 0) { } return 0;
# 8 "expression.c"
co4_resume_3:; co4_t6 = *(int *)co4_abi_result_of(co4); }
# 12 "expression.c"
co4_t5 = co4_t6; } else {
# 12 "expression.c"
co4_t5 = -1; }
# 12 "expression.c"
return co4_t5; }
# 12 "expression.c"
}
# 8 "expression.c"
int work__co4(co4_fiber *co4, int n)
# 8 "expression.c"
{ return work(co4, 0, 0, n); }
# 8 "expression.c"
static void work__resume(co4_fiber *co4, co4_frame *co4_head) { int co4_r = work(co4, (struct work__frame *)(void *)co4_head, 1, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(int *)co4_abi_result_of(co4) = co4_r; }
static const co4_abi_site work__sites[] = {
    { 10, 5, 1 },
    { 11, 5, 3 },
    { 12, 5, 0 },
};
static const unsigned short work__live[] = { 0, 1, 0, 1, 1 };
static const co4_abi_field work__fields[] = {
    { 9, 11, 16, 4, 0, 8 },
    { 15, 11, 20, 4, 0, 0 },
};
static const struct { char n0[5]; char n1[4]; char n2[2]; char n3[4]; char n4[7]; } work__text = { "work", "ask", "n", "int", "co4_t3" };
static const co4_abi_info work__info = { "expression.c", 8, 3, work__sites, work__fields, work__live, 2 };
static const struct work__func work__func = { { sizeof(struct work__frame), sizeof(int) | (_Alignof(struct work__frame) > 8 ? CO4_ABI_ALIGNED : 0), work__text.n0, &work__info, 0 },
    { { work__resume, 0 }, { work__resume, 1 }, { work__resume, 2 }, { work__resume, 3 } }
};
