// SPDX-License-Identifier: GPL-2.0
/*
 * mark N: opens and closes window N of the lab's meter, which separates the parts of its file.
 * The window contains only the compiler's instructions.
 */
#include <stdlib.h>

#include "../../lab/guest/meter.h"

int main(int argc, char **argv)
{
	unsigned int number = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

	meter_open(number);
	meter_close(number);
	return 0;
}
