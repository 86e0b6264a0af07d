/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text in XML.
 */
#ifndef WEFT_XML_TEXT_H
#define WEFT_XML_TEXT_H

#include "base/strbuf.h"

void weft_xml_text(struct weft_strbuf *out, const char *text);

#endif
