package io.sifr.internal.forest;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.forest.ForestEdit.CompactionBegun;
import io.sifr.internal.forest.ForestEdit.CompactionEnded;
import io.sifr.internal.forest.ForestEdit.CompactionProgressed;
import io.sifr.internal.forest.ForestEdit.DatabaseCreated;
import io.sifr.internal.forest.ForestEdit.DatabaseDropped;
import io.sifr.internal.forest.ForestEdit.DatabaseIdsUsed;
import io.sifr.internal.forest.ForestEdit.DatabaseOptionsSet;
import io.sifr.internal.forest.ForestEdit.EventRecorded;
import io.sifr.internal.forest.ForestEdit.FlushedTo;
import io.sifr.internal.forest.ForestEdit.LogClosed;
import io.sifr.internal.forest.ForestEdit.LogRetained;
import io.sifr.internal.forest.ForestEdit.LogStart;
import io.sifr.internal.forest.ForestEdit.NumbersReserved;
import io.sifr.internal.forest.ForestEdit.SegmentRetained;
import io.sifr.internal.forest.ForestEdit.SegmentsGivenBack;
import io.sifr.internal.forest.ForestEdit.SequencesReserved;
import io.sifr.internal.forest.ForestEdit.SstMadeAgain;
import io.sifr.internal.forest.ForestEdit.TotalsReached;
import io.sifr.internal.forest.ForestEdit.TreeAdded;
import io.sifr.internal.forest.ForestEdit.TreesMoved;
import io.sifr.internal.format.EditReader;
import io.sifr.internal.format.EditWriter;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes groups of edits: their count, then for each edit its tag, the length of its body and the
 * body. The byte tables are in {@code src-docs/format/manifest.md}.
 */
public final class EditCodec {
  /**
   * All kinds; the tag of each is one more than its index. A tag that is no longer written is never
   * used again.
   */
  private static final List<Class<? extends ForestEdit>> KINDS =
      List.of(
          DatabaseCreated.class,
          DatabaseDropped.class,
          TreeAdded.class,
          FlushedTo.class,
          TreesMoved.class,
          CompactionBegun.class,
          CompactionProgressed.class,
          CompactionEnded.class,
          NumbersReserved.class,
          DatabaseIdsUsed.class,
          SequencesReserved.class,
          LogStart.class,
          LogClosed.class,
          TotalsReached.class,
          DatabaseOptionsSet.class,
          LogRetained.class,
          SegmentRetained.class,
          SegmentsGivenBack.class,
          EventRecorded.class,
          SstMadeAgain.class);

  /** Tag and length of an empty body. */
  private static final int MIN_EDIT_BYTES = 2;

  private EditCodec() {}

  /**
   * Encodes a group.
   *
   * @throws IllegalArgumentException when the group is empty, longer than {@link
   *     EditWriter#MAX_BYTES}, or holds a value that {@link #decode} would reject
   */
  public static byte[] encode(List<ForestEdit> group) {
    checkArgument(!group.isEmpty(), "a group has at least one edit");
    EditWriter out = new EditWriter();
    EditWriter body = new EditWriter();
    out.unsigned(group.size());
    for (ForestEdit edit : group) {
      body.clear();
      edit.encode(body);
      out.tag(KINDS.indexOf(edit.getClass()) + 1);
      out.nested(body);
    }
    return out.toByteArray();
  }

  /**
   * Decodes the group between the buffer's position and its limit.
   *
   * @param file the file they come from, for messages
   * @param offset where they begin in it, for messages
   * @throws CorruptionException when the bytes are not a group
   * @throws UnsupportedFormatException when an edit has a tag this version does not know
   */
  public static List<ForestEdit> decode(Path file, long offset, ByteBuffer bytes) {
    try {
      EditReader in = new EditReader(file, offset, bytes);
      int count = in.count(MIN_EDIT_BYTES);
      checkArgument(count != 0, "the group has no edits");
      List<ForestEdit> group = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        int tag = in.tag();
        if (tag < 1 || tag > KINDS.size()) {
          throw new UnsupportedFormatException(
              file,
              "edit of kind " + tag + " at offset " + offset + "; supported: 1 to " + KINDS.size());
        }
        EditReader body = in.nested();
        group.add(decode(tag, body));
        body.checkAtEnd();
      }
      in.checkAtEnd();
      return group;
    } catch (BufferUnderflowException e) {
      throw new CorruptionException(file, offset, "an edit ends too soon");
    } catch (IllegalArgumentException e) {
      throw new CorruptionException(file, offset, "in an edit, " + e.getMessage());
    }
  }

  // A switch and not a table of functions: to make one of each is a part of opening every store.
  private static ForestEdit decode(int tag, EditReader in) {
    return switch (tag) {
      case 1 -> DatabaseCreated.decode(in);
      case 2 -> DatabaseDropped.decode(in);
      case 3 -> TreeAdded.decode(in);
      case 4 -> FlushedTo.decode(in);
      case 5 -> TreesMoved.decode(in);
      case 6 -> CompactionBegun.decode(in);
      case 7 -> CompactionProgressed.decode(in);
      case 8 -> CompactionEnded.decode(in);
      case 9 -> NumbersReserved.decode(in);
      case 10 -> DatabaseIdsUsed.decode(in);
      case 11 -> SequencesReserved.decode(in);
      case 12 -> LogStart.decode(in);
      case 13 -> LogClosed.decode(in);
      case 14 -> TotalsReached.decode(in);
      case 15 -> DatabaseOptionsSet.decode(in);
      case 16 -> LogRetained.decode(in);
      case 17 -> SegmentRetained.decode(in);
      case 18 -> SegmentsGivenBack.decode(in);
      case 19 -> EventRecorded.decode(in);
      case 20 -> SstMadeAgain.decode(in);
      default -> throw new IllegalArgumentException("its kind is " + tag);
    };
  }

  /** Offsets of the edits in the bytes of a group that {@link #decode} has accepted. */
  public static List<Integer> offsets(Path file, long offset, ByteBuffer bytes) {
    EditReader in = new EditReader(file, offset, bytes);
    int count = in.count(MIN_EDIT_BYTES);
    List<Integer> offsets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      offsets.add(bytes.position());
      in.tag();
      in.nested();
    }
    return offsets;
  }
}
