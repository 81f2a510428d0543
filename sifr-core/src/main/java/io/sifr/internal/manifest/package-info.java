/**
 * The forest manifest: an append-only log of checksummed edit groups, the file CURRENT that names
 * the current one, and replay. It also contains the compaction journal ({@code
 * src-docs/format/manifest.md}, "The compaction journal"). May use {@code forest}, {@code log},
 * {@code format} and what lies below them.
 */
@NullMarked
package io.sifr.internal.manifest;

import org.jspecify.annotations.NullMarked;
