import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateMnemonic } from '../../../src/crypto/mnemonic.ts';
import { engines } from '../../support/stores.ts';
import { openQuorum, said, type Person, type QuorumScene } from './scene.ts';
import { inStage } from '../../support/stage.ts';

const nothing = 'ab'.repeat(16);
const phrases = (people: readonly Person[]) => people.map(({ id: memberId, mnemonic }) => ({ memberId, mnemonic }));
const ids = (people: readonly Person[]) => people.map(({ id }) => id);

describe.each(engines)('sealed documents on %s', (engine) => {
  let scene: QuorumScene;
  beforeAll(async () => {
    scene = await openQuorum(engine, 4);
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const sealed = async (document: unknown, people: readonly Person[], sharesRequired?: number, token?: string) =>
    await scene.ask('POST', '/documents/seal', { document, memberIds: ids(people), sharesRequired }, token);
  const unseal = async (id: string, memberCredentials: unknown, token?: string) =>
    await scene.call('POST', `/documents/${id}/unseal`, { memberCredentials }, token);

  it('open with the phrases of as many holders as are required, and with no fewer', async () => {
    const document = { where: 'the lighthouse', steps: [1, 2, { three: null }] };
    const people = scene.people.slice(0, 3);
    const { documentId, createdAt, ...said201 } = await sealed(document, people);
    expect(said201).toEqual({ message: 'Document sealed', memberIds: ids(people), sharesRequired: 2 });
    for (const two of [people.slice(0, 2), people.slice(1), [people[2]!, people[0]!], people]) {
      const answer = await unseal(documentId, phrases(two), people[0]!.token);
      expect(answer.body).toEqual({ message: 'Document unsealed', document });
    }
    for (const few of [[], people.slice(0, 1)]) {
      const answer = await unseal(documentId, phrases(few), people[0]!.token);
      expect(said(answer)).toBe('400 INSUFFICIENT_SHARES');
    }
    const { document: shown } = await scene.ask('GET', `/documents/${documentId}`, undefined, people[1]!.token);
    expect(shown).toEqual({
      id: documentId,
      kind: 'document',
      memberIds: ids(people).toSorted(),
      sharesRequired: 2,
      createdAt,
      creatorId: scene.administrator.memberId,
      epochNumber: 4,
      generation: 1,
      size: JSON.stringify(document).length + 33,
      holdersChanged: false,
      formerMemberIds: [],
      outOfReach: false,
    });
  });

  it('are any JSON, and come back exactly as they were sent', { tags: 'thorough' }, async () => {
    const people = scene.people.slice(0, 2);
    const { token } = people[0]!;
    for (const text of [
      '1e400',
      '12345678901234567890',
      '-0',
      'null',
      '{ "b" : 1, "a":[1.0,"\\ud800"], "1":2, "__proto__":{"__proto__":null} }',
      JSON.stringify('x'.repeat(inStage(300_000, 300_000, 5 * 1024 ** 2 - 2))),
    ]) {
      const rawBody = `{"memberIds":${JSON.stringify(ids(people))},"document": ${text} }`;
      const headers = { 'content-type': 'application/json' };
      const seal = await scene.house.api('POST', '/api/quorum/documents/seal', { token, rawBody, headers });
      expect(seal.status).toBe(201);
      const answer = await scene.house.fetch(
        new Request(`http://house.test/api/quorum/documents/${seal.body.documentId}/unseal`, {
          method: 'POST',
          headers: { ...headers, authorization: `Bearer ${token}` },
          body: JSON.stringify({ memberCredentials: phrases(people) }),
        }),
      );
      const body = await answer.text();
      expect(body === `{"message":"Document unsealed","document":${text}}`, body.slice(0, 200)).toBe(true);
    }
  });

  it('are sealed once if the request is repeated, and the same request is one with the same JSON', async () => {
    for (const size of [10, 200_000]) {
      const ask = async (document: string) =>
        await scene.house.api('POST', '/api/quorum/documents/seal', {
          token: scene.administrator.token,
          headers: { 'content-type': 'application/json', 'idempotency-key': `sealed-${size}` },
          rawBody: `{"document":${document},"memberIds":${JSON.stringify(ids(scene.people))}}`,
        });
      const text = `[${JSON.stringify('x'.repeat(size))},1.0]`;
      const first = await ask(text);
      expect(first.status).toBe(201);
      expect((await ask(text)).body).toEqual(first.body);
      expect(said(await ask(text.replace('1.0', '1')))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    }
  });

  it('are at most 5 MiB', async () => {
    const answer = await scene.call('POST', '/documents/seal', {
      document: 'x'.repeat(5 * 1024 ** 2 - 1),
      memberIds: ids(scene.people),
    });
    expect([said(answer), answer.body.error.message]).toEqual([
      '413 PAYLOAD_TOO_LARGE',
      'The document is larger than 5 MiB.',
    ]);
  });

  it('name who cannot open a share, and not why', async () => {
    const [first, second, third, stranger] = scene.people as [Person, Person, Person, Person];
    const { documentId } = await sealed('x', [first, second, third], 2);
    const wrong = { memberId: second.id, mnemonic: generateMnemonic() };
    for (const [bad, at] of [
      [[...phrases([first]), wrong], 1],
      [[wrong, ...phrases([first])], 0],
      [[...phrases([first, third]), wrong], 2],
      [[...phrases([first]), { memberId: second.id, mnemonic: 'not a phrase' }], 1],
      [[...phrases([first]), { memberId: second.id, mnemonic: third.mnemonic }], 1],
      [phrases([first, stranger]), 1],
      [[...phrases([first]), { memberId: 'cd'.repeat(12), mnemonic: generateMnemonic() }], 1],
    ] as const) {
      const answer = await unseal(documentId, bad);
      expect(said(answer)).toBe('400 SHARE_DECRYPTION_FAILED');
      expect(answer.body.error.errors).toEqual([
        { path: `memberCredentials.${at}`, message: 'opens no share of the document' },
      ]);
      expect(answer.body.error.message).toContain(bad[at]!.memberId);
    }
    const twice = await unseal(documentId, phrases([first, second, first]));
    expect([said(twice), twice.body.error.errors]).toEqual([
      '400 VALIDATION_ERROR',
      [{ path: 'memberCredentials.2.memberId', message: 'is there twice' }],
    ]);
  });

  it('are there for their creator and members of the quorum alone', async () => {
    const people = scene.people.slice(0, 2);
    const [creator, stranger] = [await scene.house.register(), await scene.house.register()];
    scene.house.clock.advance(1_000);
    const { documentId } = await sealed(['mine'], people, 2, creator.token);
    const list = async (token: string) =>
      (await scene.ask('GET', '/documents?limit=100', undefined, token)).documents.map((one: { id: string }) => one.id);
    expect(await list(creator.token)).toEqual([documentId]);
    expect((await list(scene.people[3]!.token))[0]).toBe(documentId);
    expect(await list(stranger.token)).toEqual([]);
    for (const id of [documentId, nothing])
      for (const answer of [
        await scene.call('GET', `/documents/${id}`, undefined, stranger.token),
        await scene.call('GET', `/documents/${id}/can-unlock?memberIds=${people[0]!.id}`, undefined, stranger.token),
        await scene.call('DELETE', `/documents/${id}`, undefined, stranger.token),
        await unseal(id, phrases(people), stranger.token),
      ]) {
        expect(said(answer)).toBe('404 DOCUMENT_NOT_FOUND');
        expect(answer.body.error.message).toBe('There is no such document.');
      }
    expect((await unseal(documentId, phrases(people), creator.token)).body.document).toEqual(['mine']);
  });

  it('tell who is missing', async () => {
    const people = scene.people.slice(0, 3);
    const { documentId } = await sealed(1, people, 2);
    const look = async (...members: string[]) =>
      await scene.ask('GET', `/documents/${documentId}/can-unlock?memberIds=${members.join(',')}`);
    expect(await look(people[0]!.id, people[0]!.id, nothing.slice(0, 24))).toEqual({
      message: 'Document looked at',
      canUnlock: false,
      sharesProvided: 1,
      sharesRequired: 2,
      missingMembers: ids(people.slice(1)).toSorted(),
    });
    expect(await look(...ids(people))).toMatchObject({ canUnlock: true, sharesProvided: 3, missingMembers: [] });
    expect(await look()).toMatchObject({ canUnlock: false, sharesProvided: 0 });
    expect(said(await scene.call('GET', `/documents/${documentId}/can-unlock?memberIds=x`))).toBe(
      '400 VALIDATION_ERROR',
    );
  });

  it('are deleted by their creator alone, with all that belongs to them', async () => {
    const { db, blocks } = scene.house.ctx;
    const creator = await scene.house.register();
    const before = await blocks.stat();
    const { documentId } = await sealed('gone', scene.people, 2, creator.token);
    const used = async () =>
      await db.selectFrom('member_storage').selectAll().where('member_id', '=', creator.memberId).execute();
    expect(await used()).toMatchObject([{ bytes: 6 + 33 }]);
    const path = `/documents/${documentId}`;
    const member = scene.people[0]!;
    expect(said(await scene.call('DELETE', path, undefined, member.token))).toBe('403 FORBIDDEN');
    const removed = await scene.ask('DELETE', path, undefined, creator.token);
    expect(removed).toEqual({ message: 'Document deleted', success: true, documentId });
    expect(await used()).toMatchObject([{ bytes: 0 }]);
    expect(await blocks.stat()).toEqual(before);
    expect(await db.selectFrom('quorum_shares').selectAll().where('document_id', '=', documentId).execute()).toEqual(
      [],
    );
    expect(said(await scene.call('GET', path, undefined, creator.token))).toBe('404 DOCUMENT_NOT_FOUND');
  });
});
