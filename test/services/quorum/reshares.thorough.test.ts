import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awaitReshare, dealShares } from '../../../src/client/quorum/reshare.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { confirmationStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { bytesOf } from '../../../src/platform/store/member-storage.ts';
import { engines } from '../../support/stores.ts';
import { callerOf } from './callers.ts';
import { decided } from './governing.ts';
import { runDueJobs } from './due-jobs.ts';
import { begun, confirmed, dealt, rejection, unsealed } from './resharing.ts';
import { openQuorum, said, type QuorumScene } from './scene.ts';
import { contributed, contributionOf, opened, sealed } from './sealing.ts';
import { inStage } from '../../support/stage.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe.each(engines)('sharing a document anew on %s', (engine) => {
  let scene: QuorumScene;
  beforeAll(async () => {
    scene = await openQuorum(engine, 5);
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const rows = async (documentId: string) =>
    await scene.house.ctx.db
      .selectFrom('quorum_shares')
      .select(['generation', 'member_id'])
      .where('document_id', '=', documentId)
      .orderBy('member_id')
      .execute();
  const documentRow = async (id: string) =>
    await scene.house.ctx.db.selectFrom('quorum_documents').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const session = async (documentId: string, status: string) =>
    (
      await scene.house.ctx.db
        .selectFrom('quorum_sessions')
        .select('id')
        .where('document_id', '=', documentId)
        .where('status', '=', status as 'open')
        .execute()
    ).length;

  it.each(inStage([true], [true], [false, true]))(
    'puts new shares in place when enough holders have read theirs (new key: %s)',
    async (rekey) => {
      const [ann, bob, cyd, dan, eve] = scene.people;
      const old = [ann!, bob!, cyd!];
      const document = await sealed(scene, { holders: old });
      const before = await documentRow(document.id);
      const blocks = await scene.house.ctx.blocks.stat();
      const storage = await bytesOf(scene.house.ctx.db, before.creator_id);
      const waiting = await opened(scene, document.id, bob!.token);
      await contributed(scene, waiting, bob!);
      const inFlight = await contributionOf(scene, waiting, cyd!);

      const to = [cyd!, dan!, eve!];
      const ticket = await dealt(scene, {
        documentId: document.id,
        dealer: ann!,
        givers: [ann!, bob!],
        to,
        sharesRequired: 3,
        rekey,
      });
      const path = `/documents/${document.id}/reshares/${ticket.reshareId}`;
      const { reshare: half } = await scene.ask('GET', path, undefined, bob!.token);
      expect(half).toMatchObject({ status: 'confirming', confirmedBy: [], rekey, fromGeneration: 1, toGeneration: 2 });
      expect(half.waitingFor).toEqual(to.map(({ id }) => id).toSorted());
      // The old shares count until the end.
      expect(await unsealed(scene, document.id, [ann!, bob!])).toEqual(document.content);
      expect(await confirmed(scene, ticket, cyd!)).toBe('confirming');
      expect(await confirmed(scene, ticket, cyd!)).toBe('confirming');
      expect(await confirmed(scene, ticket, dan!)).toBe('confirming');
      expect((await documentRow(document.id)).generation).toBe(1);
      expect(await confirmed(scene, ticket, eve!)).toBe('done');
      expect((await awaitReshare(callerOf(scene.house.fetch, ann!), ticket)).status).toBe('done');

      const after = await documentRow(document.id);
      expect(after).toMatchObject({ generation: 2, shares_required: 3, reshared_at: scene.house.clock.now() });
      expect(after.block_id === before.block_id).toBe(!rekey);
      expect(await scene.house.ctx.blocks.stat()).toEqual(blocks);
      expect(await bytesOf(scene.house.ctx.db, before.creator_id)).toBe(storage);
      expect(await rows(document.id)).toEqual(
        to.map(({ id }) => ({ generation: 2, member_id: id })).toSorted((a, b) => (a.member_id < b.member_id ? -1 : 1)),
      );
      expect(await unsealed(scene, document.id, to)).toEqual(document.content);
      expect(await session(document.id, 'open')).toBe(0);

      // Nothing of the old generation is worth anything: session, contribution on its way, share, phrase.
      const { session: gone } = await scene.ask('GET', waiting.path, undefined, bob!.token);
      expect([gone.status, JSON.stringify(gone).includes('encryptedShare')]).toEqual(['cancelled', false]);
      const late = await scene.call('POST', `${waiting.path}/contributions`, inFlight, cyd!.token);
      expect(said(late)).toBe('409 UNSEAL_SESSION_ENDED');
      expect(said(await scene.call('GET', `/documents/${document.id}/my-share`, undefined, ann!.token))).toBe(
        '403 FORBIDDEN',
      );
      const credentials = [ann!, bob!, cyd!].map(({ id, mnemonic }) => ({ memberId: id, mnemonic }));
      const former = await scene.call('POST', `/documents/${document.id}/unseal`, { memberCredentials: credentials });
      expect([said(former), former.body.error.message.includes(ann!.id)]).toEqual([
        '400 SHARE_DECRYPTION_FAILED',
        true,
      ]);
    },
  );

  it('leaves everything as it was when it is cancelled, at any step', async () => {
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!, cyd!] });
    const blocks = await scene.house.ctx.blocks.stat();
    const before = await documentRow(document.id);
    const given = { documentId: document.id, dealer: ann!, givers: [ann!, bob!], rekey: true };
    for (const [make, who] of [
      [begun, ann!],
      [dealt, scene.administrator],
    ] as const) {
      const ticket = await make(scene, given);
      const path = `/documents/${document.id}/reshares/${ticket.reshareId}`;
      const again = await scene.call(
        'POST',
        `/documents/${document.id}/reshare`,
        { ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Me too' },
        bob!.token,
      );
      expect(said(again)).toBe('409 RESHARE_IN_PROGRESS');
      expect(said(await scene.call('DELETE', path, undefined, bob!.token))).toBe('403 FORBIDDEN');
      const { reshare } = await scene.ask('DELETE', path, undefined, who.token);
      expect(reshare.status).toBe('cancelled');
      expect(said(await scene.call('DELETE', path, undefined, who.token))).toBe('409 RESHARE_ENDED');
      expect(await rejection(confirmed(scene, ticket, bob!))).toContain('RESHARE_ENDED');
      expect(await rejection(dealShares(callerOf(scene.house.fetch, ann!), ticket))).toBe(
        'RESHARE_ENDED: The re-sharing was cancelled.',
      );
      expect(await documentRow(document.id)).toEqual(before);
      expect((await rows(document.id)).map((row) => row.generation)).toEqual([1, 1, 1]);
      expect(await scene.house.ctx.blocks.stat()).toEqual(blocks);
      expect(await session(document.id, 'open')).toBe(0);
    }
    expect(await unsealed(scene, document.id, [bob!, cyd!])).toEqual(document.content);
  });

  it('goes on with the ticket after the dealer was killed, before and after the shares were stored', async () => {
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!, cyd!] });
    const ticket = await begun(scene, { documentId: document.id, dealer: ann!, givers: [bob!, cyd!], rekey: true });
    const caller = callerOf(scene.house.fetch, ann!);
    for (const dies of ['/content', '/shares', undefined]) {
      const fetch = async (request: Request) => {
        const answer = await scene.house.fetch(request);
        if (dies !== undefined && request.method === 'PUT' && request.url.endsWith(dies)) throw new Error('killed');
        return answer;
      };
      const dealing = rejection(dealShares(callerOf(fetch, ann!), ticket));
      expect(await dealing).toBe(dies === undefined ? 'no error' : 'killed');
    }
    expect((await dealShares(caller, ticket)).status).toBe('confirming');
    await confirmed(scene, ticket, bob!);
    expect(await confirmed(scene, ticket, ann!)).toBe('done');
    expect((await dealShares(caller, ticket)).status).toBe('done');
    expect(await unsealed(scene, document.id, [ann!, cyd!])).toEqual(document.content);
  });

  it('is for holders, the creator, and whoever a proposal allows it', async () => {
    const [ann, bob, cyd, dan, eve] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!, cyd!] });
    const path = `/documents/${document.id}/reshare`;
    const body = () => ({ ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Mine' });
    const refused = await scene.call('POST', path, body(), dan!.token);
    expect([said(refused), refused.body.error.message]).toEqual([
      '403 PROPOSAL_REQUIRED',
      'The quorum decides on this. Make a proposal RESHARE_DOCUMENT.',
    ]);
    const stranger = await scene.house.register();
    expect(said(await scene.call('POST', path, body(), stranger.token))).toBe('404 DOCUMENT_NOT_FOUND');
    const { id } = await decided(scene, 'RESHARE_DOCUMENT', { documentId: document.id }, [dan!, eve!]);
    const { reshare } = await scene.ask('POST', path, body(), dan!.token);
    const until = new Date(scene.house.clock.now() + 7 * DAY).toISOString();
    expect(reshare).toMatchObject({ proposalId: id, expiresAt: until });
    expect(reshare.holders.map(({ memberId }: { memberId: string }) => memberId)).toEqual(
      [ann!.id, bob!.id, cyd!.id].toSorted(),
    );
    const shown = `/documents/${document.id}/reshares/${reshare.id}`;
    expect(said(await scene.call('GET', shown, undefined, stranger.token))).toBe('404 RESHARE_NOT_FOUND');
    expect(said(await scene.call('GET', shown.replace(reshare.id, 'ab'.repeat(16))))).toBe('404 RESHARE_NOT_FOUND');
  });

  it('refuses holders and numbers that make no sense', async () => {
    const [ann, bob] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!] });
    const ask = async (body: object) => {
      const given = { ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Odd', ...body };
      return said(await scene.call('POST', `/documents/${document.id}/reshare`, given, ann!.token));
    };
    expect(await ask({ memberIds: [ann!.id] })).toBe('400 INVALID_MEMBER_COUNT');
    expect(await ask({ memberIds: [ann!.id, ann!.id] })).toBe('400 VALIDATION_ERROR');
    expect(await ask({ memberIds: [ann!.id, 'ab'.repeat(12)] })).toBe('400 VALIDATION_ERROR');
    for (const sharesRequired of [0, 1, 3]) expect(await ask({ sharesRequired })).toBe('400 INVALID_THRESHOLD');
    expect(await ask({ ephemeralPublicKey: `02${'ff'.repeat(32)}` })).toBe('400 VALIDATION_ERROR');
    expect(await rows(document.id)).toHaveLength(2);
  });

  it('takes shares from its dealer alone, after enough contributions, for all new holders, and its content first', async () => {
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!, cyd!] });
    const ticket = await begun(scene, { documentId: document.id, dealer: ann!, givers: [ann!], rekey: true });
    const path = `/documents/${document.id}/reshares/${ticket.reshareId}`;
    const [salt, commitment] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const holders = [ann!, bob!, cyd!];
    const shares = holders.map(({ id }) => ({ memberId: id, encryptedShare: 'ab', salt, commitment }));
    const put = async (body: object, token = ann!.token) => {
      const answer = await scene.call('PUT', `${path}/shares`, body, token);
      return `${said(answer)}: ${answer.body.error?.message}`;
    };
    expect(await put({ shares }, bob!.token)).toBe('403 FORBIDDEN: New shares come from whoever began the re-sharing.');
    expect(await put({ shares: shares.slice(1) })).toBe(
      '400 VALIDATION_ERROR: shares: must have one share for each new holder',
    );
    expect(await put({ shares: [shares[0], ...shares.slice(0, 2)] })).toContain('must have one share');
    expect(await put({ shares })).toBe(
      '409 RESHARE_ENDED: Store the content under its new key first, and the shares then.',
    );
    const { size } = await documentRow(document.id);
    const send = async (bytes: number, token = ann!.token) => {
      const options = {
        token,
        rawBody: new Uint8Array(bytes),
        headers: { 'content-type': 'application/octet-stream' },
      };
      return await scene.house.api('PUT', `/api/quorum${path}/content`, options);
    };
    const short = await send(size - 1);
    expect([said(short), short.body.error.message]).toEqual([
      '400 VALIDATION_ERROR',
      `The content must be ${size} bytes, as long as the one that it replaces.`,
    ]);
    expect(said(await send(size, bob!.token))).toBe('403 FORBIDDEN');
    const blocks = (await scene.house.ctx.blocks.stat()).blocks;
    for (let left = 2; left > 0; left -= 1) {
      const stored = await send(size);
      expect([said(stored), stored.body.reshare.hasContent]).toEqual(['200 success', true]);
      expect((await scene.house.ctx.blocks.stat()).blocks).toBe(blocks + 1);
    }
    expect(await put({ shares })).toBe('400 INSUFFICIENT_SHARES: 1 holders have contributed, and 2 are needed.');
    expect(said(await scene.call('GET', `${path}/my-share`, undefined, ann!.token))).toBe('409 RESHARE_ENDED');
    await scene.ask('DELETE', path, undefined, ann!.token);
  });

  it('counts confirmations of new holders that they signed alone', async () => {
    const [ann, bob, cyd, dan] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!, cyd!] });
    const ticket = await dealt(scene, { documentId: document.id, dealer: ann!, givers: [ann!, bob!] });
    const path = `/documents/${document.id}/reshares/${ticket.reshareId}`;
    const { share } = await scene.ask('GET', `${path}/my-share`, undefined, bob!.token);
    const statement = confirmationStatement({ ...share, documentId: document.id, reshareId: ticket.reshareId });
    const confirm = async (signature: Uint8Array, token: string) =>
      said(await scene.call('POST', `${path}/confirmations`, { signature: toHex(signature) }, token));
    expect(await confirm(sign(cyd!.keys.privateKey, statement), bob!.token)).toBe('400 INVALID_SIGNATURE');
    expect(await confirm(sign(bob!.keys.privateKey, statement), cyd!.token)).toBe('400 INVALID_SIGNATURE');
    expect(await confirm(sign(dan!.keys.privateKey, statement), dan!.token)).toBe('403 FORBIDDEN');
    const another = confirmationStatement({ ...share, documentId: document.id, reshareId: 'ab'.repeat(16) });
    expect(await confirm(sign(bob!.keys.privateKey, another), bob!.token)).toBe('400 INVALID_SIGNATURE');
    const listed = async (which: string, token: string) =>
      (await scene.ask('GET', `/reshares?which=${which}`, undefined, token)).reshares.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed('waiting', bob!.token)).toContain(ticket.reshareId);
    expect(await listed('mine', bob!.token)).not.toContain(ticket.reshareId);
    expect(await listed('mine', ann!.token)).toContain(ticket.reshareId);
    expect(await confirm(sign(bob!.keys.privateKey, statement), bob!.token)).toBe('200 success');
    expect(await listed('waiting', bob!.token)).not.toContain(ticket.reshareId);
    // The last ones come at once: one is needed, and the other finds it ended, whichever comes first.
    const last = await Promise.allSettled([ann!, cyd!].map((person) => confirmed(scene, ticket, person)));
    const outcomes = last.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code));
    expect(outcomes.toSorted()).toEqual(['RESHARE_ENDED', 'done']);
    expect((await documentRow(document.id)).generation).toBe(2);
  });
});

