// SPDX-License-Identifier: GPL-2.0
/* The text that states the reason of a refused request. */
#include "base/extack.h"

void ls_extack_format(struct ls_extack *extack, const char *format, ...)
{
	va_list args;

	if (!extack)
		return;
	va_start(args, format);
	vsnprintf(extack->text, sizeof(extack->text), format, args);
	va_end(args);
	extack->ack._msg = extack->text;
}

void ls_extack_blame(struct ls_extack *extack, const struct nlattr *attr)
{
	if (extack)
		NL_SET_BAD_ATTR(&extack->ack, attr);
}
