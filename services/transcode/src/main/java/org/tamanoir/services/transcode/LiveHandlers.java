package org.tamanoir.services.transcode;

import io.netty.buffer.Unpooled;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** What live streams do at a node: go through it in another size, publish a channel, view one. */
final class LiveHandlers {
    private LiveHandlers() {
    }

    /** A live stream on its way to its destination: a channel with one receiver. */
    static final class Through implements StreamHandler {
        private final Channel channel;
        private final Rung rung;
        private final Outlet outlet;

        Through(Channel channel, Rung rung, StreamContext stream, LiveCounters counters) {
            this.channel = channel;
            this.rung = rung;
            this.outlet = new Outlet(stream, true, counters);
            channel.join(rung, outlet);
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() == 0) {
                return Verdict.PASS;
            }
            channel.publish(Unpooled.copiedBuffer(packet.payload()));
            return Verdict.TAKEN;
        }

        @Override
        public void onWritable(Output out) {
            outlet.room();
        }

        @Override
        public void onEnd(Output out) {
            out.holdEnd();
            channel.end(null);
        }

        @Override
        public Map<String, Object> report() {
            return channel.shown();
        }

        @Override
        public void close() {
            channel.leave(rung, outlet);
        }
    }

    /** The source of a channel. */
    static final class Publisher implements StreamHandler {
        private final Channel channel;
        private final StreamContext stream;
        private final Runnable gone;
        private boolean ended;

        Publisher(Channel channel, StreamContext stream, Runnable gone) {
            this.channel = channel;
            this.stream = stream;
            this.gone = gone;
        }

        @Override
        public Verdict onPacket(Packet packet, Output out) {
            if (packet.payloadLength() > 0) {
                channel.publish(Unpooled.copiedBuffer(packet.payload()));
            }
            return Verdict.TAKEN;
        }

        @Override
        public void onEnd(Output out) {
            ended = true;
            channel.end(null);
            stream.execute((forward, back) -> back.finish());
        }

        @Override
        public Map<String, Object> report() {
            return channel.shown();
        }

        @Override
        public void close() {
            gone.run();
            if (!ended) {
                channel.end(new AnepException(ErrorCode.CONNECTION_LOST, "the source of the channel is gone"));
            }
        }
    }

    /** One who views a channel. */
    static final class Viewer implements StreamHandler {
        private final Channel channel;
        private final Rung rung;
        private final Outlet outlet;

        Viewer(Channel channel, Rung rung, StreamContext stream, LiveCounters counters) {
            this.channel = channel;
            this.rung = rung;
            this.outlet = new Outlet(stream, false, counters);
            channel.join(rung, outlet);
        }

        /** What a viewer says is of no interest. */
        @Override
        public Verdict onPacket(Packet packet, Output out) {
            return Verdict.TAKEN;
        }

        @Override
        public void onReturnWritable(Output back) {
            outlet.room();
        }

        /** It has nothing more to say, and looks on. */
        @Override
        public void onEnd(Output out) {
            out.holdEnd();
        }

        @Override
        public Map<String, Object> report() {
            return Map.of("size", rung.toString(), "droppedOctets", outlet.dropped());
        }

        @Override
        public void close() {
            channel.leave(rung, outlet);
        }
    }
}
