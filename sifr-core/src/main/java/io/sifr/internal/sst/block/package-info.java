/**
 * The files of SSTs and their blocks: how a file is opened, mapped or read by position, closed
 * again while it is not used, and how its blocks come into memory, one by one or ahead of an
 * iterator (TPDS §5.2), and are searched.
 */
@NullMarked
package io.sifr.internal.sst.block;

import org.jspecify.annotations.NullMarked;
