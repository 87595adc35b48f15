import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { withFullScreen } from '../../src/cli/kit/full-screen.ts';
import { previewFacts, previewText } from '../../src/cli/kit/preview/answer.ts';
import { previewOf, type Viewed } from '../../src/cli/kit/preview/content.ts';
import { showPreview } from '../../src/cli/kit/preview/screen.ts';
import { Cancelled } from '../../src/cli/kit/prompts.ts';
import type { Screen } from '../../src/cli/kit/screen.ts';
import { Problem } from '../../src/base/problem.ts';
import { eventually } from '../support/eventually.ts';
import { encoded, pixelsOf, png } from '../services/filevault/pictures.ts';
import { keys } from './run-command.ts';

/** A file whose content comes in pieces. */
function file(content: Uint8Array | string, { name = 'file', piece = 50_000, type = 'application/octet-stream' } = {}) {
  const bytes = Buffer.from(content);
  const pieces = { read: 0 };
  const viewed: Viewed = {
    name,
    type,
    size: bytes.length,
    read: async (take) =>
      await take(
        (async function* () {
          for (let at = 0; at < bytes.length; at += piece) {
            pieces.read += 1;
            yield bytes.subarray(at, at + piece);
          }
        })(),
      ),
  };
  return Object.assign(viewed, { pieces });
}

