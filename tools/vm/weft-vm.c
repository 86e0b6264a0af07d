// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft-vm: run a command in a User-Mode Linux with a virtual clock.
 */
#include "forward.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
#include "relay.h"
#include "terminal.h"

int main(int argc, char **argv)
{
	struct options opt;
	struct forward forward;
	struct machine m;
	int code;

	options_parse(&opt, argc, argv);
	relay_block_signals();
	forward_listen(&forward, opt.port);
	progress_start(&opt);
	machine_start(&m, &opt);
	forward_start(&forward, &m);
	terminal_raw();
	code = relay_run(&m, &forward, opt.timeout);
	terminal_restore();
	return code;
}
