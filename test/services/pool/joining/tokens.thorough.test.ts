import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { members } from '../../../../src/contract/accounts/members.ts';
import { pool } from '../../../../src/contract/pool.ts';
import { toHex } from '../../../../src/crypto/bytes.ts';
import { theNode } from '../../../../src/services/pool/acl/signer.ts';
import { admit } from '../../../../src/services/pool/joining/decisions.ts';
import { takeRequest } from '../../../../src/services/pool/joining/queue.ts';
import { shownToken } from '../../../../src/services/pool/joining/token-use.ts';
import { parseToken, proveToken, writeToken } from '../../../../src/services/pool/joining/token.ts';
import { purgePool } from '../../../../src/services/pool/purge.ts';
import { allRows } from '../../passvault/store-contents.ts';
import { listOf, openScene, requestBy, status, stranger, waiting, type PoolHouse } from '../pool-scene.ts';
import { engines } from '../../../support/stores.ts';

const HOUR = 3_600_000;
const create = async ({ house, boss }: PoolHouse, more: { uses?: number; admittedUntil?: string } = {}) =>
  await house.perform(
    pool.createToken,
    { expiresAt: new Date(house.clock.now() + HOUR).toISOString(), ...more },
    boss.token,
  );
const tokenOf = async (house: PoolHouse, uses = 1): Promise<string> => (await create(house, { uses })).body.token;
const ask = async ({ house, boss }: PoolHouse, host: PoolHouse, token: string) =>
  (await house.perform(pool.join, { address: host.node.address, token }, boss.token)).body.join;
const listed = async ({ house, boss }: PoolHouse) =>
  (await house.perform(pool.listTokens, {}, boss.token)).body.joinTokens;
const writerIds = async (house: PoolHouse) => (await listOf(house)).document.writers.map(({ nodeId }) => nodeId);

