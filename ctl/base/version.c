// SPDX-License-Identifier: GPL-2.0
/* The version of the tool, and who gets its reports. The Makefile defines both for this file. */
#include "base/version.h"

const char version_text[] = LBRCTL_VERSION;

const char version_contact[] = LBRCTL_CONTACT;
