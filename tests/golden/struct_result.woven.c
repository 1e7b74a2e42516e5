# 1 "struct_result.c"
/* struct_result.c - a wide struct result: into a variable, a member of it, and as one's own. */
# 3 "struct_result.c"
struct record {
    char name[40];
    int size;
};
 struct record find__co4(co4_fiber *, int id);
 struct record larger__co4(co4_fiber *, int a, int b);
struct larger__frame { /* struct_result.c:12 larger() */
    co4_frame head;
    int b; /* parameter */
    struct record first; /* local */
    struct record co4_t1; /* a value kept */
    struct record co4_t2; /* a value kept */
    struct record co4_t3; /* a value kept */
};
_Static_assert(sizeof(struct larger__frame) == 200, "co4weave: the frame of larger has another size; "
               "was this text woven for another target?");
struct larger__func { co4_abi_func func; co4_abi_point points[7]; };
static const struct larger__func larger__func;
# 12 "struct_result.c"
struct record larger__co4(co4_fiber *co4, int a, int b);
# 12 "struct_result.c"
static __inline__ __attribute__((always_inline)) struct record larger(co4_fiber *co4, struct larger__frame *co4_f, const int co4_resumed, int a, int b)
# 13 "struct_result.c"
{
# 12 "struct_result.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; case 3: goto co4_resume_2; case 5: goto co4_resume_3; default: __builtin_unreachable(); }
# 13 "struct_result.c"
    struct record co4_t1;
# 14 "struct_result.c"
co4_t1 = find__co4(co4, a);
# 14 "struct_result.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &larger__func.points[1])) != 0) { if (!co4_resumed) co4_f->b = b; } return (struct record){ 0 };
# 12 "struct_result.c"
co4_resume_1:; b = co4_f->b; co4_t1 = co4_f->co4_t1; }
# 14 "struct_result.c"
struct record first = co4_t1;
# 14 "struct_result.c"
    { struct record co4_t2;
# 15 "struct_result.c"
co4_t2 = find__co4(co4, b);
# 15 "struct_result.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 2 */ if ((co4_f = co4_abi_save(co4, co4_f, &larger__func.points[3])) != 0) { if (!co4_resumed) co4_f->b = b; co4_f->first = first; } return (struct record){ 0 };
# 12 "struct_result.c"
co4_resume_2:; b = co4_f->b; first = co4_f->first; co4_t2 = co4_f->co4_t2; }
# 15 "struct_result.c"
if (co4_t2.size > first.size)
        { struct record co4_t3;
# 16 "struct_result.c"
co4_t3 = find__co4(co4, b);
# 16 "struct_result.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 3 */ if ((co4_f = co4_abi_save(co4, co4_f, &larger__func.points[5])) != 0) { } return (struct record){ 0 };
# 12 "struct_result.c"
co4_resume_3:; co4_t3 = co4_f->co4_t3; }
# 16 "struct_result.c"
return co4_t3; }
# 16 "struct_result.c"
 }
    return first;
}
# 12 "struct_result.c"
struct record larger__co4(co4_fiber *co4, int a, int b)
# 12 "struct_result.c"
{ return larger(co4, 0, 0, a, b); }
# 12 "struct_result.c"
static void larger__resume(co4_fiber *co4, co4_frame *co4_head) { const co4_frame *co4_caller = co4_head->caller; struct record co4_r = larger(co4, (struct larger__frame *)(void *)co4_head, 1, 0, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(struct record *)co4_abi_wide_result(co4_caller) = co4_r; }
static const co4_abi_site larger__sites[] = {
    { 14, 7, 1 },
    { 0, 0, 0 }, /* of its second entry */
    { 15, 7, 3 },
    { 0, 0, 0 }, /* of its second entry */
    { 16, 7, 0 },
    { 0, 0, 0 }, /* of its second entry */
};
static const unsigned short larger__live[] = { 0, 1, 0, 2, 0, 1 };
static const co4_abi_field larger__fields[] = {
    { 12, 14, 16, 4, 0, 12 },
    { 18, 24, 20, 44, 0, 14 },
    { 38, 24, 64, 44, 0, 0 },
    { 45, 24, 108, 44, 0, 0 },
    { 52, 24, 152, 44, 0, 0 },
};
static const struct { char n0[7]; char n1[5]; char n2[2]; char n3[4]; char n4[6]; char n5[14]; char n6[7]; char n7[7]; char n8[7]; } larger__text = { "larger", "find", "b", "int", "first", "struct record", "co4_t1", "co4_t2", "co4_t3" };
static const co4_abi_info larger__info = { "struct_result.c", 12, 6, larger__sites, larger__fields, larger__live, 5 };
static const struct larger__func larger__func = { { sizeof(struct larger__frame), sizeof(struct record) | (_Alignof(struct larger__frame) > 8 ? CO4_ABI_ALIGNED : 0), larger__text.n0, &larger__info, 0 },
    { { larger__resume, 0 }, { larger__resume, 1 }, { 0, 64 }, { larger__resume, 3 }, { 0, 108 }, { larger__resume, 5 }, { 0, 152 } }
};
