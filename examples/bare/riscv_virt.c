/* riscv_virt.c - qemu's RISC-V board, 32 bits: a timer, one UART, an end. The light is a variable.
 *
 * There is no C library in it beyond memcpy and memset: this file is all that runs before main. */
#include "board.h"

#include <stdint.h>

#define BYTE(address) (*(volatile uint8_t *)(address))
#define WORD(address) (*(volatile uint32_t *)(address))
#define UART          0x10000000u
#define UART_DATA     BYTE(UART)
#define UART_STATE    BYTE(UART + 5) /* 1: has received; 0x20: can send */
#define TIME_LOW      WORD(0x0200bff8)
#define TIME_HIGH     WORD(0x0200bffc)
#define ALARM_LOW     WORD(0x02004000)
#define ALARM_HIGH    WORD(0x02004004)
#define END           WORD(0x00100000)
#define TICKS_A_MS    10000u
#define ALARM_ENABLED 0x80u

static unsigned changes;

static uint64_t now(void)
{
    for (;;) { /* the halves of one moment */
        uint32_t high = TIME_HIGH, low = TIME_LOW;
        if (high == TIME_HIGH)
            return (uint64_t)high << 32 | low;
    }
}

void board_start(void)
{
    /* It ends a wfi; nothing is called. */
    __asm volatile(".option push\n.option arch, +zicsr\ncsrs mie, %0\n.option pop"
                   :
                   : "r"(ALARM_ENABLED));
}

long long board_ticks(void)
{
    return (long long)(now() / TICKS_A_MS);
}

void board_light(bool on)
{
    static volatile bool light;
    changes += light != on;
    light = on;
}

unsigned board_light_changes(void)
{
    return changes;
}

/* There is none: a slow triangle. */
int board_sensor(void)
{
    static int at;
    at = (at + 7) % 200;
    return 2000 + (at < 100 ? at : 200 - at);
}

void board_print(const char *text)
{
    for (; *text; text++) {
        while (!(UART_STATE & 0x20))
            ;
        UART_DATA = (uint8_t)*text;
    }
}

int board_key(void)
{
    return UART_STATE & 1 ? UART_DATA : -1;
}

void board_wait(void)
{
    uint64_t then = now() + TICKS_A_MS;
    ALARM_HIGH = UINT32_MAX;
    ALARM_LOW = (uint32_t)then;
    ALARM_HIGH = (uint32_t)(then >> 32);
    __asm volatile("wfi");
}

void board_exit(int status)
{
    END = status == 0 ? 0x5555 : (uint32_t)status << 16 | 0x3333;
    for (;;)
        ;
}

/* ---- the start ---- */

extern uint32_t bss_begin[], bss_end[];
int main(void);

__attribute__((used, noreturn)) static void on_reset(void)
{
    for (uint32_t *to = bss_begin; to < bss_end; to++)
        *to = 0;
    board_exit(main());
    for (;;)
        ;
}

__asm(".section .vectors, \"ax\"\n"
      "la sp, stack_end\n"
      "j on_reset\n"
      ".text\n");