describe.each(engines)('a re-sharing whose time is over on %s', (engine) => {
  it('expires by itself, and another can begin before the job ran', async () => {
    const quorum = { threshold: 2, sessionMs: DAY, reshareMs: HOUR, permitMs: DAY, timelockMs: 0 };
    await using scene = await openQuorum(engine, 3, { config: { quorum } });
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!, cyd!] });
    const given = { documentId: document.id, dealer: ann!, givers: [ann!, bob!], rekey: true };
    const ticket = await dealt(scene, given);
    scene.house.clock.advance(HOUR);
    const path = `/documents/${document.id}/reshares/${ticket.reshareId}`;
    expect((await scene.ask('GET', path)).reshare.status).toBe('expired');
    expect(await rejection(confirmed(scene, ticket, bob!))).toContain('RESHARE_ENDED');
    const next = await begun(scene, given);
    const { reshare } = await scene.ask('GET', path);
    expect(reshare).toMatchObject({ status: 'expired', reason: 'Its time was over.' });
    expect(reshare.endedAt).toBeDefined();
    scene.house.clock.advance(HOUR);
    await runDueJobs(scene);
    const { db } = scene.house.ctx;
    const reshares = await db.selectFrom('quorum_reshares').select(['id', 'status']).orderBy('id').execute();
    expect(reshares).toEqual([ticket, next].map(({ reshareId }) => ({ id: reshareId, status: 'expired' })));
    const sessions = await db.selectFrom('quorum_sessions').select('status').orderBy('id').execute();
    expect(sessions.map(({ status }) => status)).toEqual(['completed', 'expired']);
    expect((await scene.house.ctx.blocks.stat()).blocks).toBe(1);
    expect(await unsealed(scene, document.id, [bob!, cyd!])).toEqual(document.content);
  });
});

