package org.tamanoir.node.deploy;

import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.tamanoir.service.guard.ExitGuard;

/**
 * Has a method of a service call {@link ExitGuard} where it would end the process, in a call and in a reference to the method. What is
 * taken from the stack and left there stays the same. Reflection is not looked at: this is against mistakes.
 */
final class ExitWeaver extends MethodVisitor {
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
