// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft top on a terminal.
 *
 * One loop waits for keys, for signals and for the time of the next reading. While it is
 * paused, nothing is read. Only what was read is drawn.
 */
#include "print/top_screen.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "print/top_text.h"
#include "signals.h"

#define MIN_COLUMNS	60
#define MIN_LINES	8
#define FIRST_ROW	4
#define KEY_ESC		27
#define HELD_MUCH	0.1	/* rows held back for at least this share have a colour */

enum colour { COLOUR_BAD = 1, COLOUR_HELD };

/**
 * struct screen - state of the screen
 * @top: the readings
 * @selected: the selected row
 * @first: the first row on the screen
 * @typing: the filter is being typed
 * @paused: no readings are taken
 * @help: the keys are shown in place of rows
 * @quit: the user has quit
 */
struct screen {
	struct top *top;
	size_t selected;
	size_t first;
	bool typing;
	bool paused;
	bool help;
	bool quit;
};

static const char *const help_text[] = {
	"u p c d Q m n   sort: load, pauses, held back (pauses, credits),",
	"                drops, queue, marks, name",
	"/               only ports with this in their name; Esc: all",
	"t               both directions of a link, or the busier one",
	"Up Down ...     choose a port",
	"Enter           its classes; Esc: back",
	"Space           stop and continue",
	"h               this help",
	"q               quit",
};

static void put_line(int y, const char *text)
{
	mvaddnstr(y, 0, text, COLS);
}

static void draw_help(void)
{
	int n = (int)(sizeof(help_text) / sizeof(*help_text));

	for (int i = 0; i < n && FIRST_ROW - 1 + i < LINES; i++)
		put_line(FIRST_ROW - 1 + i, help_text[i]);
}

static attr_t row_attributes(const struct weft_top_row *row, bool selected)
{
	attr_t a = selected ? A_REVERSE : A_NORMAL;

	if (*row->fault || row->delta.dropped || !row->up)
		a |= A_BOLD | (has_colors() ? COLOR_PAIR(COLOUR_BAD) : 0);
	else if (row->held >= HELD_MUCH)
		a |= has_colors() ? COLOR_PAIR(COLOUR_HELD) : A_BOLD;
	return a;
}

/* Scroll so that the selected row is visible. */
static void scroll_to(struct screen *s, size_t lines)
{
	size_t n = s->top->rows.n;

	if (s->selected >= n)
		s->selected = n ? n - 1 : 0;
	if (s->selected < s->first)
		s->first = s->selected;
	if (s->selected >= s->first + lines)
		s->first = s->selected - lines + 1;
	if (s->first + lines > n)
		s->first = n > lines ? n - lines : 0;
}

static void draw_rows(struct screen *s, const struct top_layout *l)
{
	const struct weft_top_rows *rows = &s->top->rows;
	size_t lines = (size_t)(LINES - FIRST_ROW);
	char buf[TOP_LINE];

	scroll_to(s, lines);
	for (size_t i = 0; i < lines && s->first + i < rows->n; i++) {
		const struct weft_top_row *row = &rows->row[s->first + i];

		top_line(buf, l, row);
		attrset(row_attributes(row, s->first + i == s->selected));
		put_line(FIRST_ROW + (int)i, buf);
		attrset(A_NORMAL);
	}
}

static void draw_status(const struct screen *s)
{
	const struct weft_top_view *view = &s->top->view;
	char buf[TOP_LINE];

	if (s->typing)
		snprintf(buf, sizeof(buf), "/%s_", view->filter);
	else
		snprintf(buf, sizeof(buf), "%s%s%sh: help  q: quit",
			 s->paused ? "stopped  " : "",
			 view->classes ? "classes  " : "",
			 view->busier ? "busier directions  " : "");
	put_line(2, buf);
}

static void draw(struct screen *s)
{
	struct top *t = s->top;
	char buf[TOP_LINE];
	struct top_layout l;

	erase();
	if (COLS < MIN_COLUMNS || LINES < MIN_LINES) {
		put_line(0, "the terminal is too small");
		refresh();
		return;
	}
	top_head(buf, &t->facts);
	attrset(A_BOLD);
	put_line(0, buf);
	attrset(A_NORMAL);
	top_totals(buf, &t->facts, &t->rows, &t->view);
	put_line(1, buf);
	draw_status(s);
	if (s->help) {
		draw_help();
	} else {
		top_layout(&l, (size_t)COLS, t->view.classes);
		top_titles(buf, &l);
		attrset(A_UNDERLINE);
		put_line(FIRST_ROW - 1, buf);
		attrset(A_NORMAL);
		draw_rows(s, &l);
	}
	refresh();
}

static void type_key(struct screen *s, int key)
{
	char *filter = s->top->view.filter;
	size_t n = strlen(filter);

	if (key == '\n' || key == KEY_ENTER) {
		s->typing = false;
	} else if (key == KEY_ESC) {
		s->typing = false;
		*filter = '\0';
	} else if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && n) {
		filter[n - 1] = '\0';
	} else if (key < 127 && isprint(key) &&
		   n + 1 < sizeof(s->top->view.filter)) {
		filter[n] = (char)key;
		filter[n + 1] = '\0';
	}
}

