package io.sifr.inspect.salvage;

import java.nio.file.Path;

/** A numbered file of a store that is salvaged. */
record SourceFile(Path path, long number) {}
