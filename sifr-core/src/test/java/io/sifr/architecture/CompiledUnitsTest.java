package io.sifr.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Where the units end that the JVM compiles. It inlines what is called often, several levels deep,
 * and compiles a method again within each of its callers; so a method with much below it costs more
 * the more callers it has above it. In a load of some seconds compilers take a third of the CPU.
 * Methods of more bytes than {@value #INLINED} are never inlined: they are compiled once.
 */
class CompiledUnitsTest {
  /** HotSpot's FreqInlineSize. */
  private static final int INLINED = 325;

  @ParameterizedTest
  @CsvSource({
    // All of a memtable's tree, below Memtable.add, WritePath.apply, commit, put, Database.put.
    "memtable.TreeWriter, insert",
    "memtable.TreeWriter, changeChild",
    // All that fills and writes blocks, below tasks of two kinds and OutputWriter.
    "sst.write.SstWriter, add",
  })
  void endAt(String type, String method) throws IOException {
    Map<String, Integer> sizes = sizes("io/sifr/internal/" + type.replace('.', '/') + ".class");
    assertThat(sizes.get(method))
        .describedAs(
            "bytes of %s.%s; with fewer it is compiled with each of its callers", type, method)
        .isGreaterThan(INLINED);
  }

  /** Bytes of the largest method of each name. */
  private static Map<String, Integer> sizes(String resource) throws IOException {
    Map<String, Integer> sizes = new HashMap<>();
    try (InputStream in = CompiledUnitsTest.class.getClassLoader().getResourceAsStream(resource)) {
      ClassReader reader = new ClassReader(Objects.requireNonNull(in));
      ClassWriter writer = new ClassWriter(0);
      reader.accept(new EndLabels(writer, sizes), 0);
    }
    return sizes;
  }

  /** Marks the end of each method, whose offset is known once it is written. */
  private static final class EndLabels extends ClassVisitor {
    private final Map<String, Integer> sizes;

    EndLabels(ClassWriter next, Map<String, Integer> sizes) {
      super(Opcodes.ASM9, next);
      this.sizes = sizes;
    }

    @Override
    public MethodVisitor visitMethod(
        int access,
        String name,
        String descriptor,
        @Nullable String signature,
        String @Nullable [] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
          Label end = new Label();
          super.visitLabel(end);
          super.visitMaxs(maxStack, maxLocals);
          sizes.merge(name, end.getOffset(), Math::max);
        }
      };
    }
  }
}
