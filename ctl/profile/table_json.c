// SPDX-License-Identifier: GPL-2.0
/* Prints the keys of a table as JSON. */
#include "base/json.h"
#include "profile/table.h"

void rows_put_sort(const struct rows_sort *sort, struct json *json)
{
	json_array(json, "sort");
	for (size_t i = 0; i < sort->nr; i++)
		json_text(json, NULL, rows_key_name(sort->keys[i]));
	json_close(json);
}

void rows_put_key(const struct rows *rows, const struct rows_row *row, enum rows_key key,
		  struct json *json)
{
	if (rows_is_number(key))
		json_unsigned(json, rows_key_name(key), rows_number(rows, row, key));
	else
		json_text(json, rows_key_name(key), rows_text(rows, row, key));
}

void rows_put_kind(const struct rows *rows, const struct rows_row *row, struct json *json)
{
	if (rows_has(rows->sort, ROWS_SYMBOL))
		json_text(json, "kind", profile_kind_name(rows_kind(rows, row)));
}
