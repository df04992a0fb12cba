// SPDX-License-Identifier: GPL-2.0
/* A scanner of made-up text: its hot paths are not those that the source suggests. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned char text[1 << 16];
static uint64_t state = 88172645463325252ULL;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

struct counts {
	uint64_t words, digits, lines, marks, odd, sum;
};

/* Seldom called. */
static void odd_byte(struct counts *c, unsigned char byte)
{
	for (int i = 0; i < 8; i++)
		c->sum = c->sum * 31 + (byte >> i & 1);
	c->odd++;
}

static void digit(struct counts *c, unsigned char byte)
{
	c->digits++;
	c->sum += byte - '0';
}

static int letter(struct counts *c, unsigned char byte, int inside)
{
	c->sum += byte & 0x1f;
	if (!inside)
		c->words++;
	return 1;
}

static void scan(struct counts *c, const unsigned char *at, const unsigned char *end)
{
	int inside = 0;

	for (; at < end; at++) {
		if (*at == '\n') {
			c->lines++;
			inside = 0;
		} else if (*at < ' ' || *at > '~') {
			odd_byte(c, *at);
			inside = 0;
		} else if (*at >= '0' && *at <= '9') {
			digit(c, *at);
			inside = 0;
		} else if (strchr(".,;:!?", *at)) {
			c->marks++;
			inside = 0;
		} else if (*at == ' ') {
			inside = 0;
		} else {
			inside = letter(c, *at, inside);
		}
	}
}

int main(void)
{
	struct counts c = { 0 };

	for (size_t i = 0; i < sizeof(text); i++) {
		unsigned int kind = next() % 1000;

		text[i] = kind < 850 ? 'a' + next() % 26 : kind < 960 ? ' ' : kind < 985 ? '\n' :
			  kind < 995 ? '0' + next() % 10 : kind < 999 ? '.' : 200;
	}
	for (int i = 0; i < 60; i++)
		scan(&c, text, text + sizeof(text));
	printf("%ju %ju %ju %ju %ju %ju\n", c.words, c.digits, c.lines, c.marks, c.odd, c.sum);
	return 0;
}
