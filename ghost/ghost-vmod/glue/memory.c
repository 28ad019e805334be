/*
 * What cached objects may take. varnishd counts their bytes against its storages, and not what it keeps beside each. So parts of the
 * storages are taken as buffers that nobody writes to: objects have that much less, and taking them has varnishd let go the least
 * recently used. How much to take is ghost-core's to say (memory.rs), from the objects that there are.
 *
 * Objects are counted as they come and go. A hit does nothing here; a fetch looks whether enough is taken, before it stores anything, and
 * whether there is room for its body. Without a budget there is none of it.
 */

#include "config.h"

#include <sys/mman.h>

#include "glue.h"
#include "memory.h"

#define MEMORY_VARIABLE	"GHOST_MEMORY_BUDGET"
#define MEMORY_STORAGES	16		/* src/memory.rs of ghost-core */

/* A page of each buffer is written to, and not counted as taken. */
#define MEMORY_PAGE	((size_t)4096)
#define MEMORY_LARGE	((size_t)64 * 1024 * 1024)

/* For smaller bodies varnishd makes room by itself. */
#define MEMORY_BODY	((uint64_t)64 * 1024)
#define MEMORY_TRIES	5	/* in vain */
#define MEMORY_PAUSES	100
#define MEMORY_STUCK	100	/* ms */
#define MEMORY_PAUSE	.001
#define MEMORY_FEW	50	/* objects in a pause */
#define MEMORY_WINDOW	100	/* ms */

/* jemalloc's, which Debian's varnishd is linked with: all arenas. */
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));
#define MEMORY_PURGE	"arena.4096.purge"
#define MEMORY_CHURN	((uint64_t)8 * 1024 * 1024)
#define MEMORY_LEAST	((uint64_t)1024)	/* of an object */

struct memory_piece {			/* at the start of its own buffer */
	unsigned		magic;
#define MEMORY_PIECE_MAGIC	0x2f7a91c4
	struct stv_buffer	*buffer;
	size_t			size;	/* as taken */
	VTAILQ_ENTRY(memory_piece)	list;
};

