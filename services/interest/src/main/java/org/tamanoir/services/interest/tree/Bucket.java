package org.tamanoir.services.interest.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.index.ItemVisitor;
import org.locationtech.jts.index.hprtree.HPRtree;
import org.tamanoir.interest.wire.EventView;

/**
 * The subscriptions of one topic, or of all from one level on. Those with a region stand in a packed R-tree (by Hilbert's curve), which is built anew when too many have
 * come or gone; until then the new ones are looked at one by one.
 */
final class Bucket implements ItemVisitor {
    /** So many are looked at one by one, and a part of those in the tree. */
    private static final int LOOSE = 16;
    private static final int PART = 8;

    private final List<Subscription> everywhere = new ArrayList<>();
    private final List<Subscription> loose = new ArrayList<>();
    private final Envelope point = new Envelope();
    private HPRtree tree;
    private int inTree;
    private int gone;
    private EventView event;
    private Consumer<Subscription> found;

    void add(Subscription subscription) {
        (subscription.filter.region() == null ? everywhere : loose).add(subscription);
    }

    /** {@link Subscription#gone} is set already. */
    void remove(Subscription subscription) {
        if (subscription.filter.region() == null) {
            everywhere.remove(subscription);
        } else if (!loose.remove(subscription)) {
            gone++;
        }
    }

    boolean isEmpty() {
        return everywhere.isEmpty() && loose.isEmpty() && inTree == gone;
    }

    /** Shows all that may want an event: what the topic and the region say, and not the predicate. */
    void match(EventView next, Consumer<Subscription> visitor) {
        for (int i = 0; i < everywhere.size(); i++) {
            visitor.accept(everywhere.get(i));
        }
        if (!next.hasPosition() || loose.isEmpty() && inTree == gone) {
            return;
        }
        if (loose.size() > LOOSE + inTree / PART || gone > LOOSE + inTree / 2) {
            build();
        }
        double x = next.x();
        double y = next.y();
        for (int i = 0; i < loose.size(); i++) {
            if (loose.get(i).filter.region().contains(x, y)) {
                visitor.accept(loose.get(i));
            }
        }
        if (tree != null) {
            event = next;
            found = visitor;
            point.init(x, x, y, y);
            tree.query(point, this);
        }
    }

    @Override
    public void visitItem(Object item) {
        Subscription subscription = (Subscription) item;
        if (!subscription.gone && (subscription.filter.region().isBox() || subscription.filter.region().contains(event.x(), event.y()))) {
            found.accept(subscription);
        }
    }

    private void build() {
        List<Subscription> all = new ArrayList<>(loose);
        if (tree != null) {
            Envelope plane = new Envelope(-Double.MAX_VALUE, Double.MAX_VALUE, -Double.MAX_VALUE, Double.MAX_VALUE);
            tree.query(plane, item -> {
                if (!((Subscription) item).gone) {
                    all.add((Subscription) item);
                }
            });
        }
        HPRtree next = new HPRtree();
        all.forEach(subscription -> next.insert(subscription.filter.region().envelope(), subscription));
        next.build();
        tree = all.isEmpty() ? null : next;
        inTree = all.size();
        gone = 0;
        loose.clear();
    }
}
