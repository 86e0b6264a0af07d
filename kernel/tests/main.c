// SPDX-License-Identifier: GPL-2.0
/*
 * weft_kunit: unit tests of the module's own parts. The suites are in the files
 * beside this one.
 */
#include <linux/module.h>

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit tests for weft");
MODULE_LICENSE("GPL");
