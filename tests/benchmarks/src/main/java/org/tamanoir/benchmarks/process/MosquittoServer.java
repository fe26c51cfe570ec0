package org.tamanoir.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabProcess;

/** mosquitto as a broker of MQTT on loopback, without a line per connection. It is installed where it is missing. */
public final class MosquittoServer {
    private MosquittoServer() {
    }

    /** Starts one that ends with the workbench. It may not listen yet when this returns. */
    public static LabProcess start(Workbench workbench, Path folder, int port) throws IOException {
        DebianPackages.require("mosquitto", "mosquitto", "mosquitto");
        Path file = Files.writeString(folder.resolve("mosquitto.conf"),
                "listener " + port + " 127.0.0.1\nallow_anonymous true\nlog_dest stderr\nlog_type error\nset_tcp_nodelay true\nmax_queued_messages 0\n" + ("root".equals(System.getProperty("user.name")) ? "user root\n" : ""));
        return workbench.start("mosquitto", List.of("/usr/sbin/mosquitto", "-c", file.toString()));
    }
}
