package org.tamanoir.services.interest;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.interest.wire.TopicGroups;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.FlowSink;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.services.interest.filter.Expressions;
import org.tamanoir.services.interest.filter.Predicate;

/**
 * Brings events from those who publish them to those who want them, over a tree of nodes. Type ID 0x540D. A space is the address of the node at its root; each node on the
 * way there ends the streams of programs and of the nodes below, and has one connection of its own toward the root. See the README.
 */
@Component(service = ActiveService.class)
public final class Interest implements FlowSink, Inspected {
    /** In place of an address. */
    private static final InetSocketAddress HERE = InetSocketAddress.createUnresolved("here", 0);

    private final long id = new SecureRandom().nextLong();
    private final Counters counters = new Counters();
    private final Map<InetSocketAddress, Space> spaces = new LinkedHashMap<>();
    private ServiceContext service;
    private Settings settings;
    private Expressions expressions;

    @Override
    public void start(ServiceContext context) {
        service = context;
        settings = Settings.of(context.configuration());
        expressions = new Expressions();
        // The first of them loads a compiler, for which a stream has no time.
        expressions.compile(new Predicate("has(data.a) && data.a > 1.5 || topic.startsWith('b')", null, null));
        counters.register(context.metrics(), this);
    }

    Settings settings() {
        return settings;
    }

    Counters counters() {
        return counters;
    }

    Expressions expressions() {
        return expressions;
    }

    /** By which nodes tell that a way leads in a circle. */
    long id() {
        return id;
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        if (stream.transport() == Transport.TCP && !stream.connectLater()) {
            throw new AnepException(ErrorCode.SERVICE_REFUSED, "interest takes no streams that outlive their nodes");
        }
        return join(stream.destination(), stream);
    }

    @Override
    public StreamHandler openSink(StreamContext stream) {
        return join(HERE, stream);
    }

    /** They publish, and do nothing else. */
    @Override
    public boolean takesDatagrams() {
        return true;
    }

    private synchronized StreamHandler join(InetSocketAddress root, StreamContext stream) {
        Space space = spaces.get(root);
        if (space == null) {
            if (spaces.size() >= settings.spaces()) {
                throw new AnepException(ErrorCode.SERVICE_LIMIT, "this node takes part in " + settings.spaces() + " spaces, which is the most");
            }
            space = new Space(this, service, root == HERE ? null : root);
            spaces.put(root, space);
        }
        Space joined = space;
        if (stream.transport() == Transport.UDP) {
            DatagramPublisher publisher = new DatagramPublisher(joined, TopicGroups.space(stream.destination()));
            joined.turn(() -> joined.came(publisher));
            // It may have been refused already, and a datagram costs its sender nothing.
            tidy(joined);
            return publisher;
        }
        StreamLink link = new StreamLink(joined, stream);
        joined.turn(() -> joined.came(link));
        return link;
    }

    /** A space in which nobody is any more is closed. */
    synchronized void tidy(Space space) {
        if (space.isEmpty() && spaces.values().remove(space)) {
            space.turn(space::close);
        }
    }

    private synchronized List<Space> all() {
        return new ArrayList<>(spaces.values());
    }

    long filters() {
        return all().stream().mapToLong(Space::filters).sum();
    }

    long droppedBelow() {
        return counters.below.sum() + all().stream().mapToLong(Space::droppedBelow).sum();
    }

    long neighbours() {
        return all().stream().mapToLong(Space::neighbours).sum();
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        if (!what.equals("spaces")) {
            throw new AnepException(ErrorCode.NOT_FOUND, "interest shows 'spaces' and not '" + what + "'");
        }
        return Map.of("spaces", all().stream().map(Space::show).toList());
    }

    @Override
    public void stop() {
        all().forEach(space -> space.turn(space::close));
    }
}
