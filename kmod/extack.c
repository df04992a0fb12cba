// SPDX-License-Identifier: GPL-2.0
/* The text that states the reason of a refused request. */
#include "extack.h"

void ls_extack_format(struct netlink_ext_ack *extack, const char *format, ...)
{
	struct extack *own;
	va_list args;

	if (!extack)
		return;
	own = container_of(extack, struct extack, ack);
	va_start(args, format);
	vsnprintf(own->text, sizeof(own->text), format, args);
	va_end(args);
	own->ack._msg = own->text;
}
