/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_CMD_H
#define LBRCTL_CMD_H

/* One verb each. argv[0] is the verb's name; the result is the exit status.
 * Every verb answers --help on stdout with status 0. */

#endif
