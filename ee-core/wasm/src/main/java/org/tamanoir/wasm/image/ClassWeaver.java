package org.tamanoir.wasm.image;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.Guard;
import run.endive.runtime.MemCopyWorkaround;

/**
 * Goes over the classes that the compiler has made of a module, and trusts none of them: the question whether the thread was interrupted becomes
 * a call of the {@link Guard}, every jump backwards that lacks one gets it, methods that nobody calls go, and a class that names anything
 * which is not on the list of {@link ClassFilter} is EE-658.
 */
final class ClassWeaver {
    private static final String GUARD = Type.getInternalName(Guard.class);
    private static final String SHADED = ClassFilter.INTERNAL_PREFIX + "Shaded";
    private static final String ASKED = "checkInterruption";
    /** A field of the helper class, which asks the system for the version of Java; the image is made by the Java that runs it. */
    private static final String WORKAROUND = "memCopyWorkaround";
    private static final Pattern BEYOND_NAME = Pattern.compile("[^\\w/$\\[;]");

    private ClassWeaver() {
    }

    /** @param classes by their names with slashes */
    static Map<String, byte[]> weave(Map<String, byte[]> classes) {
        Map<String, byte[]> woven = new LinkedHashMap<>();
        Set<String> used = used(classes);
        classes.forEach((name, file) -> {
            ClassReader reader = new ClassReader(file);
            ClassWriter writer = new ClassWriter(0);
            reader.accept(new Woven(writer, name.equals(SHADED) ? used : null), ClassReader.SKIP_DEBUG);
            woven.put(name, writer.toByteArray());
        });
        return woven;
    }

    /** Methods of the helper class that are called, by name and type: of those of the library most are not. */
    private static Set<String> used(Map<String, byte[]> classes) {
        Map<String, Set<String>> callsOfHelper = new HashMap<>();
        Set<String> calledByModule = new HashSet<>();
        classes.forEach((name, file) -> new ClassReader(file).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] exceptions) {
                Set<String> calls = name.equals(SHADED) ? callsOfHelper.computeIfAbsent(method + descriptor, key -> new HashSet<>()) : calledByModule;
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitMethodInsn(int opcode, String owner, String called, String type, boolean onInterface) {
                        if (owner.equals(SHADED) && !called.equals(ASKED)) {
                            calls.add(called + type);
                        }
                    }
                };
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES));
        Set<String> used = new HashSet<>();
        ArrayDeque<String> open = new ArrayDeque<>(calledByModule);
        while (!open.isEmpty()) {
            String method = open.remove();
            if (used.add(method)) {
                open.addAll(callsOfHelper.getOrDefault(method, Set.of()));
            }
        }
        return used;
    }

    private static void check(String owner) {
        if (!ClassFilter.allows(owner)) {
            throw new AnepException(ErrorCode.NOT_COMPILED, "the module cannot be run safely: its compiled form names " + BEYOND_NAME.matcher(owner).replaceAll("?"));
        }
    }

    private static void checkType(Type type) {
        switch (type.getSort()) {
            case Type.OBJECT, Type.ARRAY -> check(type.getInternalName());
            case Type.METHOD -> {
                checkType(type.getReturnType());
                for (Type each : type.getArgumentTypes()) {
                    checkType(each);
                }
            }
            default -> {
            }
        }
    }

    private static final class Woven extends ClassVisitor {
        private final Set<String> kept;

        Woven(ClassVisitor next, Set<String> kept) {
            super(Opcodes.ASM9, next);
            this.kept = kept;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
            check(superName);
            for (String each : interfaces == null ? new String[0] : interfaces) {
                check(each);
            }
            super.visit(version, access, name, null, superName, interfaces);
        }

        @Override
        public void visitInnerClass(String name, String outerName, String innerName, int access) {
            // Names for readers; the classes of an image have none.
        }

        @Override
        public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
            return kept == null ? super.visitField(access, name, descriptor, null, value) : null;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            if (kept != null && !kept.contains(name + descriptor)) {
                return null;
            }
            if ((access & (Opcodes.ACC_NATIVE | Opcodes.ACC_SYNCHRONIZED)) != 0) {
                throw new AnepException(ErrorCode.NOT_COMPILED, "the module cannot be run safely: its compiled form has a native method");
            }
            checkType(Type.getMethodType(descriptor));
            return new WovenMethod(super.visitMethod(access, name, descriptor, null, null));
        }
    }

    /** Labels that have been passed are behind; a jump to one of them is a loop. */
    private static final class WovenMethod extends MethodVisitor {
        private final Set<Label> behind = new HashSet<>();
        private boolean guarded;

        WovenMethod(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        private void guard() {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, GUARD, "check", "()V", false);
        }

        private void loop(boolean backwards) {
            if (backwards && !guarded) {
                guard();
            }
            guarded = false;
        }

        @Override
        public void visitLabel(Label label) {
            behind.add(label);
            guarded = false;
            super.visitLabel(label);
        }

        @Override
        public void visitJumpInsn(int opcode, Label target) {
            loop(behind.contains(target));
            super.visitJumpInsn(opcode, target);
        }

        @Override
        public void visitTableSwitchInsn(int least, int most, Label other, Label... targets) {
            loop(anyBehind(other, targets));
            super.visitTableSwitchInsn(least, most, other, targets);
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] targets) {
            loop(anyBehind(other, targets));
            super.visitLookupSwitchInsn(other, keys, targets);
        }

        private boolean anyBehind(Label other, Label[] targets) {
            for (Label target : targets) {
                if (behind.contains(target)) {
                    return true;
                }
            }
            return behind.contains(other);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean onInterface) {
            if (owner.equals(SHADED) && name.equals(ASKED)) {
                guard();
                guarded = true;
                return;
            }
            guarded = false;
            check(owner);
            checkType(Type.getMethodType(descriptor));
            super.visitMethodInsn(opcode, owner, name, descriptor, onInterface);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            if (owner.equals(SHADED) && name.equals(WORKAROUND) && opcode == Opcodes.GETSTATIC) {
                guarded = false;
                super.visitInsn(MemCopyWorkaround.shouldUseMemWorkaround() ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
                return;
            }
            check(owner);
            checkType(Type.getType(descriptor));
            super.visitFieldInsn(opcode, owner, name, descriptor);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            check(type);
            super.visitTypeInsn(opcode, type);
        }

        @Override
        public void visitLdcInsn(Object value) {
            if (value instanceof Type || value instanceof Handle || value instanceof ConstantDynamic) {
                throw new AnepException(ErrorCode.NOT_COMPILED, "the module cannot be run safely: its compiled form holds a class or a handle");
            }
            super.visitLdcInsn(value);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            throw new AnepException(ErrorCode.NOT_COMPILED, "the module cannot be run safely: its compiled form makes code when it runs");
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            checkType(Type.getType(descriptor));
            super.visitMultiANewArrayInsn(descriptor, dimensions);
        }

        @Override
        public void visitTryCatchBlock(Label from, Label to, Label handler, String type) {
            // To catch everything would be to catch the guard.
            if (type == null || !type.equals("java/lang/StackOverflowError")) {
                throw new AnepException(ErrorCode.NOT_COMPILED, "the module cannot be run safely: its compiled form catches " + type);
            }
            super.visitTryCatchBlock(from, to, handler, type);
        }
    }
}
