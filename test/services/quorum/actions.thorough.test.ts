import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { pool } from '../../../src/contract/pool.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { useApproval } from '../../../src/services/quorum/approvals.ts';
import { openScene } from '../pool/pool-scene.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from './due-jobs.ts';
import { DAY, decided, proposing, refusal, voting } from './governing.ts';
import { openQuorum, quorumOf, said, type Person, type QuorumScene } from './scene.ts';

const fileId = '0f'.repeat(16);
const quorum = { threshold: 2, sessionMs: DAY, reshareMs: DAY, permitMs: DAY, timelockMs: 0 };

async function open(scene: QuorumScene, by: Person, documentId: string) {
  const body = { ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'The audit of this year' };
  return await scene.call('POST', `/documents/${documentId}/unseal-sessions`, body, by.token);
}

describe.each(engines)('an alias on %s', (engine) => {
  it('is registered by a decision, and its identity is sealed before anybody votes', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob] = scene.people;
    const secret = 'Grace Hopper of Arlington';
    const check = async (name: string) => (await scene.ask('GET', `/aliases/${name}`, undefined, bob!.token)).alias;
    expect(await check('Amazing.G')).toEqual({ aliasName: 'amazing.g', available: true });
    const made = await proposing(scene, ann!, 'REGISTER_ALIAS', { aliasName: 'amazing.g', identity: { name: secret } });
    expect(made.status).toBe(201);
    const { documentId, ...rest } = made.body.proposal.actionPayload;
    expect(rest).toEqual({ aliasName: 'amazing.g' });
    const { document } = await scene.ask('GET', `/documents/${documentId}`, undefined, ann!.token);
    expect(document).toMatchObject({ kind: 'identity', memberIds: scene.people.map(({ id }) => id).toSorted() });
    for (const person of [ann!, bob!]) await voting(scene, person, made.body.proposal.id);
    expect(await check('amazing.g')).toEqual({ aliasName: 'amazing.g', available: false });
    const { aliases } = await scene.ask('GET', '/aliases', undefined, bob!.token);
    expect(aliases).toMatchObject([{ aliasName: 'amazing.g', documentId, proposalId: made.body.proposal.id }]);
    const stored = JSON.stringify(await scene.house.ctx.db.selectFrom('quorum_proposals').selectAll().execute());
    expect(stored + JSON.stringify(scene.house.log.lines)).not.toContain('Hopper');

    const again = await proposing(scene, bob!, 'REGISTER_ALIAS', { aliasName: 'amazing.g', identity: { a: 1 } });
    expect(refusal(again)).toEqual(['400 VALIDATION_ERROR', 'The alias amazing.g is not available.']);
    const borrowed = await proposing(scene, bob!, 'REGISTER_ALIAS', { aliasName: 'other', documentId });
    expect(refusal(borrowed)).toEqual(['409 DOCUMENT_IN_USE', 'The alias amazing.g refers to the document.']);
    const neither = await proposing(scene, bob!, 'REGISTER_ALIAS', { aliasName: 'other' });
    expect(refusal(neither)[1]).toContain('needs either identity or documentId');
    const gone = await proposing(scene, bob!, 'REGISTER_ALIAS', { aliasName: 'other', documentId: fileId });
    expect(said(gone)).toBe('404 DOCUMENT_NOT_FOUND');
    for (const name of ['admin', 'Postmaster']) expect((await check(name)).available).toBe(false);
    for (const name of ['ab', 'with%20space', 'x'.repeat(33)])
      expect(said(await scene.call('GET', `/aliases/${name}`))).toBe('400 VALIDATION_ERROR');
    const stranger = await scene.house.register();
    expect(said(await scene.call('GET', '/aliases', undefined, stranger.token))).toBe('403 FORBIDDEN');
  });

  it('is opened for the proposer and those who approved, by a disclosure alone and for a time', async () => {
    await using scene = await openQuorum(engine, 4, { config: { quorum } });
    const [ann, bob, cyd, dan] = scene.people;
    const register = { aliasName: 'masked', identity: { name: 'Ada' } };
    const { documentId } = (await decided(scene, 'REGISTER_ALIAS', register)).actionPayload;
    expect(said(await open(scene, ann!, documentId))).toBe('403 PROPOSAL_REQUIRED');
    const unseal = await proposing(scene, ann!, 'UNSEAL_DOCUMENT', { documentId });
    expect(refusal(unseal)).toEqual([
      '403 PROPOSAL_REQUIRED',
      'The document is a sealed identity. Make a proposal IDENTITY_DISCLOSURE.',
    ]);
    const disclosed = await decided(scene, 'IDENTITY_DISCLOSURE', { aliasName: 'masked' }, [bob!, cyd!]);
    expect(disclosed.status).toBe('executed');
    const memberCredentials = scene.people.slice(0, 3).map(({ id: memberId, mnemonic }) => ({ memberId, mnemonic }));
    const read = async ({ token }: Person) =>
      await scene.call('POST', `/documents/${documentId}/unseal`, { memberCredentials }, token);
    for (const person of [bob!, cyd!]) expect((await read(person)).body.document).toEqual({ name: 'Ada' });
    for (const person of [ann!, dan!]) expect(said(await read(person))).toBe('403 PROPOSAL_REQUIRED');
    const { records } = await scene.ask('GET', '/audit', undefined, bob!.token);
    expect(records.filter(({ action }: { action: string }) => action === 'DOCUMENT_UNSEALED')).toMatchObject([
      { details: { proposalId: disclosed.id } },
      { details: { proposalId: disclosed.id } },
    ]);
    expect((await open(scene, bob!, documentId)).status).toBe(201);
    expect((await open(scene, cyd!, documentId)).status).toBe(201);
    expect(said(await open(scene, ann!, documentId))).toBe('403 PROPOSAL_REQUIRED');
    expect(said(await open(scene, dan!, documentId))).toBe('403 PROPOSAL_REQUIRED');
    scene.house.clock.advance(scene.house.ctx.config.quorum.permitMs);
    for (const late of [await open(scene, bob!, documentId), await read(bob!)])
      expect(said(late)).toBe('403 PROPOSAL_REQUIRED');
    const nobody = await proposing(scene, ann!, 'IDENTITY_DISCLOSURE', { aliasName: 'nobody' });
    expect(said(nobody)).toBe('404 ALIAS_NOT_FOUND');
  });

  it('is free again once it is deregistered', async () => {
    await using scene = await openQuorum(engine, 2);
    const first = await decided(scene, 'REGISTER_ALIAS', { aliasName: 'short', identity: { name: 'Ada' } });
    expect((await decided(scene, 'DEREGISTER_ALIAS', { aliasName: 'short' })).status).toBe('executed');
    expect((await scene.ask('GET', '/aliases/short')).alias.available).toBe(true);
    const { token } = scene.people[0]!;
    await scene.ask('DELETE', `/documents/${first.actionPayload.documentId}`, undefined, token);
    const late = await proposing(scene, scene.people[0]!, 'DEREGISTER_ALIAS', { aliasName: 'short' });
    expect(said(late)).toBe('404 ALIAS_NOT_FOUND');
  });
});

