package org.tamanoir.services.collect;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.Member;
import org.tamanoir.collective.Piece;
import org.tamanoir.collective.Signature;
import org.tamanoir.services.collect.SimulatedTree.Link;

/** A program that does a list of operations one after the other, asks for a cut now and then, and leaves. */
final class SimulatedMember implements SimulatedTree.End {
    /** One operation. */
    record Step(Signature signature, byte[] own) {
    }

    private final SimulatedTree tree;
    final int rank;
    final Member member;
    private final List<Step> steps;
    final List<Member.Result> results = new ArrayList<>();
    final List<Long> saved = new ArrayList<>();
    private final Link up;
    final Link down;
    private Iterator<Piece> sending;
    private boolean linkFull;
    private boolean begun;
    boolean dead;
    boolean left;
    boolean ended;
    long endedAt;

    SimulatedMember(SimulatedTree tree, SimulatedTree.Vertex node, long epoch, int size, int rank, List<Step> steps) {
        this.tree = tree;
        this.rank = rank;
        this.steps = steps;
        this.member = new Member("group", epoch, size, rank);
        this.up = node.connect(this);
        this.down = node.back(up);
        tree.later(tree.random.nextInt(50_000_000), () -> {
            if (!dead) {
                up.send(member.join());
            }
        });
    }

    @Override
    public void take(Frame frame) {
        if (dead) {
            return;
        }
        member.receive(frame);
        if (member.failed() != null) {
            return;
        }
        if (member.isReady() && !begun) {
            begun = true;
            next();
        }
        Member.Result result = begun && results.size() < member.begun() ? member.result(member.begun()) : null;
        if (result != null) {
            results.add(result);
            if (result.save()) {
                saved.add(member.begun());
                up.send(new Frame.Saved(member.begun()));
            }
            next();
        }
    }

    private void next() {
        if (results.size() == steps.size()) {
            // Some stay a while, and hear what others have saved.
            tree.later(tree.random.nextInt(20_000_000), () -> {
                if (!dead && !ended) {
                    left = true;
                    up.send(new Frame.Leave());
                    up.end(false);
                }
            });
            return;
        }
        if (tree.random.nextInt(6) == 0) {
            up.send(new Frame.Ask());
        }
        tree.later(tree.random.nextInt(4_000_000), () -> {
            Step step = steps.get(results.size());
            sending = member.begin(step.signature(), step.own());
            send();
        });
    }

    private void send() {
        while (!dead && !ended && !linkFull && sending.hasNext()) {
            up.send(sending.next());
        }
    }

    @Override
    public void full(boolean full) {
        linkFull = full;
        if (!full && sending != null) {
            send();
        }
    }

    @Override
    public void ended(boolean cut) {
        ended = true;
        endedAt = tree.now;
    }

    /** Its stream is cut. */
    void kill() {
        dead = true;
        down.dead = true;
        up.end(true);
    }

    /** It is there, and neither reads nor writes. */
    void freeze() {
        dead = true;
        down.dead = true;
    }
}
