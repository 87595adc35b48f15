import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodedLines,
  encodedSize,
  messageOctets,
  messageSize,
  type Piece,
} from '../../../src/services/mail/message/segments.ts';
import { runs } from '../../support/stage.ts';

async function* inPieces(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield piece;
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

describe('a segment', () => {
  it('stands for lines of base64 with nothing after the last one', async () => {
    const written = async (bytes: string, width: number) =>
      (await joined(encodedLines(width)(inPieces(Buffer.from(bytes))))).toString();
    expect(await written('', 4)).toBe('');
    expect(await written('abc', 4)).toBe('YWJj');
    expect(await written('abcabc', 4)).toBe('YWJj\r\nYWJj');
    expect(await written('abcabca', 8)).toBe('YWJjYWJj\r\nYQ==');
    expect(await written('a'.repeat(58), 76)).toBe(`${'YWFh'.repeat(19)}\r\nYQ==`);
  });

  it('is the same in whatever pieces its bytes come, and as long as it says', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 });
    const widths = fc.integer({ min: 1, max: 249 }).map((quanta) => quanta * 4);
    await fc.assert(
      fc.asyncProperty(pieces, widths, async (bytes, width) => {
        const encoded = await joined(encodedLines(width)(inPieces(...bytes)));
        const lines =
          Buffer.concat(bytes)
            .toString('base64')
            .match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
        expect(encoded.toString()).toBe(lines.join('\r\n'));
        expect(encodedSize({ size: Buffer.concat(bytes).length, width })).toBe(encoded.length);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('the pieces of a message', () => {
  const segments = [
    { size: 6, width: 4 },
    { size: 0, width: 76 },
  ];
  const pieces: Piece[] = [
    { octets: Buffer.from('a: b\r\n\r\n') },
    { segment: 0 },
    { octets: Buffer.from('\r\n') },
    { segment: 1 },
  ];

  it('are its octets in order', async () => {
    const octets = await joined(
      messageOctets(pieces, segments, (index) => inPieces(Buffer.from(['abcabc', ''][index]!))),
    );
    expect(octets.toString()).toBe('a: b\r\n\r\nYWJj\r\nYWJj\r\n');
    expect(messageSize(pieces, segments)).toBe(octets.length);
  });

  it('name no segment that is not there', async () => {
    const wrong = messageOctets([{ segment: 2 }], segments, () => inPieces());
    await expect(joined(wrong)).rejects.toThrow('The message has no segment 2.');
    expect(() => messageSize([{ segment: 2 }], segments)).toThrow('The message has no segment 2.');
  });
});
