// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the run comes from: out of the page itself, or from weftd.
 */
'use strict';

weft.live = (() => {
	const period = 1000;
	let token = null, lab = null, seen = null, file = null;

	/*
	 * `weft web` prints an address with #token=: browsers send no server
	 * what is behind a #, and only pages of this port find it in the
	 * session of this tab. The address is clean of it.
	 */
	function takeToken() {
		const words = new URLSearchParams(location.hash.slice(1));

		if (words.has('token')) {
			sessionStorage.setItem('weft_token', words.get('token'));
			words.delete('token');
			history.replaceState(null, '', `#${words}`);
		}
		token = sessionStorage.getItem('weft_token');
	}

	async function ask(path, method = 'GET') {
		const reply = await fetch(path, {
			method, cache: 'no-store', credentials: 'omit',
			headers: { Authorization: `Bearer ${token}` },
		});

		if (reply.status === 401 || reply.status === 403)
			throw new Error('weftd does not know this browser: `weft web` prints the address that it does');
		if (!reply.ok)
			throw Object.assign(
				new Error(`weftd answers ${reply.status}`),
				{ status: reply.status });
		return reply.json();
	}

	/* Numbers of a wire or a switch; one that is not there is 0 all along. */
	function extend(known, more, keep, n) {
		const keys = Object.keys({ ...known, ...more }).filter(
			key => Array.isArray(known[key] || more[key]));

		for (const key of keys) {
			const list = known[key] || new Array(keep).fill(0);

			list.length = keep;
			for (let i = 0; i < n; i++)
				list.push(more[key] ? more[key][i] : 0);
			known[key] = list;
		}
	}

	/* What is known, and what is new; the last sample comes again. */
	function join(known, part) {
		const keep = part.rows_from, n = part.time_ps.length;

		if (!keep)
			return part;
		for (const what of ['wires', 'switches'])
			known[what].forEach((o, i) =>
				extend(o, part[what][i], keep, n));
		part.report.phases = [
			...known.report.phases.slice(0, part.phases_from),
			...part.report.phases];
		return { ...known, ...part,
			time_ps: [...known.time_ps.slice(0, keep), ...part.time_ps],
			events: [...known.events.slice(0, part.events_from),
				 ...part.events],
			wires: known.wires, switches: known.switches };
	}

	/* Of a lab that is not being recorded, a recording begins. */
	async function askRun() {
		const path = `/api/labs/${encodeURIComponent(lab)}`;
		const known = file && file.lab === lab ? file : null;
		const run = `${path}/run?after=${known ? known.next : ''}`;

		try {
			return join(known, await ask(run));
		} catch (e) {
			if (e.status !== 409)
				throw e;
		}
		await ask(`${path}/record`, 'POST');
		return ask(`${path}/run`);
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
		file = await askRun();
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
		takeToken();
		addEventListener('hashchange', takeToken);
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
