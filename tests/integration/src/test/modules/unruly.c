/* SPDX-License-Identifier: Apache-2.0
 *
 * Does what the first letter of each payload says; everything else passes. A module of tests, good and bad by turns.
 */
#include "tamanoir.h"

static int32_t seen;
static volatile uint32_t sink;
static volatile uint32_t forever = 1;

TAMANOIR_EXPORT(tamanoir_open) int32_t tamanoir_open(void)
{
    char how[16];
    seen = tamanoir_counter(TAMANOIR_TEXT("seen"));
    return tamanoir_option(TAMANOIR_TEXT("refuse"), how, sizeof how) > 0 ? 7 : 0;
}

static uint32_t deeper(uint32_t depth)
{
    volatile uint8_t room[64];
    room[depth % sizeof room] = (uint8_t)depth;
    return forever ? deeper(depth + 1) + room[0] : 0;
}

TAMANOIR_EXPORT(tamanoir_run) int32_t tamanoir_run(int32_t direction, uint8_t *run, int32_t count)
{
    struct tamanoir_packet *packets = (struct tamanoir_packet *)run;
    (void)direction;
    for (int32_t i = 0; i < count; i++) {
        uint8_t *payload = tamanoir_payload(run, &packets[i]);
        size_t length = tamanoir_payload_length(&packets[i]);
        tamanoir_add(seen, 1);
        switch (length == 0 ? 'p' : payload[0]) {
        case 'd':
            packets[i].verdict = TAMANOIR_DROP;
            break;
        case 'u':
            for (size_t at = 0; at < length; at++)
                if (payload[at] >= 'a' && payload[at] <= 'z')
                    payload[at] -= 'a' - 'A';
            packets[i].verdict = TAMANOIR_TAKEN;
            tamanoir_emit(i, payload, length);
            break;
        case 'l':
            for (;;)
                sink++;
        case 'r':
            sink = deeper(0);
            break;
        case 't':
            __builtin_trap();
        case 'w':
            *(volatile uint8_t *)0xFFFFFFF0u = 1;
            break;
        case 'e':
            for (;;)
                tamanoir_emit(i, run, 65000);
        case 'g':
            while (__builtin_wasm_memory_grow(0, 100) != (size_t)-1)
                sink++;
            break;
        case 'f':
            return 9;
        default:
            break;
        }
    }
    return 0;
}
