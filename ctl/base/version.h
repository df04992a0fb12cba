/* SPDX-License-Identifier: GPL-2.0 */
/* The version of the tool, and who gets its reports. */
#ifndef LBRCTL_BASE_VERSION_H
#define LBRCTL_BASE_VERSION_H

/* As packaging/version prints it: that of the release, and the commit if it is another one. */
extern const char version_text[];

/* The address or URL for reports of this build. The builder sets it (make CONTACT=ADDRESS). Without
 * an address it is "whoever gave you lbrscope". */
extern const char version_contact[];

#endif
