package org.tamanoir.wasm.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.WasmInstance;
import org.tamanoir.wasm.testing.ModuleWriter;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/** A compiled module names what it needs and nothing of the node, whatever the compiler may be brought to make. */
class ClassFilterTest {
    private static final String NAME = ClassFilter.INTERNAL_PREFIX;

    /** A class with a method that calls something. */
    private static byte[] calling(String owner, String method, String descriptor) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V11, Opcodes.ACC_PUBLIC, NAME, null, "java/lang/Object", null);
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_STATIC, "run", "()V", null, null);
        code.visitCode();
        code.visitMethodInsn(Opcodes.INVOKESTATIC, owner, method, descriptor, false);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(4, 0);
        code.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"java/lang/System", "java/lang/Runtime", "java/lang/Thread", "java/lang/Class", "java/lang/reflect/Method", "java/io/File",
        "java/lang/invoke/MethodHandles", "org/tamanoir/wasm/WasmEngine", "org/tamanoir/service/brake/Brakes", "run/endive/runtime/InterpreterMachine",
        "run/endive/compiler/internal/Compiler", "io/netty/buffer/Unpooled"})
    void aClassThatNamesAnythingElseIsRefused(String owner) throws Exception {
        byte[] file = calling(owner, "method", "()V");
        assertThatThrownBy(() -> ClassWeaver.weave(Map.of(NAME, file))).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_COMPILED));
        // And could not be loaded if it were overlooked.
        ImageLoader loader = new ImageLoader(Map.of(NAME, file));
        assertThatThrownBy(() -> loader.loadClass(owner.replace('/', '.'))).isInstanceOf(ClassNotFoundException.class);
        assertThat(loader.loadClass("java.lang.Math")).isSameAs(Math.class);
    }

    @Test
    void neitherTypesOfParametersNorArraysAreOverlooked() {
        assertThatThrownBy(() -> ClassWeaver.weave(Map.of(NAME, calling("java/lang/Math", "abs", "(Ljava/lang/Thread;)V")))).isInstanceOf(AnepException.class);
        assertThatThrownBy(() -> ClassWeaver.weave(Map.of(NAME, calling("[[Ljava/io/File;", "clone", "()V")))).isInstanceOf(AnepException.class);
    }

    /** Everything of WebAssembly 2.0 that {@code RandomProgram} does not make. */
    @Test
    void whatModulesUseIsOnTheList() {
        ModuleWriter module = new ModuleWriter().table(2, 10);
        int function = module.function(":i", "", new Code().i32(42));
        module.elements(0, function, function);
        Code run = new Code();
        run.octets(0xD2).number(function).i32(3).octets(0xFC, 15, 0).drop();
        run.i32(0).octets(0xD0, 0x70).octets(0x26, 0);
        run.i32(0).octets(0x25, 0).op(0xD1).drop();
        run.i32(1).octets(0xD2).number(function).i32(1).octets(0xFC, 17, 0);
        run.i32(0).i32(1).i32(1).octets(0xFC, 14, 0, 0);
        run.i32(0).callIndirect(module.type(":i")).octets(0xFC, 16, 0).op(0x6A).octets(0x3F, 0).op(0x6A);
        int pair = module.function(":iI", "", new Code().i32(1).i64(2));
        run.call(pair).op(0xA7).op(0x6A).op(0x6A);
        try (WasmInstance instance = Modules.start(module.serviceOf(run).toBytes())) {
            assertThat(instance.call("tamanoir_run", 0, 0, 0)).isEqualTo(42 + 5 + 1 + 1 + 2);
        }
    }
}
