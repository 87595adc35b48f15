/** Types by their OIDs in pg_type. */
const oid = { bytea: 17, int8: 20, text: 25 } as const;
/** dimensions, whether there are nulls, type of the elements, length of the one dimension, its first index: four bytes each */
const headerLength = 20;
const none = -1;

/** A value for `$1::bytea[]`. Arrays go to PostgreSQL in its binary form: as text, every byte of every element would be written as four. */
export function bytesArray(values: readonly Uint8Array[]): Uint8Array {
  return binaryArray(oid.bytea, values);
}

/** A value for `$1::text[]`; null where there is none. */
export function textArray(values: readonly (string | null)[]): Uint8Array {
  return binaryArray(
    oid.text,
    values.map((text) => (text === null ? undefined : Buffer.from(text))),
  );
}

/** A value for `$1::int8[]`. */
export function integerArray(values: readonly number[]): Uint8Array {
  const elements = values.map((value) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(BigInt(value));
    return bytes;
  });
  return binaryArray(oid.int8, elements);
}

/** The form that `array_recv` of PostgreSQL reads (src/backend/utils/adt/arrayfuncs.c): a header, then each element after its length. */
function binaryArray(type: number, elements: readonly (Uint8Array | undefined)[]): Uint8Array {
  const length = elements.reduce((sum, element) => sum + 4 + (element?.length ?? 0), headerLength);
  const bytes = Buffer.alloc(length);
  const header = [1, elements.includes(undefined) ? 1 : 0, type, elements.length, 1];
  let at = 0;
  const add = (value: number) => (at = bytes.writeInt32BE(value, at));
  for (const value of header) add(value);
  for (const element of elements) {
    add(element?.length ?? none);
    if (element === undefined) continue;
    bytes.set(element, at);
    at += element.length;
  }
  return bytes;
}
