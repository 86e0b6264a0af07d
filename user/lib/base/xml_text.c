// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text in XML.
 */
#include "base/xml_text.h"

#include <stdint.h>

/* Char of XML 1.0, without DEL and without white space other than the blank. */
static bool is_char(uint32_t c)
{
	return c >= ' ' && c != 127 && (c < 0xd800 || c > 0xdfff) &&
	       c != 0xfffe && c != 0xffff && c <= 0x10ffff;
}

/* Bytes of the UTF-8 character at @s; 0: invalid, or not allowed in XML. */
static unsigned int char_len(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int n = *s < 0x80 ? 1 : *s < 0xc0 ? 0 : *s < 0xe0 ? 2 :
			 *s < 0xf0 ? 3 : *s < 0xf8 ? 4 : 0;
	uint32_t c = n > 1 ? *s & (0x7f >> n) : *s;

	for (unsigned int i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return n && c >= least[n] && is_char(c) ? n : 0;
}

/**
 * weft_xml_text() - append a string, escaped for XML
 * @out: XML in UTF-8, inside an element or between double quotes
 * @text: the string; each byte that XML 1.0 does not allow becomes a question mark
 */
void weft_xml_text(struct weft_strbuf *out, const char *text)
{
	for (unsigned int n; *text; text += n ? n : 1) {
		n = char_len((const unsigned char *)text);
		if (*text == '<')
			weft_strbuf_add(out, "&lt;");
		else if (*text == '>')
			weft_strbuf_add(out, "&gt;");
		else if (*text == '&')
			weft_strbuf_add(out, "&amp;");
		else if (*text == '"')
			weft_strbuf_add(out, "&quot;");
		else
			weft_strbuf_addf(out, "%.*s", n ? (int)n : 1,
					 n ? text : "?");
	}
}
