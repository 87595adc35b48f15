import { expect, it } from 'vitest';

const MIB = 1024 ** 2;

it('compares many bytes as few: type, length and each of them', () => {
  const bytes = new Uint8Array(MIB).fill(7);
  expect(bytes).toEqual(new Uint8Array(MIB).fill(7));
  expect({ at: [bytes] }).toStrictEqual({ at: [new Uint8Array(MIB).fill(7)] });
  const other = Uint8Array.from(bytes.subarray(0, 1000));
  other[999] = 8;
  expect(other).not.toEqual(bytes.subarray(0, 1000));
  expect(bytes.subarray(0, 999)).not.toEqual(bytes.subarray(0, 1000));
  expect(Buffer.alloc(1000)).not.toEqual(new Uint8Array(1000));
});
