import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../../src/crypto/public-key.ts';
import { linkStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { engines } from '../../support/stores.ts';
import { admitMany, openQuorum, said, type QuorumScene } from './scene.ts';

describe.each(engines)('members of the quorum on %s', (engine) => {
  let scene: QuorumScene;
  beforeAll(async () => {
    scene = await openQuorum(engine, 3);
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  it('are added by an administrator, with a phrase that is shown once and stored nowhere', async () => {
    const { house } = scene;
    const account = await house.register();
    const body = { name: 'Dora', email: account.email, role: 'treasurer', accountId: account.memberId };
    const answer = await scene.call('POST', '/members', body);
    expect(answer.status).toBe(201);
    const { member, mnemonic, message } = answer.body;
    expect(message).toBe('Member added');
    expect(mnemonic.split(' ')).toHaveLength(24);
    expect(member).toMatchObject({
      metadata: { name: 'Dora', email: account.email, role: 'treasurer' },
      isActive: true,
      accountId: account.memberId,
    });
    expect(member.id).toBe(memberIdOf(Buffer.from(member.publicKey, 'hex')));
    const { members } = await scene.ask('GET', '/members');
    expect(members.map(({ id }: { id: string }) => id)).toContain(member.id);
    expect(JSON.stringify(members)).not.toContain(mnemonic.split(' ').slice(0, 3).join(' '));
  });

  it('begin an epoch each, which keeps who was a member', async () => {
    const { status } = await scene.ask('GET', '/status');
    expect(status).toMatchObject({ mode: 'bootstrap', threshold: 2, nodeId: scene.house.ctx.keys.nodeId });
    const ids = scene.people.slice(0, 3).map(({ id }) => id);
    const { epoch } = await scene.ask('GET', '/epochs/3');
    expect(epoch).toMatchObject({ epochNumber: 3, previousEpochNumber: 2, threshold: 2, innerQuorumMemberIds: [] });
    expect(epoch.memberIds).toEqual(ids.toSorted());
    expect((await scene.ask('GET', '/epochs/1')).epoch.previousEpochNumber).toBeNull();
    expect(said(await scene.call('GET', '/epochs/999'))).toBe('404 EPOCH_NOT_FOUND');
    expect(said(await scene.call('GET', '/epochs/0'))).toBe('400 VALIDATION_ERROR');
    const { epochs } = await scene.ask('GET', '/epochs?limit=2');
    expect(epochs.map((one: { epochNumber: number }) => one.epochNumber)).toEqual([
      status.epochNumber,
      status.epochNumber - 1,
    ]);
  });

  it('can bring their own key, so that the node never has a phrase', async () => {
    const { publicKey } = generateKeyPair();
    const { member, mnemonic } = await scene.ask('POST', '/members', { name: 'Own', publicKey: toHex(publicKey) });
    expect([member.publicKey, mnemonic]).toEqual([toHex(publicKey), undefined]);
    expect(member).not.toHaveProperty('accountId');
    const again = await scene.call('POST', '/members', { name: 'Again', publicKey: toHex(publicKey) });
    expect(said(again)).toBe('409 QUORUM_MEMBER_EXISTS');
    const wrong = await scene.call('POST', '/members', { name: 'Wrong', publicKey: `02${'ff'.repeat(32)}` });
    expect([said(wrong), wrong.body.error.message]).toEqual([
      '400 VALIDATION_ERROR',
      'publicKey: is not a public key on secp256k1',
    ]);
  });

  it('are linked to an account by their signature, and to no other', async () => {
    const keys = generateKeyPair();
    const { member } = await scene.ask('POST', '/members', { name: 'Linked', publicKey: toHex(keys.publicKey) });
    const [account, stranger] = [await scene.house.register(), await scene.house.register()];
    const statement = (accountId: string) =>
      toHex(
        sign(keys.privateKey, linkStatement({ nodeId: scene.house.ctx.keys.nodeId, memberId: member.id, accountId })),
      );
    const link = async (signature: string, token: string) =>
      await scene.call('POST', `/members/${member.id}/link`, { signature }, token);
    expect(said(await link(statement(account.memberId), stranger.token))).toBe('400 INVALID_SIGNATURE');
    const linked = await link(statement(account.memberId), account.token);
    expect([linked.status, linked.body.member.accountId]).toEqual([200, account.memberId]);
    const { status } = await scene.ask('GET', '/status', undefined, account.token);
    expect(status.memberId).toBe(member.id);
    const first = scene.people[0]!;
    expect(said(await link(statement(first.memberId), first.token))).toBe('409 QUORUM_MEMBER_EXISTS');
  });

  it('are not taken over by who registers their e-mail address later', async () => {
    const email = 'later@example.org';
    const { member } = await scene.ask('POST', '/members', { name: 'Later', email });
    expect(member).not.toHaveProperty('accountId');
    const later = await scene.house.register({ email });
    const { status } = await scene.ask('GET', '/status', undefined, later.token);
    expect(status).not.toHaveProperty('memberId');
  });

  it('show their e-mail addresses to members and administrators alone', async () => {
    const stranger = await scene.house.register();
    const seen = async (token: string) =>
      JSON.stringify((await scene.ask('GET', '/members', undefined, token)).members).includes('email');
    expect(await seen(scene.people[0]!.token)).toBe(true);
    expect(await seen(scene.administrator.token)).toBe(true);
    expect(await seen(stranger.token)).toBe(false);
    expect((await scene.ask('GET', '/status', undefined, stranger.token)).status).not.toHaveProperty('holdersChanged');
  });

  it('are added and removed by administrators alone', async () => {
    const { id, token } = scene.people[0]!;
    expect(said(await scene.call('POST', '/members', { name: 'Eve' }, token))).toBe('403 FORBIDDEN');
    expect(said(await scene.call('DELETE', `/members/${id}`, undefined, token))).toBe('403 FORBIDDEN');
    expect((await scene.call('GET', '/members', undefined, '')).status).toBe(401);
  });
});

describe.each(engines)('removing a member on %s', (engine) => {
  it('is refused below the threshold, and for who is no member', async () => {
    await using scene = await openQuorum(engine, 2);
    const [first] = scene.people;
    const below = await scene.call('DELETE', `/members/${first!.id}`);
    expect(said(below)).toBe('400 INVALID_MEMBER_COUNT');
    expect(below.body.error.message).toContain('1 members would be left');
    expect(said(await scene.call('DELETE', `/members/${'ab'.repeat(12)}`))).toBe('404 MEMBER_NOT_FOUND');
    expect((await scene.ask('GET', '/status')).status).toMatchObject({ memberCount: 2, epochNumber: 2 });
  });

  it('begins an epoch without the member, who may do nothing any more and can come back', async () => {
    await using scene = await openQuorum(engine, 3);
    const { id, token, keys } = scene.people[2]!;
    const removed = await scene.ask('DELETE', `/members/${id}`);
    expect(removed).toEqual({
      message: 'Member removed',
      success: true,
      memberId: id,
      documents: { holdersChanged: 0, outOfReach: [] },
    });
    const { members } = await scene.ask('GET', '/members');
    expect(members.map((one: { id: string }) => one.id)).not.toContain(id);
    expect((await scene.ask('GET', `/members/${id}`)).member.isActive).toBe(false);
    expect((await scene.ask('GET', '/status', undefined, token)).status).not.toHaveProperty('memberId');
    expect(said(await scene.call('DELETE', `/members/${id}`))).toBe('404 MEMBER_NOT_FOUND');
    const { member } = await scene.ask('POST', '/members', { name: 'Back', publicKey: toHex(keys.publicKey) });
    expect([member.id, member.isActive]).toEqual([id, true]);
    expect((await scene.ask('GET', '/status')).status).toMatchObject({ memberCount: 3, epochNumber: 5 });
  });

  it('that are added at once begin one epoch each', async () => {
    await using scene = await openQuorum(engine, 0);
    await Promise.all(
      Array.from({ length: 8 }, async (_, at) => await scene.ask('POST', '/members', { name: `M${at}` })),
    );
    expect((await scene.ask('GET', '/status')).status).toMatchObject({ memberCount: 8, epochNumber: 8 });
  });

  it('has at most 255 of them', { tags: 'soak' }, async () => {
    await using scene = await openQuorum(engine, 0);
    await admitMany(
      scene,
      Array.from({ length: 255 }, () => generateKeyPair()),
    );
    const more = await scene.call('POST', '/members', { name: 'One more' });
    expect(said(more)).toBe('400 INVALID_MEMBER_COUNT');
  });
});
