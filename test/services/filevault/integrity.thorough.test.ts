import { randomBytes } from 'node:crypto';
import { open, readFile, symlink, unlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../../src/crypto/hash.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { openClientScene } from './client-scene.ts';
import { blocksOf, damages, pathOf, resealManifest, setBlock, setContent } from './damages.ts';
import { faultsOf, type Fault, type Level } from './faults.ts';
import { openScene, said, type Scene } from './scene.ts';
import { fetchContent, makeLink } from './sharing-scene.ts';
import { CHUNK_BYTES, smallChunkFile } from './small-chunks.ts';

async function checked({ get, containerId }: Scene, level: Level): Promise<Fault[]> {
  return await faultsOf(level, async (body) => await get('POST', `/vaults/${containerId}/check`, body));
}

/** What a reader gets: the bytes until the answer ends or breaks off. */
async function received(scene: Scene, path: string) {
  const answer = await scene.house.fetch(
    new Request(`http://house.test/filevault${path}`, {
      headers: { authorization: `Bearer ${scene.owner.token}` },
    }),
  );
  if (answer.status !== 200)
    return { status: answer.status, code: ((await answer.json()) as { error: string }).error, bytes: '' };
  const pieces: Uint8Array[] = [];
  let broken = '';
  try {
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
  } catch (error) {
    broken = (error as Error).message;
  }
  return { status: 200, code: broken, bytes: Buffer.concat(pieces).toString('latin1') };
}

describe.each(engines)('check 27, what was changed in the store on %s', (engine) => {
  it.each(damages.filter(({ again }) => again !== true || inStage(false, false, true)))(
    'is an integrity error before a wrong byte leaves, an audit event, and fsck finds it: $name',
    async ({ detail, quick, change }) => {
      await using scene = await openScene(engine);
      const { db } = scene.house.ctx;
      const first = await smallChunkFile(scene);
      const file = await smallChunkFile(scene, first.bytes.length, first.id);
      const other = await smallChunkFile(scene);
      expect(await checked(scene, 'full')).toEqual([]);
      const { currentVersionId } = await scene.get('GET', `/files/${file.id}/metadata`);
      const sealed = await makeLink(scene, file.id, { mode: 'ephemeral_key_pair' });
      const plain = await makeLink(scene, file.id);
      const ways: readonly (readonly [path: string, right: Buffer])[] = [
        [`/files/${file.id}`, file.bytes],
        [`/files/${file.id}/versions/${currentVersionId}/download`, file.bytes],
        [`/share/link/${plain.token}/content`, file.bytes],
        [`/share/link/${sealed.token}/content`, (await fetchContent(scene, sealed.token)).bytes],
      ];
      await change(scene, file, other);

      const found = async (level: 'quick' | 'full') =>
        (await checked(scene, level)).filter(({ fileId }) => fileId === file.id).map((fault) => fault.detail);
      expect(await found('full')).toContain(detail);
      const atOnce = await found('quick');
      if (quick === true) expect(atOnce).toContain(detail);
      else expect(atOnce).toEqual([]);
      const events = async () =>
        (await db.selectFrom('file_audit').select('node_id').where('action', '=', 'FILE_DAMAGED').execute()).filter(
          ({ node_id }) => node_id === file.id,
        ).length;
      const before = await events();
      expect(before).toBe(quick === true ? 2 : 1);

      let reads = 0;
      for (const [path, right] of ways) {
        const { status, code, bytes } = await received(scene, path);
        if (status === 200) expect(code, path).toContain('The stored content of the file is damaged');
        else expect([status, code, bytes], path).toEqual([500, 'FILE_DAMAGED', '']);
        expect(bytes.length, path).toBeLessThan(right.length);
        expect(bytes, path).toBe(right.subarray(0, bytes.length).toString('latin1'));
        reads += 1;
        expect(await events(), path).toBe(before + reads);
      }
    },
  );

  it('is found in a block that lies in a row, and sealed again as well', async () => {
    await using scene = await openScene(engine);
    const id = await scene.file('a small one');
    const { db } = scene.house.ctx;
    const row = await db.selectFrom('file_blocks').selectAll().executeTakeFirstOrThrow();
    const sealed = Buffer.from(row.sealed!);
    sealed[60]! ^= 1;
    const details = async (level: 'quick' | 'full') => (await checked(scene, level)).map((fault) => fault.detail);
    await setBlock(scene, row.content_id, 0, { sealed });
    expect(await details('quick')).toEqual(['block 0 does not have its hash']);
    expect(said(await scene.call('GET', `/files/${id}`))).toBe('500 FILE_DAMAGED');
    await setBlock(scene, row.content_id, 0, { sealed, hash: contentHash(sealed) });
    expect(await details('quick')).toEqual(['its rows are not those of its list of blocks']);
    await resealManifest(scene, row.content_id);
    expect(await details('quick')).toEqual([]);
    expect(await details('full')).toEqual(['block 0 does not open: it was changed, or belongs elsewhere']);
    expect(said(await scene.call('GET', `/files/${id}`))).toBe('500 FILE_DAMAGED');
  });

  it(
    'is found in every byte of a small file: its block, its list of blocks and its key',
    { tags: 'thorough' },
    async () => {
      await using scene = await openScene(engine);
      const id = await scene.file('a small one');
      const { db } = scene.house.ctx;
      const content = await db.selectFrom('file_contents').selectAll().executeTakeFirstOrThrow();
      const block = await db.selectFrom('file_blocks').selectAll().executeTakeFirstOrThrow();
      const parts = [
        ['block', block.sealed!, async (sealed: Uint8Array) => await setBlock(scene, content.id, 0, { sealed })],
        ['list', content.manifest!, async (manifest: Uint8Array) => await setContent(scene, content.id, { manifest })],
        [
          'key',
          content.wrapped_key,
          async (wrapped: Uint8Array) => await setContent(scene, content.id, { wrapped_key: wrapped }),
        ],
      ] as const;
      for (const [what, right, set] of parts) {
        for (let at = 0; at < right.length; at += inStage(17, 17, 1)) {
          const bytes = Buffer.from(right);
          bytes[at]! ^= 1 << (at % 8);
          await set(bytes);
          expect([what, at, said(await scene.call('GET', `/files/${id}`))]).toEqual([what, at, '500 FILE_DAMAGED']);
        }
        await set(right);
        expect((await scene.read(id)).bytes.toString()).toBe('a small one');
      }
    },
  );

  it('leaves the other ranges of a file readable', async () => {
    await using scene = await openScene(engine);
    const { id, contentId, bytes } = await smallChunkFile(scene);
    const path = pathOf(scene, (await blocksOf(scene, contentId))[2]!.block_id!);
    await using file = await open(path, 'r+');
    await file.write(Uint8Array.of(1, 2, 3, 4), 0, 4, 30_000);
    const read = async (range: string) => await scene.read(id, { headers: { range } });
    expect((await read(`bytes=0-${2 * CHUNK_BYTES - 1}`)).bytes.equals(bytes.subarray(0, 2 * CHUNK_BYTES))).toBe(true);
    expect((await read('bytes=-40000')).bytes.equals(bytes.subarray(-40_000))).toBe(true);
    expect((await read(`bytes=${2 * CHUNK_BYTES + 29_000}-`)).status).toBe(500);
  });

  it('is an integrity error of blocks that the node cannot open, by their hashes, and where a link is in place of one', async () => {
    await using sealed = await openClientScene(engine);
    const { scene, owner } = sealed;
    const { db } = scene.house.ctx;
    for (const large of [false, true]) {
      const id = await owner.store(randomBytes(large ? 100_000 : 1_000));
      const { content_id: contentId } = await db
        .selectFrom('file_versions')
        .select('content_id')
        .where('file_id', '=', id)
        .executeTakeFirstOrThrow();
      const block = (await blocksOf(scene, contentId))[0]!;
      const events = async () =>
        (await db.selectFrom('file_audit').select('node_id').where('action', '=', 'FILE_DAMAGED').execute()).filter(
          ({ node_id: node }) => node === id,
        ).length;
      expect((await received(scene, `/files/${id}/sealed`)).status).toBe(200);
      const refused = async (count: number) => {
        expect(await received(scene, `/files/${id}/sealed`)).toEqual({ status: 500, code: 'FILE_DAMAGED', bytes: '' });
        expect(await events()).toBe(count);
      };
      if (block.sealed !== null) {
        const bytes = Buffer.from(block.sealed);
        bytes[500]! ^= 1;
        await setBlock(scene, contentId, 0, { sealed: bytes });
        await refused(1);
        continue;
      }
      const path = pathOf(scene, block.block_id!);
      const bytes = await readFile(path);
      bytes[90_000]! ^= 1;
      await writeFile(path, bytes);
      await refused(1);
      // Even of the right content: what a link leads to is nobody's block.
      bytes[90_000]! ^= 1;
      await writeFile(`${path}.elsewhere`, bytes);
      await unlink(path);
      await symlink(`${path}.elsewhere`, path);
      await refused(2);
    }
  });
});
