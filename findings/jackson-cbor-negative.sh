#!/bin/bash
# Jackson: a negative BigInteger that Jackson 2 writes as CBOR is another number for Jackson 3 and for Python's cbor2.
#
# Guess: numbers are what the format of all of them says they are, so they come back as they were.
# So it is: such a number is written by its distance from 0 where CBOR (RFC 8949, 3.4.3) has its distance from -1. Jackson 2
# reads back what it wrote; Jackson 3 and cbor2 read one less, and Jackson 2 reads theirs as one more, with no error. It is so
# for every negative BigInteger, small ones too; other types and positive ones are right. Data that outlives the change to
# Jackson 3 needs ENCODE_USING_STANDARD_NEGATIVE_BIGINT_ENCODING, and DECODE_…, of Jackson 2 from the beginning.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
jars com.fasterxml.jackson.dataformat:jackson-dataformat-cbor:2.23.0 tools.jackson.dataformat:jackson-dataformat-cbor:3.3.0
python cbor2==5.7.1
cat >Numbers.java <<'END_OF_JAVA'
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.fasterxml.jackson.dataformat.cbor.CBORGenerator;
import java.math.BigInteger;
import java.util.HexFormat;

/** Writes a number with one version of Jackson, as hexadecimal, or reads one. */
public class Numbers {
  public static void main(String[] args) throws Exception {
    var two = new com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper();
    var standard =
        new com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper(
            CBORFactory.builder()
                .enable(CBORGenerator.Feature.ENCODE_USING_STANDARD_NEGATIVE_BIGINT_ENCODING)
                .build());
    var three = new tools.jackson.dataformat.cbor.CBORMapper();
    System.out.println(
        switch (args[0]) {
          case "write2" -> HexFormat.of().formatHex(two.writeValueAsBytes(new BigInteger(args[1])));
          case "write2long" -> HexFormat.of().formatHex(two.writeValueAsBytes(Long.valueOf(args[1])));
          case "write2standard" ->
              HexFormat.of().formatHex(standard.writeValueAsBytes(new BigInteger(args[1])));
          case "write3" -> HexFormat.of().formatHex(three.writeValueAsBytes(new BigInteger(args[1])));
          case "read2" -> two.readValue(HexFormat.of().parseHex(args[1]), BigInteger.class);
          case "read3" -> three.readValue(HexFormat.of().parseHex(args[1]), BigInteger.class);
          default -> throw new IllegalArgumentException(args[0]);
        });
  }
}
END_OF_JAVA
cbor2() { venv/bin/python -c 'import cbor2, sys; print(cbor2.loads(bytes.fromhex(sys.argv[1])))' "$1"; }

number=-18446744073709551617 # -2^64 - 1
by2=$(run_java Numbers.java write2 $number)
same "Jackson 2 writes $number" "c349010000000000000001" "$by2"
same "Jackson 2 reads that" "$number" "$(run_java Numbers.java read2 "$by2")"
same "Jackson 3 reads that" "-18446744073709551618" "$(run_java Numbers.java read3 "$by2")"
same "cbor2 reads that" "-18446744073709551618" "$(cbor2 "$by2")"
by3=$(run_java Numbers.java write3 $number)
same "Jackson 3 writes $number" "c349010000000000000000" "$by3"
same "cbor2 reads that" "$number" "$(cbor2 "$by3")"
same "Jackson 2 reads that" "-18446744073709551616" "$(run_java Numbers.java read2 "$by3")"
same "Jackson 2 writes it with the feature" "$by3" "$(run_java Numbers.java write2standard $number)"
same "cbor2 reads Jackson 2's BigInteger -1" "-2" "$(cbor2 "$(run_java Numbers.java write2 -1)")"
same "cbor2 reads Jackson 2's long -1" "-1" "$(cbor2 "$(run_java Numbers.java write2long -1)")"
positive=18446744073709551617
same "cbor2 reads Jackson 2's $positive" "$positive" "$(cbor2 "$(run_java Numbers.java write2 $positive)")"