describe.each(engines)('a decision about a document on %s', (engine) => {
  it('lets its proposer open it without being one of its members', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann, bob, cyd] = scene.people;
    const seal = { document: { a: 1 }, memberIds: [ann!.id, bob!.id] };
    const { documentId } = await scene.ask('POST', '/documents/seal', seal, ann!.token);
    const proposal = await decided(scene, 'UNSEAL_DOCUMENT', { documentId }, [cyd!, bob!]);
    expect(proposal.status).toBe('executed');
    const permits = await scene.house.ctx.db.selectFrom('quorum_permits').selectAll().execute();
    expect(permits).toMatchObject([
      { proposal_id: proposal.id, target: documentId, holder_ids: JSON.stringify([cyd!.memberId]) },
    ]);
    const gone = await proposing(scene, ann!, 'RESHARE_DOCUMENT', { documentId: fileId });
    expect(said(gone)).toBe('404 DOCUMENT_NOT_FOUND');
  });

  it('fails when the document is gone by then', async () => {
    await using scene = await openQuorum(engine, 2);
    const [ann, bob] = scene.people;
    const seal = { document: { a: 1 }, memberIds: [ann!.id, bob!.id] };
    const { documentId } = await scene.ask('POST', '/documents/seal', seal, ann!.token);
    const { proposal } = (await proposing(scene, ann!, 'RESHARE_DOCUMENT', { documentId })).body;
    await voting(scene, ann!, proposal.id);
    await scene.ask('DELETE', `/documents/${documentId}`, undefined, ann!.token);
    const last = await voting(scene, bob!, proposal.id);
    expect(last.body.proposal).toMatchObject({ status: 'failed', reason: 'There is no such document.' });
  });
});

