package org.tamanoir.observatory.store;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.database.Database;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.wire.Registration;

/** Theodolites that have registered, and to whom each name belongs. All of them are in memory, too. */
public final class Theodolites {
    /**
     * One of them.
     *
     * @param identity   who may speak for it; empty for who registers next
     * @param registered when it last did, milliseconds of the epoch
     */
    public record Entry(long id, String name, String identity, Registration registration, long registered) {
    }

    private final Database database;
    private final Map<String, Entry> entries = new ConcurrentSkipListMap<>();

    public Theodolites(Database database) {
        this.database = database;
        List<Entry> all = database.read(handle -> handle.createQuery("SELECT id, name, identity, registration, registered FROM theodolite")
                .map((row, context) -> new Entry(row.getLong(1), row.getString(2), row.getString(3), Registration.parse(row.getString(4)), row.getLong(5))).list());
        all.forEach(each -> entries.put(each.name(), each));
    }

    /**
     * Takes what a theodolite says of itself. The first identity that does so owns the name.
     *
     * @return what it said before; null if it is new
     * @throws AnepException EE-782 if the name is another's, EE-410 if there are too many
     */
    public synchronized Entry register(String name, String identity, Registration said, long now) {
        Entry before = entries.get(name);
        check(before, name, identity);
        if (before == null && entries.size() >= Plan.MOST_THEODOLITES) {
            throw new AnepException(ErrorCode.BUSY, "there are " + entries.size() + " theodolites, and no more are taken");
        }
        long id = before != null ? before.id() : entries.values().stream().mapToLong(Entry::id).max().orElse(0) + 1;
        Entry after = new Entry(id, name, identity, said, now);
        database.write(handle -> handle.createUpdate("INSERT INTO theodolite (id, name, identity, registration, registered) VALUES (:id, :name, :identity, :said, :now) "
                + "ON CONFLICT (name) DO UPDATE SET identity = excluded.identity, registration = excluded.registration, registered = excluded.registered").bind("id", id).bind("name", name)
                .bind("identity", identity).bind("said", said.json()).bind("now", now).execute());
        entries.put(name, after);
        return before;
    }

    private static void check(Entry entry, String name, String identity) {
        if (entry != null && !entry.identity().isEmpty() && !entry.identity().equals(identity)) {
            throw new AnepException(ErrorCode.THEODOLITE_FOREIGN, name + " belongs to another identity than " + identity);
        }
    }

    /** Whose the name is. @throws AnepException EE-407 if nobody has registered it, EE-782 if it is another's */
    public Entry owned(String name, String identity) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no theodolite " + name + ": it has to register first");
        }
        check(entry, name, identity);
        if (entry.identity().isEmpty()) {
            throw new AnepException(ErrorCode.NOT_FOUND, "the theodolite " + name + " has to register again");
        }
        return entry;
    }

    /** Gives a name to who registers next. @throws AnepException EE-407 */
    public synchronized void release(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no theodolite " + name);
        }
        database.write(handle -> handle.createUpdate("UPDATE theodolite SET identity = '' WHERE name = :name").bind("name", name).execute());
        entries.put(name, new Entry(entry.id(), name, "", entry.registration(), entry.registered()));
    }

    /** Null if it has not registered. */
    public Entry find(String name) {
        return entries.get(name);
    }

    public List<Entry> all() {
        return List.copyOf(entries.values());
    }
}
