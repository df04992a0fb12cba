# SPDX-License-Identifier: GPL-2.0
# lbrctl's objects under the sanitizers, for the tests of this folder and of others beside it.

BUILD ?= ../../../build/tests/unit
CTL := ../../../ctl
OBJ := $(BUILD)/ctl.objects
PKGS := libnl-3.0 libnl-genl-3.0 libkmod libelf libdw liblzma libzstd zlib ncursesw
CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all
CPPFLAGS := -D_GNU_SOURCE -DLBRCTL_VERSION='"test"' -DLBRCTL_CONTACT='""' -I. -I$(CTL) -I../../../include/uapi \
	$(shell pkg-config --cflags $(PKGS))
LDLIBS := $(shell pkg-config --libs $(PKGS)) -lpfm -liberty -lZydis -lm -lcmocka

# All but the verbs, and the writers of whole files.
parts := $(filter-out verbs/%.c flame/html.c flame/svg.c export/%.c pgo/%.c push/%.c,$(patsubst $(CTL)/%,%,$(wildcard $(CTL)/*/*.c)))
objects := $(parts:%.c=$(OBJ)/%.o)

all:

$(OBJ)/%.o: $(CTL)/%.c ../ctl/objects.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(objects:.o=.d)
