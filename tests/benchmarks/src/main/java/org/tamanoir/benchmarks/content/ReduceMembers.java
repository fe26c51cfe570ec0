package org.tamanoir.benchmarks.content;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.tamanoir.anep.Delivery;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.TamanoirClient;
import org.tamanoir.client.collective.GroupMember;
import org.tamanoir.collective.Reduction;

/** Members of one host as a process: for each line, a group and how many operations, it joins, reduces so often, leaves, and says {@code DONE} and the milliseconds of the operations. */
public final class ReduceMembers {
    private ReduceMembers() {
    }

    /** @param arguments own address, address of the root, port of both, size, first rank, ranks, octets */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[2]);
        int size = Integer.parseInt(arguments[3]);
        int first = Integer.parseInt(arguments[4]);
        int ranks = Integer.parseInt(arguments[5]);
        double[] vector = new double[Integer.parseInt(arguments[6]) / Double.BYTES];
        Arrays.fill(vector, 1);
        ExecutorService programs = Executors.newFixedThreadPool(ranks);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (TamanoirClient client = new TamanoirClient()) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                List<Future<Double>> all = IntStream.range(first, first + ranks).mapToObj(rank -> programs.submit(() -> {
                    StreamRequest way = new StreamRequest().via(new InetSocketAddress(arguments[0], port)).to(new InetSocketAddress(arguments[1], port)).delivery(Delivery.ANEP);
                    try (GroupMember member = GroupMember.join(client, way, words[0], 1, size, rank)) {
                        return reduce(member, vector, Integer.parseInt(words[1]), size);
                    }
                })).toList();
                double most = 0;
                for (Future<Double> each : all) {
                    most = Math.max(most, each.get());
                }
                System.out.println("DONE " + most);
            }
        }
        programs.shutdown();
    }

    private static double reduce(GroupMember member, double[] vector, int operations, int size) throws InterruptedException {
        member.barrier();
        long begin = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            double[] sums = member.allReduce(Reduction.SUM, vector);
            if (sums[sums.length - 1] != size) {
                throw new IllegalStateException("a sum of " + sums[sums.length - 1] + " of " + size);
            }
        }
        double millis = (System.nanoTime() - begin) / 1e6;
        member.leave();
        return millis;
    }
}
