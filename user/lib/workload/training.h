/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape of a transformer and how a step of its training is divided among nodes.
 */
#ifndef WEFT_TRAINING_H
#define WEFT_TRAINING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bound/bound.h"

/**
 * struct weft_training_reduction - how an all-reduce is done
 */
struct weft_training_reduction {
	/** @algorithm: its algorithm; NULL: switches reduce */
	const struct weft_algorithm *algorithm;
	/** @store: without @algorithm: as NVLS does, else as SHARP */
	bool store;
};

/**
 * struct weft_training - one step of training
 */
struct weft_training {
	/** @layers: transformer layers, a multiple of @pipeline */
	uint64_t layers;
	/** @hidden: numbers that stand for a token between layers */
	uint64_t hidden;
	/** @sequence: tokens of a sequence */
	uint64_t sequence;
	/** @vocabulary: tokens that there are; 0: embedding and logits are left out */
	uint64_t vocabulary;
	/** @micro_batch: sequences that go through the layers together */
	uint64_t micro_batch;
	/** @micro_batches: of them, those that a pipeline has in a step */
	uint64_t micro_batches;
	/** @tensor: nodes that share each layer */
	uint64_t tensor;
	/** @pipeline: stages that the layers are divided into */
	uint64_t pipeline;
	/** @bytes: of a number between nodes */
	uint64_t bytes;
	/** @gradient_bytes: of a gradient between nodes */
	uint64_t gradient_bytes;
	/** @tflops: 10^12 floating-point operations a second, that a node achieves */
	uint64_t tflops;
	/** @recompute: the backward pass computes the forward pass of each layer again */
	bool recompute;
	/** @sequence_parallel: between layers, each of @tensor has a part of the sequence */
	bool sequence_parallel;
	/** @overlap: gradients of a layer are reduced while those of others are computed */
	bool overlap;
	/** @activations: the all-reduces within a layer */
	struct weft_training_reduction activations;
	/** @gradients: those of gradients */
	struct weft_training_reduction gradients;
};

/**
 * struct weft_training_source - where the shape is from
 */
struct weft_training_source {
	/** @file: name of the file, for messages */
	const char *file;
	/** @text: its text */
	const char *text;
	/** @len: length of @text */
	size_t len;
	/** @set: what replaces its values: KEY=VALUE[,KEY=VALUE]..., or NULL */
	const char *set;
};

int weft_training_parse(struct weft_training *t, const struct weft_training_source *from,
			struct weft_err *err);

#endif
