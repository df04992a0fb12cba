/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ANALYSIS_TEST_H
#define ANALYSIS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NR(array) (sizeof(array) / sizeof(*(array)))

#endif
