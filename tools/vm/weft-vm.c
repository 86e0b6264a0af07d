// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft-vm: run a command in a User-Mode Linux with a virtual clock.
 */
#include "machine.h"
#include "options.h"
#include "relay.h"
#include "terminal.h"

int main(int argc, char **argv)
{
	struct options opt;
	struct machine m;
	int code;

	options_parse(&opt, argc, argv);
	relay_block_signals();
	machine_start(&m, &opt);
	terminal_raw();
	code = relay_run(&m, opt.timeout);
	terminal_restore();
	return code;
}
