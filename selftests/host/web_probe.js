// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the page has put things, in pixels of the window, as JSON: for a test
 * that looks at a picture of it.
 */
'use strict';

(() => {
	const box = o => {
		const r = o.getBoundingClientRect();

		return [r.left, r.top, r.right, r.bottom];
	};
	const all = (selector, what) =>
		[...document.querySelectorAll(selector)].map(what);
	const point = path => {
		const at = path.getPointAtLength(path.getTotalLength() / 4)
			.matrixTransform(path.getScreenCTM());

		return [at.x, at.y];
	};

	return JSON.stringify({
		size: [innerWidth, innerHeight],
		wires: all('.wire[data-from]', o => ({
			from: o.dataset.from, at: point(o) })),
		faults: all('rect.fault', o => ({
			id: Number(o.dataset.id), box: box(o) })),
		labels: all('text.what', box),
		timeline: box(document.getElementById('timeline')),
		span: ['from', 'to'].map(end => Number(
			document.getElementById('timeline').dataset[end])),
		panels: all('header, #topology, #wires, #port, #line', box),
		boxes: all('.node, .switch', o => ({
			name: o.dataset.name, box: box(o.querySelector('rect')),
			text: box(o.querySelector('text')) })),
		plots: all('figure', box),
		bar: all('#line .bar > *, header > *', box)
			.filter(([x, , right]) => right > x),
	});
})();
