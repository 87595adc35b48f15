import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { engines } from '../../support/stores.ts';
import { openQuorum, said, type Person, type QuorumScene } from './scene.ts';
import { state } from './unchanged.ts';

const ids = (people: readonly Person[]) => people.map(({ id }) => id);
const phrases = (people: readonly Person[]) => people.map(({ id: memberId, mnemonic }) => ({ memberId, mnemonic }));

describe.each(engines)('a document is not sealed on %s', (engine) => {
  let scene: QuorumScene;
  beforeAll(async () => {
    scene = await openQuorum(engine, 5);
    await scene.ask('DELETE', `/members/${scene.people[4]!.id}`);
    await scene.ask('POST', '/documents/seal', { document: 1, memberIds: ids(scene.people.slice(0, 2)) });
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const refused = async (body: object) => {
    const before = await state(scene);
    const answer = await scene.call('POST', '/documents/seal', { document: {}, ...body });
    expect(await state(scene)).toEqual(before);
    return [said(answer), ...(answer.body.error.errors ?? []).map((one: { path: string }) => one.path)];
  };

  it('for fewer than two members, or more than there can be', async () => {
    const [one] = scene.people;
    for (const memberIds of [[], [one!.id]])
      expect(await refused({ memberIds })).toEqual(['400 INVALID_MEMBER_COUNT', 'memberIds']);
    const many = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(24, '0'));
    expect(await refused({ memberIds: many })).toEqual(['400 INVALID_MEMBER_COUNT', 'memberIds']);
  });

  it('with a threshold below two or above the members', async () => {
    const memberIds = ids(scene.people.slice(0, 3));
    for (const sharesRequired of [-1, 0, 1, 4, 256, 2 ** 40])
      expect(await refused({ memberIds, sharesRequired })).toEqual(['400 INVALID_THRESHOLD', 'sharesRequired']);
    for (const sharesRequired of ['2', 2.5, null, true])
      expect(await refused({ memberIds, sharesRequired })).toEqual(['400 VALIDATION_ERROR', 'sharesRequired']);
  });

  it('for somebody twice, and for who is no active member', async () => {
    const [one, two, , , former] = ids(scene.people) as [string, string, string, string, string];
    const invalid = (...at: number[]) => ['400 VALIDATION_ERROR', ...at.map((place) => `memberIds.${place}`)];
    expect(await refused({ memberIds: [one, two, one, one.toUpperCase()] })).toEqual(invalid(2, 3));
    expect(await refused({ memberIds: [former, one, 'ab'.repeat(12)] })).toEqual(invalid(0, 2));
    expect(await refused({ memberIds: [one, 'nobody'] })).toEqual(invalid(1));
    // An account is no member of the quorum.
    expect(await refused({ memberIds: [one, scene.administrator.memberId] })).toEqual(invalid(1));
  });

  it('without a document, or without members', async () => {
    expect(await refused({ memberIds: ids(scene.people.slice(0, 2)), document: undefined })).toEqual([
      '400 VALIDATION_ERROR',
      'document',
    ]);
    expect(await refused({})).toEqual(['400 VALIDATION_ERROR', 'memberIds']);
  });

  it('above the storage quota of its creator', async () => {
    const { house } = scene;
    const creator = await house.register();
    const memberIds = ids(scene.people.slice(0, 2));
    const quota = house.ctx.config.storage.perMemberBytes;
    const seal = async () => await scene.call('POST', '/documents/seal', { document: 'x', memberIds }, creator.token);
    expect((await seal()).status).toBe(201);
    await sql`update member_storage set bytes = ${quota - 35} where member_id = ${creator.memberId}`.execute(
      house.ctx.db,
    );
    const before = await state(scene);
    expect(said(await seal())).toBe('413 STORAGE_QUOTA_EXCEEDED');
    expect(await state(scene)).toEqual(before);
  });

  it('for who was removed meanwhile', async () => {
    const { house, people } = scene;
    const joined = await scene.join();
    const before = await state(scene);
    const setActive = async (active: number) =>
      await house.ctx.store.db.updateTable('quorum_members').set({ active }).where('id', '=', joined.id).execute();
    house.meanwhile(async () => void (await setActive(0)));
    const answer = await scene.call('POST', '/documents/seal', { document: 1, memberIds: ids([people[0]!, joined]) });
    expect([said(answer), answer.body.error.message]).toEqual([
      '400 VALIDATION_ERROR',
      'memberIds.1: is no active member of the quorum',
    ]);
    await setActive(1);
    expect(await state(scene)).toEqual(before);
  });
});

describe.each(engines)('a document is not opened on %s', (engine) => {
  it('with the phrase of a former member, until they are back with the same key', async () => {
    await using scene = await openQuorum(engine, 4);
    const holders = scene.people.slice(0, 3);
    const [first, second, third] = holders as [Person, Person, Person];
    const { documentId } = await scene.ask('POST', '/documents/seal', {
      document: 'kept',
      memberIds: ids(holders),
      sharesRequired: 3,
    });
    const open = async (people: readonly Person[]) =>
      await scene.call('POST', `/documents/${documentId}/unseal`, { memberCredentials: phrases(people) });
    const shown = async () => (await scene.ask('GET', `/documents/${documentId}`)).document;
    expect((await open(holders)).body.document).toBe('kept');
    await scene.ask('DELETE', `/members/${third.id}`);
    const refused = await open(holders);
    expect([said(refused), refused.body.error.errors, refused.body.error.message]).toEqual([
      '400 INSUFFICIENT_SHARES',
      [{ path: 'memberCredentials', message: 'must name at least 3 holders who are members' }],
      'The document needs the shares of 3 members of the quorum, and 2 of those who were named are members with a share.',
    ]);
    // Members of the quorum are told who was removed, whatever the phrases are.
    const wrong = [...phrases([first, second]), { memberId: third.id, mnemonic: second.mnemonic }];
    const told = await scene.call('POST', `/documents/${documentId}/unseal`, { memberCredentials: wrong }, first.token);
    expect([said(told), told.body.error.errors.at(-1), told.body.error.message]).toEqual([
      '400 INSUFFICIENT_SHARES',
      { path: 'memberCredentials.2', message: 'is of a member who was removed from the quorum' },
      expect.stringContaining(`${third.username} (${third.id}) was removed from the quorum. This share counts again`),
    ]);
    const request = { ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Now' };
    for (const path of ['unseal-sessions', 'reshare']) {
      const asked = await scene.call('POST', `/documents/${documentId}/${path}`, request, first.token);
      expect([said(asked), asked.body.error.message]).toEqual([
        '400 INSUFFICIENT_SHARES',
        expect.stringContaining(`2 of its holders are members. ${third.username} (${third.id}) was removed`),
      ]);
    }
    expect((await scene.ask('GET', `/documents/${documentId}/can-unlock?memberIds=`)).formerMembers).toEqual([
      third.id,
    ]);
    expect(await shown()).toMatchObject({ holdersChanged: true, formerMemberIds: [third.id], outOfReach: true });
    const list = async (changed: boolean) =>
      (await scene.ask('GET', `/documents?holdersChanged=${changed}`)).documents.map((one: { id: string }) => one.id);
    expect([await list(true), await list(false)]).toEqual([[documentId], []]);
    // Somebody else of the same name is somebody else.
    const other = toHex(generateKeyPair().publicKey);
    await scene.ask('POST', '/members', { name: third.username, email: third.email, publicKey: other });
    expect(said(await open(holders))).toBe('400 INSUFFICIENT_SHARES');
    await scene.ask('POST', '/members', { name: 'Back', publicKey: toHex(third.keys.publicKey) });
    expect(await shown()).toMatchObject({ holdersChanged: false, formerMemberIds: [], outOfReach: false });
    expect((await open([first, second, third])).body.document).toBe('kept');
  });

  it('when a holder is removed, or the document shared anew or deleted, while the phrases are tried', async () => {
    await using scene = await openQuorum(engine, 3);
    scene.willTamper();
    const { house, people } = scene;
    const { db } = house.ctx;
    const sealed = await scene.ask('POST', '/documents/seal', { document: 'x', memberIds: ids(people.slice(0, 2)) });
    const id = sealed.documentId as string;
    const open = async () =>
      await scene.call('POST', `/documents/${id}/unseal`, { memberCredentials: phrases(people.slice(0, 2)) });
    const opened = async () =>
      await db.selectFrom('quorum_audit').selectAll().where('action', '=', 'DOCUMENT_UNSEALED').execute();
    const setActive = async (active: number) =>
      await db.updateTable('quorum_members').set({ active }).where('id', '=', people[1]!.id).execute();
    house.meanwhile(async () => void (await setActive(0)));
    const refused = await open();
    expect([said(refused), refused.body.error.errors]).toEqual([
      '400 INSUFFICIENT_SHARES',
      [{ path: 'memberCredentials', message: 'must name at least 2 holders who are members' }],
    ]);
    await setActive(1);
    const setGeneration = async (generation: number) =>
      await db.updateTable('quorum_documents').set({ generation }).where('id', '=', id).execute();
    house.meanwhile(async () => void (await setGeneration(2)));
    expect(said(await open())).toBe('409 DOCUMENT_RESHARED');
    await setGeneration(1);
    expect(await opened()).toEqual([]);
    expect((await open()).status).toBe(200);
    expect(await opened()).toMatchObject([{ subject: `document/${id}`, actor_id: scene.administrator.memberId }]);
    house.meanwhile(async () => void (await db.deleteFrom('quorum_documents').where('id', '=', id).execute()));
    expect(said(await open())).toBe('404 DOCUMENT_NOT_FOUND');
    expect(await opened()).toHaveLength(1);
  });

  it('when its opening cannot be recorded', async () => {
    await using scene = await openQuorum(engine, 2);
    const { documentId } = await scene.ask('POST', '/documents/seal', {
      document: 'secret',
      memberIds: ids(scene.people),
    });
    scene.house.spoil();
    const answer = await scene.call('POST', `/documents/${documentId}/unseal`, {
      memberCredentials: phrases(scene.people),
    });
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('without a decision of the quorum if it is an identity, which stays while an alias refers to it', async () => {
    await using scene = await openQuorum(engine, 2);
    const { db } = scene.house.ctx;
    const { documentId } = await scene.ask('POST', '/documents/seal', {
      document: 'who',
      memberIds: ids(scene.people),
    });
    await db.updateTable('quorum_documents').set({ kind: 'identity' }).where('id', '=', documentId).execute();
    const alias = { name: 'zorro', document_id: documentId as string, proposal_id: 'ab'.repeat(16), registered_at: 1 };
    await db.insertInto('quorum_aliases').values(alias).execute();
    const answer = await scene.call('POST', `/documents/${documentId}/unseal`, {
      memberCredentials: phrases(scene.people),
    });
    expect([said(answer), answer.body.error.message]).toEqual([
      '403 PROPOSAL_REQUIRED',
      'The quorum decides on this. Make a proposal IDENTITY_DISCLOSURE.',
    ]);
    const removal = await scene.call('DELETE', `/documents/${documentId}`);
    expect(said(removal)).toBe('409 DOCUMENT_IN_USE');
    expect(removal.body.error.message).toContain('zorro');
    await db.deleteFrom('quorum_aliases').execute();
    expect((await scene.call('DELETE', `/documents/${documentId}`)).status).toBe(200);
  });
});
