/** The package in which programs look for an exception of LevelDB's native binding. */
@NullMarked
package org.fusesource.leveldbjni.internal;

import org.jspecify.annotations.NullMarked;
