// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the run comes from: out of the page itself, or from weftd.
 */
'use strict';

weft.live = (() => {
	const period = 1000;
	let lab = null, seen = null;

	async function ask(path) {
		const reply = await fetch(path, { cache: 'no-store' });

		if (reply.status === 401 || reply.status === 403)
			throw new Error('weftd does not know this browser: `weft web` prints the address that it does');
		if (!reply.ok)
			throw Object.assign(
				new Error(`weftd answers ${reply.status}`),
				{ status: reply.status });
		return reply.json();
	}

	/* The labs to choose from; names only, whatever else is told of them. */
	function offer(labs) {
		const select = document.getElementById('labs');
		const names = labs.map(o => o.name || o.lab || o);

		if (!names.includes(lab))
			lab = names[0] || null;
		select.hidden = names.length < 2;
		if (names.join() === [...select.options].map(o => o.value).join())
			return;
		select.replaceChildren(...names.map(name => weft.element('option', {
			value: name, textContent: name, selected: name === lab })));
	}

	async function look() {
		const reply = await ask('/api/labs');

		offer(Array.isArray(reply) ? reply : reply.labs || []);
		if (!lab) {
			weft.app.message(seen ? `Lab ${seen} is gone; this is what it was last.` :
				'No lab is up: `weft up TOPOLOGY` brings one up.');
			return;
		}
		const file = await ask(`/api/labs/${encodeURIComponent(lab)}/run`);

		weft.app.take(file);
		seen = lab;
		weft.app.message('');
	}

	async function go() {
		try {
			await look();
		} catch (e) {
			weft.app.message(e instanceof TypeError ?
				'weftd does not answer; this page keeps asking.' :
				`${e.message}.`, true);
		}
		setTimeout(go, period);
	}

	function start() {
		const inside = document.getElementById('run');

		weft.app.wire();
		weft.app.set(!inside);
		if (inside) {
			weft.app.take(JSON.parse(inside.textContent));
			return;
		}
		lab = new URLSearchParams(location.search).get('lab');
		document.getElementById('labs').addEventListener('change', e => {
			lab = e.target.value;
		});
		weft.app.message('Asking weftd …');
		go();
	}

	return { start };
})();

weft.live.start();
