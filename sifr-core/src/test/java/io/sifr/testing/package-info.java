/** What the tests of several packages share: file systems that fail, count or forget. */
@NullMarked
package io.sifr.testing;

import org.jspecify.annotations.NullMarked;
