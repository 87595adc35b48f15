import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageOctets, messageSize, type Piece, type Segment } from '../../../src/services/mail/message/segments.ts';
import { splitMessage, type SplitOptions } from '../../../src/services/mail/message/split.ts';
import { runs } from '../../support/stage.ts';

interface Split {
  readonly pieces: Piece[];
  readonly segments: Segment[];
  readonly contents: Buffer[];
}

async function* inPieces(octets: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size);
}

async function split(octets: Uint8Array, options?: SplitOptions, pieceSize = 70_000): Promise<Split> {
  const [pieces, segments, contents]: [Piece[], Segment[], Buffer[]] = [[], [], []];
  let open: Buffer[] | undefined;
  for await (const event of splitMessage(inPieces(octets, pieceSize), options)) {
    if (event.kind === 'octets') {
      expect(open).toBeUndefined();
      pieces.push({ octets: event.octets });
      continue;
    }
    expect(event.first).toBe(open === undefined);
    open ??= [];
    open.push(event.bytes);
    if (!event.last) continue;
    pieces.push({ segment: segments.length });
    contents.push(Buffer.concat(open));
    segments.push({ size: contents.at(-1)!.length, width: event.width });
    open = undefined;
  }
  expect(open).toBeUndefined();
  return { pieces, segments, contents };
}

async function joined({ pieces, segments, contents }: Split): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const octets of messageOctets(pieces, segments, (index) => inPieces(contents[index]!, 1000)))
    all.push(octets);
  return Buffer.concat(all);
}

/** Comparing buffers by `toEqual` takes seconds. */
function expectSame(found: Buffer, wanted: Buffer): void {
  expect(Buffer.compare(found, wanted)).toBe(0);
}

function base64(bytes: Uint8Array, width = 76, end = '\r\n'): string {
  const lines = Buffer.from(bytes)
    .toString('base64')
    .match(new RegExp(`.{1,${width}}`, 'g'));
  return (lines ?? []).join(end);
}

/** `size` bytes without a pattern of the length of a line. */
function content(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8) * 7) & 255));
}

const part = 'Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n';

describe('a message that is split', () => {
  it('has large contents that are base64 as segments', async () => {
    const contents = [content(65_536), content(100_000), content(65_535)];
    const text = contents.map((bytes) => `--b\r\n${part}${base64(bytes)}\r\n`).join('');
    const found = await split(Buffer.from(`${text}--b--\r\n`));
    found.contents.forEach((bytes, index) => expectSame(bytes, contents[index]!));
    expect(found.segments).toEqual([
      { size: 65_536, width: 76 },
      { size: 100_000, width: 76 },
    ]);
    expect((await joined(found)).toString()).toBe(`${text}--b--\r\n`);
    expect(messageSize(found.pieces, found.segments)).toBe(text.length + 7);
  });

  it.each([4, 60, 64, 72, 76, 996])('may have lines of %d characters', async (width) => {
    const octets = Buffer.from(`${part}${base64(content(70_000), width)}\r\n\r\n`);
    const found = await split(octets);
    expect(found.segments).toEqual([{ size: 70_000, width }]);
    expect(found.pieces.length).toBeGreaterThanOrEqual(3);
    expectSame(await joined(found), octets);
  });

  it.each([
    ['lines that end with LF', base64(content(70_000), 76, '\n')],
    ['lines that are too long', base64(content(70_000), 1000)],
    ['one line', base64(content(70_000), 100_000)],
    ['lines of no whole quanta', base64(content(70_000), 75)],
    ['spaces', base64(content(70_000), 76, ' \r\n')],
    ['another alphabet', base64(content(70_000)).replaceAll(/[+/]/g, '-')],
    ['padding in each line', base64(content(1), 76).concat('\r\n').repeat(70_000)],
    ['bits that no byte takes', 'QR==\r\n'.repeat(70_000)],
    ['blank lines', base64(content(70_000), 76, '\r\n\r\n')],
  ])('keeps what has %s', async (_what, body) => {
    const octets = Buffer.from(`${part}${body}\r\n`);
    const found = await split(octets);
    expect(found.segments).toEqual([]);
    expectSame(await joined(found), octets);
  });

  it('keeps the end of a content that is not canonical, and takes what is before it', async () => {
    const lines = base64(content(76_000)).split('\r\n');
    for (const end of ['QR==', 'Q', 'QQ==QQ==', 'A'.repeat(80)]) {
      const octets = Buffer.from(`${part}${lines.slice(0, 1300).join('\r\n')}\r\n${end}\r\n`);
      const found = await split(octets);
      expect(found.segments).toEqual([{ size: 1300 * 57, width: 76 }]);
      expectSame(await joined(found), octets);
    }
  });

  it('keeps the text of the message, unless it is very long', async () => {
    const body = (header: string, size: number) => Buffer.from(`${header}\r\n\r\n${base64(content(size))}\r\n`);
    const text = 'Subject: x\r\nContent-Transfer-Encoding: base64\r\nContent-Type: text/html; charset=utf-8';
    const segmentsOf = async (octets: Buffer) => (await split(octets)).segments.map(({ size }) => size);
    expect(await segmentsOf(body(text, 1_000_000))).toEqual([]);
    expect(await segmentsOf(body('Subject: x', 1_000_000))).toEqual([]);
    expect(await segmentsOf(body(text, 2_097_152))).toEqual([2_097_152]);
    expect(await segmentsOf(body(`${text}\r\nContent-Disposition: attachment`, 1_000_000))).toEqual([1_000_000]);
    expect(await segmentsOf(body(`${text}\r\n\r\n--b\r\nContent-Type: text/csv`, 70_000))).toEqual([70_000]);
  });

  it('may be large, and come octet by octet', async () => {
    const octets = Buffer.from(`${part}${base64(content(200_000))}`);
    const found = await split(octets, {}, 1);
    expectSame(found.contents[0]!, content(200_000));
    expectSame(await joined(found), octets);
  });
});

