/*
 * What cached objects may take. varnishd counts their bytes against its storages, and not what it keeps beside each. So parts of the
 * storages are taken as buffers that nobody writes to: objects have that much less, and taking them has varnishd let go the least
 * recently used. How much to take is ghost-core's to say (memory.rs), from the objects that there are.
 *
 * Objects are counted as they come and go. A hit does nothing here; a fetch looks whether enough is taken, before it stores anything. Without
 * a budget there is none of it.
 */

#include "config.h"

#include <sys/mman.h>

#include "glue.h"
#include "memory.h"

#define MEMORY_VARIABLE	"GHOST_MEMORY_BUDGET"
#define MEMORY_STORAGES	16		/* src/memory.rs of ghost-core */

/* A page of each buffer is written to, and not counted as taken. */
#define MEMORY_PAGE	((size_t)4096)
#define MEMORY_SMALL	((size_t)256 * 1024)
#define MEMORY_LARGE	((size_t)64 * 1024 * 1024)

struct memory_piece {			/* at the start of its own buffer */
	unsigned		magic;
#define MEMORY_PIECE_MAGIC	0x2f7a91c4
	struct stv_buffer	*buffer;
	size_t			size;	/* as taken */
	VTAILQ_ENTRY(memory_piece)	list;
};

static struct memory_store {
	VCL_STEVEDORE		stv;
	uint64_t		taken;	/* read without the lock */
	VTAILQ_HEAD(,memory_piece)	pieces;	/* the last one first */
} memory_stores[MEMORY_STORAGES];

static unsigned memory_n;
static pthread_mutex_t memory_mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t memory_once = PTHREAD_ONCE_INIT;

/*--------------------------------------------------------------------
 * Objects
 */

/* Keys are split as vmod_xkey splits them. */
static uint32_t
memory_words(const char *s)
{
	uint32_t n = 0;

	while (*s != '\0') {
		s += strspn(s, ", \t");
		if (*s != '\0')
			n++;
		s += strcspn(s, ", \t");
	}
	return (n);
}

static uint32_t
memory_keys(struct worker *wrk, struct objcore *oc)
{
	const char *line;
	uint32_t n = 0;

	HTTP_FOREACH_PACK(wrk, oc, line) {
		if (strncasecmp(line, "xkey:", 5) == 0)
			n += memory_words(line + 5);
		else if (strncasecmp(line, "X-HashTwo:", 10) == 0)
			n += memory_words(line + 10);
	}
	return (n);
}

static void v_matchproto_(obj_event_f)
memory_event(struct worker *wrk, void *priv, struct objcore *oc, unsigned event)
{
	struct ghost_stored_objects now;
	uint32_t keys;

	CHECK_OBJ_NOTNULL(wrk, WORKER_MAGIC);
	CHECK_OBJ_NOTNULL(oc, OBJCORE_MAGIC);
	AZ(priv);
	keys = memory_keys(wrk, oc);
	now = event == OEV_INSERT ? ghost_memory_stored(keys) : ghost_memory_gone(keys);
	__atomic_store_n(&ghost_vsc->objects, now.objects, __ATOMIC_RELAXED);
	__atomic_store_n(&ghost_vsc->object_overhead, now.bytes, __ATOMIC_RELAXED);
}

/*--------------------------------------------------------------------
 * Storages
 */

static void
memory_find(void)
{
	struct ghost_text name;
	const char *text = getenv(MEMORY_VARIABLE);
	char copy[256];

	if (text == NULL || !ghost_memory_start(text_of(text)))
		return;
	for (unsigned at = 0; at < MEMORY_STORAGES; at++) {
		name = ghost_memory_storage(at);
		if (name.b == NULL)
			break;
		bprintf(copy, "%.*s", (int)name.n, name.b);
		memory_stores[at].stv = VRT_stevedore(copy);
		VTAILQ_INIT(&memory_stores[at].pieces);
		memory_n = at + 1;
	}
	(void)ObjSubscribeEvents(memory_event, NULL, OEV_INSERT | OEV_EXPIRE);
}

/* Before any object is stored: when the first VCL is loaded. */
void
memory_start(void)
{

	AZ(pthread_once(&memory_once, memory_find));
}

/* What was written to in an earlier life of this memory is given back to the kernel. */
static void
memory_forget(const struct memory_piece *piece)
{
	uintptr_t from = ((uintptr_t)piece + sizeof *piece + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);
	uintptr_t to = ((uintptr_t)piece + piece->size) & ~(MEMORY_PAGE - 1);

	if (to > from)
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
}

static int
memory_take(struct worker *wrk, struct memory_store *store, size_t size)
{
	struct memory_piece *piece;
	struct stv_buffer *buffer;

	buffer = STV_AllocBuf(wrk, store->stv, size);
	if (buffer == NULL)
		return (0);
	piece = STV_GetBufPtr(buffer, NULL);
	INIT_OBJ(piece, MEMORY_PIECE_MAGIC);
	piece->buffer = buffer;
	piece->size = size;
	memory_forget(piece);
	VTAILQ_INSERT_HEAD(&store->pieces, piece, list);
	(void)__atomic_add_fetch(&store->taken, size, __ATOMIC_RELAXED);
	(void)__atomic_add_fetch(&ghost_vsc->reserved, size, __ATOMIC_RELAXED);
	return (1);
}

/* Large ones while much is missing; those may be larger than varnishd allows at a time. */
static int
memory_grow(struct worker *wrk, struct memory_store *store, uint64_t want)
{

	while (store->taken < want) {
		if (want - store->taken >= MEMORY_LARGE && memory_take(wrk, store, MEMORY_LARGE - MEMORY_PAGE))
			continue;
		if (!memory_take(wrk, store, MEMORY_SMALL - MEMORY_PAGE))
			return (0);
	}
	return (1);
}

static void
memory_shrink(struct worker *wrk, struct memory_store *store, uint64_t want)
{
	struct memory_piece *piece;
	struct stv_buffer *buffer;

	while ((piece = VTAILQ_FIRST(&store->pieces)) != NULL && store->taken >= want + piece->size) {
		CHECK_OBJ_NOTNULL(piece, MEMORY_PIECE_MAGIC);
		VTAILQ_REMOVE(&store->pieces, piece, list);
		(void)__atomic_sub_fetch(&store->taken, piece->size, __ATOMIC_RELAXED);
		(void)__atomic_sub_fetch(&ghost_vsc->reserved, piece->size, __ATOMIC_RELAXED);
		buffer = piece->buffer;
		STV_FreeBuf(wrk, &buffer);
	}
}

static int
memory_fits(const struct memory_store *store, uint64_t want)
{
	uint64_t taken = __atomic_load_n(&store->taken, __ATOMIC_RELAXED);

	return (taken >= want && taken - want < 2 * MEMORY_SMALL);
}

/* Takes as much as is to be taken, and gives back what is too much. False where there is no room for another object. */
int
memory_admits(struct worker *wrk)
{
	struct memory_store *store;
	int fits = 1;

	CHECK_OBJ_NOTNULL(wrk, WORKER_MAGIC);
	for (unsigned at = 0; at < memory_n; at++) {
		store = &memory_stores[at];
		if (store->stv == NULL || memory_fits(store, ghost_memory_reserve(at)))
			continue;
		AZ(pthread_mutex_lock(&memory_mtx));
		fits &= memory_grow(wrk, store, ghost_memory_reserve(at));
		memory_shrink(wrk, store, ghost_memory_reserve(at));
		AZ(pthread_mutex_unlock(&memory_mtx));
	}
	if (!fits)
		COUNT(not_admitted);
	return (fits);
}
