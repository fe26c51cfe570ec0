package org.tamanoir.transfer.copy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.transfer.FileStamp;
import org.tamanoir.transfer.disk.WholeSync;
import org.tamanoir.transfer.store.LocalStore;
import org.tamanoir.transfer.store.Store;
import org.tamanoir.transfer.store.Store.Entry;
import org.tamanoir.transfer.web.WebClient;
import org.tamanoir.transfer.wire.Message;
import org.tamanoir.transfer.wire.MessageStream;

/**
 * What a copy is to do: which files come from where, under which names they go, and which of them are there already. A file has the name of its source if the
 * destination is a directory, is written with a {@code /} at its end, or there are several sources; what a directory has in it comes into the destination itself,
 * or into a directory of its name there, if there are several sources. So the same command means the same when it is given again.
 */
public final class Plan implements AutoCloseable {
    /** A file to copy, or a directory to make. @param file null for a directory @param directory its path; null for a file */
    record Task(FileJob file, String directory, FileStamp stamp) {
    }

    private final CopyOptions options;
    private final Selection selection;
    private final End source;
    private final End destination;
    private final boolean local;
    private final List<Task> tasks = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private volatile Copy running;
    private volatile AnepException stopped;
    private long files;
    private long octets;
    private long present;
    private long skipped;

    private Plan(CopyOptions options, End source, End destination, boolean local) {
        this.options = options;
        this.selection = new Selection(options.include(), options.exclude());
        this.source = source;
        this.destination = destination;
        this.local = local;
    }

    /** Loads what a copy with a mover needs. Whoever calls it on a thread of its own while a command line is read has the first octets 0.1 s sooner. */
    public static void prepare() {
        EventLoops.prepare();
        MessageStream.prepare();
        WholeSync.prepare();
    }

    /** The same without web servers that want to know who asks. */
    public static Plan of(List<Place> sources, Place destination, CopyOptions options, TamanoirClient client) {
        return of(sources, destination, options, client, null);
    }

