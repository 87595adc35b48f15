import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { joinKey, openDocument } from '../../../src/crypto/formats/quorum/document.ts';
import { contributionStatement, linkStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sha256Hex } from '../../../src/crypto/hash.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { engines } from '../../support/stores.ts';
import { decided } from './governing.ts';
import { runDueJobs } from './due-jobs.ts';
import { openQuorum, said, type QuorumScene } from './scene.ts';
import { contributed, contributionOf, opened, sealed, sharesIn } from './sealing.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe.each(engines)('a session that collects shares on %s', (engine) => {
  let scene: QuorumScene;
  beforeAll(async () => {
    scene = await openQuorum(engine, 4);
    scene.willTamper();
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  it('opens the document at its requester, and erases the shares when it ends', async () => {
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene, { creatorId: ann!.memberId, holders: [ann!, bob!, cyd!] });
    const session = await opened(scene, document.id, ann!.token);
    expect(session).toMatchObject({
      documentId: document.id,
      purpose: 'unseal',
      requesterId: ann!.memberId,
      requesterName: ann!.username,
      reason: 'We need it',
      status: 'open',
      generation: 1,
      sharesRequired: 2,
      contributions: [],
      waitingFor: [ann!.id, bob!.id, cyd!.id].toSorted(),
      sealing: { header: document.header },
    });
    for (const person of [bob!, cyd!]) expect(said(await contributed(scene, session, person))).toBe('201 success');
    const { session: full } = await scene.ask('GET', session.path, undefined, ann!.token);
    expect(full.waitingFor).toEqual([ann!.id]);
    const sealedContent = await scene.house.fetch(
      new Request(`http://house.test/api/quorum/documents/${document.id}/content`, {
        headers: { authorization: `Bearer ${ann!.token}` },
      }),
    );
    expect(sealedContent.headers.get('content-type')).toBe('application/octet-stream');
    const key = await joinKey(sharesIn(full, session));
    expect(key).toEqual(document.key);
    const bytes = new Uint8Array(await sealedContent.arrayBuffer());
    expect(openDocument(key, full.sealing.header, bytes)).toEqual(document.content);

    const { session: ended } = await scene.ask('DELETE', session.path, { outcome: 'completed' }, ann!.token);
    expect(ended.status).toBe('completed');
    expect(ended.endedAt).toBeDefined();
    const again = await scene.call('DELETE', session.path, { outcome: 'completed' }, ann!.token);
    expect(said(again)).toBe('409 UNSEAL_SESSION_ENDED');
    const rows = await scene.house.ctx.db
      .selectFrom('quorum_contributions')
      .selectAll()
      .where('session_id', '=', session.id)
      .execute();
    expect(rows.map((row) => row.encrypted_share)).toEqual([null, null]);
    const { session: after } = await scene.ask('GET', session.path, undefined, ann!.token);
    expect(JSON.stringify(after)).not.toContain('encryptedShare');
  });

  it('gives the encrypted shares to nobody but its requester', async () => {
    const [ann, bob] = scene.people;
    const document = await sealed(scene);
    const session = await opened(scene, document.id, ann!.token);
    const answer = await contributed(scene, session, bob!);
    expect(JSON.stringify(answer.body)).not.toContain('encryptedShare');
    for (const { token } of [bob!, scene.administrator]) {
      const { session: seen } = await scene.ask('GET', session.path, undefined, token);
      expect(seen.contributions).toEqual([expect.objectContaining({ memberId: bob!.id })]);
      expect(JSON.stringify(seen)).not.toContain('encryptedShare');
      expect(seen).not.toHaveProperty('sealing');
    }
    const { sessions } = await scene.ask('GET', '/unseal-sessions?limit=100', undefined, ann!.token);
    expect(sessions.map(({ id }: { id: string }) => id)).toContain(session.id);
    expect(JSON.stringify(sessions)).not.toContain('encryptedShare');
  });

  it('does not exist for whoever may not know of the document', async () => {
    const document = await sealed(scene);
    const session = await opened(scene, document.id);
    const stranger = await scene.house.register();
    const body = { ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Curious' };
    const absent = 'ab'.repeat(16);
    for (const id of [document.id, absent])
      expect(said(await scene.call('POST', `/documents/${id}/unseal-sessions`, body, stranger.token))).toBe(
        '404 DOCUMENT_NOT_FOUND',
      );
    const ask = async (path: string) => await scene.call('GET', path, undefined, stranger.token);
    const [there, not] = [await ask(session.path), await ask(session.path.replace(session.id, absent))];
    expect(said(there)).toBe('404 UNSEAL_SESSION_NOT_FOUND');
    expect(there.body).toEqual(not.body);
    expect(said(await ask(`/documents/${document.id}/my-share`))).toBe('404 DOCUMENT_NOT_FOUND');
    expect(said(await ask(`/documents/${document.id}/content`))).toBe('404 DOCUMENT_NOT_FOUND');
    const other = await sealed(scene);
    const elsewhere = session.path.replace(document.id, other.id);
    expect(said(await scene.call('GET', elsewhere))).toBe('404 UNSEAL_SESSION_NOT_FOUND');
    expect((await scene.ask('GET', '/unseal-sessions', undefined, stranger.token)).sessions).toEqual([]);
    const contribution = await contributionOf(scene, session, scene.people[0]!);
    const given = await scene.call('POST', `${session.path}/contributions`, contribution, stranger.token);
    expect(said(given)).toBe('404 UNSEAL_SESSION_NOT_FOUND');
  });

  it('takes a contribution once, also when it comes twice at once', async () => {
    const [ann] = scene.people;
    const document = await sealed(scene);
    const session = await opened(scene, document.id);
    const bodies = [await contributionOf(scene, session, ann!), await contributionOf(scene, session, ann!)];
    const answers = await Promise.all(
      bodies.map(async (body) => await scene.call('POST', `${session.path}/contributions`, body, ann!.token)),
    );
    expect(answers.map(said).toSorted()).toEqual(['201 success', '409 ALREADY_CONTRIBUTED']);
    const key = { 'idempotency-key': 'the-same' };
    const [bob] = scene.people.slice(1);
    const body = await contributionOf(scene, session, bob!);
    const give = async () => await scene.call('POST', `${session.path}/contributions`, body, bob!.token, key);
    expect((await give()).body).toEqual((await give()).body);
  });

  it('takes no contribution that was signed by another, for another key or session', async () => {
    const [ann, bob] = scene.people;
    const document = await sealed(scene);
    const session = await opened(scene, document.id);
    const other = await opened(scene, document.id);
    const give = async (body: object, person = ann!) =>
      await scene.call('POST', `${session.path}/contributions`, body, person.token);
    const own = await contributionOf(scene, session, ann!);
    const place = { sessionId: session.id, documentId: document.id, generation: 1, memberId: ann!.id };
    const otherKey = contributionStatement({
      ...place,
      ephemeralPublicKey: toHex(generateKeyPair().publicKey),
      shareHash: sha256Hex(fromHex(own.encryptedShare)),
    });
    for (const wrong of [
      await contributionOf(scene, other, ann!),
      { ...own, signature: (await contributionOf(scene, session, bob!)).signature },
      { ...own, encryptedShare: (await contributionOf(scene, session, bob!)).encryptedShare },
      { ...own, signature: toHex(sign(ann!.keys.privateKey, otherKey)) },
    ])
      expect(said(await give(wrong))).toBe('400 INVALID_SIGNATURE');
    expect(said(await give(own, bob))).toBe('400 INVALID_SIGNATURE');
    expect(said(await give({ ...own, encryptedShare: '' }))).toBe('400 VALIDATION_ERROR');
    expect(said(await give({ ...own, encryptedShare: 'ab'.repeat(1_025) }))).toBe('400 VALIDATION_ERROR');
    expect((await scene.ask('GET', session.path)).session.contributions).toEqual([]);
  });

  it('takes contributions of active members with a current share alone', async () => {
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!] });
    const session = await opened(scene, document.id);
    const body = await contributionOf(scene, session, ann!);
    const withoutShare = await scene.call('POST', `${session.path}/contributions`, body, cyd!.token);
    expect([said(withoutShare), withoutShare.body.error.message]).toEqual([
      '403 FORBIDDEN',
      'You have no share of this document.',
    ]);
    const noMember = await scene.call('POST', `${session.path}/contributions`, body);
    expect([said(noMember), noMember.body.error.message]).toEqual([
      '403 FORBIDDEN',
      'This is for active members of the quorum.',
    ]);
    const share = await scene.call('GET', `/documents/${document.id}/my-share`, undefined, cyd!.token);
    expect(said(share)).toBe('403 FORBIDDEN');
    const documents = scene.house.ctx.db.updateTable('quorum_documents').where('id', '=', document.id);
    await documents.set({ generation: 2 }).execute();
    const late = await scene.call('POST', `${session.path}/contributions`, body, ann!.token);
    expect(said(late)).toBe('409 UNSEAL_SESSION_ENDED');
  });

  it('expires: before the job ran it takes and gives nothing any more, and the job erases the shares', async () => {
    const [ann, bob] = scene.people;
    const document = await sealed(scene);
    const session = await opened(scene, document.id, ann!.token);
    await contributed(scene, session, ann!);
    const late = await contributionOf(scene, session, bob!);
    scene.house.clock.advance(25 * HOUR);
    expect(said(await scene.call('POST', `${session.path}/contributions`, late, bob!.token))).toBe(
      '409 UNSEAL_SESSION_ENDED',
    );
    const { session: seen } = await scene.ask('GET', session.path, undefined, ann!.token);
    expect(seen.status).toBe('expired');
    expect(JSON.stringify(seen)).not.toContain('encryptedShare');
    const content = await scene.call('GET', `/documents/${document.id}/content`, undefined, ann!.token);
    expect(said(content)).toBe('409 UNSEAL_SESSION_ENDED');
    const job = await scene.house.ctx.db
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', `quorum-session/${session.id}`)
      .executeTakeFirstOrThrow();
    expect(job.run_at).toBe(Date.parse(session.expiresAt));
    await runDueJobs(scene);
    const row = await scene.house.ctx.db
      .selectFrom('quorum_contributions')
      .selectAll()
      .where('session_id', '=', session.id)
      .executeTakeFirstOrThrow();
    expect(row.encrypted_share).toBeNull();
    const ended = await scene.house.ctx.db
      .selectFrom('quorum_sessions')
      .selectAll()
      .where('id', '=', session.id)
      .executeTakeFirstOrThrow();
    expect(ended.status).toBe('expired');
  });

  it('is ended by its requester alone, and is completed with enough contributions alone', async () => {
    const [ann, bob] = scene.people;
    const document = await sealed(scene);
    const session = await opened(scene, document.id, ann!.token);
    expect(said(await scene.call('DELETE', session.path, { outcome: 'cancelled' }, bob!.token))).toBe('403 FORBIDDEN');
    const early = await scene.call('DELETE', session.path, { outcome: 'completed' }, ann!.token);
    expect([said(early), early.body.error.message]).toEqual([
      '400 INSUFFICIENT_SHARES',
      '0 members have contributed, and 2 are needed. Cancel the session instead.',
    ]);
    const { session: ended } = await scene.ask('DELETE', session.path, {}, ann!.token);
    expect(ended.status).toBe('cancelled');
    const late = await scene.call(
      'POST',
      `${session.path}/contributions`,
      await contributionOf(scene, session, bob!),
      bob!.token,
    );
    expect(said(late)).toBe('409 UNSEAL_SESSION_ENDED');
  });

  it('is one of at most 5 for a document, and of 20 in all', async () => {
    const asker = await scene.join();
    const ids = [];
    for (let left = 5; left > 0; left -= 1) ids.push((await sealed(scene)).id);
    const open = async (id: string) =>
      await scene.call(
        'POST',
        `/documents/${id}/unseal-sessions`,
        { ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Again' },
        asker.token,
      );
    for (const id of ids.slice(0, 4)) {
      for (let left = 5; left > 0; left -= 1) expect(said(await open(id))).toBe('201 success');
      if (id !== ids[0]) continue;
      const more = await open(id);
      expect([said(more), more.body.error.message]).toEqual([
        '409 UNSEAL_SESSIONS_FULL',
        'You have 5 open sessions for this document. End one first.',
      ]);
    }
    const more = await open(ids[4]!);
    expect([said(more), more.body.error.message]).toEqual([
      '409 UNSEAL_SESSIONS_FULL',
      'You have 20 open sessions. End one first.',
    ]);
  });

  it('is listed for those whose share it waits for', async () => {
    const [ann, bob] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!] });
    const session = await opened(scene, document.id, ann!.token);
    const listed = async (query: string, token: string) =>
      (await scene.ask('GET', `/unseal-sessions?limit=100${query}`, undefined, token)).sessions.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed('&which=waiting', bob!.token)).toContain(session.id);
    await contributed(scene, session, bob!);
    expect(await listed('', bob!.token)).not.toContain(session.id);
    expect(await listed('&which=waiting', ann!.token)).toContain(session.id);
    await contributed(scene, session, ann!);
    expect(await listed('&which=waiting', ann!.token)).not.toContain(session.id);
    expect(await listed('&which=mine', ann!.token)).toContain(session.id);
    expect(await listed('&which=mine', scene.people[2]!.token)).not.toContain(session.id);
  });

  it('needs a key on the curve and a reason', async () => {
    const document = await sealed(scene);
    const open = async (body: object) => await scene.call('POST', `/documents/${document.id}/unseal-sessions`, body);
    const wrong = await open({ ephemeralPublicKey: `02${'ff'.repeat(32)}`, reason: 'x' });
    expect(wrong.body.error.message).toBe('ephemeralPublicKey: is not a public key on secp256k1');
    const silent = await open({ ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: '' });
    expect(said(silent)).toBe('400 VALIDATION_ERROR');
  });
});

