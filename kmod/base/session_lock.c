// SPDX-License-Identifier: GPL-2.0
/* The lock of the running session. */
#include "base/session_lock.h"

DEFINE_MUTEX(ls_session_lock);
