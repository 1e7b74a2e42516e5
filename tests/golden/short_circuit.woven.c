# 1 "short_circuit.c"
/* short_circuit.c - points behind && and in an arm of ?:, and what was computed before them. */
# 3 "short_circuit.c"
 int ask__co4(co4_fiber *, int question);
 int decide__co4(co4_fiber *, int a, int b);
struct decide__frame { /* short_circuit.c:7 decide() */
    co4_frame head;
    int a; /* parameter */
    int b; /* parameter */
};
_Static_assert(sizeof(struct decide__frame) == 24, "co4weave: the frame of decide has another size; "
               "was this text woven for another target?");
struct decide__func { co4_abi_func func; co4_abi_point points[3]; };
static const struct decide__func decide__func;
# 7 "short_circuit.c"
int decide__co4(co4_fiber *co4, int a, int b);
# 7 "short_circuit.c"
static __inline__ __attribute__((always_inline)) int decide(co4_fiber *co4, struct decide__frame *co4_f, const int co4_resumed, int a, int b)
# 8 "short_circuit.c"
{
# 7 "short_circuit.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; case 2: goto co4_resume_2; default: __builtin_unreachable(); }
# 8 "short_circuit.c"
    { int co4_t1; int co4_t2;
# 9 "short_circuit.c"
co4_t1 = (a > 0) != 0;if (co4_t1) {
# 9 "short_circuit.c"
co4_t2 = ask__co4(co4, a);
# 9 "short_circuit.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &decide__func.points[1])) != 0) { if (!co4_resumed) co4_f->a = a; if (!co4_resumed) co4_f->b = b; } return 0;
# 7 "short_circuit.c"
co4_resume_1:; a = co4_f->a; b = co4_f->b; co4_t2 = *(int *)co4_abi_result_of(co4); }
# 9 "short_circuit.c"
co4_t1 = (co4_t2 > b) != 0; }
# 9 "short_circuit.c"
if (co4_t1)
        { int co4_t4; int co4_t3;
# 10 "short_circuit.c"
if (b) {
# 10 "short_circuit.c"
co4_t4 = ask__co4(co4, b);
# 10 "short_circuit.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 2 */ if ((co4_f = co4_abi_save(co4, co4_f, &decide__func.points[2])) != 0) { if (!co4_resumed) co4_f->a = a; } return 0;
# 7 "short_circuit.c"
co4_resume_2:; a = co4_f->a; co4_t4 = *(int *)co4_abi_result_of(co4); }
# 10 "short_circuit.c"
co4_t3 = co4_t4; } else {
# 10 "short_circuit.c"
co4_t3 = 7; }
# 10 "short_circuit.c"
return a + (co4_t3); }
# 10 "short_circuit.c"
 }
    return b;
}
# 7 "short_circuit.c"
int decide__co4(co4_fiber *co4, int a, int b)
# 7 "short_circuit.c"
{ return decide(co4, 0, 0, a, b); }
# 7 "short_circuit.c"
static void decide__resume(co4_fiber *co4, co4_frame *co4_head) { int co4_r = decide(co4, (struct decide__frame *)(void *)co4_head, 1, 0, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(int *)co4_abi_result_of(co4) = co4_r; }
static const co4_abi_site decide__sites[] = {
    { 9, 7, 1 },
    { 10, 7, 4 },
};
static const unsigned short decide__live[] = { 0, 2, 0, 1, 1, 0 };
static const co4_abi_field decide__fields[] = {
    { 11, 13, 16, 4, 0, 7 },
    { 17, 13, 20, 4, 0, 7 },
};
static const struct { char n0[7]; char n1[4]; char n2[2]; char n3[4]; char n4[2]; } decide__text = { "decide", "ask", "a", "int", "b" };
static const co4_abi_info decide__info = { "short_circuit.c", 7, 2, decide__sites, decide__fields, decide__live, 2 };
static const struct decide__func decide__func = { { sizeof(struct decide__frame), sizeof(int) | (_Alignof(struct decide__frame) > 8 ? CO4_ABI_ALIGNED : 0), decide__text.n0, &decide__info, 0 },
    { { decide__resume, 0 }, { decide__resume, 1 }, { decide__resume, 2 } }
};
