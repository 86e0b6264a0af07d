// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the shape of a transformer, and how its training is divided, from YAML.
 *
 * All values are text at first. What is wrong is said with line and column, or with the
 * setting that it is from.
 */
#include "workload/training.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/yaml_make.h"

#define RANGE	"expected %" PRIu64 " to %" PRIu64

#define TEXT(key, member)						\
	CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER_NULL |		\
			       CYAML_FLAG_OPTIONAL, struct raw, member, 0, 256)

/** struct raw - the file, all text */
struct raw {
	char *name;
	char *description;
	char *layers;
	char *hidden;
	char *sequence;
	char *vocabulary;
	char *micro_batch;
	char *micro_batches;
	char *tensor;
	char *pipeline;
	char *bytes;
	char *gradient_bytes;
	char *tflops;
	char *recompute;
	char *sequence_parallel;
	char *overlap;
	char *tensor_algorithm;
	char *data_algorithm;
};

static const cyaml_schema_field_t fields[] = {
	TEXT("name", name),
	TEXT("description", description),
	TEXT("layers", layers),
	TEXT("hidden", hidden),
	TEXT("sequence", sequence),
	TEXT("vocabulary", vocabulary),
	TEXT("micro-batch", micro_batch),
	TEXT("micro-batches", micro_batches),
	TEXT("tensor", tensor),
	TEXT("pipeline", pipeline),
	TEXT("bytes", bytes),
	TEXT("gradient-bytes", gradient_bytes),
	TEXT("tflops", tflops),
	TEXT("recompute", recompute),
	TEXT("sequence-parallel", sequence_parallel),
	TEXT("overlap", overlap),
	TEXT("tensor-algorithm", tensor_algorithm),
	TEXT("data-algorithm", data_algorithm),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw, fields),
};

/**
 * struct number - a value that is a number
 * @key: its key
 * @raw: where it is in struct raw
 * @at: where it goes to in struct weft_training
 * @least: the least that is allowed
 * @most: the most
 * @otherwise: value if the file has none; 0 with a @least above: it has to be there
 */
struct number {
	const char *key;
	size_t raw;
	size_t at;
	uint64_t least;
	uint64_t most;
	uint64_t otherwise;
};

#define NUMBER(key, member, least, most, otherwise)			\
	{ key, offsetof(struct raw, member),				\
	  offsetof(struct weft_training, member), least, most, otherwise }

static const struct number numbers[] = {
	NUMBER("layers", layers, 1, 10000, 0),
	NUMBER("hidden", hidden, 1, 1000000, 0),
	NUMBER("sequence", sequence, 1, 10000000, 0),
	NUMBER("vocabulary", vocabulary, 0, 100000000, 0),
	NUMBER("micro-batch", micro_batch, 1, 65536, 1),
	NUMBER("micro-batches", micro_batches, 1, 65536, 1),
	NUMBER("tensor", tensor, 1, 65536, 1),
	NUMBER("pipeline", pipeline, 1, 10000, 1),
	NUMBER("bytes", bytes, 1, 8, 2),
	NUMBER("gradient-bytes", gradient_bytes, 1, 8, 2),
	NUMBER("tflops", tflops, 1, 1000000, 0),
};

#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

static int take_number(struct weft_yaml *y, const struct number *n, const struct raw *raw,
		       struct weft_training *t, struct weft_err *err)
{
	const char *text = *(char *const *)((const char *)raw + n->raw);
	uint64_t *v = (uint64_t *)((char *)t + n->at);
	struct weft_err ignored;

	*v = n->otherwise;
	if (text && weft_parse_number(text, v, &ignored))
		*v = UINT64_MAX;
	if (*v >= n->least && *v <= n->most)
		return 0;
	if (!text)
		return weft_yaml_fail(y, "", err, "%s is missing: " RANGE, n->key, n->least,
				      n->most);
	return weft_yaml_fail(y, n->key, err, "%s \"%.40s\": " RANGE, n->key, text, n->least,
			      n->most);
}

