/** What several commands show about a store: its statistics and the drawing of its forest. */
@NullMarked
package io.sifr.cli.report;

import org.jspecify.annotations.NullMarked;
