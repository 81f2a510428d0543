package io.sifr.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The {@code sifr} command, under which the others hang. */
@Command(
    name = "sifr",
    description = "Looks into Sifr stores.",
    mixinStandardHelpOptions = true,
    versionProvider = SifrCommand.Version.class)
final class SifrCommand implements Runnable {

  public static void main(String[] args) {
    System.exit(new CommandLine(new SifrCommand()).execute(args));
  }

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }

  /** Reads the version that the build wrote into the manifest. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = SifrCommand.class.getPackage().getImplementationVersion();
      return new String[] {"sifr " + (version == null ? "(development)" : version)};
    }
  }
}