describe.each(engines)('a change of members during a re-sharing on %s', (engine) => {
  it('ends it when a new holder or its dealer is removed, and not when a former holder is', async () => {
    await using scene = await openQuorum(engine, 6);
    const [ann, bob, cyd, dan, eve] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!, cyd!] });
    const given = { documentId: document.id, givers: [ann!, bob!], to: [ann!, dan!, eve!] };
    const show = async (reshareId: string) =>
      (await scene.ask('GET', `/documents/${document.id}/reshares/${reshareId}`)).reshare;
    const first = await dealt(scene, { ...given, dealer: ann! });
    await scene.ask('DELETE', `/members/${eve!.id}`);
    const reason = 'A new holder, or the member who began it, was removed from the quorum.';
    expect(await show(first.reshareId)).toMatchObject({ status: 'cancelled', reason });
    expect(await unsealed(scene, document.id, [ann!, bob!])).toEqual(document.content);

    const second = await begun(scene, { ...given, dealer: cyd!, to: [ann!, dan!] });
    await scene.ask('DELETE', `/members/${cyd!.id}`);
    expect(await show(second.reshareId)).toMatchObject({ status: 'cancelled', reason });

    const third = await dealt(scene, { ...given, dealer: ann!, to: [ann!, dan!] });
    await scene.ask('DELETE', `/members/${bob!.id}`);
    expect((await show(third.reshareId)).status).toBe('confirming');
    await confirmed(scene, third, dan!);
    expect(await confirmed(scene, third, ann!)).toBe('done');
    expect(await unsealed(scene, document.id, [ann!, dan!])).toEqual(document.content);
    const { document: shown } = await scene.ask('GET', `/documents/${document.id}`);
    expect(shown).toMatchObject({ holdersChanged: false, generation: 2 });
  });
});
