/** Tests that each library of the extensions has, to be extended by one of its own. */
@NullMarked
package io.sifr.support;

import org.jspecify.annotations.NullMarked;
