/* SPDX-License-Identifier: GPL-2.0 */
/* The version of the tool. */
#ifndef LBRCTL_BASE_VERSION_H
#define LBRCTL_BASE_VERSION_H

/* The Makefile defines it from PACKAGE_VERSION in dkms.conf, which alone has the version. */
#ifndef LBRCTL_VERSION
#error "compile with -DLBRCTL_VERSION=..., as ctl/Makefile does"
#endif

#endif
