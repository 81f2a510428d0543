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
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Turns what went wrong into one line on standard error and an exit code. Thread-safe. */
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
    commandLine.tellMisuse(failure, verbose.getAsBoolean());
    return ExitCodes.USAGE;
  }

  @Override
  public int handleExecutionException(
      Exception failure, CommandLine failed, ParseResult parseResult) {
    // What a command ran into because the store was closed under it means nothing.
    return context.cleanup().isStopping() ? ExitCodes.STOPPED : report(failure);
  }

  /** Tells what went wrong. Returns the exit code for it. */
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
      // Commands hand on what they were given, so a bad argument of theirs is one of the user's.
      return ExitCodes.USAGE;
    }
    return ExitCodes.INTERNAL;
  }

  private static String message(Throwable failure) {
    // The messages of these are nothing but the name of the file.
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
