import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openScene, said } from './scene.ts';
import { inStage } from '../../support/stage.ts';

describe.each(engines)('attachments on %s', (engine) => {
  it('come back as they were, and go with their entry', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const id = await scene.login();
    const bytes = randomBytes(100_000);
    const { attachment } = await scene.in('POST', `/entries/${id}/attachments`, {
      filename: 'ünïcode name.pdf',
      mimeType: 'application/pdf',
      content: bytes.toString('base64'),
    });
    expect(attachment).toEqual({
      id: expect.any(String),
      filename: 'ünïcode name.pdf',
      mimeType: 'application/pdf',
      sizeBytes: 100_000,
    });
    scene.house.clock.advance(1);
    const { attachment: empty } = await scene.in('POST', `/entries/${id}/attachments`, {
      filename: 'empty',
      content: '',
    });
    const read = await scene.in('GET', `/entries/${id}/attachments/${attachment.id}`);
    expect(Buffer.from(read.attachment.content, 'base64').equals(bytes)).toBe(true);
    expect((await scene.in('GET', `/entries/${id}`)).entry.attachments).toEqual([attachment, empty]);
    for await (const block of ctx.blocks.list()) {
      expect(Buffer.from(await ctx.blocks.get(block.id)).includes(bytes.subarray(0, 16))).toBe(false);
    }
    await scene.in('DELETE', `/entries/${id}/attachments/${empty.id}`);
    expect((await ctx.blocks.stat()).blocks).toBe(1);
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/entries/${id}/attachments/${empty.id}`))).toBe(
      '404 ATTACHMENT_NOT_FOUND',
    );
    await scene.in('DELETE', `/entries/${id}`);
    expect((await ctx.blocks.stat()).blocks).toBe(0);
    expect(await ctx.db.selectFrom('passvault_attachments').selectAll().execute()).toEqual([]);
  });

  it('of one entry are not those of another', async () => {
    await using scene = await openScene(engine);
    const [one, two] = [await scene.login(), await scene.login()];
    const { attachment } = await scene.in('POST', `/entries/${one}/attachments`, { filename: 'a', content: 'YQ==' });
    expect(said(await scene.call('GET', `/vaults/${scene.vaultId}/entries/${two}/attachments/${attachment.id}`))).toBe(
      '404 ATTACHMENT_NOT_FOUND',
    );
  });

  it(
    'are refused when they are not base 64, too large, or for no entry; nothing is left behind',
    { tags: 'thorough' },
    async () => {
      await using scene = await openScene(engine);
      const id = await scene.login();
      const add = async (entryId: string, content: string) =>
        said(
          await scene.call('POST', `/vaults/${scene.vaultId}/entries/${entryId}/attachments`, {
            filename: 'a',
            content,
          }),
        );
      expect(await add(id, 'not base 64!')).toBe('400 VALIDATION_ERROR');
      expect(await add('0'.repeat(32), 'YQ==')).toBe('404 ENTRY_NOT_FOUND');
      // Of so much the request alone takes long.
      if (inStage(false, false, true))
        expect(await add(id, Buffer.alloc(25 * 1024 ** 2 + 3).toString('base64'))).toBe('413 PAYLOAD_TOO_LARGE');
      expect((await scene.house.ctx.blocks.stat()).blocks).toBe(0);
      expect(await add(id, 'YQ')).toBe('200 success');
    },
  );
});