static bool sort_key(struct weft_top_view *view, int key)
{
	static const char order[] = "upcdQmn";
	static const enum weft_top_key keys[] = {
		WEFT_TOP_LOAD, WEFT_TOP_PAUSES, WEFT_TOP_HELD, WEFT_TOP_DROPS,
		WEFT_TOP_QUEUE, WEFT_TOP_MARKS, WEFT_TOP_NAME,
	};
	const char *at = key > 0 && key < 127 ? strchr(order, key) : NULL;

	if (!at)
		return false;
	view->key = keys[at - order];
	return true;
}

static void move_key(struct screen *s, int key)
{
	int room = LINES - FIRST_ROW;
	size_t page = room > 0 ? (size_t)room : 1;
	size_t up = key == KEY_UP ? 1 : key == KEY_PPAGE ? page : 0;

	if (up)
		s->selected = s->selected > up ? s->selected - up : 0;
	else if (key == KEY_DOWN)
		s->selected++;
	else if (key == KEY_NPAGE)
		s->selected += page;
	else if (key == KEY_HOME)
		s->selected = 0;
	else if (key == KEY_END && s->top->rows.n)
		s->selected = s->top->rows.n - 1;
	if (s->selected >= s->top->rows.n)
		s->selected = s->top->rows.n ? s->top->rows.n - 1 : 0;
}

static void show_classes(struct screen *s)
{
	struct top *t = s->top;
	const struct weft_top_row *row;

	if (t->view.classes || s->selected >= t->rows.n)
		return;
	row = &t->rows.row[s->selected];
	t->view.link = row->link;
	t->view.dir = row->dir;
	t->view.classes = true;
	s->selected = 0;
}

/* Leave the help or the classes; else clear the filter. */
static void go_back(struct screen *s)
{
	if (s->help)
		s->help = false;
	else if (s->top->view.classes)
		s->top->view.classes = false;
	else
		*s->top->view.filter = '\0';
}

static void take_key(struct screen *s, int key)
{
	if (s->typing) {
		type_key(s, key);
		return;
	}
	if (sort_key(&s->top->view, key))
		return;
	switch (key) {
	case 'q':
		s->quit = true;
		break;
	case 'h':
	case '?':
		s->help = !s->help;
		break;
	case ' ':
		s->paused = !s->paused;
		break;
	case 't':
		s->top->view.busier = !s->top->view.busier;
		break;
	case '/':
		s->typing = true;
		*s->top->view.filter = '\0';
		break;
	case '\n':
	case KEY_ENTER:
		show_classes(s);
		break;
	case KEY_ESC:
	case KEY_BACKSPACE:
	case KEY_LEFT:
		go_back(s);
		break;
	default:
		move_key(s, key);
	}
}

/* Wait for keys until @until, ms. Return: false if the terminal is gone or a signal came. */
static bool wait_for(struct screen *s, uint64_t until, const sigset_t *mask)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = cli_clock_ms(), ms = until > now ? until - now : 0;
	const struct timespec t = {
		.tv_sec = (time_t)(ms / 1000),
		.tv_nsec = (long)(ms % 1000) * 1000000,
	};
	int key;

	if (ppoll(&fd, 1, s->paused ? NULL : &t, mask) < 0 && errno != EINTR)
		return false;
	if (fd.revents & (POLLHUP | POLLERR | POLLNVAL))
		return false;
	while ((key = getch()) != ERR)
		take_key(s, key);
	return !signals_came();
}

static int loop(struct screen *s, const sigset_t *mask, struct weft_err *err)
{
	uint64_t next = cli_clock_ms() + (uint64_t)s->top->interval;
	int ret = 0;

	while (!ret && !s->quit) {
		draw(s);
		if (!wait_for(s, next, mask))
			break;
		if (s->paused || cli_clock_ms() < next) {
			ret = top_make(s->top, err);
			continue;
		}
		ret = top_next(s->top, err);
		next = cli_clock_ms() + (uint64_t)s->top->interval;
	}
	return ret;
}

static void set_terminal(void)
{
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	if (!has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(COLOUR_BAD, COLOR_RED, -1);
	init_pair(COLOUR_HELD, COLOR_YELLOW, -1);
}

/**
 * top_screen() - show readings on the terminal until the user quits
 * @t: the first two readings
 * @err: error
 *
 * Return: 0; -ENOENT if the lab is gone; or another negative errno.
 */
int top_screen(struct top *t, struct weft_err *err)
{
	struct screen s = { .top = t };
	sigset_t before;
	SCREEN *screen;
	int ret;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOTTY,
				    "there is no terminal; --once prints one table");
	setlocale(LC_CTYPE, "");
	signals_hold(&before);
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return weft_err_set(err, WEFT_ERR_USAGE, -ENOTTY,
				    "the terminal \"%s\" is not known; --once prints one table",
				    getenv("TERM") ? getenv("TERM") : "");
	set_terminal();
	ret = loop(&s, &before, err);
	endwin();
	delscreen(screen);
	return ret;
}
