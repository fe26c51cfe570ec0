package org.tamanoir.lab;

/** A program that boots a director and waits to be ended from outside. */
final class ClusterVictim {
    private ClusterVictim() {
    }

    public static void main(String[] arguments) throws Exception {
        ClusterTestbed testbed = ClusterTestbed.open(1);
        testbed.boot(1).run("sleep 600 >/run/sleeps 2>&1 &");
        System.out.println("MADE " + testbed.router().namespace());
        Thread.sleep(600_000);
    }
}
