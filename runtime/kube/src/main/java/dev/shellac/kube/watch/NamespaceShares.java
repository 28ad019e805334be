package dev.shellac.kube.watch;

import dev.shellac.model.GroupKind;
import dev.shellac.model.ResourceId;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Each namespace has a share of the heap for its routes, policies and grants, and a quarter of that besides for Gateways, ListenerSets and Services: what others wait for must not depend on how many routes there are. Whoever fills the share of a namespace has objects of that namespace refused,
 * and nobody else's.
 *
 * <p>An object weighs its JSON without the status, and 16 bytes for each text in it. The heap that an object takes, with its packed form and all that a
 * translation keeps, is 3 to 8 times its JSON, but 0.7 to 2.7 times its weight (measured: a short route 2.1, 32 parents 2.6, 256 backends 2.1, labels 1.8,
 * header matches 0.9). A ninth of a heap of 192 MiB is 21 MiB and has room for 10,000 routes of 1 KB. Two namespaces that have filled it with the worst
 * routes, and 5,000 ordinary ones beside them, take 137 MiB. The outlines of refused objects have an eighth of the share besides.
 *
 * <p>An object that was accepted stays. When a kind is listed for the first time, as after a start, the oldest are accepted: a list comes by name, so it is
 * read once more where age makes a difference. Kinds are listed at the same time, and the first of them has the room.
 */
public final class NamespaceShares {
    private static final System.Logger LOG = System.getLogger(NamespaceShares.class.getName());
    private static final int PART_OF_HEAP = 9;
    private static final int PART_FOR_OUTLINES = 8;
    private static final int BYTES_OF_A_TEXT = 16;
    /** Also of an object that is nearly empty. */
    private static final int LEAST = 1024;

    private static final int LEAST_OUTLINE = 512;
    /** The weight of an object that waits for the room of an outline alone. */
    private static final int NEVER = Integer.MAX_VALUE;
    /** Of a namespace, so that others get their turn. */
    private static final int MOST_AT_A_TIME = 500;

    private static final Comparator<Map.Entry<ResourceId, Entry>> OLDEST_FIRST = Comparator.comparing(
                    (Map.Entry<ResourceId, Entry> found) -> found.getValue().created)
            .thenComparing(Map.Entry::getKey);

    /** What an object takes. */
    private static final class Entry {
        private String created = "";
        private String version = "";
        /** The form that is in use. */
        private int kept;
        /** The form before the one that is being decoded. */
        private int before;
        /** The newest form, where there is no room for it. */
        private int waiting;
        /** What the namespace had when it was refused: a status that changed with every other object would be written as often. */
        private long keptThen;

        private int outline;

        boolean isUnseen() {
            return waiting > 0 && outline == 0;
        }
    }

    private static final class Holding {
        private final long share;
        private final Map<ResourceId, Entry> entries = new HashMap<>();
        private long kept;
        private long outlines;
        private int waiting;
        private boolean hasRoom;
        private boolean isTold;

        Holding(long share) {
            this.share = share;
        }

        boolean mayTakeMore() {
            return hasRoom && waiting > 0;
        }

        Entry entry(ResourceId id) {
            return entries.computeIfAbsent(id, key -> new Entry());
        }

        void keep(Entry entry, int weight) {
            kept += weight - entry.kept;
            hasRoom |= weight < entry.kept;
            entry.kept = weight;
        }

        void outline(Entry entry, int weight) {
            outlines += weight - entry.outline;
            hasRoom |= weight < entry.outline;
            entry.outline = weight;
        }

        void await(Entry entry, int weight) {
            waiting += Integer.signum(weight) - Integer.signum(entry.waiting);
            if (entry.waiting != weight) {
                entry.keptThen = kept;
            }
            entry.waiting = weight;
        }
    }

    private final long share;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Map<ShareAccount, Holding> holdings = new HashMap<>();
    private final Set<GroupKind> listed = new HashSet<>();

    private NamespaceShares(long share) {
        this.share = share;
    }

    /**
     * Those of a process.
     *
     * @param heap that the process may use, in bytes
     */
    public static NamespaceShares ofHeap(long heap) {
        return new NamespaceShares(heap / PART_OF_HEAP);
    }

    /** What an object counts. */
    public static int weight(byte[] json) {
        return weight(json, json.length, json.length);
    }

