package io.sifr.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Finds in the code of classes what asks for a class, a member or a resource by name: what an
 * ahead-of-time compiler cannot see.
 */
final class ReflectionScan {
  private static final Set<String> OF_CLASS =
      Set.of(
          "forName",
          "getConstructor",
          "getConstructors",
          "getDeclaredConstructor",
          "getDeclaredConstructors",
          "getDeclaredField",
          "getDeclaredFields",
          "getDeclaredMethod",
          "getDeclaredMethods",
          "getField",
          "getFields",
          "getMethod",
          "getMethods",
          "getRecordComponents",
          "getResource",
          "getResourceAsStream",
          "newInstance");

  /** The fields that are named by constants, as {@code class#field}. */
  private final Set<String> fields = new TreeSet<>();

  /** By class, the other calls in it, as {@code Class.forName}. */
  private final Map<String, Set<String>> calls = new TreeMap<>();

  Set<String> fields() {
    return fields;
  }

  Map<String, Set<String>> calls() {
    return calls;
  }

  /** Looks at a class. */
  void add(InputStream classFile) throws IOException {
    ClassReader reader = new ClassReader(classFile);
    String owner = reader.getClassName().replace('/', '.');
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access,
              String name,
              String descriptor,
              @Nullable String signature,
              String @Nullable [] exceptions) {
            return new CallsOfMethod(owner);
          }
        },
        ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
  }

  private static boolean isReflective(String owner, String name) {
    return switch (owner) {
      case "java/lang/Class" -> OF_CLASS.contains(name);
      case "java/lang/ClassLoader" -> name.startsWith("loadClass") || name.contains("esource");
      case "java/lang/invoke/MethodHandles$Lookup" ->
          name.startsWith("find") || name.startsWith("unreflect") || name.equals("bind");
      case "java/util/concurrent/atomic/AtomicIntegerFieldUpdater",
          "java/util/concurrent/atomic/AtomicLongFieldUpdater",
          "java/util/concurrent/atomic/AtomicReferenceFieldUpdater" ->
          name.equals("newUpdater");
      case "java/util/ServiceLoader" -> name.startsWith("load");
      case "java/util/ResourceBundle" -> name.equals("getBundle");
      case "java/lang/reflect/Proxy" -> name.equals("newProxyInstance");
      case "javax/management/StandardMBean" -> name.equals("<init>");
      case "java/io/ObjectInputStream", "java/io/ObjectOutputStream" -> true;
      default -> false;
    };
  }

  /** The calls of one method, and the constants before each. */
  private final class CallsOfMethod extends MethodVisitor {
    private final String caller;
    private @Nullable Type type;
    private @Nullable Type typeBeforeName;
    private @Nullable String name;

    CallsOfMethod(String caller) {
      super(Opcodes.ASM9);
      this.caller = caller;
    }

    @Override
    public void visitLdcInsn(Object value) {
      if (value instanceof Type constant) {
        type = constant;
      } else if (value instanceof String constant) {
        typeBeforeName = type;
        name = constant;
      }
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String method, String descriptor, boolean isInterface) {
      if (!isReflective(owner, method)) {
        return;
      }
      boolean isOfField = method.equals("newUpdater") || method.endsWith("VarHandle");
      // newUpdater(Holder.class, Value.class, "name"): the class that is before the name is that of
      // the value, and the field's is the one that calls.
      if (isOfField && name != null) {
        boolean isReference = owner.endsWith("AtomicReferenceFieldUpdater");
        String of = isReference || typeBeforeName == null ? caller : typeBeforeName.getClassName();
        fields.add(of + "#" + name);
      } else {
        String simple = owner.substring(owner.lastIndexOf('/') + 1);
        calls.computeIfAbsent(caller, any -> new TreeSet<>()).add(simple + "." + method);
      }
      name = null;
    }
  }
}
