/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which file is mapped where, in each process, at the current point of the capture. It gets the
 * side records of a capture, sorted by time, and answers for its samples.
 */
#ifndef LBRCTL_STACKS_MAPS_H
#define LBRCTL_STACKS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/jitdump.h"
#include "object/object.h"
#include "object/perfmap.h"
#include "perfdata/read.h"

/* Index of a mapped file, below. */
enum {
	MAPS_NOTHING = 0,	/* nothing is mapped there: addr is as sampled */
	MAPS_KERNEL = 1,	/* addr is as sampled */
	MAPS_FIRST_FILE = 2,
};

/* A spot of code that is the same in every process. */
struct place {
	uint32_t file;
	/* The vaddr of the file's ELF object; its file offset where there is
	 * no object to ask (maps_file.object is NULL); the address itself for
	 * memory that belongs to no file. */
	uint64_t addr;
};

static inline bool maps_same_place(struct place a, struct place b)
{
	return a.file == b.file && a.addr == b.addr;
}

/* False for the place of an address that was not recorded. */
static inline bool maps_is_known(struct place p)
{
	return p.file != MAPS_NOTHING || p.addr;
}

/* A place as one number, to be hashed. */
static inline uint64_t maps_place_key(struct place p)
{
	return p.addr ^ p.file * 0x9e3779b97f4a7c15ULL;
}

struct maps_file {
	char *path;
	struct object *object;	/* NULL: see state */
	enum object_state state;
	bool asked;		/* for a place in it */
	struct jitdump *jitdump;	/* it is one: places are its offsets; NULL: none */
};

struct maps;

/* The known build ids of `info` apply to files mapped without one; it must
 * outlive the maps. */
struct maps *maps_new(const struct perfdata_info *info);
void maps_free(struct maps *maps);

/* From now on the records are of programs that run: files are opened through the processes
 * that have them mapped, and no jitdump is read, since it is not complete. */
void maps_live(struct maps *maps);

/* Forgets what a process has mapped. Its samples are in no file from here on. */
void maps_forget(struct maps *maps, uint32_t pid);

/* The number of mappings that process pid made since its exec. */
size_t maps_mapped(struct maps *maps, uint32_t pid);

/* Notes a record: COMM, FORK, EXIT, MMAP, MMAP2; ignores others. Returns -1 if the record is
 * damaged or memory is short. */
int maps_record(struct maps *maps, const struct perfdata_record *record);

/* Advances to that time the code that process pid made at run time: no record has its time. */
void maps_until(struct maps *maps, uint32_t pid, uint64_t time);

/* The place of a user-space address of process pid. *offset becomes the file
 * offset, or addr where nothing is mapped. */
struct place maps_place(struct maps *maps, uint32_t pid, uint64_t addr,
			uint64_t *offset);

/* The name of thread tid, or ":tid" when the capture does not name it; "swapper" for
 * the idle task, tid 0. The string is good until the next maps_record(). */
const char *maps_comm(struct maps *maps, uint32_t pid, uint32_t tid);

/* The versions of the data from which maps_place() and maps_comm() answer: numbers that are
 * never reused. As long as they are equal, so are the answers. 0: no data. */
struct maps_state {
	uint32_t process, thread;
};
struct maps_state maps_state(struct maps *maps, uint32_t pid, uint32_t tid);

/* The thread from which this one was forked, as a process with a copy of its stack; 0: it was
 * not forked, or has executed another program since. */
uint32_t maps_forked_of(struct maps *maps, uint32_t tid);

/* The functions of code that is in no file, by its program's /tmp/perf-PID.map, which is
 * read when it is first asked for; places are addresses. NULL: the file is no such code, or
 * there is no map. */
const struct perfmap *maps_perfmap(struct maps *maps, uint32_t file);

const struct maps_file *maps_file(const struct maps *maps, uint32_t file);
size_t maps_nr_files(const struct maps *maps);

/* The address of the kernel according to the capture. */
struct maps_kernel {
	bool known;
	char symbol[64];	/* the symbol whose address is given: "_text" or "_stext" */
	uint64_t address;
	uint8_t build_id[20];
	size_t build_id_size;	/* 0: not said */
};
const struct maps_kernel *maps_kernel(const struct maps *maps);

/* The name of the kernel mapping (kernel or module) that holds addr, as the
 * capture has it, or NULL. */
const char *maps_kernel_name(const struct maps *maps, uint64_t addr);

#endif