const screen: Screen = { width: 20, paint: (_, text) => text, measure: ({ length }) => length };
const MOST = 256 * 1024;
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('a preview', () => {
  it.each([
    ['UTF-8', 'caf\u00e9 \u{1f375}\n', 'caf\u00e9 \u{1f375}\n'],
    ['UTF-8 with a mark', '\ufeffcaf\u00e9', 'caf\u00e9'],
    ['UTF-16 with a mark', Buffer.from('\ufeffcaf\u00e9', 'utf16le'), 'caf\u00e9'],
    ['UTF-16 the other way round', utf16be('\ufeffcaf\u00e9'), 'caf\u00e9'],
    [
      'Latin-1, or what Windows made of it',
      latin('caf\u00e9 \x93au lait\x94 5 \x80'),
      'caf\u00e9 \u201cau lait\u201d 5 \u20ac',
    ],
    ['a text that begins as a picture does', 'GIF89a is what it begins with.', 'GIF89a is what it begins with.'],
    ['nothing', '', ''],
  ])('of a text reads %s', async (_, content, text) => {
    expect(await previewOf(file(content))).toEqual({ kind: 'text', type: 'text/plain', text, isWhole: true });
  });

  it('of a long text is its beginning, up to a whole character, and nothing more is read', async () => {
    const long = file(`${'a'.repeat(MOST - 1)}\u00e9${'b'.repeat(1_000_000)}`);
    expect(await previewOf(long)).toMatchObject({ kind: 'text', text: 'a'.repeat(MOST - 1), isWhole: false });
    expect(long.pieces.read).toBe(6);
    expect(await previewOf(file('c'.repeat(MOST)))).toMatchObject({ text: 'c'.repeat(MOST), isWhole: true });
    expect(await previewOf(file('c'.repeat(MOST + 1)))).toMatchObject({ text: 'c'.repeat(MOST), isWhole: false });
    const wide = file(utf16be(`\ufeff${'\u{1f375}'.repeat(MOST)}`));
    expect(await previewOf(wide)).toMatchObject({ text: '\u{1f375}'.repeat(MOST / 4 - 1), isWhole: false });
  });

  it.each([
    ['bytes', Buffer.from('a\0b'), undefined, 'is no text and no picture that can be shown here.'],
    ['bytes without a zero', latin('\xfe\x01\x02\xff'), undefined, 'is no text and no picture that can be shown here.'],
    [
      'what only claims to be UTF-16',
      latin('\xff\xfe\x00\xdc'),
      undefined,
      'is no text and no picture that can be shown here.',
    ],
    [
      'UTF-16 with zeros in it',
      latin('\xff\xfea\0\0\0'),
      undefined,
      'is no text and no picture that can be shown here.',
    ],
    [
      'a PDF, which is all of ASCII',
      '%PDF-1.7\n',
      'application/pdf',
      'is no text and no picture that can be shown here (application/pdf).',
    ],
  ])('of %s says why there is none', async (_, content, type, why) => {
    expect(await previewOf(file(content))).toMatchObject({ kind: 'hidden', type, why: `file ${why}` });
  });

  it.each([
    [
      'a picture that breaks off',
      latin('\xff\xd8\xff\xe0\0\x10JFIF'),
      'image/jpeg',
      'cannot be shown: it is damaged (image/jpeg).',
    ],
    [
      'a picture that would fill the memory',
      png(50_000, 50_000, Buffer.alloc(9)),
      'image/png',
      'cannot be shown: the image is too large (image/png, 50000 x 50000 pixels).',
    ],
  ])('of %s says so', { tags: 'thorough' }, async (_, content, type, why) => {
    expect(await previewOf(file(content))).toMatchObject({ kind: 'hidden', type, why: `file ${why}` });
  });

  it('reads no picture that is too large to the end, and passes on what reading says', async () => {
    const endless = (async function* () {
      for (const piece of [png(1, 1, Buffer.alloc(4)), ...Array.from({ length: 80 }, () => Buffer.alloc(1024 ** 2))])
        yield piece;
      throw new Error('was read to its end');
    })();
    const large: Viewed = { name: 'large.png', size: 9e7, read: async (take) => await take(endless) };
    const why = 'large.png cannot be shown: it has more than 64 MiB (image/png).';
    expect(await previewOf(large)).toEqual({ kind: 'hidden', type: 'image/png', sides: undefined, why });
    const gone = new Problem('missing', 'ATTACHMENT_NOT_FOUND', 'It is gone.');
    await expect(previewOf({ ...large, read: async () => await Promise.reject(gone) })).rejects.toBe(gone);
  });

  it('is an answer: a text within the width, a picture, or what there is to say', async () => {
    const answer = async (viewed: Viewed, width = 20) => {
      const stdout = Object.assign(new Writable(), { isTTY: true, rows: 8 });
      const env = { COLORTERM: 'truecolor' };
      const terminal = { stdin: new PassThrough(), stdout, stderr: stdout, env };
      const preview = await previewOf(viewed);
      return [previewText(terminal, { ...screen, width }, viewed, preview), previewFacts(viewed, preview)] as const;
    };
    const text = file('one\ttwo three four five\u001b[2J\n', { type: 'text/plain' });
    expect((await answer(text))[0]).toBe('one    two three\nfour five\\x1b[2J');
    expect((await answer(text, Infinity))[0]).toBe('one    two three four five\\x1b[2J');
    const red = png(
      8,
      40,
      Buffer.concat(Array.from({ length: 40 }, () => Buffer.from(`00${'c80000'.repeat(8)}`, 'hex'))),
    );
    const picture = file(red, { name: 'red.txt', type: 'text/plain' });
    const [drawn, facts] = await answer(picture);
    // Five lines, so that the next command has room.
    expect(drawn).toBe(`${'\u001b[48;2;200;0;0m  \u001b[0m\n'.repeat(5)}red.txt  image/png …`);
    const said = { name: 'red.txt', size: red.length, type: 'image/png', sentAs: 'text/plain' };
    expect(facts).toEqual({ ...said, kind: 'picture', width: 8, height: 40 });
    expect((await answer(picture, Infinity))[0]).toBe(
      `Name\tred.txt\nType\timage/png\nSent as\ttext/plain\nSize\t${red.length} bytes\nPixels\t8 x 40`,
    );
    const [words, { reason }] = await answer(file('a\0', { name: 'a\u001b.bin', type: 'x/y' }));
    expect([words, reason]).toEqual([
      'Name  a\\x1b.bin\nType  x/y\nSize  2 bytes',
      'a\u001b.bin is no text and no picture that can be shown here (x/y).',
    ]);
  });
});

