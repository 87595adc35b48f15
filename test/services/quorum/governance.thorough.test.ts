import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { engines } from '../../support/stores.ts';
import { decided, proposing, refusal, voting } from './governing.ts';
import { confirmAddress, openQuorum, said } from './scene.ts';
import { sealed } from './sealing.ts';

describe.each(engines)('the membership, by proposals on %s', (engine) => {
  it('gets a member with an account, who can vote then', async () => {
    await using scene = await openQuorum(engine, 2);
    const account = await scene.house.register();
    await confirmAddress(scene, account);
    const added = await decided(scene, 'ADD_MEMBER', { name: 'Eve', email: account.email, role: 'keeper' });
    expect(added).toMatchObject({
      status: 'executed',
      actionPayload: { accountId: account.memberId, linkedBy: 'email' },
    });
    // Without a key of its own the member has that of the account.
    const { member } = await scene.ask('GET', `/members/${account.memberId}`);
    expect(member).toMatchObject({ isActive: true, accountId: account.memberId, metadata: { name: 'Eve' } });
    const { epoch } = await scene.ask('GET', '/epochs/3');
    expect(epoch).toMatchObject({ proposalId: added.id, previousEpochNumber: 2 });
    expect(epoch.memberIds).toContain(account.memberId);
    const { body } = await proposing(scene, account, 'CUSTOM', {});
    const vote = await voting(scene, account, body.proposal.id);
    expect(vote.body.vote).toMatchObject({ voterMemberId: account.memberId, signedBy: 'member' });
  });

  it('gets a member with a key of their own, linked to the account that had the address then', async () => {
    await using scene = await openQuorum(engine, 2);
    const [account, keys] = [await scene.house.register(), generateKeyPair()];
    await confirmAddress(scene, account);
    const publicKey = toHex(keys.publicKey);
    const added = await decided(scene, 'ADD_MEMBER', { name: 'Eve', email: account.email, publicKey });
    const own = await scene.ask('GET', '/status', undefined, account.token);
    const { member } = await scene.ask('GET', `/members/${own.status.memberId}`);
    expect([added.status, member.publicKey, member.accountId]).toEqual(['executed', publicKey, account.memberId]);

    const later = 'later@example.org';
    const more = toHex(generateKeyPair().publicKey);
    const { body } = await proposing(scene, scene.people[0]!, 'ADD_MEMBER', {
      name: 'F',
      email: later,
      publicKey: more,
    });
    const taker = await scene.house.register({ email: later });
    for (const person of scene.people) await voting(scene, person, body.proposal.id);
    const { status } = await scene.ask('GET', '/status', undefined, taker.token);
    expect(status).not.toHaveProperty('memberId');
    expect(status.memberCount).toBe(4);
  });

  it('loses a member, who may do nothing any more', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene, { holders: [bob!, cyd!] });
    const removed = await decided(scene, 'REMOVE_MEMBER', { memberId: cyd!.id });
    expect(removed.status).toBe('executed');
    expect((await scene.ask('GET', `/members/${cyd!.id}`)).member.isActive).toBe(false);
    expect(said(await scene.call('GET', `/proposals/${removed.id}`, undefined, cyd!.token))).toBe(
      '404 PROPOSAL_NOT_FOUND',
    );
    expect(said(await proposing(scene, cyd!, 'CUSTOM', {}))).toBe('403 FORBIDDEN');
    const { document: shown } = await scene.ask('GET', `/documents/${document.id}`, undefined, ann!.token);
    expect(shown).toMatchObject({ holdersChanged: true, outOfReach: true });
    const again = await proposing(scene, ann!, 'REMOVE_MEMBER', { memberId: bob!.id });
    expect(refusal(again)).toEqual([
      '400 INVALID_MEMBER_COUNT',
      'The threshold is 2, and 1 members would be left. Add a member first, or lower the threshold.',
    ]);
  });

  it('bans a member, whom nobody can add again until that is lifted', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann, , cyd] = scene.people;
    const banned = await decided(scene, 'BAN_MEMBER', { memberId: cyd!.id, reason: 'Sold the key' });
    expect(banned.status).toBe('executed');
    expect((await scene.ask('GET', '/status')).status.memberCount).toBe(2);
    const cases = [
      { name: 'C', publicKey: toHex(cyd!.keys.publicKey) },
      { name: 'C', email: cyd!.email.toUpperCase(), publicKey: toHex(generateKeyPair().publicKey) },
      { name: 'C', accountId: cyd!.memberId },
    ];
    for (const payload of cases)
      expect(refusal(await proposing(scene, ann!, 'ADD_MEMBER', payload))).toEqual([
        '409 QUORUM_MEMBER_BANNED',
        'The quorum has banned this key, account or e-mail address. A proposal UNBAN_MEMBER lifts the ban.',
      ]);
    const direct = await scene.call('POST', '/members', { name: 'C', publicKey: toHex(cyd!.keys.publicKey) });
    expect(said(direct)).toBe('409 QUORUM_MEMBER_BANNED');
    const twice = await proposing(scene, ann!, 'BAN_MEMBER', { memberId: cyd!.id, reason: 'Again' });
    expect(said(twice)).toBe('409 QUORUM_MEMBER_BANNED');
    expect((await decided(scene, 'UNBAN_MEMBER', { memberId: cyd!.id }, scene.people.slice(0, 2))).status).toBe(
      'executed',
    );
    expect(refusal(await proposing(scene, ann!, 'UNBAN_MEMBER', { memberId: cyd!.id }))).toEqual([
      '404 QUORUM_MEMBER_NOT_BANNED',
      `The quorum has not banned the member ${cyd!.id}.`,
    ]);
    const back = await decided(scene, 'ADD_MEMBER', cases[0]!, scene.people.slice(0, 2));
    expect(back.status).toBe('executed');
  });
});

