/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rtnl kind "weft": creation and deletion of NICs.
 */
#ifndef WEFT_RTNL_H
#define WEFT_RTNL_H

int weft_rtnl_init(void);
void weft_rtnl_exit(void);

#endif