static int take_flag(struct weft_yaml *y, const char *key, const char *text, bool *flag,
		     struct weft_err *err)
{
	*flag = text && !strcmp(text, "true");
	if (!text || *flag || !strcmp(text, "false"))
		return 0;
	return weft_yaml_fail(y, key, err, "%s \"%.40s\": expected true or false", key, text);
}

static int take_algorithm(struct weft_yaml *y, const char *key, const char *text,
			  struct weft_training_reduction *r, struct weft_err *err)
{
	const char *name = text ? text : "ring";

	*r = (struct weft_training_reduction) {
		.algorithm = weft_bound_algorithm(WEFT_ALLREDUCE, name, strlen(name)),
		.store = !strcmp(name, "nvls"),
	};
	if (r->algorithm || r->store || !strcmp(name, "sharp"))
		return 0;
	return weft_yaml_fail(y, key, err, "%s \"%.40s\": expected sharp, nvls or an algorithm of an all-reduce: see weft bound --help",
			      key, text);
}

static int take(struct weft_yaml *y, const struct raw *raw, struct weft_training *t,
		struct weft_err *err)
{
	for (unsigned int i = 0; i < NUMBERS; i++)
		if (take_number(y, &numbers[i], raw, t, err))
			return err->code;
	if (take_flag(y, "recompute", raw->recompute, &t->recompute, err) ||
	    take_flag(y, "sequence-parallel", raw->sequence_parallel, &t->sequence_parallel,
		      err) ||
	    take_flag(y, "overlap", raw->overlap, &t->overlap, err) ||
	    take_algorithm(y, "tensor-algorithm", raw->tensor_algorithm,
			   &t->activations, err) ||
	    take_algorithm(y, "data-algorithm", raw->data_algorithm, &t->gradients, err))
		return err->code;
	if (t->layers % t->pipeline)
		return weft_yaml_fail(y, "layers", err, "layers %" PRIu64
				      ": expected a multiple of pipeline, which is %" PRIu64,
				      t->layers, t->pipeline);
	return 0;
}

/* Put "KEY=VALUE,KEY=VALUE" in place of what the file says. */
static int set_all(struct weft_yaml *y, const char *set, struct weft_err *err)
{
	char *copy = set ? strdup(set) : NULL, *rest = copy, *key, *value;
	int ret = 0;

	if (!copy)
		return set ? weft_err_nomem(err) : 0;
	y->mark = (yaml_mark_t) { .line = WEFT_YAML_NO_LINE };
	while (!ret && (key = strsep(&rest, ","))) {
		value = strchr(key, '=');
		if (!value || value == key)
			ret = weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
					   "\"%.60s\": expected KEY=VALUE, as in pipeline=4", key);
		else
			*value++ = '\0';
		if (!ret)
			weft_yaml_put(y, 1, key, weft_yaml_add_text(y, "%s", value));
	}
	free(copy);
	return ret ? ret : weft_yaml_render(y, err);
}

/**
 * weft_training_parse() - read a shape
 * @t: result
 * @from: its text, and what is set
 * @err: error, with file, line, column and what was expected
 *
 * Return: 0 or negative errno.
 */
int weft_training_parse(struct weft_training *t, const struct weft_training_source *from,
			struct weft_err *err)
{
	struct raw *raw = NULL;
	struct weft_yaml y;
	int ret;

	ret = weft_yaml_open(&y, from->file, from->text, from->len, err);
	if (!ret && weft_yaml_node(&y, 1)->type == YAML_MAPPING_NODE)
		ret = set_all(&y, from->set, err);
	if (!ret)
		ret = weft_yaml_load(&y, &schema, &raw, err);
	if (!ret)
		ret = take(&y, raw, t, err);
	weft_yaml_free(&schema, raw);
	weft_yaml_close(&y);
	return ret;
}