describe('a preview on a full screen', () => {
  /** Somebody who presses keys one by one, each after what they wait for was drawn. */
  async function look(
    viewed: Viewed,
    steps: readonly (readonly [waitFor: string, press: string | { readonly columns: number; readonly rows: number }])[],
  ) {
    let drawn = '';
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = Object.assign(
      new Writable({ write: (chunk: Buffer, _, done) => (done(), void (drawn += chunk.toString())) }),
      { isTTY: true, columns: 40, rows: 13 },
    );
    const terminal = { stdin, stdout: stderr, stderr, env: { COLORTERM: 'truecolor' } };
    const none = async () => await Promise.reject(new Error('nothing is asked here'));
    const seen: string[] = [];
    const ended = withFullScreen(
      terminal,
      { connect: none, screen: none },
      async (full) => await showPreview(full, viewed, 'Save it.'),
    );
    for (const [text, press] of steps) {
      await eventually(() => expect(drawn).toContain(text));
      seen.push(drawn);
      drawn = '';
      if (typeof press === 'string') stdin.write(press);
      else Object.assign(stderr, press).emit('resize');
    }
    return { answer: await ended, seen };
  }

  /** A file of which nothing comes, until nobody wants it any more. */
  function stalled() {
    const signals: (AbortSignal | undefined)[] = [];
    const read = async (_: unknown, signal?: AbortSignal) => {
      signals.push(signal);
      return await new Promise<never>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    return { viewed: { name: 'slow.png', size: 7, read } as Viewed, signals };
  }

  it('ends at once at Ctrl-C, and goes back at q, while the file is read', async () => {
    const slow = stalled();
    await expect(look(slow.viewed, [['Reading ...', keys.interrupt]])).rejects.toBeInstanceOf(Cancelled);
    expect(await look(slow.viewed, [['Reading ...', 'q']])).toMatchObject({ answer: '' });
    expect(slow.signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  });

  it('ends the process that decodes a picture', async () => {
    const decoding = () => process.getActiveResourcesInfo().includes('ProcessWrap');
    await eventually(() => expect(decoding()).toBe(false));
    const stop = new AbortController();
    const picture = file(encoded(pixelsOf(900, 900, (x, y) => [x, y, x % 7, 255])).webp);
    const ended = previewOf(picture, stop.signal).catch((error: unknown) => error);
    await eventually(() => expect(decoding()).toBe(true));
    stop.abort('enough');
    expect(await ended).toBe('enough');
    await eventually(() => expect(decoding()).toBe(false));
  });

  it('goes through a text by the keys of a pager', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}.`).join('\n');
    const { answer } = await look(file(lines, { name: 'a\u001b.txt' }), [
      ['line 10.', ' '],
      ['line 19.', 'b'],
      ['line 1.', 'G'],
      ['line 40.', 'g'],
      ['line 1.', '\r'],
      ['line 11.', 'q'],
    ]);
    expect(answer).toBe('');
  });

  it('draws a picture, again if the size of the terminal changes, and tells what is none', async () => {
    const square = file(encoded(pixelsOf(60, 60, () => [200, 0, 0, 255])).webp, { name: 'square.webp' });
    const row = (columns: number) => `\u001b[48;2;200;0;0m${' '.repeat(columns)}\u001b[0m\u001b[K`;
    const { answer, seen } = await look(square, [
      [row(20), { columns: 30, rows: 8 }],
      [row(10), 'q'],
    ]);
    expect([answer, seen.map((drawn, at) => drawn.split(row(20 - at * 10)).length - 1)]).toEqual(['', [10, 5]]);
    expect(seen[0]).toContain(`square.webp  ${square.size} bytes  60 x 60 pixels`);
    expect((await look(file('a\0b', { name: 'data.bin' }), [])).answer).toBe(
      'data.bin is no text and no picture that can be shown here. Save it.',
    );
  });
});