describe.each(engines)('the rules of the quorum, by proposals on %s', (engine) => {
  it('have another threshold then, which begins an epoch', async () => {
    await using scene = await openQuorum(engine, 3);
    const changed = await decided(scene, 'CHANGE_THRESHOLD', { threshold: 3 });
    expect(changed.status).toBe('executed');
    expect((await scene.ask('GET', '/status')).status).toMatchObject({ threshold: 3, epochNumber: 4 });
    const next = await proposing(scene, scene.people[0]!, 'CUSTOM', {});
    expect(next.body.proposal).toMatchObject({ requiredThreshold: 3, epochNumber: 4 });
    for (const threshold of [0, 1, 4, -1])
      expect(refusal(await proposing(scene, scene.people[0]!, 'CHANGE_THRESHOLD', { threshold }))).toEqual([
        '400 INVALID_THRESHOLD',
        'actionPayload.threshold: must be from 2 to the number of members, 3',
      ]);
    const half = await proposing(scene, scene.people[0]!, 'CHANGE_THRESHOLD', { threshold: 2.5 });
    expect(refusal(half)).toEqual(['400 VALIDATION_ERROR', 'actionPayload.threshold: must be a whole number']);
  });

  it('have an inner quorum, which decides on all but the membership', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cyd, dan] = scene.people;
    const memberIds = [ann!.id, bob!.id];
    expect((await decided(scene, 'CHANGE_INNER_QUORUM', { memberIds }, [cyd!, dan!])).status).toBe('executed');
    expect((await scene.ask('GET', '/status')).status.innerQuorumMemberIds).toEqual(memberIds.toSorted());

    const { body } = await proposing(scene, cyd!, 'CUSTOM', {});
    const { id } = body.proposal;
    expect(refusal(await voting(scene, cyd!, id))).toEqual([
      '403 FORBIDDEN',
      'You are not one of those who decide on this proposal.',
    ]);
    await voting(scene, ann!, id);
    expect((await voting(scene, bob!, id)).body.proposal.status).toBe('executed');
    const added = { name: 'E', publicKey: toHex(generateKeyPair().publicKey) };
    expect((await decided(scene, 'ADD_MEMBER', added, [cyd!, dan!])).status).toBe('executed');

    const refused: readonly [readonly string[], string, string][] = [
      [[ann!.id], '400 INVALID_MEMBER_COUNT', 'must be at least as many as the threshold, 2, or none'],
      [[ann!.id, ann!.id], '400 VALIDATION_ERROR', 'names a member twice'],
      [[ann!.id, 'ab'.repeat(12)], '404 MEMBER_NOT_FOUND', `The quorum has no member ${'ab'.repeat(12)}.`],
    ];
    for (const [ids, code, message] of refused) {
      const [said_, text] = refusal(await proposing(scene, ann!, 'CHANGE_INNER_QUORUM', { memberIds: ids }));
      expect([said_, text]).toEqual([code, expect.stringContaining(message)]);
    }
    expect((await decided(scene, 'CHANGE_INNER_QUORUM', { memberIds: [] })).status).toBe('executed');
    expect((await scene.ask('GET', '/status')).status.innerQuorumMemberIds).toEqual([]);
  });

  it('leave bootstrap mode: administrators change nothing by themselves any more', async () => {
    await using scene = await openQuorum(engine, 3);
    const moved = await decided(scene, 'TRANSITION_TO_QUORUM_MODE', {});
    expect(moved.status).toBe('executed');
    expect((await scene.ask('GET', '/status')).status).toMatchObject({ mode: 'quorum', epochNumber: 4 });
    expect(refusal(await scene.call('POST', '/members', { name: 'Eve' }))).toEqual([
      '403 PROPOSAL_REQUIRED',
      'The quorum decides on this. Make a proposal ADD_MEMBER.',
    ]);
    expect(refusal(await scene.call('DELETE', `/members/${scene.people[0]!.id}`))).toEqual([
      '403 PROPOSAL_REQUIRED',
      'The quorum decides on this. Make a proposal REMOVE_MEMBER.',
    ]);
    expect(refusal(await proposing(scene, scene.people[0]!, 'TRANSITION_TO_QUORUM_MODE', {}))).toEqual([
      '409 QUORUM_MODE_LEFT',
      'The quorum has left bootstrap mode already.',
    ]);
    expect((await decided(scene, 'REMOVE_MEMBER', { memberId: scene.people[2]!.id })).status).toBe('executed');
  });

  it('are in transition while documents have former holders', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cyd, dan] = scene.people;
    const mode = async () => (await scene.ask('GET', '/status')).status.mode;
    await sealed(scene, { creatorId: ann!.memberId, holders: [ann!, bob!, cyd!] });
    const other = await sealed(scene, { creatorId: ann!.memberId, holders: [ann!, dan!] });
    await scene.ask('DELETE', `/members/${cyd!.id}`);
    await scene.ask('DELETE', `/members/${dan!.id}`);
    const voters = [ann!, bob!];
    expect((await decided(scene, 'TRANSITION_TO_QUORUM_MODE', {}, voters)).status).toBe('executed');
    expect(await mode()).toBe('transition_in_progress');
    expect(said(await scene.call('POST', '/members', { name: 'Eve' }))).toBe('403 PROPOSAL_REQUIRED');
    await scene.ask('DELETE', `/documents/${other.id}`, undefined, ann!.token);
    expect(await mode()).toBe('transition_in_progress');
    // A former holder who is a member again holds the share again.
    const back = { name: 'Cyd', publicKey: toHex(cyd!.keys.publicKey) };
    expect((await decided(scene, 'ADD_MEMBER', back, voters)).status).toBe('executed');
    expect(await mode()).toBe('quorum');
  });

  it('end the transition with the last document that had a former holder', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann, bob, cyd] = scene.people;
    const { id } = await sealed(scene, { creatorId: ann!.memberId, holders: [ann!, bob!, cyd!] });
    await scene.ask('DELETE', `/members/${cyd!.id}`);
    await decided(scene, 'TRANSITION_TO_QUORUM_MODE', {}, [ann!, bob!]);
    await scene.ask('DELETE', `/documents/${id}`, undefined, ann!.token);
    expect((await scene.ask('GET', '/status')).status).toMatchObject({ mode: 'quorum', epochNumber: 6 });
  });

  it('need enough members before anything is decided', async () => {
    await using scene = await openQuorum(engine, 1);
    expect(refusal(await proposing(scene, scene.people[0]!, 'TRANSITION_TO_QUORUM_MODE', {}))).toEqual([
      '400 INVALID_MEMBER_COUNT',
      'It takes 2 members to decide, and the quorum has 1. Add members first.',
    ]);
  });
});

