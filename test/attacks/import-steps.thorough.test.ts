import { describe, expect, it } from 'vitest';
import { parseImport } from '../../src/services/passvault/transfer/import/parse.ts';
import { openBlocks } from '../../src/platform/store/blocks/blocks.ts';
import { keePassEntry, keePassXml, utf8 } from '../services/passvault/transfer/import/samples.ts';
import { inStage } from '../support/stage.ts';
import { temporaryFolder } from '../support/stores.ts';

/**
 * Files that once took time by the square of their size. Each is so large that what still did would not end within the minute, nor
 * within many: the time-out says "hung", and nothing here says how fast it is.
 */
const HUNG = 240_000;
const MEGABYTE = 1024 ** 2;

const id = (number: number) => {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(number, 12);
  return bytes;
};
const reference = (number: number, letter = 'N') => `{REF:${letter}@I:${id(number).toString('hex')}}`;
const entry = (number: number, notes: string) =>
  keePassEntry({ Title: `T${number}`, Notes: notes }, `<UUID>${id(number).toString('base64')}</UUID>`);

describe('imports that are made of one thing', () => {
  it.each([
    ['backslashes', (size: number) => '\\'.repeat(size)],
    ['escaped quotes', (size: number) => String.raw`\"`.repeat(size / 2)],
    ['backslashes and letters', (size: number) => String.raw`\\\a`.repeat(size / 4)],
  ])(
    'end for 1Password of the Mac: %s',
    async (_, fill) => {
      const text = `title,type,number(ccnum),password\n"A","Login","","${fill(inStage(6, 6, 24) * MEGABYTE)}"\n`;
      const { records, errors } = await parseImport('managerA_csv', utf8(text));
      expect(records.length + errors.length).toBe(1);
    },
    HUNG,
  );

  it(
    'end for KeePass: references in a row of thousands, in circles, and to long texts that all others name',
    async () => {
      const count = inStage(5_000, 5_000, 20_000);
      const row = Array.from({ length: count }, (_, at) => entry(at + 1, `${'x'.repeat(900)}${reference(at + 2)}`));
      const { records, errors } = await parseImport('keepass', utf8(keePassXml(row.join(''))));
      expect([records.length, errors.length]).toEqual([count, 0]);
      // What is too far away stays as it is, and the end of the row is there.
      expect(records[0]?.entry.content).toContain('{REF:');
      expect(records[count - 2]?.entry.content).toBe('x'.repeat(900) + 'x'.repeat(900) + reference(count + 1));
      const circle = [1, 2, 3].map((at) => entry(at, reference((at % 3) + 1).repeat(20_000)));
      const round = await parseImport('keepass', utf8(keePassXml(circle.join(''))));
      expect(round.records[0]?.entry.content).toBe(reference(2).repeat(20_000));
    },
    HUNG,
  );

  it(
    'follow references as far as they always did',
    async () => {
      const chain = Array.from({ length: 12 }, (_, at) =>
        entry(at + 1, at === 11 ? 'end' : `${at} ${reference(at + 2)}`),
      );
      const { records } = await parseImport('keepass', utf8(keePassXml(chain.join(''))));
      expect(records[1]?.entry.content).toBe('1 2 3 4 5 6 7 8 9 10 end');
      expect(records[0]?.entry.content).toBe(`0 ${reference(2)}`);
    },
    HUNG,
  );
});

it(
  'a block is hashed without a copy of what is around its pieces',
  async () => {
    await using folder = await temporaryFolder();
    const blocks = openBlocks(folder.path);
    // A part of much more, as an attachment is of its file: a copy of all for each piece would be 80 GB.
    const around = new ArrayBuffer(640 * MEGABYTE);
    const content = new Uint8Array(around, 0, 32 * MEGABYTE).fill(7);
    const { id: block } = await blocks.put(content);
    expect(block).toMatch(/^[0-9a-f]{128}$/);
    expect(await blocks.verify(block)).toBe(true);
    expect(content[0]).toBe(7);
  },
  HUNG,
);
