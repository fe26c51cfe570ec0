package org.tamanoir.node.deploy;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.hooks.weaving.WeavingException;
import org.osgi.framework.hooks.weaving.WeavingHook;
import org.osgi.framework.hooks.weaving.WovenClass;
import org.tamanoir.service.guard.ExitGuard;
import org.tamanoir.service.guard.LoopGuard;

/**
 * Puts a call of {@link LoopGuard#check()} in front of every jump backwards in the classes of services, which is in every loop, and at the
 * beginning of every method, which is in every recursion and in everything that a loop of the JDK calls; so what never ends can be
 * stopped. {@link ExitWeaver} sees to it that nothing ends the node.
 */
final class LoopWeaver implements WeavingHook {
    private static final String GUARD = LoopGuard.class.getName().replace('.', '/');
    /**
     * What a framework needs so that the calls find the node, and no bundle need or can import the package for them. Without implicit
     * delegation, or a bundle could find every class of the node where the JDK calls on its behalf.
     */
    static final Map<String, String> SETTINGS = Map.of(Constants.FRAMEWORK_BOOTDELEGATION, LoopGuard.class.getPackageName(),
            Constants.FRAMEWORK_BUNDLE_PARENT, Constants.FRAMEWORK_BUNDLE_PARENT_FRAMEWORK, "felix.bootdelegation.implicit", "false");
    private static final String MARK = "tamanoir:";

    /** Bundles with this prefix in their location are services; the framework's own are left as they are. */
    static String location(String sha256) {
        return MARK + sha256;
    }

    /** Whether a bundle is a service, as against one of the framework. */
    static boolean isService(Bundle bundle) {
        return bundle.getLocation().startsWith(MARK);
    }

    @Override
    public void weave(WovenClass woven) {
        if (!isService(woven.getBundleWiring().getBundle())) {
            return;
        }
        try {
            guard(woven);
        } catch (RuntimeException e) {
            // Anything else would make the framework drop this hook for good, and services that come later would go unguarded.
            throw new WeavingException(woven.getClassName() + " cannot be guarded: " + e, e);
        }
    }

    private static void guard(WovenClass woven) {
        byte[] guarded = guarded(woven.getBytes());
        if (guarded != null) {
            woven.setBytes(guarded);
        }
    }

    /** The class file with guards, or null if it needs none. */
    static byte[] guarded(byte[] classFile) {
        ClassReader reader = new ClassReader(classFile);
        // The call takes nothing from the stack and leaves nothing there: frames and maxima stay as they are.
        ClassWriter writer = new ClassWriter(reader, 0);
        Guarded guarded = new Guarded(writer);
        reader.accept(guarded, 0);
        return guarded.changed ? writer.toByteArray() : null;
    }

    private static final class Guarded extends ClassVisitor {
        private boolean changed;

        Guarded(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = new ExitWeaver(super.visitMethod(access, name, descriptor, signature, exceptions));
            return new MethodVisitor(Opcodes.ASM9, next) {
                private final Set<Label> behind = new HashSet<>();

                @Override
                public void visitCode() {
                    super.visitCode();
                    guard(true);
                }

                @Override
                public void visitLabel(Label label) {
                    behind.add(label);
                    super.visitLabel(label);
                }

                @Override
                public void visitJumpInsn(int opcode, Label target) {
                    guard(behind.contains(target));
                    super.visitJumpInsn(opcode, target);
                }

                @Override
                public void visitTableSwitchInsn(int least, int most, Label other, Label... targets) {
                    guard(behind.contains(other) || anyBehind(targets));
                    super.visitTableSwitchInsn(least, most, other, targets);
                }

                @Override
                public void visitLookupSwitchInsn(Label other, int[] keys, Label[] targets) {
                    guard(behind.contains(other) || anyBehind(targets));
                    super.visitLookupSwitchInsn(other, keys, targets);
                }

                private boolean anyBehind(Label[] targets) {
                    for (Label target : targets) {
                        if (behind.contains(target)) {
                            return true;
                        }
                    }
                    return false;
                }

                private void guard(boolean needed) {
                    if (needed) {
                        changed = true;
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, GUARD, "check", "()V", false);
                    }
                }
            };
        }
    }

    /**
     * Has a method of a service call {@link ExitGuard} where it would end the process, in a call and in a reference to the method. What is
     * taken from the stack and left there stays the same. Reflection is not looked at: this is against mistakes.
     */
    static final class ExitWeaver extends MethodVisitor {
        private static final String GUARD = ExitGuard.class.getName().replace('.', '/');
        private static final String SYSTEM = "java/lang/System";
        private static final String RUNTIME = "java/lang/Runtime";

        ExitWeaver(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean onInterface) {
            String guarded = guarded(owner, name, descriptor);
            if (guarded == null) {
                super.visitMethodInsn(opcode, owner, name, descriptor, onInterface);
            } else {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, GUARD, name, guarded, false);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            Object[] guarded = arguments.clone();
            for (int i = 0; i < guarded.length; i++) {
                if (guarded[i] instanceof Handle target) {
                    String replaced = guarded(target.getOwner(), target.getName(), target.getDesc());
                    guarded[i] = replaced == null ? target : new Handle(Opcodes.H_INVOKESTATIC, GUARD, target.getName(), replaced, false);
                }
            }
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, guarded);
        }

        /** The descriptor of the guard that takes what the method takes, its object first; or null for a method that may be called. */
        private static String guarded(String owner, String name, String descriptor) {
            boolean exit = name.equals("exit") && descriptor.equals("(I)V");
            if (exit && owner.equals(SYSTEM)) {
                return descriptor;
            }
            boolean halt = name.equals("halt") && descriptor.equals("(I)V");
            return (exit || halt) && owner.equals(RUNTIME) ? "(L" + RUNTIME + ";I)V" : null;
        }
    }
}
