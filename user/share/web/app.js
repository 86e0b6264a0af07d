// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page: one run, looked at as a whole or at one time. The run is part of
 * the page, or weftd tells of it while it goes on.
 */
'use strict';

weft.app = (() => {
	const $ = id => document.getElementById(id);
	const modes = {
		load: { key: 'l', value: s => s.load, ends: () => ['0', '100 %'] },
		held: { key: 'h', value: s => s.held, ends: () => ['0', '100 %'] },
		queue: { key: 'u', value: s => s.queue / run.peak.queue,
			 ends: () => ['0', weft.format.bytes(run.peak.queue)] },
		dropped: { key: 'x',
			   value: s => s.dropped ? 0.4 + 0.6 * Math.min(1,
				s.dropped / run.peak.dropped) : 0,
			   ends: () => ['none', 'many'] },
	};
	const view = { t: null, by: 'load', chosen: null, theme: 'light' };
	let run = null, live = false, follow = false, playing = 0;
	let picture, table, timeline, plots;

	/* --- what is looked at ------------------------------------------- */

	function range() {
		if (view.t === null)
			return [0, run.n - 1];
		const i = run.at(view.t);

		return [Math.max(0, i - 1), i];
	}

	function acting(t) {
		if (t === null)
			return run.file.faults;
		return run.file.faults.filter(f => run.windows(f).some(
			([from, to]) => from <= t && t <= to));
	}

	function seek(t) {
		view.t = t;
		reveal();
		follow = live && t !== null && t >= run.last;
		render();
	}

	/* span: of the time line and the plots; null for all of the run */
	function zoom(span) {
		if (!run)
			return;
		weft.span.shown = span;
		redraw();
	}

	function redraw() {
		timeline.show(run);
		showPort();
		render();
	}

	/* What is shown moves to where the cursor is. */
	function reveal() {
		const [from, to] = weft.span.of(run);

		if (view.t === null || (view.t >= from && view.t <= to))
			return;
		weft.span.shown = weft.span.inside(run,
			view.t - (to - from) / 2, to - from);
		timeline.show(run);
		showPort();
	}

	function wholeRun() {
		weft.span.shown = null;
		view.t = null;
		follow = false;
		redraw();
	}

	function choose(wire) {
		if (!wire)
			return;
		view.chosen = wire;
		showPort();
		render();
	}

	function pick(what) {
		if (what.wire) {
			choose(what.wire);
		} else {
			table.filter.value = what.owner;
			choose(busiest(w => weft.owner(w.from) === what.owner));
		}
	}

	function busiest(which) {
		const state = run.state(0, run.n - 1);
		let best = null, most = -1;

		run.wires.forEach((w, i) => {
			if (which(w) && state[i].load > most) {
				best = w;
				most = state[i].load;
			}
		});
		return best;
	}

	/* --- drawing ----------------------------------------------------- */

	function render() {
		const [from, to] = range();
		const state = run.state(from, to);

		picture.colour(state, modes[view.by].value, view.theme,
			       view.chosen);
		picture.faults(acting(view.t));
		table.show(run, state, view.chosen);
		timeline.point(view.t);
		for (const p of plots)
			p.point(view.t);
		$('range').textContent = view.t === null ? 'whole run' :
			`${weft.format.time(run.time[from])} to ` +
			weft.format.time(run.time[to]);
		$('now').textContent = view.t === null ?
			`${weft.format.time(run.last)} in all` :
			weft.format.time(view.t);
		$('whole').setAttribute('aria-pressed',
					view.t === null && !weft.span.shown);
		$('shown').textContent = weft.span.shown ?
			`shown: ${weft.format.time(timeline.from, 6)} to ` +
			weft.format.time(timeline.to, 6) : '';
		$('to-phases').hidden = !run.phases.length;
		$('follow').setAttribute('aria-pressed', follow);
		legend();
		remember();
	}

	function legend() {
		const canvas = $('legend').querySelector('canvas');
		const c = canvas.getContext('2d');
		const [low, high] = $('legend').querySelectorAll('span');

		[low.textContent, high.textContent] = modes[view.by].ends();
		for (let x = 0; x < canvas.width; x++) {
			c.fillStyle = weft.scale(x / (canvas.width - 1),
						 view.theme);
			c.fillRect(x, 0, 1, canvas.height);
		}
	}

	/* The chosen link: both of its wires. */
	function showPort() {
		const w = view.chosen;
		const back = run.wires[run.index.get(w.to)];
		const both = [[w, 'ahead'], [back, 'back']].filter(p => p[0]);

		$('port').querySelector('h2').replaceChildren(
			weft.element('span', { className: 'key ahead',
				textContent: `${w.from} → ${w.to}` }), ' ',
			weft.element('span', { className: 'key back',
				textContent: 'the way back' }), ' ',
			weft.element('small', { textContent:
				`${weft.format.rate(w.rate_bps)}, ${w.discipline}` }));
		for (const p of plots)
			p.show(run, both.map(([wire, name]) => ({
				class: name, values: run.series(wire, p.what) })));
	}

	function makePlots() {
		const of = [
			['rate', 'Sent', weft.format.rate],
			['queue', 'Queue', weft.format.bytes],
			['held', 'Held back', weft.format.share],
			['pauses', 'Pauses received', weft.format.count],
			['dropped', 'Lost', weft.format.count],
		];

		plots = of.map(([what, title, format]) => {
			const host = weft.element('figure');

			$('plots').append(host);
			return Object.assign(new weft.Plot(host, title, format),
					     { what });
		});
	}

	/* --- about the run ----------------------------------------------- */

	function about() {
		const f = run.file, n = f.report && f.report.dropped;

		$('lab').textContent = f.lab;
		document.title = `${f.lab} – weft`;
		$('about').textContent = [
			`${f.topology.split('/').pop()}`, `clock ${f.clock}`,
			`seed ${f.seed}`, `${weft.format.time(run.last)}`,
			n === null || n === undefined ? '' :
				`${n} packet${n === 1 ? '' : 's'} lost`,
		].filter(Boolean).join(' · ');
		weft.phases($('phases'), run.phases, run.since, seek);
		verdict(f.report && f.report.verdict);
	}

	function verdict(v) {
		const box = $('verdict');

		box.hidden = !v;
		if (!v)
			return;
		const all = [...v.reasons, ...(v.notes || []),
			...(run.file.report.lossless ?
				run.file.report.lossless.notes || [] : [])];

		box.className = v.faithful ? 'good' : 'bad';
		box.querySelector('summary').textContent = v.faithful ?
			'✓ faithful' : '✗ not faithful';
		box.querySelector('ul').replaceChildren(...(all.length ? all :
			['nothing was late, nothing was lost for the host’s sake'])
			.map(text => weft.element('li', { textContent: text })));
	}

	/* --- tooltips ---------------------------------------------------- */

	function lines(what) {
		const [from, to] = range();

		if (what.wires)
			return what.wires.slice(0, 8).map(w => {
				const s = run.wire(w, from, to);

				return `${w.from} → ${w.to}: ` +
					`${weft.format.rate(s.rate)} of ` +
					`${weft.format.rate(w.rate_bps)}, held ` +
					`${weft.format.share(s.held)}, queue ` +
					`${weft.format.bytes(s.queue)}, lost ` +
					weft.format.count(s.dropped);
			}).concat(what.wires.length > 8 ?
				[`and ${what.wires.length - 8} more`] : []);
		const ports = run.wires.filter(
			w => weft.owner(w.from) === what.owner);
		const sent = ports.reduce((sum, w) =>
			sum + run.wire(w, from, to).rate, 0);

		const told = [`${what.owner}: ${ports.length} port` +
			`${ports.length === 1 ? '' : 's'}, sends ` +
			weft.format.rate(sent)];
		const sw = run.file.switches.find(s => s.name === what.owner);
		const reduced = sw ? run.sum(sw, 'reduced', from, to) : 0;

		if (reduced)
			told.push(`${weft.format.count(reduced)} chunks reduced`);
		return told;
	}

	function hover(e, what) {
		const tip = $('tip');

		tip.hidden = !e;
		if (!e)
			return;
		tip.replaceChildren(...lines(what).map(
			text => weft.element('div', { textContent: text })));
		tip.style.left = `${Math.min(e.clientX + 12, innerWidth -
			tip.offsetWidth - 8)}px`;
		tip.style.top = `${Math.min(e.clientY + 14, innerHeight -
			tip.offsetHeight - 8)}px`;
	}

	/* --- keys, buttons, address --------------------------------------- */

	function mark(by) {
		view.by = by;
		document.querySelector(`#by [value=${by}]`).checked = true;
	}

	function setMode(by) {
		mark(by);
		if (run)
			render();
	}

	function setTheme(theme) {
		view.theme = theme;
		document.documentElement.dataset.theme = theme;
		if (run)
			render();
	}

	function play() {
		const start = view.t === null || view.t >= run.last ? run.first :
			view.t;
		const begun = performance.now();
		const step = now => {
			const t = start + (now - begun) / 12000 *
				(run.last - run.first);

			playing = t < run.last ? requestAnimationFrame(step) : 0;
			seek(Math.min(t, run.last));
			button();
		};
		const button = () => {
			$('play').textContent = playing ? '⏸' : '▶';
			$('play').setAttribute('aria-label',
					       playing ? 'Pause' : 'Play');
		};

		if (playing) {
			cancelAnimationFrame(playing);
			playing = 0;
		} else {
			playing = requestAnimationFrame(step);
		}
		button();
	}

	function keys(e) {
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.target.matches('input[type=search], select')) {
			if (e.key === 'Escape')
				e.target.blur();
			return;
		}
		const mode = Object.keys(modes).find(m => modes[m].key === e.key);
		const act = {
			' ': () => run && play(), '/': () => table.filter.focus(),
			t: () => $('theme').click(), '?': () => $('ask').click(),
			Escape: () => run && wholeRun(),
			p: () => run && zoom(run.phaseSpan(live)),
			'+': () => picture.zoomBy(1.25),
			'-': () => picture.zoomBy(0.8),
			0: () => picture.zoomBy(0),
		}[e.key];

		if (mode)
			setMode(mode);
		else if (act && !(e.key === ' ' && e.target.matches('button, summary, input')))
			act();
		else if (/^Arrow(Left|Right)|^Page/.test(e.key) &&
			 e.target === document.body && run && !e.shiftKey)
			timeline.key(e);
		else
			return;
		if (e.key === '/' || e.key === ' ')
			e.preventDefault();
	}

	/* #t=PS&span=FROM-TO&by=MODE&port=PORT: an address says what is looked at */
	function remember() {
		const words = new URLSearchParams();

		if (view.t !== null && !follow)
			words.set('t', Math.round(view.t));
		if (!weft.span.shown && run.phases.length)
			words.set('span', 'all');
		else if (weft.span.shown && weft.span.shown[1] !== null)
			words.set('span', weft.span.shown.map(Math.round).join('-'));
		if (view.by !== 'load')
			words.set('by', view.by);
		words.set('port', view.chosen ? view.chosen.from : '');
		if (!playing)
			history.replaceState(null, '', `#${words}`);
	}

	function recall() {
		const words = new URLSearchParams(location.hash.slice(1));
		const t = words.get('t');
		const port = run.index.get(words.get('port'));

		if (modes[words.get('by')])
			mark(words.get('by'));
		if (t !== null && Number(t) >= 0)
			view.t = Math.min(run.last, Math.max(run.first, Number(t)));
		view.chosen = run.wires[port] || busiest(() => true);
		recallSpan(words.get('span'));
	}

	/* The phases, unless the address says what, or a time that is not in them. */
	function recallSpan(text) {
		const [from, to] = (text || '').split('-').map(Number);

		weft.span.shown = to > from ? [from, to] :
			text === 'all' ? null : run.phaseSpan(live);
		const [begin, end] = weft.span.of(run);

		if (view.t !== null && (view.t < begin || view.t > end))
			weft.span.shown = null;
	}

	/* --- a run comes in ----------------------------------------------- */

	function message(text, bad) {
		$('message').textContent = text;
		$('message').className = bad ? 'bad' : '';
	}

	function sameLab(a, b) {
		return a && a.lab === b.lab && a.since === b.since &&
			a.file.since_ps === b.file.since_ps &&
			a.wires.length === b.wires.length &&
			a.wires.every((w, i) => w.from === b.wires[i].from);
	}

	function take(file) {
		const fresh = new weft.Run(file);
		const same = sameLab(run, fresh);

		if (!fresh.n || !fresh.wires.length)
			throw new Error('nothing is recorded in this file');
		const slides = same && follow && weft.span.shown &&
			weft.span.of(run)[1] >= run.last;

		run = fresh;
		document.querySelector('main').hidden = false;
		if (slides && weft.span.shown[1] !== null)
			weft.span.shown = weft.span.inside(run, run.last,
				weft.span.shown[1] - weft.span.shown[0]);
		if (same) {
			picture.run = run;
			view.chosen = run.wires[run.index.get(view.chosen.from)];
		} else {
			picture.show(run);
			view.t = null;
			recall();
			follow = live && view.t === null;
		}
		if (follow)
			view.t = run.last;
		about();
		redraw();
		document.documentElement.dataset.ready = run.n;
	}

	function set(isLive) {
		live = isLive;
		$('live').hidden = !live;
		$('follow').hidden = !live;
	}

	function wire() {
		picture = new weft.Picture($('picture'), pick, hover);
		table = new weft.Table($('wires'), choose);
		timeline = new weft.TimeLine($('timeline'), seek, zoom);
		makePlots();
		$('by').addEventListener('change', e => setMode(e.target.value));
		$('theme').addEventListener('click', () => setTheme(
			view.theme === 'dark' ? 'light' : 'dark'));
		$('ask').addEventListener('click', () => $('keys').showModal());
		$('larger').addEventListener('click',
			() => picture.zoomBy(1.5));
		$('smaller').addEventListener('click',
			() => picture.zoomBy(1 / 1.5));
		$('play').addEventListener('click', play);
		$('whole').addEventListener('click', wholeRun);
		$('to-phases').addEventListener('click',
			() => zoom(run.phaseSpan(live)));
		$('longer').addEventListener('click', () => timeline.zoomBy(1 / 1.5));
		$('shorter').addEventListener('click', () => timeline.zoomBy(1.5));
		$('follow').addEventListener('click', () => seek(run.last));
		document.addEventListener('keydown', keys);
		addEventListener('resize', () => {
			if (run)
				redraw();
		});
		setTheme(matchMedia('(prefers-color-scheme: dark)').matches ?
			'dark' : 'light');
	}

	return { wire, take, message, set };
})();

/* A mistake of the page is shown, not hidden in a console. */
addEventListener('error', e => {
	document.documentElement.dataset.error = e.message;
	weft.app.message(`The page failed: ${e.message}`, true);
});
addEventListener('unhandledrejection', e => {
	document.documentElement.dataset.error = e.reason;
	weft.app.message(`The page failed: ${e.reason}`, true);
});
