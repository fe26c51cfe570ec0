/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes in use: what a packet costs. */
#include "internal.h"

#include <errno.h>

/* Sets how many words the programs look at. */
static void set_most(struct tam *tam)
{
	uint32_t most = TAM_SHAPE_WORDS;

	while (most > 0 && tam->shape_uses[most - 1].shape == 0)
		most--;
	tam->shapes->most = most;
}

/* `leaving`: a shape that will be given back at once, so that a rule can be replaced when all are in use; 0: none. */
int tam_shape_take(struct tam *tam, uint32_t shape, uint32_t leaving)
{
	uint32_t in_use = 0;
	struct tam_shape_use *unused = NULL, *use;

	for (use = tam->shape_uses; use < tam->shape_uses + TAM_SHAPE_WORDS; use++) {
		if (use->shape == shape) {
			use->rules++;
			return 0;
		}
		if (use->shape == 0)
			unused = unused ? unused : use;
		else if (use->shape != leaving || use->rules > 1)
			in_use++;
	}
	if (!unused || in_use >= TAM_SHAPES)
		return -ENOSPC;
	unused->shape = shape;
	unused->rules = 1;
	tam->shapes->shape[unused - tam->shape_uses] = shape;
	set_most(tam);
	return 0;
}

void tam_shape_give(struct tam *tam, uint32_t shape)
{
	for (int i = 0; i < TAM_SHAPE_WORDS; i++) {
		struct tam_shape_use *use = &tam->shape_uses[i];

		if (use->shape == shape && --use->rules == 0) {
			tam->shapes->shape[i] = 0;
			use->shape = 0;
			set_most(tam);
		}
	}
}
