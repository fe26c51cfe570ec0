/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences for people. */
#include "internal.h"

#include <stdio.h>

void tam_say(char *message, size_t size, const char *format, ...)
{
	va_list values;

	if (!message || size == 0)
		return;
	va_start(values, format);
	vsnprintf(message, size, format, values);
	va_end(values);
}
