// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of the wires, the busiest first.
 */
'use strict';

weft.element = (name, properties = {}, ...children) => {
	const o = Object.assign(document.createElement(name), properties);

	o.append(...children);
	return o;
};

weft.Table = class {
	/* root: the section; pick(wire): a row was chosen */
	constructor(root, pick) {
		this.body = root.querySelector('tbody');
		this.more = root.querySelector('#more');
		this.filter = root.querySelector('input');
		this.pick = pick;
		this.sort = 'load';
		this.rowsMax = 200;
		this.columns = [
			['from', 'Sends', w => w.from, null],
			['to', 'Receives', w => w.to, null],
			['load', 'Load', (w, s) => s.load, weft.format.share],
			['rate', 'Sent', (w, s) => s.rate, weft.format.rate],
			['held', 'Held', (w, s) => s.held, weft.format.share],
			['queue', 'Queue', (w, s) => s.queue, weft.format.bytes],
			['dropped', 'Lost', (w, s) => s.dropped,
			 weft.format.count],
		];
		this.head(root.querySelector('thead tr'));
		this.filter.addEventListener('input', () => this.fill());
		this.body.addEventListener('click', e => this.choose(
			e.target.closest('tr')));
		this.body.addEventListener('keydown', e => this.key(e));
	}

	head(row) {
		for (const [key, name] of this.columns) {
			const button = weft.element('button', {
				type: 'button', textContent: name });

			button.addEventListener('click', () => {
				this.sort = key;
				this.fill();
			});
			row.append(weft.element('th', { className: key }, button));
		}
		this.heads = row.children;
	}

	choose(row) {
		if (row)
			this.pick(this.run.wires[Number(row.dataset.index)]);
	}

	key(e) {
		const row = e.target.closest('tr');
		const to = { ArrowDown: row.nextElementSibling,
			     ArrowUp: row.previousElementSibling }[e.key];

		if (e.key === 'Enter')
			this.choose(row);
		if (!to)
			return;
		e.preventDefault();
		this.choose(to);
		const again = this.body.querySelector('.chosen');

		if (again)
			again.focus();
	}

	show(run, state, chosen) {
		this.run = run;
		this.state = state;
		this.chosen = chosen;
		this.fill();
	}

	/* Those that the filter lets through, in order. */
	rows() {
		const words = this.filter.value.toLowerCase().split(/\s+/);
		const column = this.columns.find(c => c[0] === this.sort);
		const value = i => column[2](this.run.wires[i], this.state[i]);
		const order = (a, b) => {
			const x = value(a), y = value(b);

			if (typeof x === 'string')
				return x.localeCompare(y, undefined,
						       { numeric: true });
			return y - x || a - b;
		};

		return this.run.wires.map((w, i) => i).filter(i => {
			const w = this.run.wires[i];
			const text = `${w.from} ${w.to} ${w.link}`.toLowerCase();

			return words.every(word => text.includes(word));
		}).sort(order);
	}

	fill() {
		const rows = this.rows();
		const left = rows.length - this.rowsMax;

		this.columns.forEach(([key], i) => this.heads[i].setAttribute(
			'aria-sort', key !== this.sort ? 'none' :
			i < 2 ? 'ascending' : 'descending'));
		this.body.replaceChildren(...rows.slice(0, this.rowsMax)
			.map(i => this.row(i)));
		this.more.textContent = left > 0 ?
			`and ${left} more, which the filter finds` :
			rows.length ? '' : 'no wire has that in its name';
	}

	row(i) {
		const w = this.run.wires[i], s = this.state[i];
		const chosen = this.chosen === w;
		const row = weft.element('tr', {
			tabIndex: chosen ? 0 : -1,
			className: `${chosen ? 'chosen' : ''} ${s.down ? 'down' : ''}`,
		});

		row.dataset.index = i;
		row.setAttribute('aria-selected', chosen);
		for (const [key, , value, format] of this.columns) {
			const v = value(w, s);
			const cell = weft.element('td', {
				className: format && v === 0 ? `${key} none` : key,
				textContent: !format ? v : v === 0 ? '·' : format(v),
			});

			if (!format)
				cell.title = v;
			if (key === 'load')
				cell.style.setProperty('--share',
					`${100 * Math.min(1, v)}%`);
			row.append(cell);
		}
		if (s.down)
			row.title = 'down';
		return row;
	}
};
