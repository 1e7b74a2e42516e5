# 1 "blocking.c"
/* blocking - an ordinary call on another thread: a frame with the arguments, and a suspension point. */
# 3 "blocking.c"
int look_up(const char *name, long *out);
struct look_up__job { /* a call of look_up() by another thread */
    co4_frame head;
    co4_abi_job job;
    const char *co4_a1;
    long *co4_a2;
    int co4_value;
};
# 4 "blocking.c"
static void look_up__job_call(void *co4_p) { struct look_up__job *co4_j = (struct look_up__job *)co4_p; co4_j->co4_value = look_up(co4_j->co4_a1, co4_j->co4_a2); }
static void look_up__job_resume(co4_fiber *co4, co4_frame *co4_head) { *(int *)co4_abi_result_of(co4) = ((struct look_up__job *)(void *)co4_head)->co4_value; co4_abi_frame_drop(co4, co4_head); }
struct look_up__job_func { co4_abi_func func; co4_abi_point points[2]; };
static const struct look_up__job_func look_up__job_func;
static const struct look_up__job_func look_up__job_func = { { sizeof(struct look_up__job), CO4_ABI_MADE | sizeof(int) | (_Alignof(struct look_up__job) > 8 ? CO4_ABI_ALIGNED : 0), "look_up", 0, 0 }, { { look_up__job_resume, 0 }, { look_up__job_resume, 1 } } };
# 4 "blocking.c"
static int look_up__blocking(co4_fiber *co4, const char *co4_a1, long *co4_a2) { struct look_up__job *co4_j = (struct look_up__job *)co4_abi_frame_take(co4, &look_up__job_func.func); if (co4_j == 0) return 0; co4_j->co4_a1 = co4_a1; co4_j->co4_a2 = co4_a2; if (co4_abi_blocking(co4, &co4_j->job, look_up__job_call, co4_j)) { co4_abi_save(co4, co4_j, &look_up__job_func.points[1]); return 0; } int co4_r = co4_j->co4_value; co4_abi_frame_drop(co4, co4_j); return co4_r; }
# 6 "blocking.c"
struct find__frame { /* blocking.c:6 find() */
    co4_frame head;
    long found; /* local, pinned: its address is taken */
};
_Static_assert(sizeof(struct find__frame) == 24, "co4weave: the frame of find has another size; "
               "was this text woven for another target?");
struct find__func { co4_abi_func func; co4_abi_point points[2]; };
static const struct find__func find__func;
# 6 "blocking.c"
long find__co4(co4_fiber *co4, const char *name);
# 6 "blocking.c"
static __inline__ __attribute__((always_inline)) long find(co4_fiber *co4, struct find__frame *co4_f, const int co4_resumed, const char *name)
# 7 "blocking.c"
{
# 6 "blocking.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; default: __builtin_unreachable(); }
# 8 "blocking.c"
co4_f->found = 0;
# 8 "blocking.c"
    { int co4_t1;
# 9 "blocking.c"
co4_t1 = look_up__blocking(co4, name, &co4_f->found);
# 9 "blocking.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &find__func.points[1])) != 0) { } return 0;
# 6 "blocking.c"
co4_resume_1:; co4_t1 = *(int *)co4_abi_result_of(co4); }
# 9 "blocking.c"
if (co4_t1 < 0)
        return -1; }
    return co4_f->found;
}
# 6 "blocking.c"
long find__co4(co4_fiber *co4, const char *name)
# 6 "blocking.c"
{ struct find__frame *co4_f = co4_abi_frame_take(co4, &find__func.func); if (co4_f == 0) return 0; long co4_r = find(co4, co4_f, 0, name); if (!co4_abi_pausing(co4)) co4_abi_frame_drop(co4, co4_f); return co4_r; }
# 6 "blocking.c"
static void find__resume(co4_fiber *co4, co4_frame *co4_head) { long co4_r = find(co4, (struct find__frame *)(void *)co4_head, 1, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(long *)co4_abi_result_of(co4) = co4_r; }
static const co4_abi_site find__sites[] = {
    { 9, 5, 1 },
};
static const unsigned short find__live[] = { 0, 1, 0 };
static const co4_abi_field find__fields[] = {
    { 13, 19, 16, 8, 1, 8 },
};
static const struct { char n0[5]; char n1[8]; char n2[6]; char n3[5]; } find__text = { "find", "look_up", "found", "long" };
static const co4_abi_info find__info = { "blocking.c", 6, 1, find__sites, find__fields, find__live, 1 };
static const struct find__func find__func = { { sizeof(struct find__frame), sizeof(long) | (_Alignof(struct find__frame) > 8 ? CO4_ABI_ALIGNED : 0), find__text.n0, &find__info, 0 },
    { { find__resume, 0 }, { find__resume, 1 } }
};
