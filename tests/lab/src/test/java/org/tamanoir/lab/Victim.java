package org.tamanoir.lab;

/** A program that makes a laboratory with something running in it, and waits to be ended from outside. */
final class Victim {
    private Victim() {
    }

    public static void main(String[] arguments) throws Exception {
        Lab lab = Lab.open();
        Host left = lab.host("left");
        Host right = lab.host("right");
        lab.link(left, right);
        LabProcess sleeper = left.start("sleeper", "sleep", "600");
        System.out.println("MADE " + left.namespace() + " " + right.namespace() + " " + sleeper.pid());
        Thread.sleep(600_000);
    }
}
