// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of the phases that the report tells of.
 */
'use strict';

/* box: the element; phases: of the report; since: start of the run; seek(t): one was chosen */
weft.phases = (box, phases, since, seek) => {
	const columns = [
		['Phase', p => p.name + (p.open ? ' …' : '')],
		['Begin', p => weft.format.time(p.begin_ps - since, 6)],
		['Time', p => weft.format.time(p.time_ps, 6)],
		['Bytes', p => weft.format.bytes(p.bytes)],
		['Busbw', p => `${weft.format.bytes(p.busbw_bytes_per_s)}/s`],
		['Load', p => weft.format.share(p.busiest ?
			p.busiest.utilisation : 0)],
		['Held', p => weft.format.time(p.wait_ps)],
		['p50', p => weft.format.time(p.latency.p50_ps)],
		['p99', p => weft.format.time(p.latency.p99_ps)],
		['Lost', p => weft.format.count(p.dropped)],
	];
	const row = p => {
		const o = weft.element('tr', { tabIndex: 0 },
			...columns.map(([, text]) => weft.element('td',
				{ textContent: text(p) })));

		o.addEventListener('click', () => seek(p.begin_ps - since));
		o.addEventListener('keydown', e => {
			if (e.key === 'Enter')
				seek(p.begin_ps - since);
		});
		return o;
	};

	box.hidden = !phases.length;
	box.querySelector('summary').textContent =
		`${phases.length} phase${phases.length === 1 ? '' : 's'}`;
	box.querySelector('thead tr').replaceChildren(...columns.map(
		([title]) => weft.element('th', { textContent: title })));
	box.querySelector('tbody').replaceChildren(...phases.map(row));
};
