package io.sifr.cli;

import io.sifr.cli.demo.Workload;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads "streams:4" on the command line. */
final class WorkloadConverter implements ITypeConverter<Workload> {
  @Override
  public Workload convert(String value) {
    try {
      return Workload.of(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