describe.each(engines)('a proposal that is refused on %s', (engine) => {
  const stranger = 'ab'.repeat(12);
  const key = toHex(generateKeyPair().publicKey);
  const cases: readonly [string, object, string, string][] = [
    ['REMOVE_MEMBER', { threshold: 3 }, '400 VALIDATION_ERROR', 'actionPayload.memberId: is missing'],
    ['REMOVE_MEMBER', { memberId: 'x' }, '400 VALIDATION_ERROR', 'actionPayload.memberId: must be 24 hex digits'],
    [
      'REMOVE_MEMBER',
      { memberId: stranger, reason: 'a' },
      '400 VALIDATION_ERROR',
      'actionPayload.reason: is not a field of this action',
    ],
    ['REMOVE_MEMBER', { memberId: stranger }, '404 MEMBER_NOT_FOUND', `The quorum has no member ${stranger}.`],
    ['BAN_MEMBER', { memberId: stranger, reason: 'a' }, '404 MEMBER_NOT_FOUND', 'The quorum has no member'],
    ['BAN_MEMBER', { memberId: stranger }, '400 VALIDATION_ERROR', 'actionPayload.reason: is missing'],
    ['BAN_MEMBER', { memberId: stranger, reason: '' }, '400 VALIDATION_ERROR', 'must not be empty'],
    ['CHANGE_THRESHOLD', { threshold: '3' }, '400 VALIDATION_ERROR', 'actionPayload.threshold: must be a number'],
    ['CHANGE_INNER_QUORUM', { memberIds: stranger }, '400 VALIDATION_ERROR', 'actionPayload.memberIds: is not valid'],
    ['TRANSITION_TO_QUORUM_MODE', { now: true }, '400 VALIDATION_ERROR', 'actionPayload.now: is not a field'],
    ['ADD_MEMBER', { name: 'Eve' }, '400 VALIDATION_ERROR', 'actionPayload.publicKey: is needed'],
    [
      'ADD_MEMBER',
      { name: 'Eve', email: 'nobody@example.org' },
      '400 VALIDATION_ERROR',
      'no account with this verified address',
    ],
    [
      'ADD_MEMBER',
      { name: 'Eve', publicKey: `02${'ff'.repeat(32)}` },
      '400 VALIDATION_ERROR',
      'actionPayload.publicKey: is not a public key on secp256k1',
    ],
    [
      'ADD_MEMBER',
      { name: 'Eve', publicKey: key, accountId: stranger },
      '400 VALIDATION_ERROR',
      'actionPayload.accountId: is no active account of this node',
    ],
    ['CUSTOM', { text: 'x'.repeat(16_384) }, '400 VALIDATION_ERROR', 'at most 16384 characters of JSON'],
    ['CUSTOM', { text: '\ud800' }, '400 VALIDATION_ERROR', 'actionPayload: must have well-formed Unicode'],
    ['CUSTOM', { proposerMemberId: stranger }, '403 FORBIDDEN', 'actionPayload.proposerMemberId: must be you'],
    ['NOTHING', {}, '400 VALIDATION_ERROR', 'actionType: must be one of ADD_MEMBER'],
    ['toString', {}, '400 VALIDATION_ERROR', 'actionType: must be one of ADD_MEMBER'],
  ];

  it('says why, and nothing is there then', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann] = scene.people;
    for (const [type, payload, code, message] of cases) {
      const answer = refusal(await proposing(scene, ann!, type, payload));
      expect([type, payload, ...answer]).toEqual([type, payload, code, expect.stringContaining(message)]);
    }
    const future = 'expiresAt: must be in the future, and at most 365 days from now';
    const late = new Date(scene.house.clock.now() + 366 * 86_400_000).toISOString();
    const fields: readonly [object, string][] = [
      [{ description: 'x'.repeat(4097) }, 'description: must be at most 4096 characters'],
      [{ description: '' }, 'description: must not be empty'],
      [{ description: 'bell \u0007' }, 'description: must not contain control characters'],
      [{ expiresAt: '2020-01-01T00:00:00.000Z' }, future],
      [{ expiresAt: new Date(scene.house.clock.now()).toISOString() }, future],
      [{ expiresAt: '2026-02-31T00:00:00.000Z' }, future],
      [{ expiresAt: late }, future],
      [{ attachmentCblId: 'x'.repeat(257) }, 'attachmentCblId: must be at most 256 characters'],
      [{ actionPayload: [] }, 'actionPayload: must be an object'],
    ];
    for (const [more, message] of fields)
      expect([more, ...refusal(await proposing(scene, ann!, 'CUSTOM', {}, more))]).toEqual([
        more,
        '400 VALIDATION_ERROR',
        expect.stringContaining(message),
      ]);
    const longest = { description: 'x'.repeat(4096), attachmentCblId: 'a-block' };
    const most = await proposing(scene, ann!, 'CUSTOM', { text: 'x'.repeat(16_373) }, longest);
    expect(most.body.proposal).toMatchObject(longest);
    expect((await scene.ask('GET', '/proposals')).proposals).toHaveLength(1);
    const { id } = most.body.proposal;
    for (const [more, message] of [
      [{ comment: 'x'.repeat(1025) }, 'comment: must be at most 1024 characters'],
      [{ decision: 'maybe' }, 'decision: must be'],
      [{ signature: 'ab' }, 'signature: must be 128 hex digits'],
    ] as const)
      expect(refusal(await voting(scene, ann!, id, 'approve', more))).toEqual([
        '400 VALIDATION_ERROR',
        expect.stringContaining(message),
      ]);
    expect((await scene.ask('GET', `/proposals/${id}`)).votes).toEqual([]);
  });
});
