package org.tamanoir.services.qosinus;

import java.time.Duration;
import java.util.Map;
import org.osgi.service.component.annotations.Component;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.Inspected;
import org.tamanoir.service.Metrics;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;

/**
 * QoSinus (active grid paper, section 4.1): an application says what its flow needs and gets a session code; packets with that code get
 * the class that gives it. This is the part that programs; three partners measure, decide and enforce. Type ID 0x5404.
 */
@Component(service = ActiveService.class)
public final class Qosinus implements ActiveService, Inspected {
    /** A version that hands over takes no requests any more; what it has taken is on the disk after this time. */
    private static final Duration SETTLED = Duration.ofSeconds(1);
    /** Sessions that are read before it has started, which must not take long; then so many in each task. */
    private static final int AT_ONCE = 10_000;
    private static final int CHUNK = 1000;

    private final Counters counters = new Counters();
    private final Events events = new Events();
    private SessionTable table;
    private Controller controller;
    private Registrar registrar;
    private OperatorView view;

    @Override
    public void start(ServiceContext service) {
        Settings settings = Settings.of(service.configuration());
        table = new SessionTable(settings);
        SessionStore store = new SessionStore(service.store(), service.logger());
        store.open();
        if (!store.load(table, service.nanoTime(), AT_ONCE)) {
            service.later(Duration.ZERO, () -> load(service, store));
        }
        if (!service.inherited().isEmpty()) {
            // What the version before was keeping while this one has read.
            service.later(SETTLED, () -> {
                store.open();
                load(service, store);
            });
        }
        Partners partners = Partners.of(service);
        controller = new Controller(service, settings, table, store, partners, counters, events);
        registrar = new Registrar(service, table, store, controller, counters, events);
        view = new OperatorView(service, table, controller, partners, events);
        Metrics metrics = service.metrics();
        counters.register(metrics);
        metrics.gauge("sessions", "Sessions that are stored.", () -> table.size());
        metrics.gauge("sessions_active", "Sessions that carry something.", () -> controller.active());
        controller.start();
    }

    private void load(ServiceContext service, SessionStore store) {
        if (!store.load(table, service.nanoTime(), CHUNK)) {
            service.later(Duration.ZERO, () -> load(service, store));
        }
    }

    @Override
    public StreamHandler open(StreamContext stream) {
        controller.opened();
        return new QosStream(stream, controller, table, counters, new Programming(stream, registrar));
    }

    @Override
    public boolean reconfigure(Configuration configuration) {
        Settings changed = Settings.of(configuration);
        table.settings(changed);
        controller.settings(changed);
        return true;
    }

    /** The next version has every session from the store; this one goes on with its streams, and forgets nothing that is the next one's. */
    @Override
    public Map<String, Object> handOver() {
        controller.retire();
        return Map.of("sessions", table.size());
    }

    @Override
    public void stop() {
        if (controller != null) {
            controller.stop();
        }
    }

    @Override
    public Map<String, Object> inspect(String what, Map<String, String> parameters) {
        return view.show(what, parameters);
    }
}
