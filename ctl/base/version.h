/* SPDX-License-Identifier: GPL-2.0 */
/* The version of the tool. */
#ifndef LBRCTL_BASE_VERSION_H
#define LBRCTL_BASE_VERSION_H

/* The version of the package: PACKAGE_VERSION in dkms.conf. */
#define LBRCTL_VERSION "0.1"

#endif