    /** The same without a part of it. */
    static int weight(byte[] json, int from, int to) {
        int quotes = 0;
        for (int i = 0; i < json.length; i++) {
            if (json[i] == '"' && (i < from || i >= to)) {
                quotes++;
            }
        }
        return Math.max(LEAST, json.length - (to - from) + quotes / 2 * BYTES_OF_A_TEXT);
    }

    /** Takes the room of an object that is to be decoded; why not, where there is none. */
    Optional<String> offer(ResourceId id, RawObject object) {
        lock.lock();
        try {
            Holding holding = holding(id);
            Entry entry = holding.entry(id);
            entry.created = object.created();
            entry.version = object.version();
            int weight = object.weight();
            int more = Math.max(0, weight - entry.kept);
            if (holding.kept + more <= holding.share) {
                holding.await(entry, 0);
                holding.keep(entry, entry.kept + more);
                return Optional.empty();
            }
            holding.await(entry, weight);
            tell(id, holding);
            return Optional.of("namespace " + id.namespace() + " has no room for it in the operator's memory: its "
                    + ShareAccount.of(id).kinds() + " counted " + entry.keptThen + " of at most " + holding.share
                    + " when this version was refused, and it counts " + more
                    + " more (bytes of JSON without the status, and 16 for each text): delete objects of the namespace,"
                    + " make them smaller, or have the operator's memory limit raised");
        } finally {
            lock.unlock();
        }
    }

    private Holding holding(ResourceId id) {
        ShareAccount account = ShareAccount.of(id);
        return holdings.computeIfAbsent(account, key -> new Holding(account.limit(share)));
    }

    private void tell(ResourceId id, Holding holding) {
        if (!holding.isTold) {
            holding.isTold = true;
            LOG.log(
                    Level.WARNING,
                    "namespace {0} has used up its share of the heap for {1} ({2} bytes); further objects are refused until some are deleted"
                            + " or the operator's memory limit is raised",
                    id.namespace(),
                    ShareAccount.of(id).kinds(),
                    String.valueOf(holding.share));
        }
    }

    /** What was offered is decoded and kept, in place of the form before it. */
    void accept(ResourceId id, RawObject object) {
        change(id, holding -> {
            Entry entry = holding.entry(id);
            holding.outline(entry, 0);
            holding.keep(entry, object.weight());
            entry.before = entry.kept;
        });
    }

    /** It is not to be taken, however much room there is. */
    void refuse(ResourceId id, RawObject object) {
        change(id, holding -> {
            Entry entry = holding.entry(id);
            entry.version = object.version();
            holding.await(entry, 0);
        });
    }

    /** Gives back what was reserved for a version that was refused, and counts its outline; false where there is no room for that, either. */
    boolean outline(ResourceId id, int length) {
        lock.lock();
        try {
            Holding holding = holding(id);
            Entry entry = holding.entry(id);
            boolean hadRoom = holding.hasRoom;
            holding.keep(entry, entry.before);
            holding.hasRoom = hadRoom; // nothing was released that was there before
            int weight = Math.max(LEAST_OUTLINE, length);
            boolean fits = holding.outlines - entry.outline + weight <= holding.share / PART_FOR_OUTLINES;
            if (fits) {
                holding.outline(entry, weight);
            }
            if (!fits && entry.waiting == 0) {
                holding.await(entry, NEVER);
            }
            if (holding.mayTakeMore()) {
                room.signalAll();
            }
            return fits;
        } finally {
            lock.unlock();
        }
    }

