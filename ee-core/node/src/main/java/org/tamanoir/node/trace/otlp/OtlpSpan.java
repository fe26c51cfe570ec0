package org.tamanoir.node.trace.otlp;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.List;
import org.tamanoir.node.trace.FinishedSpan;

/** A span as the library wants it. */
final class OtlpSpan implements SpanData {
    private static final InstrumentationScopeInfo SCOPE = InstrumentationScopeInfo.create("org.tamanoir.node");

    private final FinishedSpan span;
    private final Resource node;
    private final Attributes attributes;
    private final List<EventData> events;

    OtlpSpan(FinishedSpan span, Resource node) {
        this.span = span;
        this.node = node;
        this.attributes = OtlpSink.attributes(span.attributes());
        this.events = span.events().entrySet().stream().map(event -> EventData.create(event.getValue(), event.getKey(), Attributes.empty())).toList();
    }

    @Override
    public String getName() {
        return span.name();
    }

    /** The stream's own span answers whoever sends the stream; the others are steps of it. */
    @Override
    public SpanKind getKind() {
        return span.isStep() ? SpanKind.INTERNAL : SpanKind.SERVER;
    }

    @Override
    public SpanContext getSpanContext() {
        return SpanContext.create(TraceId.fromLongs(span.traceHigh(), span.traceLow()), SpanId.fromLong(span.id()), TraceFlags.getSampled(), TraceState.getDefault());
    }

    @Override
    public SpanContext getParentSpanContext() {
        if (span.parent() == 0) {
            return SpanContext.getInvalid();
        }
        String trace = TraceId.fromLongs(span.traceHigh(), span.traceLow());
        String parent = SpanId.fromLong(span.parent());
        return span.isStep() ? SpanContext.create(trace, parent, TraceFlags.getSampled(), TraceState.getDefault())
                : SpanContext.createFromRemoteParent(trace, parent, TraceFlags.getSampled(), TraceState.getDefault());
    }

    @Override
    public StatusData getStatus() {
        return span.error() == null ? StatusData.unset() : StatusData.create(StatusCode.ERROR, span.error());
    }

    @Override
    public long getStartEpochNanos() {
        return span.startNanos();
    }

    @Override
    public Attributes getAttributes() {
        return attributes;
    }

    @Override
    public List<EventData> getEvents() {
        return events;
    }

    @Override
    public List<LinkData> getLinks() {
        return List.of();
    }

    @Override
    public long getEndEpochNanos() {
        return span.endNanos();
    }

    @Override
    public boolean hasEnded() {
        return true;
    }

    @Override
    public int getTotalRecordedEvents() {
        return events.size();
    }

    @Override
    public int getTotalRecordedLinks() {
        return 0;
    }

    @Override
    public int getTotalAttributeCount() {
        return attributes.size();
    }

    /** The library still asks whoever implements the interface for the old name of the scope, and uses the new one. */
    @Override
    @Deprecated
    public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
        return io.opentelemetry.sdk.common.InstrumentationLibraryInfo.empty();
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return SCOPE;
    }

    @Override
    public Resource getResource() {
        return node;
    }
}
