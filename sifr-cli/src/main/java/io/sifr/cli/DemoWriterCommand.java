package io.sifr.cli;

import io.sifr.Database;
import io.sifr.cli.demo.Workload;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The process that the demonstration kills. Puts entries forever, and after each put writes the
 * entry's number, as eight bytes, to standard output.
 */
@Command(name = "demo-writer", hidden = true, description = "Puts entries until it is killed.")
final class DemoWriterCommand implements Callable<Integer> {
  private final CliContext context;

  @Mixin private final DirectoryOptionMixin directory = new DirectoryOptionMixin();
  @Mixin private final SettingsMixin settings = new SettingsMixin();

  @Option(names = "--workload", required = true, converter = WorkloadConverter.class)
  private Workload workload = Workload.random();

  @Option(names = "--first", required = true)
  private long first;

  DemoWriterCommand(CliContext context) {
    this.context = context;
  }

  /** The command line of such a process, in the same Java and with the same classes as this one. */
  static List<String> commandLine(
      Path directory, SettingsMixin settings, Workload workload, long first) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(SifrCommand.class.getName());
    command.add("demo-writer");
    command.add("--db=" + directory);
    command.add("--workload=" + workload.name());
    command.add("--first=" + first);
    command.addAll(settings.arguments());
    return command;
  }

  @Override
  public Integer call() throws IOException {
    try (OpenStore store = OpenStore.openExisting(context, directory.directory(), settings);
        // Not the buffered stream: an acknowledgement must have left this process.
        OutputStream out = new FileOutputStream(FileDescriptor.out)) {
      Database database = store.store().database();
      ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
      for (long n = first; ; n++) {
        database.put(workload.key(n), workload.value(n));
        number.putLong(0, n);
        out.write(number.array());
      }
    }
  }
}
