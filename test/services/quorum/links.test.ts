import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { config } from '../../support/mail-config.ts';
import { before, linkedBefore } from './linked-before.ts';
import { proposed, proposing, refusal, voting } from './governing.ts';
import { confirmAddress, openQuorum, said } from './scene.ts';

describe.each(engines)('an account becomes a member of the quorum on %s', (engine) => {
  it('by an e-mail address that is verified, by its key, or by name, and by no other address', async () => {
    await using scene = await openQuorum(engine, 0, { config });
    const { house, administrator } = scene;
    const added = async (body: object) => (await scene.ask('POST', '/members', { name: 'Ann', ...body })).member;
    const bob = await house.register();
    expect(await added({ email: bob.email })).not.toHaveProperty('accountId');
    expect((await scene.ask('GET', '/status', undefined, bob.token)).status).not.toHaveProperty('memberId');
    expect(said(await proposing(scene, bob, 'CUSTOM', {}))).toBe('403 FORBIDDEN');

    const path = `/api/admin/members/${bob.memberId}/confirm-email`;
    const confirm = async (token: string, body?: object) =>
      await house.api('POST', path, { token, ...(body && { body }) });
    expect((await confirm(bob.token)).status).toBe(403);
    const other = await confirm(administrator.token, { email: 'other@example.org' });
    expect([other.status, other.body.error]).toEqual([409, 'EMAIL_CHANGED']);
    const { status, body } = await confirm(administrator.token, { email: bob.email.toUpperCase() });
    expect([status, body.member.emailVerified]).toEqual([200, true]);
    expect(house.log.lines.filter((line) => line['action'] === 'members.confirm-email')).toMatchObject([
      { message: 'audit', actor: administrator.memberId, target: bob.memberId },
    ]);
    expect((await added({ email: bob.email })).accountId).toBe(bob.memberId);

    // A confirmation is of one address.
    const cyd = await house.register();
    await confirmAddress(scene, cyd);
    const moved = 'moved@example.org';
    await house.ctx.db
      .updateTable('members')
      .set({ email: moved, email_key: moved })
      .where('id', '=', cyd.memberId)
      .execute();
    expect(await added({ email: moved })).not.toHaveProperty('accountId');

    // Nobody else has the mailbox of a member on this node.
    const dan = await house.register({ username: 'Dan', email: 'Dan+quorum@home.example' });
    expect((await added({ email: dan.email })).accountId).toBe(dan.memberId);
    const thief = await house.register({ username: 'Thief', email: 'eve@home.example' });
    expect(await added({ email: thief.email })).not.toHaveProperty('accountId');

    const eve = await house.register();
    const publicKey = toHex(generateKeyPair().publicKey);
    expect((await added({ publicKey, accountId: eve.memberId })).accountId).toBe(eve.memberId);
    const own = house.ctx.db.selectFrom('members').select('public_key').where('id', '=', thief.memberId);
    const { public_key: key } = await own.executeTakeFirstOrThrow();
    const contradicting = await scene.call('POST', '/members', { name: 'F', publicKey: key, accountId: cyd.memberId });
    expect([said(contradicting), contradicting.body.error.message]).toEqual([
      '400 VALIDATION_ERROR',
      `accountId: is not the account that has this key, which is ${thief.memberId}`,
    ]);
    expect((await added({ publicKey: key })).accountId).toBe(thief.memberId);
  });
});

describe.each(bothEngines)('links of before only a verified address made them, on %s', (engine) => {
  it('count, are marked and named, until they are confirmed or signed', async () => {
    await using scene = await openQuorum(engine, 2);
    const { ann, bob, cyd, dan } = await linkedBefore(scene, engine);
    for (const person of scene.people) await confirmAddress(scene, person);
    const status = async (token?: string) => (await scene.ask('GET', '/status', undefined, token)).status;
    const doubtful = async (token?: string) =>
      (await status(token)).unverifiedLinks?.map(({ accountId }: { accountId: string }) => accountId);
    const marked = async (token?: string): Promise<string[]> =>
      (await scene.ask('GET', '/members', undefined, token)).members.flatMap(
        (one: { accountId: string; linkUnverified?: true }) => (one.linkUnverified === true ? [one.accountId] : []),
      );
    const all = [ann.memberId, bob.memberId, dan.memberId];
    expect([await doubtful(), await marked()]).toEqual([all, all]);
    expect([await doubtful(bob.token), await marked(bob.token)]).toEqual([all, all]);
    const stranger = await scene.house.register();
    expect([await doubtful(stranger.token), await marked(stranger.token)]).toEqual([undefined, []]);
    expect((await status(cyd.token)).memberId).toBe(cyd.id);

    const { body } = await proposing(scene, ann, 'CUSTOM', {});
    expect((await voting(scene, bob, body.proposal.id)).status).toBe(200);
    await confirmAddress(scene, ann);
    expect(await doubtful()).toEqual([bob.memberId, dan.memberId]);
    expect((await bob.link()).body.member).not.toHaveProperty('linkUnverified');
    expect(await doubtful()).toEqual([dan.memberId]);
    // The key is that of the account, so it says nothing about whose the address is.
    expect((await dan.link()).body.member.linkUnverified).toBe(true);
    expect(await doubtful()).toEqual([dan.memberId]);
    await confirmAddress(scene, dan);
    expect([await doubtful(), await marked()]).toEqual([[], []]);
  });
});

describe.each(engines)('a proposal of before only a verified address linked, on %s', (engine) => {
  it('adds nobody whose address nobody has verified by now', async () => {
    await using scene = await openQuorum(engine, 2);
    scene.willTamper();
    const eve = await scene.house.register();
    await confirmAddress(scene, eve);
    const [ann, bob] = scene.people;
    for (const expected of ['failed', 'executed']) {
      const proposal = await proposed(scene, ann!, 'ADD_MEMBER', { name: 'Eve', email: eve.email });
      await before(scene, proposal.id);
      await voting(scene, ann!, proposal.id);
      if (expected === 'failed')
        await scene.house.ctx.db.updateTable('members').set({ verified_email_key: null }).execute();
      const decided = (await voting(scene, bob!, proposal.id)).body.proposal;
      expect(decided.status).toBe(expected);
      if (expected === 'executed') continue;
      expect(decided.reason).toContain(`Nobody verified that the account ${eve.memberId} has this e-mail address.`);
      expect(refusal(await proposing(scene, ann!, 'ADD_MEMBER', { name: 'Eve', email: eve.email }))[1]).toContain(
        'no account with this verified address',
      );
      await confirmAddress(scene, eve);
    }
  });
});
