// SPDX-License-Identifier: GPL-2.0
/* Reads the text of an extended ack (NLMSGERR_ATTR_MSG) that follows an error message. */
#include <linux/netlink.h>
#include <stdio.h>

#include "module/netlink.h"

void control_extack_text(const struct nlmsgerr *err, size_t len, uint16_t flags,
		    char *text, size_t size)
{
	size_t skip = sizeof(*err);
	const struct nlattr *attr;

	text[0] = '\0';
	if (!(flags & NLM_F_ACK_TLVS) || len < skip)
		return;
	/* The refused request is echoed in full unless the ack is marked as capped. */
	if (!(flags & NLM_F_CAPPED)) {
		if (err->msg.nlmsg_len < NLMSG_HDRLEN)
			return;
		skip += NLMSG_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
	}
	while (skip < len && len - skip >= NLA_HDRLEN) {
		attr = (const void *)((const char *)err + skip);
		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > len - skip)
			return;
		if ((attr->nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_MSG) {
			snprintf(text, size, "%.*s",
				 (int)(attr->nla_len - NLA_HDRLEN),
				 (const char *)attr + NLA_HDRLEN);
			return;
		}
		skip += NLA_ALIGN(attr->nla_len);
	}
}
