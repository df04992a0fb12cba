// SPDX-License-Identifier: GPL-2.0
/* The keys and what they do. */
#include "browse/help.h"

static const char *const text[] = {
	" Everywhere",
	"   ?  h  F1            help",
	"   q  Esc              back; in the table, q quits",
	"   Ctrl-C              quit",
	"   Ctrl-L              draw the screen again",
	"   Up Down PageUp PageDown Home End",
	"                       mark another line",
	" In the table and the call tree",
	"   a                   annotate: the function's instructions with their samples",
	"   i                   the summary of the report: what was recorded, missing names",
	"   c                   all calls, from the threads down",
	"   t                   choose a thread",
	"   e  Tab              choose an event; the next event",
	"   v                   choose a verdict on the stacks",
	" In the table",
	"   Enter  +            callers and callees of the function",
	"   /                   only functions with a text in their names; Esc: all",
	"   d                   only functions of this object; again, or Esc: all",
	"   S T N F O           sort by self, total, number of samples, function, object",
	"   Left Right          move the screen",
	" In the call tree",
	"   Enter  +  Space     open or close a branch",
	"   Right  Left         open it; close it, or go to the branch it belongs to",
	"   E                   open all below, branches of less than 0.5 % apart",
	"   C                   close all",
	"   f                   callers and callees of this function",
	" Columns",
	"   Self, Total         share of the samples in the function; and in its callees",
	"   +-                  95 % interval of the share before it",
	" Live",
	"   p                   pause, and go on",
};

#define HELP_LIVE	2	/* lines at the end */

size_t help_lines(bool live)
{
	return sizeof(text) / sizeof(text[0]) - (live ? 0 : HELP_LIVE);
}

const char *help_line(size_t i)
{
	return text[i];
}
