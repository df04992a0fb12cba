/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mappings of files, in each process, at the current point of the capture. Input are the
 * side records of a capture, sorted by time; the answers are for its samples.
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

/* Index of a mapped file. Special values: */
enum {
	MAPS_NOTHING = 0,	/* nothing is mapped there: addr is as sampled */
	MAPS_KERNEL = 1,	/* addr is as sampled */
	MAPS_FIRST_FILE = 2,
};

/* A code location, the same in every process. */
struct place {
	uint32_t file;
	/* The vaddr in the file's ELF object; its file offset if there is no object
	 * (maps_file.object is NULL); the address itself for memory that belongs to no file. */
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

/* Converts a place to one number, for hashing. */
static inline uint64_t maps_place_key(struct place p)
{
	return p.addr ^ p.file * 0x9e3779b97f4a7c15ULL;
}

/* Adds a place to the number of several; hash_u64() makes a hash of the sum. */
static inline uint64_t maps_add_place(uint64_t key, struct place p)
{
	return key * 0x9e3779b97f4a7c15ULL + maps_place_key(p);
}

struct maps_file {
	char *path;
	struct object *object;	/* NULL: state has the reason */
	enum object_state state;
	bool asked;		/* a place in it was looked up */
	bool moved;		/* of its code a copy in memory without a file has run */
	struct jitdump *jitdump;	/* a jitdump: places are its offsets; NULL: it is none */
	uint32_t writer;	/* process that wrote the jitdump */
};

struct maps;

/* The known build ids of `info` apply to files mapped without one; `info` must outlive the
 * maps. */
struct maps *maps_new(const struct perfdata_info *info);
void maps_free(struct maps *maps);

/* From now on the records are those of another capture of the same machine. Processes, threads
 * and mappings are forgotten. Files keep their indexes, and stay open, unless they have changed.
 * Returns 0, or -1 with errno. */
int maps_begin(struct maps *maps, const struct perfdata_info *info);

/* The machine that the capture comes from. */
struct machine *maps_machine(const struct maps *maps);

/* From now on the records are of running programs: files are opened through the processes that
 * have them mapped, and jitdumps are not read, since they are incomplete. */
void maps_live(struct maps *maps);
/* Whether maps_live() was called. */
bool maps_is_live(const struct maps *maps);

/* Forgets the mappings of a process. Later samples of it are in no file. */
void maps_forget(struct maps *maps, uint32_t pid);

/* Returns the number of mappings that process pid made since its exec. */
size_t maps_mapped(struct maps *maps, uint32_t pid);

/* Processes a record: COMM, FORK, EXIT, MMAP, MMAP2; ignores others. Returns -1 if the record
 * is damaged or memory is short. */
int maps_record(struct maps *maps, const struct perfdata_record *record);

/* Advances the code that process pid made at run time to that time: no record has its time. */
void maps_until(struct maps *maps, uint32_t pid, uint64_t time);

/* Returns the place of a user-space address of process pid. *offset becomes the file offset,
 * or addr if nothing is mapped there. */
struct place maps_place(struct maps *maps, uint32_t pid, uint64_t addr,
			uint64_t *offset);

/* A mapping of code. */
struct maps_code {
	uint64_t start, end;
	struct place place;		/* of start */
};

/* Finds the first mapping of process pid that ends after addr. Returns false if no mapping does. */
bool maps_code_from(struct maps *maps, uint32_t pid, uint64_t addr, struct maps_code *code);

/* Returns the name of thread tid, or ":tid" if the capture does not name it; "swapper" for the
 * idle task, tid 0. Valid until the next maps_record(). */
const char *maps_comm(struct maps *maps, uint32_t pid, uint32_t tid);
/* The same of the process: the name of its first thread, or, if the capture does not name that one,
 * of thread tid. */
const char *maps_process_name(struct maps *maps, uint32_t pid, uint32_t tid);

/* The versions of the data that maps_place() and these two use: numbers that are never
 * reused. Equal versions give equal answers. 0: no data. */
struct maps_state {
	uint32_t process, thread;
};
struct maps_state maps_state(struct maps *maps, uint32_t pid, uint32_t tid);

/* Returns the thread from which this one was forked, as a process with a copy of its stack; 0:
 * it was not forked, or has executed another program since. */
uint32_t maps_forked_of(struct maps *maps, uint32_t tid);

/* Returns the functions of code that is in no file, by its program's /tmp/perf-PID.map, which
 * is read at the first call; places are addresses. NULL: the file is no such code, or has no
 * map. */
const struct perfmap *maps_perfmap(struct maps *maps, uint32_t file);

const struct maps_file *maps_file(const struct maps *maps, uint32_t file);
/* A file of which the capture has the path, and which is not here. What is mapped without a file,
 * the vdso or code made at run time, is not missing. */
bool maps_file_is_missing(const struct maps_file *file);
/* Returns the number of bytes of the build id of a mapped file; 0: not known. */
size_t maps_build_id(const struct maps *maps, uint32_t file, const uint8_t **id);
size_t maps_nr_files(const struct maps *maps);

/* The address of the kernel according to the capture. */
struct maps_kernel {
	bool known;
	char symbol[64];	/* the symbol at that address: "_text" or "_stext" */
	uint64_t address;
	uint8_t build_id[20];
	size_t build_id_size;	/* 0: not known */
	uint64_t mappings;	/* a hash of the mappings of kernel and modules */
};
const struct maps_kernel *maps_kernel(const struct maps *maps);

/* Returns the name of the kernel mapping (kernel or module) that contains addr, as in the
 * capture, or NULL. */
const char *maps_kernel_name(const struct maps *maps, uint64_t addr);

/* Finds that mapping, as in the capture. Returns false if the capture has none. */
struct maps_kernel_mapping {
	uint64_t start, end, pgoff;
	const char *name;		/* of the kernel itself without its symbol */
};
bool maps_kernel_mapping(const struct maps *maps, uint64_t addr,
			 struct maps_kernel_mapping *mapping);

#endif
