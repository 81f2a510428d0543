package io.sifr.internal.forest;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.Maps;
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
import java.util.Map;
import java.util.function.Function;

/**
 * Encodes groups of edits: their count, then for each edit its tag, the length of its body and the
 * body. The byte tables are in {@code src-docs/format/manifest.md}.
 */
public final class EditCodec {
  /** A kind of edit, found by its class when it is written, by its tag when it is read. */
  private record Kind(
      int tag, Class<? extends ForestEdit> type, Function<EditReader, ForestEdit> decoder) {}

  /** All kinds, by their tags. A tag that is no longer written is never used again. */
  private static final List<Kind> KINDS =
      List.of(
          new Kind(1, DatabaseCreated.class, DatabaseCreated::decode),
          new Kind(2, DatabaseDropped.class, DatabaseDropped::decode),
          new Kind(3, TreeAdded.class, TreeAdded::decode),
          new Kind(4, FlushedTo.class, FlushedTo::decode),
          new Kind(5, TreesMoved.class, TreesMoved::decode),
          new Kind(6, CompactionBegun.class, CompactionBegun::decode),
          new Kind(7, CompactionProgressed.class, CompactionProgressed::decode),
          new Kind(8, CompactionEnded.class, CompactionEnded::decode),
          new Kind(9, NumbersReserved.class, NumbersReserved::decode),
          new Kind(10, DatabaseIdsUsed.class, DatabaseIdsUsed::decode),
          new Kind(11, SequencesReserved.class, SequencesReserved::decode),
          new Kind(12, LogStart.class, LogStart::decode),
          new Kind(13, LogClosed.class, LogClosed::decode),
          new Kind(14, TotalsReached.class, TotalsReached::decode),
          new Kind(15, DatabaseOptionsSet.class, DatabaseOptionsSet::decode),
          new Kind(16, LogRetained.class, LogRetained::decode),
          new Kind(17, SegmentRetained.class, SegmentRetained::decode),
          new Kind(18, SegmentsGivenBack.class, SegmentsGivenBack::decode),
          new Kind(19, EventRecorded.class, EventRecorded::decode));

  private static final Map<Class<? extends ForestEdit>, Kind> BY_TYPE =
      Maps.uniqueIndex(KINDS, Kind::type);
  private static final Map<Integer, Kind> BY_TAG = Maps.uniqueIndex(KINDS, Kind::tag);

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
      out.tag(requireNonNull(BY_TYPE.get(edit.getClass())).tag());
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
        Kind kind = BY_TAG.get(tag);
        if (kind == null) {
          throw new UnsupportedFormatException(
              file,
              "edit of kind " + tag + " at offset " + offset + "; supported: 1 to " + KINDS.size());
        }
        EditReader body = in.nested();
        group.add(kind.decoder().apply(body));
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