static struct memory_store {
	VCL_STEVEDORE		stv;
	size_t			piece;
	uint64_t		taken;	/* read without the lock */
	VTAILQ_HEAD(memory_pieces, memory_piece)	pieces;	/* the last one first */
	/* Bodies that room was made for, and that may not have come yet: of this while and the one before. */
	uint64_t		window, expected[2];
	uint64_t		stuck_until_ms;
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
		memory_stores[at].piece = ghost_memory_piece(at);
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

static struct memory_piece *
memory_piece_new(struct worker *wrk, VCL_STEVEDORE stv, size_t size)
{
	struct memory_piece *piece;
	struct stv_buffer *buffer;

	buffer = STV_AllocBuf(wrk, stv, size);
	if (buffer == NULL)
		return (NULL);
	piece = STV_GetBufPtr(buffer, NULL);
	INIT_OBJ(piece, MEMORY_PIECE_MAGIC);
	piece->buffer = buffer;
	piece->size = size;
	return (piece);
}

static void
memory_piece_free(struct worker *wrk, struct memory_pieces *list)
{
	struct memory_piece *piece = VTAILQ_FIRST(list);
	struct stv_buffer *buffer;

	CHECK_OBJ_NOTNULL(piece, MEMORY_PIECE_MAGIC);
	VTAILQ_REMOVE(list, piece, list);
	buffer = piece->buffer;
	STV_FreeBuf(wrk, &buffer);
}

static int
memory_take(struct worker *wrk, struct memory_store *store, size_t size)
{
	struct memory_piece *piece = memory_piece_new(wrk, store->stv, size);

	if (piece == NULL)
		return (0);
	memory_forget(piece);
	VTAILQ_INSERT_HEAD(&store->pieces, piece, list);
	(void)__atomic_add_fetch(&store->taken, size, __ATOMIC_RELAXED);
	(void)__atomic_add_fetch(&ghost_vsc->reserved, size, __ATOMIC_RELAXED);
	return (1);
}

/* Large ones at first, if much is missing; those may be larger than varnishd allows at a time. The last one is given back first. */
static int
memory_grows_large(const struct memory_store *store, uint64_t want)
{
	const struct memory_piece *piece = VTAILQ_FIRST(&store->pieces);

	return (want - store->taken >= MEMORY_LARGE && (piece == NULL || piece->size > store->piece));
}

static int
memory_grow(struct worker *wrk, struct memory_store *store, uint64_t want)
{

	while (store->taken < want) {
		if (memory_grows_large(store, want) && memory_take(wrk, store, MEMORY_LARGE - MEMORY_PAGE))
			continue;
		if (!memory_take(wrk, store, store->piece - MEMORY_PAGE))
			return (0);
	}
	return (1);
}

static void
memory_shrink(struct worker *wrk, struct memory_store *store, uint64_t want)
{
	const struct memory_piece *piece;

	while ((piece = VTAILQ_FIRST(&store->pieces)) != NULL && store->taken >= want + piece->size) {
		(void)__atomic_sub_fetch(&store->taken, piece->size, __ATOMIC_RELAXED);
		(void)__atomic_sub_fetch(&ghost_vsc->reserved, piece->size, __ATOMIC_RELAXED);
		memory_piece_free(wrk, &store->pieces);
	}
}

static int
memory_fits(const struct memory_store *store, uint64_t want)
{
	uint64_t taken = __atomic_load_n(&store->taken, __ATOMIC_RELAXED);

	return (taken >= want && taken - want < 2 * store->piece);
}

/* What varnishd evicts is freed by another thread, a little later: waits while it frees much. Whether it freed any. */
static int
memory_wait(void)
{
	uint64_t before, now = __atomic_load_n(&ghost_vsc->objects, __ATOMIC_RELAXED), first = now;
	unsigned pauses = 0;

	do {
		before = now;
		VTIM_sleep(MEMORY_PAUSE);
		now = __atomic_load_n(&ghost_vsc->objects, __ATOMIC_RELAXED);
	} while (now + MEMORY_FEW < before && ++pauses < MEMORY_PAUSES);
	return (now < first);
}

/*
 * Takes as much as is to be taken, and gives back what is too much. Where all is in use there is nothing to wait for, and others need not try for a
 * while.
 */
static int
memory_settle(struct worker *wrk, struct memory_store *store, unsigned at)
{
	unsigned tries = MEMORY_TRIES;
	int grown;

	if (memory_fits(store, ghost_memory_reserve(at)))
		return (1);
	AZ(pthread_mutex_lock(&memory_mtx));
	if (now_ms() < store->stuck_until_ms)
		tries = 1;
	while (!(grown = memory_grow(wrk, store, ghost_memory_reserve(at))) && --tries > 0)
		(void)memory_wait();
	if (!grown)
		store->stuck_until_ms = now_ms() + MEMORY_STUCK;
	memory_shrink(wrk, store, ghost_memory_reserve(at));
	AZ(pthread_mutex_unlock(&memory_mtx));
	return (grown);
}

/*
 * Has objects evicted until so much is free. varnishd alone evicts as many as nuke_limit and gives up, with the body half way to its client: of tiny
 * objects a large one needs many. What is kept beside these is free, too, when they are gone.
 */
static void
memory_evict(struct worker *wrk, struct memory_store *store, unsigned at, uint64_t bytes)
{
	struct memory_pieces pieces = VTAILQ_HEAD_INITIALIZER(pieces);
	struct memory_piece *piece;
	uint64_t got = 0;
	unsigned tries = 0;

	while (got < bytes && tries < MEMORY_TRIES) {
		piece = memory_piece_new(wrk, store->stv, store->piece);
		if (piece == NULL) {
			tries = memory_wait() ? 0 : tries + 1;
			memory_shrink(wrk, store, ghost_memory_reserve(at));
			continue;
		}
		VTAILQ_INSERT_HEAD(&pieces, piece, list);
		got += store->piece;
		tries = 0;
	}
	while (!VTAILQ_EMPTY(&pieces))
		memory_piece_free(wrk, &pieces);
}

/* The bodies that are expected; with another one from now on. */
static uint64_t
memory_expect(struct memory_store *store, uint64_t another)
{
	uint64_t window = now_ms() / MEMORY_WINDOW;

	if (window != store->window) {
		store->expected[1] = window == store->window + 1 ? store->expected[0] : 0;
		store->expected[0] = 0;
		store->window = window;
	}
	store->expected[0] += another;
	return (store->expected[0] + store->expected[1]);
}

static uint64_t
memory_free(const struct memory_store *store)
{
	VCL_BYTES space = VRT_stevedore_free_space(store->stv);

	return (space > 0 ? (uint64_t)space : 0);
}

static int
memory_has_room(struct worker *wrk, struct memory_store *store, unsigned at, uint64_t bytes)
{
	uint64_t need, room = ghost_memory_room(at);
	int fits;

	if (bytes < MEMORY_BODY)
		return (1);
	if (bytes > room)
		return (0);
	AZ(pthread_mutex_lock(&memory_mtx));
	need = bytes + memory_expect(store, 0);
	if (need <= room && memory_free(store) < need)
		memory_evict(wrk, store, at, need);
	fits = memory_free(store) >= need;
	if (fits)
		(void)memory_expect(store, bytes);
	AZ(pthread_mutex_unlock(&memory_mtx));
	return (fits);
}

/*
 * What objects leave behind is not the kernel's again before jemalloc has it so, which may take ten seconds, or for ever in an arena whose threads
 * have nothing to do: other objects may have taken as much elsewhere by then. So it is given back whenever so much was stored.
 */
static void
memory_give_back(uint64_t bytes)
{
	static uint64_t stored;
	static unsigned busy;

	if (mallctl == NULL || __atomic_add_fetch(&stored, bytes + MEMORY_LEAST, __ATOMIC_RELAXED) < MEMORY_CHURN)
		return;
	if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&stored, 0, __ATOMIC_RELAXED);
	(void)mallctl(MEMORY_PURGE, NULL, NULL, NULL, 0);
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* Whether there is, or can be made, room for another object with a body of so many bytes, that is to be in the storage. */
int
memory_admits(struct worker *wrk, VCL_STEVEDORE stv, uint64_t bytes)
{
	struct memory_store *store;
	int fits = 1;

	CHECK_OBJ_NOTNULL(wrk, WORKER_MAGIC);
	/* Before anything else: room that is made is to be used at once. */
	if (memory_n > 0)
		memory_give_back(bytes);
	for (unsigned at = 0; at < memory_n; at++) {
		store = &memory_stores[at];
		if (store->stv == NULL)
			continue;
		fits &= memory_settle(wrk, store, at);
		if (fits && store->stv == stv)
			fits = memory_has_room(wrk, store, at, bytes);
	}
	if (!fits)
		COUNT(not_admitted);
	return (fits);
}
