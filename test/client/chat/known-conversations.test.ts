import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  listKnown,
  readKnown,
  remember,
  withFiles,
  type KnownConversation,
} from '../../../src/client/chat/known-conversations.ts';
import { temporaryFolder } from '../../support/stores.ts';

const id = '0192f3a4b5c6d7e8f900112233445566';
const other = 'ff'.repeat(16);
const memberId = 'ab'.repeat(12);
const known: KnownConversation = {
  conversationId: id,
  epochs: [[1, '00'.repeat(16), '11'.repeat(32)]],
  memberIds: [memberId],
  files: [],
};

async function openMemory() {
  const folder = await temporaryFolder();
  const memory = { folder: join(folder.path, 'conclave'), server: 'https://home.test', memberId };
  const fileOf = async () => {
    const [whose = ''] = await readdir(join(memory.folder, 'conversations'));
    return join(memory.folder, 'conversations', whose, `${id}.json`);
  };
  return { memory, fileOf, [Symbol.asyncDispose]: async () => await folder[Symbol.asyncDispose]() };
}

describe('what a machine remembers of conversations', () => {
  it('is one private file for each, by server and member, which names neither', async () => {
    await using opened = await openMemory();
    const { memory, fileOf } = opened;
    expect(await readKnown(memory, id)).toBeUndefined();
    expect(await listKnown(memory)).toEqual([]);
    await remember(memory, id, () => known);
    expect(await readKnown(memory, id)).toEqual(known);
    expect(await listKnown(memory)).toEqual([known]);
    for (const whose of [
      { ...memory, server: 'https://other.test' },
      { ...memory, memberId: 'cd'.repeat(12) },
    ]) {
      expect(await readKnown(whose, id)).toBeUndefined();
      expect(await listKnown(whose)).toEqual([]);
    }
    const path = await fileOf();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(path.slice(memory.folder.length)).not.toMatch(/home\.test|abab/);
    expect(await readFile(path, 'utf8')).not.toContain('home.test');
  });

  it('is changed one after another, and not written when nothing changed', async () => {
    await using opened = await openMemory();
    const { memory, fileOf } = opened;
    await remember(memory, id, () => known);
    const before = await stat(await fileOf());
    await remember(memory, id, (now) => now);
    expect((await stat(await fileOf())).ino).toBe(before.ino);
    const numbers = Array.from({ length: 10 }, (_, at) => at);
    await Promise.all(
      numbers.map(async (number) => {
        const file: [string, string] = [`${number}`.repeat(32), other];
        await remember(memory, id, (now) => now && withFiles(now, [file]));
      }),
    );
    expect((await readKnown(memory, id))?.files).toHaveLength(10);
    await remember(memory, other, (now) => now);
    expect(await readKnown(memory, other)).toBeUndefined();
  });

  it('has the newest thousand files', () => {
    const files = Array.from({ length: 1_200 }, (_, at): [string, string] => [
      at.toString(16).padStart(32, '0'),
      other,
    ]);
    const full = withFiles(known, files);
    expect(full.files).toEqual(files.slice(200));
    expect(withFiles(full, files.slice(300, 400))).toBe(full);
  });

  it('is not believed where others could have changed it, or it is damaged', async () => {
    await using opened = await openMemory();
    const { memory, fileOf } = opened;
    await remember(memory, id, () => known);
    const path = await fileOf();
    await chmod(path, 0o620);
    await expect(readKnown(memory, id)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'KNOWN_CONVERSATIONS_EXPOSED',
    });
    await chmod(path, 0o600);
    const wrong = [
      '',
      '{',
      'null',
      JSON.stringify({ version: 1, ...known, conversationId: other }),
      JSON.stringify({ version: 2, ...known }),
      JSON.stringify({ version: 1, ...known, epochs: [[0, '', '']] }),
    ];
    for (const text of wrong) {
      await writeFile(path, text);
      const damaged = { kind: 'internal', code: 'KNOWN_CONVERSATIONS_DAMAGED', message: expect.stringContaining(path) };
      await expect(readKnown(memory, id)).rejects.toMatchObject(damaged);
    }
  });
});