    /**
     * Looks at both ends.
     *
     * @param sources of one machine, or of web servers
     * @param web asks them; null for one that shows nothing
     * @throws AnepException EE-407 if a source is not there, EE-408 if the sources are of several machines, or two files would have one name
     */
    public static Plan of(List<Place> sources, Place destination, CopyOptions options, TamanoirClient client, WebClient web) {
        String copy = newName();
        Place first = sources.get(0);
        if (sources.stream().anyMatch(one -> !one.movers().equals(first.movers()) || one.isWeb() != first.isWeb())) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "the sources of a copy are all on one machine, or of the same movers");
        }
        if (destination.isWeb()) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a web server is a source, and no destination, of a copy: 'curl -T' puts a file there");
        }
        End from = first.isLocal() ? new End.Local(new LocalStore(Path.of("/")), copy) : far(first, options, client, web, false, copy);
        End to = null;
        try {
            from.expectPorts();
            List<List<Entry>> found = sources.stream().map(one -> look(from, one)).toList();
            boolean into = sources.size() > 1 || destination.directory() || isDirectory(found.get(0)) || destination.mover() == null && Files.isDirectory(Path.of(destination.path()));
            String base = destination.path();
            if (destination.mover() == null) {
                Path path = Path.of(destination.path()).toAbsolutePath().normalize();
                Path root = existing(into ? path : path.getParent());
                base = root.relativize(path).toString();
                to = new End.Local(new LocalStore(root), copy);
            } else {
                to = End.Remote.destination(client, destination, options, copy);
                to.expectPorts();
                into = into || isDirectory(to.store().look(base, false));
            }
            return new Plan(options, from, to, first.isLocal() && destination.mover() == null).with(sources, found, base, into);
        } catch (AnepException e) {
            from.close();
            if (to != null) {
                to.close();
            }
            throw e;
        }
    }

    /**
     * One file, which comes into a store that others use too, or goes from there.
     *
     * @param files the store
     * @param path of the file in it
     * @param other where it comes from, or goes to
     * @param pull whether it comes
     * @param checksumNeeded whether a file is not copied whose web server says no checksum of it
     * @throws AnepException EE-407 if the source is not there, EE-408 if it is no file
     */
    public static Plan ofOne(LocalStore files, String path, Place other, boolean pull, boolean checksumNeeded, CopyOptions options, TamanoirClient client, WebClient web) {
        String copy = newName();
        End here = End.Local.shared(files, copy);
        End there = null;
        try {
            there = far(other, options, client, web, checksumNeeded, copy);
            End from = pull ? there : here;
            End to = pull ? here : there;
            to.expectLanes(from);
            List<Entry> found = from.store().look(pull ? other.path() : path, false);
            if (found.isEmpty()) {
                throw new AnepException(ErrorCode.NOT_FOUND, "there is no '" + (pull ? other : path) + "'");
            } else if (found.get(0).type() != Entry.Type.FILE) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "'" + (pull ? other : path) + "' is no file");
            }
            Plan plan = new Plan(options, from, to, false);
            // Of one that seems to be there already the checksum is compared all the same.
            plan.add(other, found, pull ? path : other.path(), Map.of());
            return plan;
        } catch (AnepException e) {
            here.close();
            if (there != null) {
                there.close();
            }
            throw e;
        }
    }

    private static String newName() {
        return Long.toHexString(ThreadLocalRandom.current().nextLong());
    }

    private static End far(Place place, CopyOptions options, TamanoirClient client, WebClient web, boolean checksumNeeded, String copy) {
        return place.isWeb() ? new WebEnd(web == null ? WebClient.of(null) : web, checksumNeeded) : new End.Remote(client, place, options, copy);
    }

    /**
     * Octets of the files that a copy would read, those that are there already included.
     *
     * @param sources of one mover
     * @throws AnepException EE-407 if a source is not there; what a mover says if it does not want to be asked, or does not answer for the patience of the options
     */
    public static long octetsOf(List<Place> sources, CopyOptions options, TamanoirClient client) {
        Selection selection = new Selection(options.include(), options.exclude());
        long octets = 0;
        try (End.Remote from = new End.Remote(client, sources.get(0), options, "look-" + Long.toHexString(ThreadLocalRandom.current().nextLong()))) {
            for (Place source : sources) {
                List<Entry> found = look(from, source);
                int root = found.get(0).path().length();
                octets += found.stream().filter(entry -> entry.type() == Entry.Type.FILE && selection.has(entry.path().length() == root ? source.name()
                        : entry.path().substring(root == 0 ? 0 : root + 1))).mapToLong(entry -> entry.stamp().size()).sum();
            }
        }
        return octets;
    }

    /** Looks at both ends; whoever calls closes them if this fails. @param base the path of the destination @param directory whether it was written with a {@code /} at its end */
    static Plan of(List<Place> sources, End from, End to, String base, boolean directory, CopyOptions options) {
        List<List<Entry>> found = sources.stream().map(one -> look(from, one)).toList();
        boolean into = sources.size() > 1 || directory || isDirectory(found.get(0)) || isDirectory(to.store().look(base, false));
        return new Plan(options, from, to, false).with(sources, found, base, into);
    }

    private Plan with(List<Place> sources, List<List<Entry>> found, String base, boolean into) {
        Map<String, Entry> there = new HashMap<>();
        for (int i = 0; i < sources.size(); i++) {
            boolean directory = isDirectory(found.get(i));
            String target = into && (!directory || sources.size() > 1) ? joined(base, sources.get(i).name()) : base;
            destination.store().look(target, directory).forEach(entry -> there.put(entry.path(), entry));
            add(sources.get(i), found.get(i), target, there);
        }
        return this;
    }

    private static List<Entry> look(End from, Place place) {
        List<Entry> found = from.store().look(path(place), true);
        if (found.isEmpty()) {
            throw new AnepException(ErrorCode.NOT_FOUND, "there is no '" + place + "'");
        }
        return found;
    }

    /** As the store of its end calls it. */
    private static String path(Place place) {
        if (!place.isLocal()) {
            return place.path();
        }
        try {
            // A link that is named is followed; one that is found is not.
            return Path.of("/").relativize(Path.of(place.path()).toRealPath()).toString();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.NOT_FOUND, "'" + place + "' cannot be looked at: " + AnepException.reason(e), e);
        }
    }

    private static boolean isDirectory(List<Entry> found) {
        return !found.isEmpty() && found.get(0).type() == Entry.Type.DIRECTORY;
    }

    /** The directory itself, or the nearest one around it that is there. */
    private static Path existing(Path directory) {
        Path found = directory;
        while (!Files.isDirectory(found)) {
            found = found.getParent();
        }
        return found;
    }

    private static String joined(String directory, String name) {
        return directory.isEmpty() ? name : name.isEmpty() ? directory : directory + "/" + name;
    }

    private void add(Place place, List<Entry> found, String target, Map<String, Entry> there) {
        String root = found.get(0).path();
        for (Entry entry : found) {
            String below = entry.path().length() == root.length() ? "" : entry.path().substring(root.isEmpty() ? 0 : root.length() + 1);
            String to = joined(target, below);
            String name = below.isEmpty() ? place.name() : below;
            if (entry.type() == Entry.Type.DIRECTORY) {
                if (!to.isEmpty() && (below.isEmpty() || selection.hasDirectory(below))) {
                    tasks.add(new Task(null, to, entry.stamp()));
                }
            } else if (entry.type() == Entry.Type.OTHER) {
                skipped++;
            } else if (selection.has(name)) {
                Entry old = there.get(to);
                if (old != null && old.type() == Entry.Type.FILE
                        && (old.stamp().sameContent(entry.stamp()) || options.update() && old.stamp().modified() > entry.stamp().modified())) {
                    present++;
                } else {
                    FileStamp stamp = entry.stamp();
                    if (!names.add(to)) {
                        throw new AnepException(ErrorCode.BAD_REQUEST, "two files would be called '" + to + "'");
                    }
                    files++;
                    octets += stamp.size();
                    tasks.add(new Task(new FileJob(entry.path(), to, stamp, stamp.size() <= options.piece()), null, stamp));
                }
            }
        }
    }

    /** Does it. @throws AnepException what ended it before: EE-754 if nothing moved for its patience, what a mover says if it does not want it */
    public CopyReport run() throws InterruptedException {
        Copy copy = new Copy(this);
        running = copy;
        if (stopped != null) {
            copy.fail(stopped);
        }
        return copy.run();
    }

    /** Ends it, from another thread, with this reason; what has come stays. */
    public void stop(AnepException why) {
        stopped = why;
        Copy copy = running;
        if (copy != null) {
            copy.fail(why);
        }
    }

    /** How far it is. From any thread. */
    public Message.Fetching progress() {
        Copy copy = running;
        return copy == null ? new Message.Fetching(0, files, octets, 0, 0) : copy.progress();
    }

    /** Octets that have gone over so far, those that went twice included, or that are holes. From any thread. */
    public long movedOctets() {
        Copy copy = running;
        return copy == null ? 0 : copy.movedOctets();
    }

    /** Octets that have gone over so far from or to this machine. From any thread. */
    long movedHere() {
        Copy copy = running;
        return copy == null ? 0 : copy.movedHere();
    }

    /** Names of files that are to be copied, as their destination calls them, and directories with a {@code /} at their end. */
    public List<String> names() {
        return tasks.stream().map(task -> task.file() == null ? task.directory() + "/" : task.file().to).toList();
    }

    /** Files that are to be copied. */
    public long files() {
        return files;
    }

    /** Octets of them. */
    public long octets() {
        return octets;
    }

    /** Files that are there already. */
    public long present() {
        return present;
    }

    /** Names that are neither files nor directories, or cannot be sent. */
    public long skipped() {
        return skipped;
    }

    CopyOptions options() {
        return options;
    }

    End source() {
        return source;
    }

    End destination() {
        return destination;
    }

    boolean local() {
        return local;
    }

    List<Task> tasks() {
        return tasks;
    }

    @Override
    public void close() {
        source.close();
        destination.close();
    }
}
