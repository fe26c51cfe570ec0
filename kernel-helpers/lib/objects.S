/* SPDX-License-Identifier: Apache-2.0 */
/* The BPF objects, carried inside the library. */
	.section .rodata
.macro object name, file
	.global tam_\name\()_start
	.hidden tam_\name\()_start
	.global tam_\name\()_end
	.hidden tam_\name\()_end
	.balign 8
tam_\name\()_start:
	.incbin "\file"
tam_\name\()_end:
.endm

	object light, "light.bpf.o"
	object passing, "passing.bpf.o"
	object refuse, "refuse.bpf.o"
	object tune, "tune.bpf.o"

	.section .note.GNU-stack,"",%progbits