describe('a message that is split and joined', () => {
  const lineEnd = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r', '\r\n\r\n', '=\r\n', ' \r\n', '');
  const encoded = fc
    .tuple(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 1, max: 30 }), fc.constantFrom('\r\n', '\n', '='))
    .map(([bytes, quanta, end]) => base64(bytes, quanta * 4, end === '=' ? '=\r\n' : end));
  const other = fc.oneof(
    fc.string(),
    fc.constantFrom(part, 'QR==', 'QQ==', 'QUI=', 'QUJD', '=', '\r', '\n', 'A'.repeat(997)),
  );
  const message = fc
    .array(fc.tuple(fc.oneof(encoded, encoded, other), lineEnd), { maxLength: 12 })
    .map((lines) => Buffer.from(lines.flat().join('')));
  const octets = fc.oneof(message, message, fc.uint8Array({ maxLength: 500 }));
  const least = fc.constantFrom(1, 3, 50, 300);

  it('is always the same octets', async () => {
    await fc.assert(
      fc.asyncProperty(octets, least, fc.integer({ min: 1, max: 2000 }), async (given, smallest, pieceSize) => {
        const found = await split(given, { least: smallest, leastBody: smallest }, pieceSize);
        expectSame(await joined(found), Buffer.from(given));
        for (const { size } of found.segments) expect(size).toBeGreaterThanOrEqual(smallest);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is so in larger blocks as well, wherever they begin', async () => {
    const random = fc.tuple(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 1, max: 249 }), message, message);
    await fc.assert(
      fc.asyncProperty(random, fc.integer({ min: 65_536, max: 90_000 }), async ([size, quanta, ...ends], pieceSize) => {
        const [start, end] = ends;
        const large = Buffer.concat([
          start,
          Buffer.from(`\r\n--b\r\n${base64(content(size), quanta * 4)}\r\n--b\r\n`),
          end,
        ]);
        const found = await split(large, { least: 1000, leastBody: 1000 }, pieceSize);
        expectSame(await joined(found), large);
        if (size >= 1000) expect(found.segments.map((segment) => segment.size)).toContain(size);
      }),
      { numRuns: runs(60) },
    );
  });
});
