/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_OWN_H
#define LBRSCOPE_OWN_H

int ls_own_claim(void);
void ls_own_release(void);

#endif
