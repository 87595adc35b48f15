import { describe, expect, it } from 'vitest';
import { members } from '../../../../src/contract/accounts/members.ts';
import { pool } from '../../../../src/contract/pool.ts';
import { memberIdOf } from '../../../../src/crypto/public-key.ts';
import { wireOf } from '../../../../src/crypto/formats/access-list/chain.ts';
import { MAX_OPEN } from '../../../../src/services/pool/acl/proposal-rows.ts';
import { purgePool } from '../../../../src/services/pool/purge.ts';
import {
  insider,
  listAfter,
  listOf,
  openScene,
  publicKeyOf,
  refusals,
  status,
  waiting,
  type PoolHouse,
  type PoolScene,
} from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

const proposals = async ({ house, boss }: PoolHouse) =>
  (await house.perform(pool.aclProposals, {}, boss.token)).body.proposals;
const sign = async ({ house, boss }: PoolHouse, hash: string) =>
  await house.perform(pool.signAcl, { hash }, boss.token);
const signAsOperator = async ({ house }: PoolHouse, hash: string) =>
  await house.perform(pool.signAcl, { hash }, await house.operatorToken(), { trusted: true });
const hashIn = (answer: { body: { errors?: { path: string; message: string }[] } }): string =>
  answer.body.errors?.find(({ path }) => path === 'proposal')?.message ?? '';

/** Two nodes, whose administrators and the key of the first decide; so many of the three must sign. */
async function poolOf(scene: PoolScene, threshold: number) {
  const [a, b] = [await scene.open('a'), await scene.open('b')];
  await scene.admit(a, b);
  const changed = await a.house.perform(pool.updateAcl, { addKeys: [await publicKeyOf(b)], threshold }, a.boss.token);
  expect(changed).toMatchObject({ status: 200, body: { aclVersion: 3 } });
  await scene.settled();
  return { a, b };
}

/** A node that both administrators admitted. */
async function admitted(scene: PoolScene, a: PoolHouse, b: PoolHouse): Promise<string> {
  const c = await scene.open('c');
  await c.house.perform(pool.join, { address: a.node.address }, c.boss.token);
  const approved = await a.house.perform(pool.approveNode, { nodeId: c.nodeId }, a.boss.token);
  await scene.settled();
  expect((await sign(b, hashIn(approved))).body.active).toBe(true);
  await scene.settled();
  return c.nodeId;
}

