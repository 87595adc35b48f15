import { expect } from 'vitest';

// Vitest asks for every byte by itself, which takes seconds for a mebibyte. What differs is left to it, for it shows where.
expect.addEqualityTesters([
  (one: unknown, other: unknown) =>
    one instanceof Uint8Array &&
    other instanceof Uint8Array &&
    one.constructor === other.constructor &&
    Buffer.compare(one, other) === 0
      ? true
      : undefined,
]);