describe.each(engines)('what another service may destroy on %s', (engine) => {
  const use = async ({ house: { ctx }, administrator }: QuorumScene, target = fileId) =>
    await transaction(ctx, async (tx) => await useApproval(tx, administrator.memberId, 'VAULT_FILE_DESTROY', target));

  it('is allowed once by a decision', async () => {
    await using scene = await openQuorum(engine, 2);
    await expect(use(scene)).rejects.toMatchObject({
      code: 'QUORUM_APPROVAL_REQUIRED',
      message: `The quorum decides on this. Make a proposal VAULT_FILE_DESTROY with the target ${fileId}.`,
    });
    const { id } = await decided(scene, 'VAULT_FILE_DESTROY', { targetId: fileId });
    await expect(use(scene, '0e'.repeat(16))).rejects.toMatchObject({ code: 'QUORUM_APPROVAL_REQUIRED' });
    const results = await Promise.allSettled([use(scene), use(scene), use(scene)]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([
      { status: 'fulfilled', value: { proposalId: id } },
    ]);
  });

  it('is not allowed by a row that somebody wrote, nor after its time', async () => {
    await using scene = await openQuorum(engine, 2);
    scene.willTamper();
    const { ctx, clock } = scene.house;
    const other = await decided(scene, 'CUSTOM', { targetId: fileId });
    const now = clock.now();
    await ctx.db
      .insertInto('quorum_permits')
      .values({
        proposal_id: other.id,
        action_type: 'VAULT_FILE_DESTROY',
        target: fileId,
        holder_ids: '[]',
        created_at: now,
        expires_at: now + DAY,
        used_at: null,
      })
      .execute();
    await expect(use(scene)).rejects.toMatchObject({ code: 'QUORUM_APPROVAL_REQUIRED' });
    await ctx.db.updateTable('quorum_proposals').set({ action_type: 'VAULT_FILE_DESTROY' }).execute();
    await expect(use(scene)).rejects.toMatchObject({ code: 'QUORUM_APPROVAL_REQUIRED' });
    await decided(scene, 'VAULT_FILE_DESTROY', { targetId: '0d'.repeat(16) });
    clock.advance(ctx.config.quorum.permitMs);
    await expect(use(scene, '0d'.repeat(16))).rejects.toMatchObject({ code: 'QUORUM_APPROVAL_REQUIRED' });
  });

  it('waits for the timelock, in which the proposer can still cancel it', async () => {
    const config = { quorum: { ...quorum, timelockMs: DAY } };
    await using scene = await openQuorum(engine, 2, { config });
    const [first, second] = [
      await decided(scene, 'VAULT_FILE_DESTROY', { targetId: fileId }),
      await decided(scene, 'VAULT_CONTAINER_DESTROY', { targetId: fileId }),
    ];
    expect([first.status, second.status]).toEqual(['approved', 'approved']);
    await scene.ask('POST', `/proposals/${second.id}/cancel`, {}, scene.people[0]!.token);
    await expect(use(scene)).rejects.toMatchObject({ code: 'QUORUM_APPROVAL_REQUIRED' });
    scene.house.clock.advance(DAY);
    await runDueJobs(scene);
    expect((await scene.ask('GET', `/proposals/${first.id}`)).proposal.status).toBe('executed');
    expect((await scene.ask('GET', `/proposals/${second.id}`)).proposal.status).toBe('cancelled');
    expect(await use(scene)).toEqual({ proposalId: first.id });
  });
});

describe.each(engines)('the admission of a node on %s', (engine) => {
  it('is carried out by the pool, once, when the quorum has approved it', async () => {
    await using nodes = openScene(engine);
    const [a, b] = [await nodes.open('a'), await nodes.open('b')];
    const scene = await quorumOf(a.house, a.boss, 2);
    const early = await proposing(scene, scene.people[0]!, 'POOL_NODE_APPROVE', { nodeId: b.nodeId });
    expect(said(early)).toBe('404 NODE_NOT_PENDING');
    await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    const proposal = await decided(scene, 'POOL_NODE_APPROVE', { nodeId: b.nodeId });
    expect(proposal.status).toBe('approved');
    await runDueJobs(scene);
    await nodes.settled();
    const { proposal: done } = await scene.ask('GET', `/proposals/${proposal.id}`);
    expect(done).toMatchObject({ status: 'executed' });
    const { nodes: members } = (await a.house.perform(pool.nodes, {}, a.boss.token)).body;
    expect(members.map(({ nodeId }: { nodeId: string }) => nodeId).toSorted()).toEqual([a.nodeId, b.nodeId].toSorted());
    expect(said(await proposing(scene, scene.people[0]!, 'POOL_NODE_APPROVE', { nodeId: b.nodeId }))).toBe(
      '404 NODE_NOT_PENDING',
    );
  });

  it('fails with its reason when the node does not ask any more', async () => {
    await using nodes = openScene(engine);
    const [a, b] = [await nodes.open('a'), await nodes.open('b')];
    const scene = await quorumOf(a.house, a.boss, 2);
    await b.house.perform(pool.join, { address: a.node.address }, b.boss.token);
    const proposal = await decided(scene, 'POOL_NODE_APPROVE', { nodeId: b.nodeId });
    await a.house.perform(pool.denyNode, { nodeId: b.nodeId }, a.boss.token);
    await runDueJobs(scene);
    expect((await scene.ask('GET', `/proposals/${proposal.id}`)).proposal).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining(b.nodeId),
    });
  });
});
