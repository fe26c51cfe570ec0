package org.tamanoir.node.trace.otlp;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.tamanoir.node.trace.FinishedSpan;
import org.tamanoir.node.trace.SpanSink;

/** Sends spans by OTLP, as protobuf over HTTP, through the HTTP client of the JDK. */
public final class OtlpSink implements SpanSink {
    private static final String PATH = "/v1/traces";
    private static final Duration CONNECT = Duration.ofSeconds(2);
    private static final Duration REQUEST = Duration.ofSeconds(5);
    /** A little longer than a request, which ends by itself. */
    private static final long PATIENCE_MILLIS = REQUEST.toMillis() + 500;
    /** The library would print each failure to standard error; kept here, as the JDK forgets loggers that nobody holds. */
    private static final Logger QUIET = Logger.getLogger("io.opentelemetry");

    private final OtlpHttpSpanExporter exporter;
    private final Resource node;

    /**
     * @param endpoint URL of the collector, without a path
     * @param node     what is said of this node with every span: {@code service.name} and others
     */
    public OtlpSink(String endpoint, Map<String, String> node) {
        QUIET.setLevel(Level.OFF);
        AttributesBuilder attributes = Attributes.builder();
        node.forEach(attributes::put);
        this.node = Resource.create(attributes.build());
        this.exporter = OtlpHttpSpanExporter.builder().setEndpoint(endpoint + PATH).setConnectTimeout(CONNECT).setTimeout(REQUEST)
                .setRetryPolicy(null).setMeterProvider(MeterProvider.noop()).build();
    }

    @Override
    public void send(List<FinishedSpan> spans) throws IOException {
        List<SpanData> data = spans.stream().<SpanData>map(span -> new OtlpSpan(span, node)).toList();
        CompletableResultCode result = exporter.export(data).join(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        if (!result.isSuccess()) {
            Throwable why = result.getFailureThrowable();
            throw new IOException(why == null ? "no answer within " + REQUEST.toSeconds() + " s" : text(why), why);
        }
    }

    private static String text(Throwable why) {
        if (why.getCause() == null) {
            return "it has answered with an error, and its log may say why";
        }
        Throwable cause = why;
        while (cause.getCause() != null && !(cause instanceof ConnectException)) {
            cause = cause.getCause();
        }
        return cause instanceof ConnectException ? "nobody can be connected to there" : cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    @Override
    public void close() {
        exporter.shutdown();
    }

    static Attributes attributes(Map<String, Object> values) {
        AttributesBuilder attributes = Attributes.builder();
        values.forEach((key, value) -> {
            if (value instanceof Long number) {
                attributes.put(key, number);
            } else if (value instanceof List<?> texts) {
                attributes.put(AttributeKey.stringArrayKey(key), texts.stream().map(String::valueOf).toList());
            } else {
                attributes.put(key, value.toString());
            }
        });
        return attributes.build();
    }
}
