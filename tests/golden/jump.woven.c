# 1 "jump.c"
/* jump.c - a longjmp to a setjmp whose function has paused since. */
# 3 "jump.c"
/* In place of <setjmp.h>, whose macro compilers expand with other line markers. */
typedef long jmp_buf[32];
int setjmp(jmp_buf here);
_Noreturn void longjmp(jmp_buf there, int value);
static jmp_buf failed;
struct part__frame { /* jump.c:11 part() */
    co4_frame head;
    int n; /* parameter */
};
_Static_assert(sizeof(struct part__frame) == 24, "co4weave: the frame of part has another size; "
               "was this text woven for another target?");
struct part__func { co4_abi_func func; co4_abi_point points[3]; };
static const struct part__func part__func;
# 11 "jump.c"
static int part__co4(co4_fiber *co4, int n);
# 11 "jump.c"
static __inline__ __attribute__((always_inline)) int part(co4_fiber *co4, struct part__frame *co4_f, const int co4_resumed, int n)
# 12 "jump.c"
{
# 11 "jump.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; case 2: goto co4_resume_2; default: __builtin_unreachable(); }
# 12 "jump.c"
    { int co4_t1;
# 13 "jump.c"
co4_t1 = co4_yield__co4(co4);
# 13 "jump.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &part__func.points[1])) != 0) { if (!co4_resumed) co4_f->n = n; } return 0;
# 11 "jump.c"
co4_resume_1:; n = co4_f->n; co4_t1 = *(int *)co4_abi_result_of(co4); }
# 13 "jump.c"
if (co4_t1 != 0)
        {
# 14 "jump.c"
{ void *co4_to = (void *)(failed); int co4_value = n; co4_to = co4_abi_jump(co4, co4_to, co4_value); if (co4_to != 0) longjmp(co4_to, co4_value); }
# 14 "jump.c"
if (__builtin_expect(1, 0)) { /* point 2 */ if ((co4_f = co4_abi_save(co4, co4_f, &part__func.points[2])) != 0) { } return 0;
# 11 "jump.c"
co4_resume_2:; __builtin_unreachable(); }
# 14 "jump.c"
 }
# 14 "jump.c"
 }
    return n;
}
# 11 "jump.c"
static int part__co4(co4_fiber *co4, int n)
# 11 "jump.c"
{ return part(co4, 0, 0, n); }
# 11 "jump.c"
static void part__resume(co4_fiber *co4, co4_frame *co4_head) { int co4_r = part(co4, (struct part__frame *)(void *)co4_head, 1, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(int *)co4_abi_result_of(co4) = co4_r; }
static const co4_abi_site part__sites[] = {
    { 13, 5, 1 },
    { 14, 15, 0 },
};
static const unsigned short part__live[] = { 0, 1, 0 };
static const co4_abi_field part__fields[] = {
    { 23, 25, 16, 4, 0, 11 },
};
static const struct { char n0[5]; char n1[10]; char n2[8]; char n3[2]; char n4[4]; } part__text = { "part", "co4_yield", "longjmp", "n", "int" };
static const co4_abi_info part__info = { "jump.c", 11, 2, part__sites, part__fields, part__live, 1 };
static const struct part__func part__func = { { sizeof(struct part__frame), sizeof(int) | (_Alignof(struct part__frame) > 8 ? CO4_ABI_ALIGNED : 0), part__text.n0, &part__info, 0 },
    { { part__resume, 0 }, { part__resume, 1 }, { part__resume, 2 } }
};
# 16 "jump.c"
 int whole__co4(co4_fiber *, int n);
struct whole__frame { /* jump.c:20 whole() */
    co4_frame head;
    struct co4_abi_jumps co4_jumps; /* a value kept, pinned: for jumps to a setjmp */
    jmp_buf co4_real; /* a value kept, pinned: for jumps to a setjmp */
    int n; /* parameter */
};
_Static_assert(sizeof(struct whole__frame) == 344, "co4weave: the frame of whole has another size; "
               "was this text woven for another target?");
struct whole__func { co4_abi_func func; co4_abi_point points[3]; };
static const struct whole__func whole__func;
# 20 "jump.c"
int whole__co4(co4_fiber *co4, int n);
# 20 "jump.c"
static __attribute__((noinline)) int whole(co4_fiber *co4, struct whole__frame *co4_f, const int co4_resumed, int n)
# 21 "jump.c"
{
# 20 "jump.c"
int co4_value = setjmp(co4_f->co4_real); if (co4_value != 0) { co4_f = co4_abi_jumps_landed(co4_value); goto co4_land; } co4_abi_jumps_enter(co4, &co4_f->head, &co4_f->co4_jumps, &co4_f->co4_real, __builtin_frame_address(0), co4_resumed); if (co4_resumed) { co4_land:; n = co4_f->n; switch (co4_f->head.at->id) { case 1: goto co4_resume_1; case 2: goto co4_resume_2; default: __builtin_unreachable(); } }
# 21 "jump.c"
    { int co4_t1;
# 22 "jump.c"
{ void *co4_to = (void *)(failed); int co4_value = setjmp(co4_to); if (co4_value != 0) { co4_f = co4_abi_jumps_arrived(__builtin_frame_address(0), co4_value, &whole__func.points[1]); goto co4_land; } co4_f->n = n; co4_abi_jumps_set(co4, &co4_f->co4_jumps, co4_to, &whole__func.points[1]); } co4_t1 = 0;
# 22 "jump.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if (co4_abi_jumps_here(co4, &co4_f->co4_jumps)) goto co4_land; if ((co4_f = co4_abi_save_by_call(co4, co4_f, &whole__func.points[1])) != 0) { co4_f->n = n; } return 0;
# 20 "jump.c"
co4_resume_1:; co4_t1 = *(int *)co4_abi_result_of(co4); }
# 22 "jump.c"
if (co4_t1 != 0)
        return -n; }
    { int co4_t2;
# 24 "jump.c"
co4_t2 = part__co4(co4, n);
# 24 "jump.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 2 */ if (co4_abi_jumps_here(co4, &co4_f->co4_jumps)) goto co4_land; if ((co4_f = co4_abi_save_by_call(co4, co4_f, &whole__func.points[2])) != 0) { co4_f->n = n; } return 0;
# 20 "jump.c"
co4_resume_2:; co4_t2 = *(int *)co4_abi_result_of(co4); }
# 24 "jump.c"
return co4_t2; }
# 24 "jump.c"
}
# 20 "jump.c"
int whole__co4(co4_fiber *co4, int n)
# 20 "jump.c"
{ struct whole__frame *co4_f = co4_abi_frame_take(co4, &whole__func.func); if (co4_f == 0) return 0; int co4_r = whole(co4, co4_f, 0, n); if (!co4_abi_pausing(co4)) { co4_abi_jumps_end(&co4_f->co4_jumps); co4_abi_frame_drop(co4, co4_f); } return co4_r; }
# 20 "jump.c"
static void whole__resume(co4_fiber *co4, co4_frame *co4_head) { int co4_r = whole(co4, (struct whole__frame *)(void *)co4_head, 1, 0); if (co4_abi_pausing(co4)) return; co4_abi_jumps_end(&((struct whole__frame *)(void *)co4_head)->co4_jumps); co4_abi_frame_drop(co4, co4_head); *(int *)co4_abi_result_of(co4) = co4_r; }
static void whole__unwind(co4_frame *co4_head) { struct whole__frame *co4_f = (struct whole__frame *)(void *)co4_head; switch (co4_f->head.at->id) { case 1: break; case 2: break; } co4_abi_jumps_end(&co4_f->co4_jumps); }
static const co4_abi_site whole__sites[] = {
    { 22, 6, 1 },
    { 24, 13, 1 },
};
static const unsigned short whole__live[] = { 0, 3, 0, 1, 2 };
static const co4_abi_field whole__fields[] = {
    { 18, 28, 16, 64, 1, 0 },
    { 49, 58, 80, 256, 1, 0 },
    { 66, 68, 336, 4, 0, 20 },
};
static const struct { char n0[6]; char n1[7]; char n2[5]; char n3[10]; char n4[21]; char n5[9]; char n6[8]; char n7[2]; char n8[4]; } whole__text = { "whole", "setjmp", "part", "co4_jumps", "struct co4_abi_jumps", "co4_real", "jmp_buf", "n", "int" };
static const co4_abi_info whole__info = { "jump.c", 20, 2, whole__sites, whole__fields, whole__live, 3 };
static const struct whole__func whole__func = { { sizeof(struct whole__frame), sizeof(int) | (_Alignof(struct whole__frame) > 8 ? CO4_ABI_ALIGNED : 0), whole__text.n0, &whole__info, whole__unwind },
    { { whole__resume, 0 }, { whole__resume, 1 }, { whole__resume, 2 } }
};
