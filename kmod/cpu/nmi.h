/* SPDX-License-Identifier: GPL-2.0 */
/* The overflow interrupt. */
#ifndef LBRSCOPE_NMI_H
#define LBRSCOPE_NMI_H

int ls_nmi_init(void);
void ls_nmi_exit(void);

#endif
