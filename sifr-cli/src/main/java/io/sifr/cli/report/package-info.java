/** Texts about a store that several commands show: its statistics and the drawing of its forest. */
@NullMarked
package io.sifr.cli.report;

import org.jspecify.annotations.NullMarked;
