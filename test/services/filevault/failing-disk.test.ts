import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { dropBlockHandler } from '../../../src/shared/attachments/blocks.ts';
import { openBlocks } from '../../../src/platform/store/blocks/blocks.ts';
import { failingFiles } from '../../support/failing-files.ts';
import { engines, temporaryFolder } from '../../support/stores.ts';
import { runDueHandlers } from '../quorum/due-jobs.ts';
import { codeOf, openClientScene, piecesOf } from './client-scene.ts';
import { faultsOf } from './faults.ts';
import { openScene, said, type Scene } from './scene.ts';

/** What a full check of everything finds. */
async function faultsIn({ house }: Scene) {
  const token = await house.operatorToken();
  return await faultsOf('full', async (body) => {
    const answer = await house.api('POST', '/api/admin/files/check', { token, trusted: true, body });
    expect(answer.status).toBe(200);
    return answer.body;
  });
}

describe.each(engines)('check 24, a disk that fails on %s', (engine) => {
  it('takes no chunk that it may lose, and the upload goes on when it works again', async () => {
    await using folder = await temporaryFolder();
    const disk = failingFiles();
    const blocks = openBlocks(folder.path, disk.files);
    await using scene = await openScene(engine, { context: { blocks } });
    const { ctx, clock, log } = scene.house;
    const stored: [id: string, bytes: Buffer][] = [];
    // Both with the folders of blocks not there yet, and with folders that are known.
    for (const fault of ['read-only', 'flush', 'write', 'rename', 'read-only'] as const) {
      const content = randomBytes(100_000);
      const { sessionId } = (await scene.begin(content.length, { name: `${fault} ${stored.length}` })).body;
      const status = async () => await scene.get('GET', `/upload/${sessionId}/status`);
      disk.fault = fault;
      disk.failed = 0;
      const refused = await scene.chunk(sessionId, 0, content);
      expect([fault, said(refused)]).toEqual([fault, '500 INTERNAL_ERROR']);
      // The log knows why, and the client does not.
      expect(JSON.stringify(refused.body)).not.toMatch(/EIO|EROFS|EBADF|blocks/);
      expect([fault, disk.failed]).not.toEqual([fault, 0]);
      expect(await status()).toMatchObject({ status: 'in_progress', chunksReceived: 0, missing: '0' });
      expect(said(await scene.call('POST', `/upload/${sessionId}/finalize`, {}))).toBe('400 UPLOAD_INCOMPLETE');
      // What is read needs no writing.
      for (const [id, bytes] of stored) expect((await scene.read(id)).bytes.equals(bytes)).toBe(true);
      disk.fault = undefined;
      expect(said(await scene.chunk(sessionId, 0, content))).toBe('200 success');
      const { fileId } = await scene.get('POST', `/upload/${sessionId}/finalize`, {});
      expect((await scene.read(fileId)).bytes.equals(content)).toBe(true);
      stored.push([fileId, content]);
    }
    expect(log.lines.filter(({ message }) => message === 'unexpected error').length).toBeGreaterThan(0);
    // What was written of blocks that nobody got is dropped.
    clock.advance(48 * 3_600_000);
    await runDueHandlers(ctx, { 'drop-block': dropBlockHandler(ctx) });
    expect((await blocks.stat()).blocks).toBe(stored.length);
    expect(await faultsIn(scene)).toEqual([]);
  });

  it('takes no chunk that a client has sealed, and the same bytes go through afterwards', async () => {
    await using folder = await temporaryFolder();
    const disk = failingFiles();
    const blocks = openBlocks(folder.path, disk.files);
    await using client = await openClientScene(engine, { context: { blocks } });
    const { owner, scene } = client;
    const content = randomBytes(100_000);
    const stored: string[] = [];
    for (const fault of ['flush', 'write', 'rename', 'read-only'] as const) {
      disk.fault = fault;
      expect([fault, await codeOf(owner.begun(content, { name: fault }))]).toEqual([fault, 'INTERNAL_ERROR']);
      const { uploads } = await scene.get('GET', '/upload');
      expect(uploads).toMatchObject([{ fileName: fault, chunksReceived: 0 }]);
      disk.fault = undefined;
      const [{ sessionId }] = uploads;
      const upload = await owner.cipher.upload(sessionId);
      await upload.send(0, content.length, () => piecesOf(content));
      stored.push((await upload.finish()).id);
    }
    for (const id of stored) expect((await owner.read(id)).equals(content)).toBe(true);
    const { clock, ctx } = scene.house;
    clock.advance(48 * 3_600_000);
    await runDueHandlers(ctx, { 'drop-block': dropBlockHandler(ctx) });
    expect((await blocks.stat()).blocks).toBe(stored.length);
    expect(await faultsIn(scene)).toEqual([]);
  });
});
