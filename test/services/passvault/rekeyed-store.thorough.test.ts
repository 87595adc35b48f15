import { createDecipheriv } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../src/shared/members/authenticate.ts';
import { openSecret } from '../../../src/shared/members/session-secrets.ts';
import { utf8 } from '../../../src/crypto/bytes.ts';
import { CryptoError } from '../../../src/crypto/crypto-error.ts';
import { eciesDecrypt } from '../../../src/crypto/ecies.ts';
import { deriveIdentity } from '../../../src/crypto/identity.ts';
import { mnemonicToSeed } from '../../../src/crypto/mnemonic.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openScene, shareWith, type Scene } from './scene.ts';
import { allRows } from './store-contents.ts';

const mark = 'Readable-Mark';

interface Blob {
  readonly where: string;
  readonly bytes: Uint8Array;
}

/** All bytes that the store has, whatever for: in any column of any table, and the blocks. */
async function allBytes({ house: { ctx } }: Scene): Promise<Blob[]> {
  const found: Blob[] = [];
  for (const [table, rows] of await allRows(ctx)) {
    for (const row of rows) {
      for (const [column, value] of Object.entries(row))
        if (value instanceof Uint8Array) found.push({ where: `${table}.${column}`, bytes: value });
    }
  }
  for await (const { id } of ctx.blocks.list()) found.push({ where: 'block', bytes: await ctx.blocks.get(id) });
  return found;
}

/**
 * What a key makes of bytes (`0x01 | IV 16 | tag 16 | ciphertext`) when nobody asks where they belong: without the tag, everything
 * that was ever sealed under the key becomes readable.
 */
function reads(key: Uint8Array, vaultId: string, { bytes }: Blob): boolean {
  if (bytes.length < 34) return false;
  const plain = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 17)).update(bytes.subarray(33));
  return plain.includes(mark) || plain.includes(vaultId);
}

/** What a member's own key opens of bytes, as a data key that was shared with them. */
function unwraps(privateKey: Uint8Array, context: Uint8Array, { bytes }: Blob): boolean {
  try {
    return eciesDecrypt(privateKey, bytes, context).length > 0;
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}

async function dataKeyOf({ house: { ctx } }: Scene, token: string): Promise<Uint8Array> {
  const actor = await authenticate(ctx, token, { address: 'test', userAgent: 'test' }, { local: false });
  const { name, sealed } = await ctx.db
    .selectFrom('session_secrets')
    .selectAll()
    .where('session_id', '=', actor.sessionId)
    .executeTakeFirstOrThrow();
  return openSecret(actor, name, sealed).slice(4, 36);
}

/** Entries of each type with all they can hold, of which one was changed, and attachments. */
async function fill(scene: Scene, when: string): Promise<void> {
  const word = (what: string) => `${mark} ${when} ${what}`;
  const id = await scene.login({
    title: word('title'),
    password: word('first'),
    notes: word('notes'),
    customFields: [{ name: word('name'), value: word('value'), hidden: true }],
    passwordHistory: [{ password: word('imported'), changedAt: null }],
    tags: [word('tag')],
  });
  await scene.in('PUT', `/entries/${id}`, { password: word('second') });
  await scene.in('POST', '/entries', { type: 'secure_note', title: word('note'), content: word('content') });
  await scene.in('POST', '/entries', { type: 'credit_card', title: word('card'), cardNumber: word('number') });
  const content = Buffer.from(word('attached')).toString('base64');
  await scene.in('POST', `/entries/${id}/attachments`, { filename: word('file'), content });
  const { entry } = await scene.in('GET', `/entries/${id}`);
  expect(entry.passwordHistory.map((old: { password: string }) => old.password)).toEqual([
    word('first'),
    word('imported'),
  ]);
}

const places = (blobs: readonly Blob[]) => [...new Set(blobs.map(({ where }) => where))].toSorted();

describe.each(engines)('after a share has ended, on %s', (engine) => {
  it('nothing in the store opens by what the former member had, whatever it is and wherever it is', async () => {
    await using scene = await openScene(engine);
    const [former, friend, trustee] = [
      await scene.house.register(),
      await scene.house.register(),
      await scene.house.register(),
    ] as [HouseMember, HouseMember, HouseMember];
    await fill(scene, 'before');
    await shareWith(scene, former);
    await shareWith(scene, friend);
    await scene.in('POST', '/emergency-access', { threshold: 1, trustees: [trustee.memberId] });
    const theirs = await dataKeyOf(scene, former.token);
    const { privateKey } = deriveIdentity(await mnemonicToSeed(former.mnemonic));
    const context = utf8(`conclave/passvault/shared-key/v1/${scene.vaultId}/${former.memberId}`);

    const before = await allBytes(scene);
    expect(places(before.filter((one) => reads(theirs, scene.vaultId, one)))).toEqual([
      'block',
      'passvault_attachments.sealed',
      'passvault_entries.sealed',
      'passvault_pages.sealed',
      'passvault_vaults.header',
    ]);
    expect(places(before.filter((one) => unwraps(privateKey, context, one)))).toEqual([
      'passvault_members.wrapped_key',
    ]);

    await scene.in('POST', '/revoke-share', { memberId: former.memberId });
    await fill(scene, 'after');
    const after = await allBytes(scene);
    expect(places(after.filter((one) => reads(theirs, scene.vaultId, one)))).toEqual([]);
    expect(places(after.filter((one) => unwraps(privateKey, context, one)))).toEqual([]);
    const ours = await dataKeyOf(scene, scene.owner.token);
    const readable = after.filter((one) => reads(ours, scene.vaultId, one));
    expect(places(readable)).toEqual(places(before.filter((one) => reads(theirs, scene.vaultId, one))));
    // Six entries, a page, the header, and two attachments with their contents.
    expect(readable).toHaveLength(12);
  });
});