describe.each(engines)('a join token on %s', (engine) => {
  it('admits a machine at once, as its maker would, and is stored and told nowhere', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const admittedUntil = new Date(a.house.clock.now() + 90 * 24 * HOUR).toISOString();
    const made = await create(a, { admittedUntil });
    expect(made).toMatchObject({
      status: 201,
      body: {
        token: expect.stringMatching(/^conclave-join-[\w-]{119}$/),
        joinToken: { status: 'active', uses: 1, used: 0, issuedBy: a.boss.memberId, admittedUntil, nodes: [] },
      },
    });
    const { token } = made.body;
    expect(await ask(b, a, token)).toMatchObject({ status: 'approved' });
    await scene.settled();
    expect((await status(b)).pool).toMatchObject({ membership: 'member', version: 2 });
    expect((await listOf(b)).document.writers[1]).toMatchObject({
      nodeId: b.nodeId,
      addedBy: a.boss.memberId,
      expiresAt: admittedUntil,
    });
    expect(await listed(a)).toMatchObject([{ status: 'used', used: 1, nodes: [b.nodeId] }]);
    expect((await a.house.perform(pool.verifyAcl, {}, a.boss.token)).body.valid).toBe(true);
    const { secret } = parseToken(token);
    for (const { house } of [a, b]) {
      const rows = [...(await allRows(house.ctx))].map(([, all]) => JSON.stringify(all)).join('');
      for (const form of [token, token.slice(-60), toHex(secret), Buffer.from(secret).toString('base64url')])
        expect(rows + JSON.stringify(house.log.lines)).not.toContain(form);
    }
    // Asked again, because the answer was lost, it is no second use.
    scene.advance(1_000);
    const again = { ask: 'admission', ...requestBy(b.identity, (await status(a)).pool.poolId, b.house.clock.now()) };
    const { id, proof } = proveToken(parseToken(token), b.nodeId);
    const answer = b.node.port.request({ address: a.node.address }, 'pool-join', { ...again, token: { id, proof } });
    expect(await answer).toEqual({ status: 'approved' });
    expect(await listed(a)).toMatchObject([{ used: 1 }]);
  });

  it('admits no more than it says, when several ask at once', { tags: 'thorough' }, async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const guests = await Promise.all(['b', 'c', 'd', 'e'].map(async (name) => await scene.open(name)));
    const token = await tokenOf(a, 2);
    const asked = await Promise.all(guests.map(async (guest) => await ask(guest, a, token)));
    expect(asked.map((join) => join.status).toSorted()).toEqual(['approved', 'approved', 'refused', 'refused']);
    for (const { reason } of asked.filter((join) => join.status === 'refused'))
      expect(reason).toBe('The join token is used up.');
    expect([await waiting(a), (await writerIds(a)).length]).toEqual([0, 3]);
    expect(await listed(a)).toMatchObject([{ status: 'used', used: 2 }]);
  });

  it('counts over the whole pool, also while it is parted: one node admits by it', { tags: 'thorough' }, async () => {
    await using scene = openScene(engine);
    const [a, d] = [await scene.open('a'), await scene.open('d')];
    const guests = [await scene.open('b'), await scene.open('c')] as const;
    await scene.admit(a, d);
    const key = toHex(d.identity.publicKey);
    await a.house.perform(pool.updateAcl, { addKeys: [key] }, a.boss.token);
    await scene.settled();
    const token = await tokenOf(a);
    const { id, proof } = proveToken(parseToken(token), guests[1].nodeId);
    scene.network.cut('a', 'd');
    const request = requestBy(guests[1].identity, (await status(d)).pool.poolId, d.house.clock.now());
    const [first, second, third] = await Promise.all([
      ask(guests[0], a, token),
      ask(guests[1], d, token),
      // As a program that doesn't look where the token is from.
      guests[1].node.port
        .request({ address: d.node.address }, 'pool-join', { ask: 'admission', ...request, token: { id, proof } })
        .catch((error: unknown) => error),
    ]);
    expect(first).toMatchObject({ status: 'approved' });
    expect(second).toMatchObject({ status: 'refused', reason: expect.stringContaining(a.nodeId) });
    expect(third).toMatchObject({ cause: { code: 'JOIN_TOKEN_REFUSED' } });
    await scene.network.heal('a', 'd');
    scene.network.round();
    await scene.settled();
    for (const one of [a, d])
      expect((await writerIds(one)).toSorted()).toEqual([a.nodeId, d.nodeId, guests[0].nodeId].toSorted());
  });

  it('is refused when it is over, is somebody else’s, or was changed, and leaves no request', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const { ctx } = a.house;
    const { poolId } = (await status(a)).pool;
    const [guest, thief] = [await stranger(scene, 'guest'), await stranger(scene, 'thief')];
    const text = await tokenOf(a, 5);
    const { id, proof } = proveToken(parseToken(text), guest.nodeId);
    const other = proveToken(
      parseToken(writeToken({ poolId, nodeId: a.nodeId, secret: randomBytes(32) })),
      guest.nodeId,
    );
    const show = async (who: typeof guest, token: { id: string; proof: string }) => {
      scene.advance(1_000);
      const asked = { ask: 'admission', ...requestBy(who.identity, poolId, ctx.clock.now()), token };
      const error: unknown = await who.node.port
        .request({ address: a.node.address }, 'pool-join', asked)
        .catch((refused: unknown) => refused);
      expect(error).toMatchObject({ cause: { code: 'JOIN_TOKEN_REFUSED' } });
      expect([await waiting(a), await writerIds(a)]).toEqual([0, [a.nodeId]]);
      return (error as Error).message;
    };
    const unknown = 'This node has no such join token. Give the address of the node that made it.';
    expect(await show(thief, { id, proof })).toBe(unknown);
    expect(await show(guest, { id, proof: other.proof })).toBe(unknown);
    expect(await show(guest, { id: other.id, proof: other.proof })).toBe(unknown);
    const stored = await ctx.db.selectFrom('pool_tokens').selectAll().executeTakeFirstOrThrow();
    for (const change of [
      { document: stored.document.replace('"uses":5', '"uses":500') },
      { document: stored.document.replace(/"issuedBy":"\w+"/, `"issuedBy":"${'ab'.repeat(12)}"`) },
      { signature: toHex(randomBytes(64)) },
    ]) {
      await ctx.db.updateTable('pool_tokens').set(change).execute();
      expect(await show(guest, { id, proof })).toBe(unknown);
      await ctx.db.updateTable('pool_tokens').set(stored).execute();
    }
    expect(await a.house.perform(pool.revokeToken, { id }, a.boss.token)).toMatchObject({ status: 200, body: { id } });
    expect(await show(guest, { id, proof })).toBe('The join token was revoked.');
    const twice = await a.house.perform(pool.revokeToken, { id }, a.boss.token);
    expect(twice).toMatchObject({ status: 404, body: { error: 'POOL_TOKEN_NOT_FOUND' } });
    await ctx.db.updateTable('pool_tokens').set({ revoked_at: null }).execute();
    scene.advance(HOUR);
    expect(await show(guest, { id, proof })).toBe('The join token has expired.');
    expect(await listed(a)).toMatchObject([{ id, status: 'expired' }]);

    // Its maker is no administrator any more.
    const second = proveToken(parseToken(await tokenOf(a)), guest.nodeId);
    const operator = await a.house.operatorToken();
    const removed = await a.house.perform(pool.updateAcl, { removeAdmins: [a.boss.memberId] }, operator, {
      trusted: true,
    });
    expect(removed.status).toBe(200);
    expect(await show(guest, { id: second.id, proof: second.proof })).toBe(unknown);
    await ctx.db.updateTable('pool_tokens').set({ expires_at: 1 }).execute();
    await purgePool(a.house.ctx);
    expect(await listed(a)).toEqual([]);
  });

  it('is over for good when its maker loses the right, or its time or a revocation comes, at whatever moment', async () => {
    await using scene = openScene(engine);
    const a = await scene.open('a');
    const { house, boss } = a;
    const { memberId } = boss;
    const { poolId } = (await status(a)).pool;
    const other = await house.administrator('other');
    const guest = await stranger(scene, 'guest');
    const operate = async (input: object) => {
      const done = await house.perform(pool.updateAcl, input, await house.operatorToken(), { trusted: true });
      expect(done.status).toBe(200);
    };
    const key = (
      await house.ctx.db.selectFrom('members').select('public_key').where('id', '=', memberId).executeTakeFirstOrThrow()
    ).public_key;
    const former = 'The join token was made by somebody who is no administrator any more.';
    let id = '';
    const ends: [what: string, end: () => Promise<unknown>, undo: () => Promise<unknown>, reason: string][] = [
      [
        'demoted',
        async () => await house.perform(members.demote, { memberId }, other.token),
        async () => await house.perform(members.promote, { memberId }, other.token),
        former,
      ],
      [
        'out of the list',
        async () => await operate({ removeAdmins: [memberId] }),
        async () => await operate({ addKeys: [key] }),
        former,
      ],
      [
        'revoked',
        async () => await house.perform(pool.revokeToken, { id }, other.token),
        async () => await house.ctx.db.updateTable('pool_tokens').set({ revoked_at: null }).execute(),
        'The join token was revoked.',
      ],
      ['over', async () => scene.advance(HOUR), async () => undefined, 'The join token has expired.'],
    ];
    const text = await tokenOf(a, 5);
    const shown = proveToken(parseToken(text), guest.nodeId);
    ({ id } = shown);
    const token = { id, proof: shown.proof };
    const askAgain = async () => {
      scene.advance(1_000);
      const asked = { ask: 'admission', ...requestBy(guest.identity, poolId, house.clock.now()), token };
      return await guest.node.port
        .request({ address: a.node.address }, 'pool-join', asked)
        .catch((error: unknown) => error);
    };
    for (const [what, end, undo, reason] of ends) {
      // After the token was found good, and before the transaction that admits.
      const request = requestBy(guest.identity, poolId, house.clock.now() + 1);
      await takeRequest(house.ctx, await listOf(a), request, guest.nodeId);
      const good = await shownToken(house.ctx, (await listOf(a)).document, token, guest.nodeId);
      const came = house.meanwhile(end);
      await expect(admit(house.ctx, theNode, { nodeId: guest.nodeId, token: good }), what).rejects.toMatchObject({
        code: 'JOIN_TOKEN_REFUSED',
        message: reason,
      });
      expect(came(), what).toBe(true);
      // And before it is shown.
      const unknown = 'This node has no such join token. Give the address of the node that made it.';
      expect(await askAgain(), what).toMatchObject({
        cause: { code: 'JOIN_TOKEN_REFUSED', message: what === 'out of the list' ? unknown : reason },
      });
      await house.ctx.db.deleteFrom('pool_requests').execute();
      await undo();
      expect(await writerIds(a), what).toEqual([a.nodeId]);
    }
    const used = await house.ctx.db.selectFrom('pool_token_uses').selectAll().execute();
    expect(used).toEqual([]);
  });

  it('admits a machine once: after a ban that was lifted, an administrator decides', { tags: 'soak' }, async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const token = await tokenOf(a, 9);
    expect(await ask(b, a, token)).toMatchObject({ status: 'approved' });
    await scene.settled();
    const { nodeId } = b;
    await a.house.perform(pool.removeNode, { nodeId, ban: true }, a.boss.token);
    await scene.settled();
    scene.advance(1_000);
    expect(await ask(b, a, token)).toMatchObject({ status: 'refused', reason: expect.stringContaining('banned') });
    await a.house.perform(pool.unbanNode, { nodeId }, a.boss.token);
    await scene.settled();
    scene.advance(1_000);
    expect(await ask(b, a, token)).toMatchObject({ status: 'pending' });
    expect(a.house.log.lines).toContainEqual(
      expect.objectContaining({ message: 'automatic admission of a node failed', code: 'NODE_REFUSED' }),
    );
    expect(await listed(a)).toMatchObject([{ used: 1, nodes: [nodeId] }]);
    await a.house.perform(pool.approveNode, { nodeId }, a.boss.token);
    await scene.settled();
    expect((await status(b)).pool.membership).toBe('member');
  });

  it('waits for people where the list says so, and admits nobody that was refused', async () => {
    await using scene = openScene(engine);
    const [a, b, c] = [await scene.open('a'), await scene.open('b'), await scene.open('c')];
    const token = await tokenOf(a, 9);
    expect(await ask(b, a, token)).toMatchObject({ status: 'approved' });
    await scene.settled();
    await a.house.perform(pool.removeNode, { nodeId: b.nodeId }, a.boss.token);
    await scene.settled();
    scene.advance(1_000);
    expect(await ask(b, a, token)).toMatchObject({ status: 'pending' });
    await a.house.perform(pool.updateAcl, { mode: 'closed' }, a.boss.token);
    expect(await ask(c, a, token)).toMatchObject({ status: 'refused' });
    await a.house.perform(pool.updateAcl, { mode: 'approval', threshold: 2 }, a.boss.token);
    expect(await ask(c, a, token)).toMatchObject({ status: 'pending' });
    expect((await listed(a))[0]).toMatchObject({ used: 1, nodes: [b.nodeId] });
    const impossible = { status: 409, body: { error: 'POOL_TOKENS_IMPOSSIBLE' } };
    expect(await create(a)).toMatchObject(impossible);
  });

  it('is made by administrators alone, on a node that may sign, within its limits', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    await scene.admit(a, b);
    const unable = await create(b);
    expect(unable).toMatchObject({ status: 409, body: { error: 'POOL_TOKENS_IMPOSSIBLE' } });
    expect(unable.body.message).toContain(toHex(b.identity.publicKey));
    const { house, boss } = a;
    const inHours = (hours: number) => new Date(house.clock.now() + hours * HOUR).toISOString();
    for (const wrong of [
      { expiresAt: inHours(0) },
      { expiresAt: inHours(30 * 24 + 1) },
      { expiresAt: inHours(1), uses: 0 },
      { expiresAt: inHours(1), uses: 1_001 },
      { expiresAt: inHours(1), admittedUntil: inHours(-1) },
    ])
      expect(await house.perform(pool.createToken, wrong, boss.token), JSON.stringify(wrong)).toMatchObject({
        status: 400,
      });
    const member = await house.register();
    const input = { expiresAt: inHours(1) };
    expect(await house.perform(pool.createToken, input, member.token)).toMatchObject({ status: 403 });
    expect(await house.perform(pool.listTokens, {}, member.token)).toMatchObject({ status: 403 });
    expect(await house.perform(pool.revokeToken, { id: 'ab'.repeat(8) }, member.token)).toMatchObject({ status: 403 });
    const other = await house.administrator('other');
    const came = house.meanwhile(
      async () => await house.perform(members.demote, { memberId: boss.memberId }, other.token),
    );
    expect([(await house.perform(pool.createToken, input, boss.token)).status, came()]).toEqual([403, true]);
    expect((await house.perform(pool.listTokens, {}, other.token)).body.joinTokens).toEqual([]);
  });

  it('is read whole or not at all, and never repeated in an error', async () => {
    await using scene = openScene(engine);
    const [a, b] = [await scene.open('a'), await scene.open('b')];
    const token = await tokenOf(a);
    const join = async (text: string, poolId?: string) =>
      await b.house.perform(
        pool.join,
        { address: a.node.address, token: text, ...(poolId !== undefined && { poolId }) },
        b.boss.token,
      );
    for (const wrong of [
      token.slice(0, -1),
      `${token}A`,
      token.replace('conclave-join-', ''),
      token.slice(0, -4),
      'x',
    ]) {
      const refused = await join(wrong);
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: 'token' }] } });
      expect(JSON.stringify(refused.body)).not.toContain(wrong);
    }
    expect(await join(token, 'ab'.repeat(32))).toMatchObject({ status: 400, body: { errors: [{ path: 'poolId' }] } });
    expect(await b.house.ctx.db.selectFrom('pool_joins').selectAll().execute()).toEqual([]);
    expect((await join(token, (await status(a)).pool.poolId)).body.join.status).toBe('approved');
  });
});
