// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results as JUnit XML, with the elements and attributes that Jenkins, GitLab and GitHub
 * Actions read.
 *
 * Times are seconds of fabric time. The file has neither a wall clock time nor a host
 * name, so equal runs give equal files.
 */
#include "scenario/junit.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "base/units.h"
#include "base/xml_text.h"

static void put_attribute(struct weft_strbuf *s, const char *name,
			  const char *value)
{
	weft_strbuf_addf(s, " %s=\"", name);
	weft_xml_text(s, value);
	weft_strbuf_add(s, "\"");
}

static void put_seconds(struct weft_strbuf *s, uint64_t ps)
{
	weft_strbuf_addf(s, " time=\"%" PRIu64 ".%012" PRIu64 "\"",
			 ps / (uint64_t)WEFT_PS_PER_S,
			 ps % (uint64_t)WEFT_PS_PER_S);
}

static void put_property(struct weft_strbuf *s, const char *name,
			 const char *value)
{
	weft_strbuf_add(s, "\t\t\t<property");
	put_attribute(s, "name", name);
	put_attribute(s, "value", value);
	weft_strbuf_add(s, "/>\n");
}

static void put_properties(struct weft_strbuf *s, const struct weft_junit *j)
{
	char seed[24];

	snprintf(seed, sizeof(seed), "%" PRIu64, j->seed);
	weft_strbuf_add(s, "\t\t<properties>\n");
	put_property(s, "scenario", j->scenario);
	put_property(s, "topology", j->topology);
	put_property(s, "clock", j->clock);
	put_property(s, "seed", seed);
	weft_strbuf_add(s, "\t\t</properties>\n");
}

static void put_failure(struct weft_strbuf *s, const struct weft_junit *j,
			const struct weft_result *r)
{
	char text[sizeof(r->text) + 160];

	weft_result_text(r, j->begun, text, sizeof(text));
	weft_strbuf_add(s, "\t\t\t<failure");
	put_attribute(s, "message", text);
	put_attribute(s, "type", r->name);
	weft_strbuf_add(s, ">");
	weft_xml_text(s, text);
	weft_strbuf_add(s, "</failure>\n");
}

static void put_outcome(struct weft_strbuf *s, const struct weft_junit *j,
			const struct weft_result *r)
{
	if (r->outcome == WEFT_FAILED) {
		put_failure(s, j, r);
	} else if (r->outcome == WEFT_SKIPPED) {
		weft_strbuf_add(s, "\t\t\t<skipped");
		put_attribute(s, "message", r->text);
		weft_strbuf_add(s, "/>\n");
	} else {
		weft_strbuf_add(s, "\t\t\t<system-out>");
		weft_xml_text(s, r->text);
		weft_strbuf_add(s, "</system-out>\n");
	}
}

static void put_case(struct weft_strbuf *s, const struct weft_junit *j,
		     const struct weft_result *r)
{
	uint64_t at = r->has_at ? r->at : j->ended;

	weft_strbuf_add(s, "\t\t<testcase");
	put_attribute(s, "name", r->name);
	put_attribute(s, "classname", j->scenario);
	put_seconds(s, at > j->begun ? at - j->begun : 0);
	weft_strbuf_add(s, ">\n");
	put_outcome(s, j, r);
	weft_strbuf_add(s, "\t\t</testcase>\n");
}

static unsigned int skipped(const struct weft_results *results)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < results->n; i++)
		n += results->result[i].outcome == WEFT_SKIPPED;
	return n;
}

static void put_counts(struct weft_strbuf *s, const struct weft_junit *j,
		       const struct weft_results *results, const char *name)
{
	put_attribute(s, "name", name);
	weft_strbuf_addf(s, " tests=\"%u\" failures=\"%u\" errors=\"0\"",
			 results->n, weft_results_failed(results));
	put_seconds(s, j->ended - j->begun);
}

/**
 * weft_junit_text() - write results as JUnit XML
 * @j: description of the run
 * @results: the results
 * @text: result, to be freed by free()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_junit_text(const struct weft_junit *j,
		    const struct weft_results *results, char **text,
		    struct weft_err *err)
{
	struct weft_strbuf s = { 0 };

	weft_strbuf_add(&s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	put_counts(&s, j, results, "weft");
	weft_strbuf_add(&s, ">\n\t<testsuite");
	put_counts(&s, j, results, j->scenario);
	weft_strbuf_addf(&s, " skipped=\"%u\">\n", skipped(results));
	put_properties(&s, j);
	for (unsigned int i = 0; i < results->n; i++)
		put_case(&s, j, &results->result[i]);
	weft_strbuf_add(&s, "\t</testsuite>\n</testsuites>\n");
	return weft_strbuf_take(&s, text, err);
}