describe.each(engines)('what allows a session on %s', (engine) => {
  it('is a proposal for a sealed identity, by its members who decided it; it ends with it', async () => {
    const quorum = { threshold: 2, sessionMs: DAY, reshareMs: DAY, permitMs: HOUR, timelockMs: 0 };
    await using scene = await openQuorum(engine, 4, { config: { quorum } });
    const [ann, bob, cyd, dan] = scene.people;
    const identity = await sealed(scene, { kind: 'identity', creatorId: ann!.memberId });
    const body = () => ({ ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Disclose' });
    const path = `/documents/${identity.id}/unseal-sessions`;
    for (const { token } of [ann!, bob!]) {
      const refused = await scene.call('POST', path, body(), token);
      expect([said(refused), refused.body.error.message]).toEqual([
        '403 PROPOSAL_REQUIRED',
        'The quorum decides on this. Make a proposal IDENTITY_DISCLOSURE.',
      ]);
    }
    await decided(scene, 'REGISTER_ALIAS', { aliasName: 'walrus', documentId: identity.id });
    const { id: proposalId } = await decided(scene, 'IDENTITY_DISCLOSURE', { aliasName: 'walrus' }, [bob!, cyd!]);
    expect(said(await scene.call('POST', path, body(), ann!.token))).toBe('403 PROPOSAL_REQUIRED');
    const session = await opened(scene, identity.id, bob!.token);
    expect(session.proposalId).toBe(proposalId);
    expect(Date.parse(session.expiresAt)).toBe(scene.house.clock.now() + HOUR);
    await contributed(scene, session, ann!);
    const { session: before } = await scene.ask('GET', session.path, undefined, bob!.token);
    expect(before.contributions[0]).toHaveProperty('encryptedShare');
    const late = await contributionOf(scene, session, dan!);
    scene.house.clock.advance(HOUR);
    const { session: after } = await scene.ask('GET', session.path, undefined, bob!.token);
    expect([after.status, JSON.stringify(after).includes('encryptedShare')]).toEqual(['expired', false]);
    const given = await scene.call('POST', `${session.path}/contributions`, late, dan!.token);
    expect(said(given)).toBe('409 UNSEAL_SESSION_ENDED');
    expect(said(await scene.call('POST', path, body(), bob!.token))).toBe('403 PROPOSAL_REQUIRED');
  });

  it('is no permit that somebody put into the store, or changed there', async () => {
    await using scene = await openQuorum(engine, 4);
    scene.willTamper();
    const [ann, bob, cyd] = scene.people;
    const { db } = scene.house.ctx;
    const stranger = await scene.house.register();
    const document = await sealed(scene);
    const body = () => ({ ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Mine' });
    const ask = async (token: string, id = document.id) =>
      said(await scene.call('POST', `/documents/${id}/reshare`, body(), token));
    const other = await sealed(scene, { holders: [ann!, bob!] });
    const { id } = await decided(scene, 'RESHARE_DOCUMENT', { documentId: other.id }, [cyd!, bob!]);
    const permit = db.updateTable('quorum_permits').where('proposal_id', '=', id);
    await permit.set({ holder_ids: JSON.stringify([cyd!.memberId, stranger.memberId]) }).execute();
    expect(await ask(stranger.token, other.id)).toBe('404 DOCUMENT_NOT_FOUND');
    await permit.set({ target: document.id }).execute();
    expect(await ask(stranger.token)).toBe('404 DOCUMENT_NOT_FOUND');
    expect(await ask(cyd!.token, other.id)).toBe('403 PROPOSAL_REQUIRED');
    await permit.set({ target: other.id }).execute();
    const votes = await db.selectFrom('quorum_votes').selectAll().where('proposal_id', '=', id).execute();
    const forged = db.updateTable('quorum_votes').where('proposal_id', '=', id).where('voter_id', '=', bob!.id);
    await forged.set({ signature: 'ab'.repeat(64) }).execute();
    expect(await ask(cyd!.token, other.id)).toBe('403 PROPOSAL_REQUIRED');
    await forged.set({ signature: votes.find((vote) => vote.voter_id === bob!.id)!.signature }).execute();
    expect(await ask(cyd!.token, other.id)).toBe('201 success');
  });

  it('ends with a membership: sessions that the member asked for, and contributions to others', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cyd, dan] = scene.people;
    const document = await sealed(scene);
    const asked = await opened(scene, document.id, dan!.token);
    await contributed(scene, asked, ann!);
    const other = await opened(scene, document.id, ann!.token);
    await contributed(scene, other, bob!);
    await contributed(scene, other, dan!);
    const late = await contributionOf(scene, other, dan!);
    await scene.ask('DELETE', `/members/${dan!.id}`);
    const { session: gone } = await scene.ask('GET', asked.path, undefined, dan!.token);
    expect([gone.status, JSON.stringify(gone).includes('encryptedShare')]).toEqual(['cancelled', false]);
    const { session: left } = await scene.ask('GET', other.path, undefined, ann!.token);
    expect(left.contributions.map(({ memberId }: { memberId: string }) => memberId)).toEqual([bob!.id]);
    expect(left.waitingFor).toEqual([ann!.id, cyd!.id].toSorted());
    expect(said(await scene.call('POST', `${other.path}/contributions`, late, dan!.token))).toBe(
      '404 UNSEAL_SESSION_NOT_FOUND',
    );
    const rows = await scene.house.ctx.db.selectFrom('quorum_audit').select(['action', 'subject']).execute();
    expect(rows).toEqual(
      expect.arrayContaining([
        { action: 'UNSEAL_REQUESTED', subject: `session/${asked.id}` },
        { action: 'SHARE_CONTRIBUTED', subject: `session/${other.id}` },
        { action: 'UNSEAL_ENDED', subject: `session/${asked.id}` },
        { action: 'CONTRIBUTIONS_WITHDRAWN', subject: `member/${dan!.id}` },
      ]),
    );
  });

  it('ends when another account takes the place of the one that asked', async () => {
    await using scene = await openQuorum(engine, 2);
    const [ann] = scene.people;
    const document = await sealed(scene);
    const session = await opened(scene, document.id, ann!.token);
    const next = await scene.house.register();
    const statement = linkStatement({
      nodeId: scene.house.ctx.keys.nodeId,
      memberId: ann!.id,
      accountId: next.memberId,
    });
    const signature = toHex(sign(ann!.keys.privateKey, statement));
    await scene.ask('POST', `/members/${ann!.id}/link`, { signature }, next.token);
    const { session: seen } = await scene.ask('GET', session.path);
    expect(said(await scene.call('GET', session.path, undefined, next.token))).toBe('200 success');
    expect(seen.status).toBe('cancelled');
  });
});
