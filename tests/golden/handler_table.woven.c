# 1 "handler_table.c"
/* handler_table.c - a table of pausable functions, marked by a typedef, and a call through it. */
# 3 "handler_table.c"
struct request {
    unsigned kind;
    const char *path;
};
typedef  int handler(co4_fiber *, struct request *);
handler serve_file__co4, serve_list__co4;
 int serve__co4(co4_fiber *, struct request *r);
static handler *const table[] = { serve_file__co4, serve_list__co4 };
struct serve__frame { /* handler_table.c:15 serve() */
    co4_frame head;
    struct request *r; /* parameter */
};
_Static_assert(sizeof(struct serve__frame) == 24, "co4weave: the frame of serve has another size; "
               "was this text woven for another target?");
struct serve__func { co4_abi_func func; co4_abi_point points[3]; };
static const struct serve__func serve__func;
# 15 "handler_table.c"
int serve__co4(co4_fiber *co4, struct request *r);
# 15 "handler_table.c"
static __inline__ __attribute__((always_inline)) int serve(co4_fiber *co4, struct serve__frame *co4_f, const int co4_resumed, struct request *r)
# 16 "handler_table.c"
{
# 15 "handler_table.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; case 2: goto co4_resume_2; default: __builtin_unreachable(); }
# 16 "handler_table.c"
    int co4_t1;
# 17 "handler_table.c"
co4_t1 = table[r->kind % 2](co4, r);
# 17 "handler_table.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &serve__func.points[1])) != 0) { if (!co4_resumed) co4_f->r = r; } return 0;
# 15 "handler_table.c"
co4_resume_1:; r = co4_f->r; co4_t1 = *(int *)co4_abi_result_of(co4); }
# 17 "handler_table.c"
int result = co4_t1;
# 17 "handler_table.c"
    { int co4_t2; int co4_t3;
# 18 "handler_table.c"
if (result != 0) {
# 18 "handler_table.c"
co4_t2 = result; } else {
# 18 "handler_table.c"
co4_t3 = table[0](co4, r);
# 18 "handler_table.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 2 */ if ((co4_f = co4_abi_save(co4, co4_f, &serve__func.points[2])) != 0) { } return 0;
# 15 "handler_table.c"
co4_resume_2:; co4_t3 = *(int *)co4_abi_result_of(co4); }
# 18 "handler_table.c"
co4_t2 = co4_t3; }
# 18 "handler_table.c"
return co4_t2; }
# 18 "handler_table.c"
}
# 15 "handler_table.c"
int serve__co4(co4_fiber *co4, struct request *r)
# 15 "handler_table.c"
{ return serve(co4, 0, 0, r); }
# 15 "handler_table.c"
static void serve__resume(co4_fiber *co4, co4_frame *co4_head) { int co4_r = serve(co4, (struct serve__frame *)(void *)co4_head, 1, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(int *)co4_abi_result_of(co4) = co4_r; }
static const co4_abi_site serve__sites[] = {
    { 17, 6, 1 },
    { 18, 25, 0 },
};
static const unsigned short serve__live[] = { 0, 1, 0 };
static const co4_abi_field serve__fields[] = {
    { 34, 36, 16, 8, 0, 15 },
};
static const struct { char n0[6]; char n1[19]; char n2[9]; char n3[2]; char n4[17]; } serve__text = { "serve", "table[r->kind % 2]", "table[0]", "r", "struct request *" };
static const co4_abi_info serve__info = { "handler_table.c", 15, 2, serve__sites, serve__fields, serve__live, 1 };
static const struct serve__func serve__func = { { sizeof(struct serve__frame), sizeof(int) | (_Alignof(struct serve__frame) > 8 ? CO4_ABI_ALIGNED : 0), serve__text.n0, &serve__info, 0 },
    { { serve__resume, 0 }, { serve__resume, 1 }, { serve__resume, 2 } }
};
