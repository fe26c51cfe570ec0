package org.tamanoir.tests.services;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;

/** Calls whatever it can find of what the node weaves into services, in the name of every thread there is. */
public final class Meddler implements ActiveService {
    /** The property that says what it found: the classes that it could load, and the methods that took another thread. */
    public static final String FOUND = "org.tamanoir.tests.meddler";
    private static final String[] SOUGHT = {"org.tamanoir.service.guard.LoopGuard", "org.tamanoir.service.guard.ExitGuard",
        "org.tamanoir.service.brake.Brakes", "org.tamanoir.node.service.ServiceWatch", "org.tamanoir.node.Node"};

    @Override
    public StreamHandler open(StreamContext stream) {
        return new Handler();
    }

    private static final class Handler implements StreamHandler {
        @Override
        public Verdict onPacket(Packet packet, Output out) {
            System.setProperty(FOUND, meddle());
            return Verdict.PASS;
        }
    }

    private static String meddle() {
        StringBuilder found = new StringBuilder();
        for (String name : SOUGHT) {
            try {
                Class<?> type = Class.forName(name, true, Meddler.class.getClassLoader());
                found.append(type.getSimpleName()).append(' ');
                for (Method method : type.getDeclaredMethods()) {
                    if (Modifier.isStatic(method.getModifiers()) && Modifier.isPublic(method.getModifiers())) {
                        call(method, found);
                    }
                }
            } catch (ClassNotFoundException | NoClassDefFoundError e) {
                // As it should be for most of them.
            }
        }
        return found.toString().strip();
    }

    private static void call(Method method, StringBuilder found) {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            try {
                if (method.getParameterCount() == 0) {
                    method.invoke(null);
                } else if (method.getParameterCount() == 1 && method.getParameterTypes()[0] == Thread.class) {
                    found.append(method.getName()).append(' ');
                    method.invoke(null, thread);
                }
            } catch (ReflectiveOperationException e) {
                // What it throws reaches its caller alone.
            }
        }
    }
}
