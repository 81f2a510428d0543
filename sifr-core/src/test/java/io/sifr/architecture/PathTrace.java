package io.sifr.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Counts the classes that an operation of the store passes: those of which a thread runs a method
 * or a constructor. The library is loaded a second time, with a note at the beginning of each
 * method; a class counts with those nested in it, as the one file that a reader opens.
 */
public final class PathTrace {
  private static final ConcurrentMap<Thread, Set<String>> PASSED = new ConcurrentHashMap<>();
  private static volatile boolean isOn;

  private PathTrace() {}

  /** Begins anew. */
  public static void begin() {
    PASSED.clear();
    isOn = true;
  }

  /** Ends. */
  public static void stop() {
    isOn = false;
  }

  /**
   * What was passed.
   *
   * @param thread beginning of the names of the threads that count
   * @return the classes that they have passed between the last beginning and its end
   */
  static Set<String> passedBy(String thread) {
    Set<String> classes = new TreeSet<>();
    PASSED.forEach(
        (each, passed) -> {
          if (each.getName().startsWith(thread)) {
            classes.addAll(passed);
          }
        });
    return classes;
  }

  /** Called at the beginning of each method, from the classes that were loaded for it. */
  public static void passed(String className) {
    if (isOn) {
      PASSED
          .computeIfAbsent(Thread.currentThread(), thread -> ConcurrentHashMap.newKeySet())
          .add(className);
    }
  }

  /** Puts a note at the beginning of each method. */
  private static final class Noting extends ClassVisitor {
    private final String className;

    Noting(String className, ClassVisitor next) {
      super(Opcodes.ASM9, next);
      this.className = className;
    }

    @Override
    public MethodVisitor visitMethod(
        int access,
        String name,
        String descriptor,
        @Nullable String signature,
        String @Nullable [] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      if (name.equals("<clinit>")) {
        return next; // runs once, on the thread that comes first
      }
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitCode() {
          super.visitCode();
          visitLdcInsn(className);
          visitMethodInsn(
              Opcodes.INVOKESTATIC,
              Type.getInternalName(PathTrace.class),
              "passed",
              "(Ljava/lang/String;)V",
              false);
        }
      };
    }
  }

  /** Loads the library, and the operations that are traced, with the notes. */
  static final class Loader extends ClassLoader {
    private final Set<String> alsoLoaded;

    /**
     * @param alsoLoaded names of further classes that are loaded, those nested in them included
     */
    Loader(Set<String> alsoLoaded) {
      super(PathTrace.class.getClassLoader());
      this.alsoLoaded = alsoLoaded;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        if (!isOfTheLibrary(name)) {
          return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private boolean isOfTheLibrary(String name) {
      String outer = outermost(name);
      if (alsoLoaded.contains(outer)) {
        return true;
      }
      return name.startsWith("io.sifr.")
          && getResource(outer.replace('.', '/') + ".class").toString().contains("/classes/");
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        new ClassReader(in).accept(new Noting(name, writer), 0);
        byte[] code = writer.toByteArray();
        return defineClass(name, code, 0, code.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  /** The class in whose file one is. */
  static String outermost(String name) {
    int end = name.indexOf('$');
    return end < 0 ? name : name.substring(0, end);
  }
}
