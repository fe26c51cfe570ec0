package org.tamanoir.wasm.stream;

import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.Configuration;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;

/**
 * A module that keeps {@code tamanoir_1} as a service: an instance for each stream. When it starts, a stream is opened and closed for trial, so
 * that a module that fails does so before a stream needs it, and options that it does not ask for are found.
 */
public final class WasmService implements ModuleService {
    private final ModuleSource source;
    private final ServiceState state;
    private ServiceContext service;

    public WasmService(ModuleSource source, ServiceState state) {
        this.source = source;
        this.state = state;
    }

    @Override
    public void prepare() {
        source.prepare();
    }

    @Override
    public long memoryBytes() {
        return state.memory().held();
    }

    @Override
    public void start(ServiceContext context) {
        service = context;
        source.prepare();
        state.register(context.metrics());
        try (StreamModule trial = StreamModule.start(source, state, context, new MapConfiguration("parameters", Map.of()), context::nanoTime)) {
            // What it answers is about a stream that asks for nothing, and says nothing about others.
            trial.open();
            trial.area(0);
        }
    }

    /** Called by event loops: a parameter is looked at, and no code of the module runs. */
    @Override
    public StreamHandler open(StreamContext stream) {
        Configuration asked = stream.parameters();
        Map<String, String> parameters = asked.names().stream().filter(state::asksFor).collect(Collectors.toMap(name -> name, name -> asked.text(name, "")));
        return new ModuleHandler(() -> begun(parameters, stream));
    }

    private StreamModule begun(Map<String, String> parameters, StreamContext stream) {
        StreamModule module = StreamModule.start(source, state, service, new MapConfiguration("parameters", parameters), stream::nanoTime);
        try {
            int refused = module.open();
            if (refused != 0) {
                throw new AnepException(ErrorCode.SERVICE_REFUSED, "the module refuses the stream with " + refused);
            }
            return module;
        } catch (Throwable e) {
            module.close();
            throw e;
        }
    }

    @Override
    public void stop() {
        source.close();
    }
}