    /** An earlier form of an object that is there in outline is in use again; false where there is no room for it. */
    public boolean restore(ResourceId id, int weight) {
        lock.lock();
        try {
            Holding holding = holdings.get(ShareAccount.of(id));
            if (holding == null || !holding.entries.containsKey(id) || holding.kept + weight > holding.share) {
                return false;
            }
            Entry entry = holding.entry(id);
            holding.keep(entry, weight);
            entry.before = weight;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void gone(ResourceId id) {
        change(id, holding -> {
            Entry entry = holding.entry(id);
            holding.keep(entry, 0);
            holding.outline(entry, 0);
            holding.await(entry, 0);
            holding.entries.remove(id);
            if (holding.entries.isEmpty()) {
                holdings.remove(ShareAccount.of(id));
            }
        });
    }

    private void change(ResourceId id, Consumer<Holding> change) {
        lock.lock();
        try {
            Optional<Holding> found = Optional.ofNullable(holdings.get(ShareAccount.of(id)));
            found.ifPresent(change);
            found.filter(Holding::mayTakeMore).ifPresent(holding -> room.signalAll());
        } finally {
            lock.unlock();
        }
    }

    /** Whether this version of it, and no newer one, waits for room. */
    boolean isWaiting(ResourceId id, String version) {
        lock.lock();
        try {
            return Optional.ofNullable(holdings.get(ShareAccount.of(id)))
                    .flatMap(holding -> Optional.ofNullable(holding.entries.get(id)))
                    .filter(entry -> entry.waiting > 0 && entry.version.equals(version))
                    .isPresent();
        } finally {
            lock.unlock();
        }
    }

    /** There may be room that nobody has used yet. */
    void lookAgain(ResourceId id) {
        change(id, holding -> holding.hasRoom = true);
    }

    /** Waits until a namespace whose objects wait has room. */
    void awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (holdings.values().stream().noneMatch(Holding::mayTakeMore)) {
                room.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Those that wait and have room now, the oldest of each namespace first. */
    List<ResourceId> fitting() {
        var fitting = new ArrayList<ResourceId>();
        lock.lock();
        try {
            holdings.values().stream().filter(Holding::mayTakeMore).forEach(holding -> {
                List<ResourceId> found = fitting(holding);
                holding.hasRoom = found.size() == MOST_AT_A_TIME;
                fitting.addAll(found);
            });
        } finally {
            lock.unlock();
        }
        return fitting;
    }

    private List<ResourceId> fitting(Holding holding) {
        var fitting = new ArrayList<ResourceId>();
        long left = holding.share - holding.kept;
        long leftForOutlines = holding.share / PART_FOR_OUTLINES - holding.outlines;
        for (Map.Entry<ResourceId, Entry> found : holding.entries.entrySet().stream()
                .filter(one -> one.getValue().waiting > 0)
                .sorted(OLDEST_FIRST)
                .toList()) {
            Entry entry = found.getValue();
            int more = Math.max(0, entry.waiting - entry.kept);
            boolean fits = more <= left;
            boolean isSeen = !fits && entry.isUnseen() && leftForOutlines >= LEAST_OUTLINE;
            if ((fits || isSeen) && fitting.size() < MOST_AT_A_TIME) {
                left -= fits ? more : 0;
                leftForOutlines -= isSeen ? LEAST_OUTLINE : 0;
                fitting.add(found.getKey());
            }
        }
        return fitting;
    }

    /**
     * Gives the room of each namespace to the oldest objects of a kind that was listed for the first time.
     *
     * @return those that have it no more; another list brings the others
     */
    List<ResourceId> preferOldest(GroupKind kind) {
        lock.lock();
        try {
            var leaving = new ArrayList<ResourceId>();
            if (listed.add(kind)) {
                holdings.values().stream()
                        .filter(holding -> holding.waiting > 0)
                        .forEach(holding -> leaving.addAll(preferOldest(kind, holding)));
            }
            return leaving;
        } finally {
            lock.unlock();
        }
    }

    private List<ResourceId> preferOldest(GroupKind kind, Holding holding) {
        var chosen = new ArrayList<Entry>();
        var leaving = new ArrayList<Map.Entry<ResourceId, Entry>>();
        List<Map.Entry<ResourceId, Entry>> all = holding.entries.entrySet().stream()
                .filter(one -> one.getKey().type().equals(kind))
                .sorted(OLDEST_FIRST)
                .toList();
        long left = holding.share
                - holding.kept
                + all.stream().mapToLong(one -> one.getValue().kept).sum();
        for (Map.Entry<ResourceId, Entry> one : all) {
            Entry entry = one.getValue();
            int weight = Math.max(entry.kept, entry.waiting);
            if (weight <= left) {
                left -= weight;
                chosen.add(entry);
            } else if (entry.kept > 0) {
                leaving.add(one);
            }
        }
        if (!leaving.isEmpty()) {
            leaving.forEach(one -> {
                Entry entry = one.getValue();
                holding.await(entry, entry.kept);
                holding.keep(entry, 0);
                entry.before = 0;
            });
            chosen.forEach(entry -> holding.keep(entry, Math.max(entry.kept, entry.waiting)));
        }
        return leaving.stream().map(Map.Entry::getKey).toList();
    }
}