describe.each(engines)('a change that several administrators must sign, on %s', (engine) => {
  it('is proposed, carried to the others, and in force when enough have signed', async () => {
    await using scene = openScene(engine);
    const { a, b } = await poolOf(scene, 2);
    const c = await scene.open('c');
    await c.house.perform(pool.join, { address: a.node.address }, c.boss.token);
    const approve = async () => await a.house.perform(pool.approveNode, { nodeId: c.nodeId }, a.boss.token);
    const approved = await approve();
    expect(approved).toMatchObject({ status: 409, body: { error: 'POOL_SIGNATURES_MISSING' } });
    const hash = hashIn(approved);
    expect(approved.body.message).toContain(`1 of 2 signatures`);
    expect(approved.body.message).toContain(`conclave admin nodes acl sign ${hash.slice(0, 12)}`);
    // Made again, it is the same proposal.
    expect(hashIn(await approve())).toBe(hash);
    await scene.settled();
    expect([(await status(c)).join.status, await waiting(a)]).toEqual(['pending', 1]);
    const [seen, ...others] = await proposals(b);
    expect(others).toEqual([]);
    expect(seen).toMatchObject({
      hash,
      status: 'open',
      version: 4,
      proposedBy: a.boss.memberId,
      signers: [a.boss.memberId],
      threshold: 2,
      source: a.nodeId,
    });
    expect(seen.acl.writers.map(({ nodeId }: { nodeId: string }) => nodeId)).toContain(c.nodeId);

    // The same administrator twice is one.
    expect((await sign(a, hash)).body).toMatchObject({ signatures: 1, active: false, aclVersion: 3 });
    expect(await sign(c, hash)).toMatchObject({ status: 404 });
    expect((await sign(b, hash)).body).toMatchObject({ signatures: 2, threshold: 2, active: true, aclVersion: 4 });
    expect((await sign(b, hash)).body).toMatchObject({ active: true, aclVersion: 4 });
    await scene.settled();
    for (const one of [a, b, c]) {
      expect((await status(one)).pool).toMatchObject({ version: 4, hash, membership: 'member' });
      expect((await one.house.perform(pool.verifyAcl, {}, one.boss.token)).body.valid).toBe(true);
    }
    const { signatures } = await listOf(c);
    expect(signatures.map(({ memberId }) => memberId).toSorted()).toEqual(
      [a.boss.memberId, b.boss.memberId].toSorted(),
    );
    expect([await proposals(a), await proposals(b), await waiting(a)]).toEqual([[], [], 0]);

    // The other way, and by the operator of a node whose key is an administrator.
    const removed = await b.house.perform(pool.removeNode, { nodeId: c.nodeId }, b.boss.token);
    expect(removed).toMatchObject({ status: 409 });
    await scene.settled();
    expect((await signAsOperator(a, hashIn(removed))).body).toMatchObject({ active: true, aclVersion: 5 });
    await scene.settled();
    expect((await status(c)).pool).toMatchObject({ membership: 'removed', version: 5 });
    expect((await signAsOperator(b, hashIn(removed))).status).toBe(200);
  });

  it('needs at least one and at most all of them', async () => {
    await using scene = openScene(engine);
    const { a } = await poolOf(scene, 1);
    const update = async (threshold: number) => await a.house.perform(pool.updateAcl, { threshold }, a.boss.token);
    expect(await update(0)).toMatchObject({ status: 400 });
    expect(await update(4)).toMatchObject({ status: 409, body: { error: 'POOL_LAST_ADMINISTRATOR' } });
    expect(await update(1)).toMatchObject({ status: 200, body: { aclVersion: 3 } });
    expect(await update(3)).toMatchObject({ status: 200, body: { aclVersion: 4 } });
    const fewer = await a.house.perform(pool.updateAcl, { removeAdmins: [a.boss.memberId] }, a.boss.token);
    expect(fewer).toMatchObject({ status: 409, body: { error: 'POOL_LAST_ADMINISTRATOR' } });
  });

  it('is stale when another one comes first, and expires', async () => {
    await using scene = openScene(engine);
    const { a, b } = await poolOf(scene, 2);
    const change = async (mode: 'open' | 'closed') =>
      hashIn(await a.house.perform(pool.updateAcl, { mode }, a.boss.token));
    const [first, second] = [await change('open'), await change('closed')];
    await scene.settled();
    expect((await sign(b, first)).body.active).toBe(true);
    expect(await sign(b, second)).toMatchObject({ status: 409, body: { error: 'POOL_PROPOSAL_STALE' } });
    expect(await proposals(b)).toMatchObject([{ hash: second, status: 'stale' }]);
    expect(await sign(b, 'ab'.repeat(32))).toMatchObject({ status: 404, body: { error: 'POOL_PROPOSAL_NOT_FOUND' } });
    await scene.settled();

    const third = await change('closed');
    await scene.settled();
    scene.advance(7 * 86_400_000);
    const token = await b.house.signIn(b.boss);
    const late = await b.house.perform(pool.signAcl, { hash: third }, token);
    expect(late).toMatchObject({ status: 410, body: { error: 'POOL_PROPOSAL_EXPIRED' } });
    const listed = (await b.house.perform(pool.aclProposals, {}, token)).body.proposals;
    expect(listed).toContainEqual(expect.objectContaining({ hash: third, status: 'expired' }));
    await purgePool(b.house.ctx);
    expect((await b.house.perform(pool.aclProposals, {}, token)).body.proposals).toEqual([]);
  });

  it('collects signatures that were given apart, without an announcement', async () => {
    await using scene = openScene(engine);
    const { a, b } = await poolOf(scene, 3);
    const hash = hashIn(await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token));
    await scene.settled();
    await b.house.ctx.db.deleteFrom('pool_proposals').execute();
    scene.network.round();
    await scene.settled();
    expect(await proposals(b)).toMatchObject([{ hash, signers: [a.boss.memberId] }]);
    scene.network.cut('a', 'b');
    expect((await signAsOperator(a, hash)).body).toMatchObject({ signatures: 2, active: false });
    expect((await sign(b, hash)).body).toMatchObject({ signatures: 2, active: false });
    await scene.network.heal('a', 'b');
    scene.network.round();
    await scene.settled();
    for (const one of [a, b]) expect((await status(one)).pool).toMatchObject({ version: 4, hash, mode: 'closed' });
    expect((await listOf(b)).signatures).toHaveLength(3);
  });

  it('is refused where no administrator has signed it', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const evil = await insider(scene, a);
    await a.house.perform(pool.updateAcl, { threshold: 2 }, a.boss.token);
    await scene.settled();
    const list = await listOf(a);
    const forged = listAfter(list, { mode: 'open' }, evil.identity);
    const [{ signature }] = forged.signatures as [(typeof forged.signatures)[number]];
    const admins = [a.boss.memberId, memberIdOf(a.identity.publicKey)];
    const claims = admins.map((memberId) => ({ memberId, signature }));
    const honest = listAfter(list, { mode: 'open' }, a.identity);
    const lies: unknown[] = [
      { list: wireOf(forged) },
      { list: wireOf({ ...forged, signatures: claims }) },
      { list: { document: '{}', signatures: [] } },
      { list: 7 },
    ];
    const { poolId } = list.document;
    for (const lie of lies)
      await evil.node.port.announce('pool_acl_proposed', { poolId, hash: forged.hash, ...(lie as object) });
    // Of another version than the next, though an administrator signed it.
    const skipping = { ...list, document: { ...list.document, version: 9 } };
    await evil.node.port.announce('pool_acl_proposed', {
      poolId,
      hash: honest.hash,
      list: wireOf(listAfter(skipping, { mode: 'open' }, a.identity)),
    });
    await scene.settled();
    expect([await proposals(a), (await status(a)).pool.version]).toEqual([[], list.document.version]);
    expect(refusals(a)).toHaveLength(4);
    // One valid signature and one in the name of another administrator are one.
    const half = { ...honest, signatures: [...honest.signatures, ...claims.slice(0, 1)] };
    await evil.node.port.announce('pool_acl_proposed', { poolId, hash: honest.hash, list: wireOf(half) });
    await scene.settled();
    expect(await proposals(a)).toMatchObject([{ hash: honest.hash, signers: [admins[1]] }]);
    expect((await status(a)).pool.mode).toBe('approval');
    expect((await sign(a, honest.hash)).body).toMatchObject({ active: true });
  });

  it(
    'denies at once, and remembers it when enough have signed; an open pool waits for people',
    { tags: 'soak' },
    async () => {
      await using scene = openScene(engine);
      const { a, b } = await poolOf(scene, 2);
      const c = await scene.open('c');
      await sign(b, hashIn(await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token)));
      await scene.settled();
      await sign(b, (await proposals(b))[0]?.hash ?? '');
      await scene.settled();
      expect((await status(a)).pool.mode).toBe('open');
      const asked = (await c.house.perform(pool.join, { address: a.node.address }, c.boss.token)).body;
      expect(asked.join.status).toBe('pending');
      expect(await proposals(a)).toEqual([]);
      const denied = await a.house.perform(pool.denyNode, { nodeId: c.nodeId, ban: true }, a.boss.token);
      expect(denied).toMatchObject({ status: 200, body: { proposal: expect.stringMatching(/^[0-9a-f]{64}$/) } });
      expect(denied.body).not.toHaveProperty('aclVersion');
      await scene.settled();
      expect((await status(c)).join.status).toBe('denied');
      expect((await listOf(a)).document).not.toHaveProperty('tombstones');
      expect((await sign(b, denied.body.proposal)).body.active).toBe(true);
      await scene.settled();
      expect((await listOf(a)).document.tombstones).toMatchObject([{ nodeId: c.nodeId, kind: 'banned' }]);
    },
  );

  it('is not crowded out: one administrator cannot fill the room of the others', async () => {
    await using scene = openScene(engine);
    const { a, b } = await poolOf(scene, 2);
    for (let number = 0; number < MAX_OPEN; number += 1) {
      const change = { nodeId: b.nodeId, mailDomain: `d${number}.example` };
      expect(hashIn(await a.house.perform(pool.updateNode, change, a.boss.token))).not.toBe('');
    }
    await scene.settled();
    const removal = await b.house.perform(pool.updateAcl, { removeAdmins: [a.boss.memberId] }, b.boss.token);
    expect(removal).toMatchObject({ status: 409, body: { error: 'POOL_SIGNATURES_MISSING' } });
    const hash = hashIn(removal);
    await scene.settled();
    scene.network.round();
    await scene.settled();
    for (const one of [a, b]) {
      const known = await proposals(one);
      expect(known).toHaveLength(MAX_OPEN);
      expect(known).toContainEqual(expect.objectContaining({ hash, proposedBy: b.boss.memberId }));
    }
    // Whoever has the most gets no more.
    const more = await a.house.perform(pool.updateAcl, { mode: 'open' }, a.boss.token);
    expect(more).toMatchObject({ status: 409, body: { error: 'POOL_PROPOSALS_FULL' } });
    expect((await signAsOperator(a, hash)).body).toMatchObject({ active: true });
    await scene.settled();
    // Nothing that was proposed before can be signed any more, and not by somebody who was removed.
    const open = (await proposals(b)).filter((one: { status: string }) => one.status === 'open');
    expect(open).toEqual([]);
    const next = hashIn(await b.house.perform(pool.updateAcl, { mode: 'closed' }, b.boss.token));
    await scene.settled();
    expect(await sign(a, next)).toMatchObject({ status: 403, body: { error: 'POOL_NOT_ADMINISTRATOR' } });
    const fewer = await b.house.perform(pool.updateAcl, { removeAdmins: [b.boss.memberId] }, b.boss.token);
    expect(fewer).toMatchObject({ status: 409, body: { error: 'POOL_LAST_ADMINISTRATOR' } });
    expect(fewer.body.message).toContain('would have 1 administrator, and 2 would have to sign');
  });

  it('bans and lifts a ban only with enough signatures', { tags: 'soak' }, async () => {
    await using scene = openScene(engine);
    const { a, b } = await poolOf(scene, 2);
    const guest = await admitted(scene, a, b);
    const banned = await a.house.perform(pool.removeNode, { nodeId: guest, ban: true }, a.boss.token);
    expect(banned).toMatchObject({ status: 409, body: { error: 'POOL_SIGNATURES_MISSING' } });
    expect((await listOf(a)).document.writers).toHaveLength(3);
    await scene.settled();
    expect((await sign(b, hashIn(banned))).body.active).toBe(true);
    await scene.settled();
    const lifted = await a.house.perform(pool.unbanNode, { nodeId: guest }, a.boss.token);
    expect(lifted).toMatchObject({ status: 409, body: { error: 'POOL_SIGNATURES_MISSING' } });
    expect((await listOf(a)).document.tombstones).toMatchObject([{ nodeId: guest, kind: 'banned' }]);
    await scene.settled();
    expect((await sign(b, hashIn(lifted))).body.active).toBe(true);
    expect((await listOf(b)).document).not.toHaveProperty('tombstones');
  });

  it('obeys no administrator who is none any more, and holds a limit', async () => {
    await using scene = openScene(engine);
    const { a, b } = await poolOf(scene, 2);
    const { house, boss } = b;
    const other = await house.administrator('other');
    const made: string[] = [];
    for (let number = 0; number <= MAX_OPEN; number += 1) {
      const mailDomain = `d${number}.example`;
      const answer = await a.house.perform(pool.updateNode, { nodeId: b.nodeId, mailDomain }, a.boss.token);
      if (number === MAX_OPEN) expect(answer).toMatchObject({ status: 409, body: { error: 'POOL_PROPOSALS_FULL' } });
      else made.push(hashIn(answer));
    }
    await scene.settled();
    expect(await proposals(b)).toHaveLength(MAX_OPEN);
    scene.network.round();
    await scene.settled();
    // None of the pool's administrators, though one of this node.
    const [hash = ''] = made;
    const stranger = await house.perform(pool.signAcl, { hash }, other.token);
    expect(stranger).toMatchObject({ status: 403, body: { error: 'POOL_NOT_ADMINISTRATOR' } });
    const came = house.meanwhile(
      async () => await house.perform(members.demote, { memberId: boss.memberId }, other.token),
    );
    const demoted = await sign(b, hash);
    expect([came(), demoted.status]).toEqual([true, 403]);
    expect((await house.perform(pool.aclProposals, {}, other.token)).body.proposals[0].signers).toHaveLength(1);
  });
});
