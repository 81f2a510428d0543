package io.sifr.cli;

import io.sifr.cli.demo.VerificationException;
import io.sifr.cli.record.BadRecordException;
import io.sifr.cli.record.UnwritableEntryException;
import io.sifr.cli.terminal.ConsoleCommandLine;
import io.sifr.cli.terminal.OutputClosedException;
import io.sifr.error.SifrException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Turns a failure into one line on standard error and an exit code. Thread-safe. */
final class FailureHandler implements IParameterExceptionHandler, IExecutionExceptionHandler {
  private final CliContext context;
  private final ConsoleCommandLine commandLine;
  private final BooleanSupplier verbose;

  FailureHandler(CliContext context, BooleanSupplier verbose) {
    this.context = context;
    this.commandLine = new ConsoleCommandLine(context.console(), SifrCommand.NAME);
    this.verbose = verbose;
  }

  @Override
  public int handleParseException(ParameterException failure, String[] args) {
    commandLine.tellMisuse(
        failure,
        suggestion(failure.getCommandLine().getCommandSpec(), args),
        verbose.getAsBoolean());
    return ExitCodes.USAGE;
  }

  /** What may have been meant about the directory of the store; else empty. */
  private static String suggestion(CommandSpec command, String[] args) {
    boolean isOptionGiven =
        Arrays.stream(args).anyMatch(arg -> arg.split("=", 2)[0].equals(DirectoryOptionMixin.NAME));
    if (command.parent() == null && args.length > 0 && DirectoryOptionMixin.isStore(args[0])) {
      return "; did you mean " + SifrCommand.NAME + " stats " + args[0] + "?";
    }
    boolean hasOption = command.findOption(DirectoryOptionMixin.NAME) != null;
    List<String> parameters =
        command.positionalParameters().stream().map(ArgSpec::paramLabel).toList();
    if (hasOption && !isOptionGiven && !parameters.contains(DirectoryMixin.LABEL)) {
      return DirectoryOptionMixin.suggestion(Arrays.asList(args));
    }
    return !hasOption && isOptionGiven && !parameters.isEmpty()
        ? "; its arguments are " + String.join(" ", parameters)
        : "";
  }

  @Override
  public int handleExecutionException(
      Exception failure, CommandLine failed, ParseResult parseResult) {
    // A failure caused by closing the store while the command ran is not reported.
    return context.cleanup().isStopping() ? ExitCodes.STOPPED : report(failure);
  }

  /** Reports a failure and returns its exit code. */
  int report(Throwable failure) {
    if (failure instanceof OutputClosedException) {
      return ExitCodes.OUTPUT_CLOSED;
    }
    int exitCode = exitCode(failure);
    commandLine.tell(
        exitCode == ExitCodes.INTERNAL ? "unexpected " + failure : message(failure),
        failure,
        verbose.getAsBoolean());
    return exitCode;
  }

  private static int exitCode(Throwable failure) {
    if (failure instanceof CommandFailure known) {
      return known.exitCode();
    } else if (failure instanceof VerificationException) {
      return ExitCodes.FINDINGS;
    } else if (failure instanceof BadRecordException
        || failure instanceof UnwritableEntryException) {
      return ExitCodes.BAD_INPUT;
    } else if (failure instanceof SifrException
        || failure instanceof IOException
        || failure instanceof UncheckedIOException) {
      return ExitCodes.UNUSABLE;
    } else if (failure instanceof IllegalArgumentException) {
      // Commands pass on the user's arguments, so an illegal argument is the user's.
      return ExitCodes.USAGE;
    }
    return ExitCodes.INTERNAL;
  }

  private static String message(Throwable failure) {
    // The messages of these exceptions are only the name of the file.
    if (failure instanceof NoSuchFileException) {
      return "no such file: " + failure.getMessage();
    } else if (failure instanceof AccessDeniedException) {
      return "access denied: " + failure.getMessage();
    } else if (failure instanceof FileAlreadyExistsException) {
      return "file exists: " + failure.getMessage();
    } else if (failure instanceof NotDirectoryException) {
      return "not a directory: " + failure.getMessage();
    }
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }
}
