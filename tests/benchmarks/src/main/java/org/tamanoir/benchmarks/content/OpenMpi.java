package org.tamanoir.benchmarks.content;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.Port;

/** Open MPI of Debian, over TCP, on hosts of a laboratory: {@code mpirun} on one of them starts the programs on the others by {@code ip netns exec} in place of ssh. */
final class OpenMpi {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String PROGRAM = """
            import array, sys, time
            from mpi4py import MPI
            world = MPI.COMM_WORLD
            own = array.array('d', [1.0]) * (int(sys.argv[1]) // 8)
            sums = array.array('d', own)
            world.Barrier()
            begin = time.monotonic()
            for _ in range(int(sys.argv[2])):
                world.Allreduce([own, MPI.DOUBLE], [sums, MPI.DOUBLE])
            took = world.reduce(time.monotonic() - begin, MPI.MAX)
            assert sums[-1] == world.size
            if world.rank == 0:
                print("DONE", took * 1000, flush=True)
            """;

    private final Host start;
    private final String hosts;
    private final Path agent;
    private final Path program;
    private final int sites;

    /** Installs it where it is missing. */
    static void install() {
        DebianPackages.require("mpirun", "openmpi-bin");
        if (!Files.isDirectory(Path.of("/usr/lib/python3/dist-packages/mpi4py"))) {
            DebianPackages.install(List.of("python3-mpi4py"));
        }
    }

    /** @param start where mpirun runs @param ports one of each host that has programs */
    OpenMpi(Host start, List<Port> ports, Path folder) throws IOException {
        this.start = start;
        this.hosts = ports.stream().map(port -> port.ipv4().getHostAddress() + ":%d").collect(Collectors.joining(","));
        this.sites = ports.size();
        program = Files.writeString(folder.resolve("allreduce.py"), PROGRAM);
        // Each host has its own name, by which Open MPI tells them apart.
        String cases = ports.stream().map(port -> "  " + port.ipv4().getHostAddress() + ") name=" + port.host().name() + "; space=" + port.host().namespace() + ";;\n").collect(Collectors.joining());
        agent = Files.writeString(folder.resolve("agent"), "#!/bin/sh\nto=$1; shift\ncase $to in\n" + cases
                + "esac\nexec ip netns exec $space unshare --uts sh -c \"hostname $name; $*\"\n");
        Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** All-reduces so often. @return milliseconds of all of them */
    double allReduce(int octets, int perHost, int operations) {
        Command.Result result = start.tryRun(PATIENCE, "mpirun", "--allow-run-as-root", "--host", hosts.replace("%d", "" + perHost), "-np", "" + sites * perHost, "--oversubscribe",
                "--mca", "plm_rsh_agent", agent.toString(), "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "btl", "tcp,self", "--mca", "pml", "ob1", "--mca", "btl_tcp_if_include", "10.0.0.0/16",
                "--mca", "oob_tcp_if_include", "10.0.0.0/16", "--mca", "mpi_yield_when_idle", "1", "/usr/bin/python3", program.toString(), "" + octets, "" + operations);
        return result.output().lines().filter(line -> line.startsWith("DONE ")).mapToDouble(line -> Double.parseDouble(line.substring("DONE ".length()))).findFirst()
                .orElseThrow(() -> new LabException("Open MPI says " + result));
    }
}
