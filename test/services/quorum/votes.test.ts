import { describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { hashOfAction } from '../../../src/crypto/formats/quorum/statements.ts';
import { planJob } from '../../../src/platform/store/jobs/plans.ts';
import type { QuorumVoteRow } from '../../../src/platform/store/tables/quorum.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from './due-jobs.ts';
import { decided, proposed, proposing, refusal, signedVote, voting } from './governing.ts';
import { openQuorum, said, type QuorumScene } from './scene.ts';

/** Puts a vote into the database, as somebody who can write to it would. */
async function forge({ house: { ctx } }: QuorumScene, vote: Partial<QuorumVoteRow>): Promise<void> {
  const row = { comment: null, signed_by: 'member', decision: 'approve', created_at: ctx.clock.now(), ...vote };
  await ctx.db
    .insertInto('quorum_votes')
    .values(row as QuorumVoteRow)
    .execute();
}

describe.each(engines)('votes that are forged in the database on %s', (engine) => {
  it('do not count: wrong signatures, and right ones of other votes', async () => {
    await using scene = await openQuorum(engine, 7);
    scene.willTamper();
    const [ann, bob, cyd, dan, eve, fay, gus] = scene.people;
    const proposal = await proposed(scene, ann!, 'CUSTOM', { a: 1 });
    const other = await proposed(scene, ann!, 'CUSTOM', { a: 2 });
    const forged: readonly Partial<QuorumVoteRow>[] = [
      { voter_id: bob!.id, signature: 'ab'.repeat(64) },
      { voter_id: cyd!.id, signature: signedVote(scene, other, cyd!, 'approve') },
      { voter_id: dan!.id, signature: signedVote(scene, proposal, dan!, 'reject') },
      { voter_id: eve!.id, signature: signedVote(scene, proposal, { ...bob!, id: eve!.id }, 'approve') },
      { voter_id: fay!.id, signature: signedVote(scene, proposal, fay!, 'approve'), comment: 'Not mine' },
      { voter_id: gus!.id, signature: signedVote(scene, proposal, gus!, 'approve'), signed_by: 'account' },
      { voter_id: 'ab'.repeat(12), signature: 'cd'.repeat(64) },
    ];
    for (const vote of forged) await forge(scene, { proposal_id: proposal.id, ...vote });
    const first = await voting(scene, ann!, proposal.id);
    expect(first.body.proposal.status).toBe('pending');
    const { votes, tally } = await scene.ask('GET', `/proposals/${proposal.id}`);
    expect(tally).toMatchObject({ approve: 1, reject: 0 });
    expect(votes.filter((vote: { counts: boolean }) => vote.counts)).toEqual([first.body.vote]);
    expect(votes).toHaveLength(8);
    // A vote of their own takes the place of the forged one.
    expect((await voting(scene, bob!, proposal.id)).body.proposal.status).toBe('executed');
  });

  it('do not reject either', async () => {
    await using scene = await openQuorum(engine, 3);
    scene.willTamper();
    const [ann, bob, cyd] = scene.people;
    const proposal = await proposed(scene, ann!, 'CUSTOM', {});
    for (const person of [bob!, cyd!])
      await forge(scene, {
        proposal_id: proposal.id,
        voter_id: person.id,
        decision: 'reject',
        signature: signedVote(scene, proposal, person, 'approve'),
      });
    expect((await voting(scene, ann!, proposal.id, 'reject')).body.proposal.status).toBe('pending');
  });

  it('do not count with a key that was replaced', async () => {
    await using scene = await openQuorum(engine, 3);
    scene.willTamper();
    const [ann, bob] = scene.people;
    const { db } = scene.house.ctx;
    const proposal = await proposed(scene, ann!, 'CUSTOM', {});
    const keys = generateKeyPair();
    const signature = signedVote(scene, proposal, { id: bob!.id, keys }, 'approve');
    await forge(scene, { proposal_id: proposal.id, voter_id: bob!.id, signature });
    const public_key = Buffer.from(keys.publicKey).toString('hex');
    await db.updateTable('quorum_members').set({ public_key }).where('id', '=', bob!.id).execute();
    expect((await voting(scene, ann!, proposal.id)).body.proposal.status).toBe('pending');
    await db.updateTable('quorum_votes').set({ signed_by: 'account' }).where('voter_id', '=', bob!.id).execute();
    await db.updateTable('members').set({ public_key }).where('id', '=', bob!.memberId).execute();
    expect((await voting(scene, ann!, proposal.id, 'approve', { comment: 'again' })).body.proposal.status).toBe(
      'pending',
    );
  });

  it('do not count for an action that was changed after them', async () => {
    await using scene = await openQuorum(engine, 3);
    scene.willTamper();
    const [ann, bob, cyd] = scene.people;
    const { db } = scene.house.ctx;
    const proposal = await proposed(scene, ann!, 'REMOVE_MEMBER', { memberId: cyd!.id });
    await voting(scene, ann!, proposal.id);
    const payload = { memberId: bob!.id };
    await db
      .updateTable('quorum_proposals')
      .set({ action_payload: JSON.stringify(payload), action_hash: hashOfAction('REMOVE_MEMBER', payload) })
      .where('id', '=', proposal.id)
      .execute();
    expect((await voting(scene, cyd!, proposal.id)).body.proposal.status).toBe('pending');
    // Somebody changes the payload alone: whoever votes, votes on what would be done.
    await db
      .updateTable('quorum_proposals')
      .set({ action_hash: proposal.actionHash })
      .where('id', '=', proposal.id)
      .execute();
    expect((await voting(scene, ann!, proposal.id)).body.proposal).toMatchObject({
      status: 'failed',
      reason: 'The stored action is not the one that was proposed.',
    });
    expect((await scene.ask('GET', '/status')).status.memberCount).toBe(3);
  });
});

describe.each(engines)('the votes of members who were removed on %s', (engine) => {
  it('are dropped, and who came later has none', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cyd] = scene.people;
    const { id } = await proposed(scene, ann!, 'CUSTOM', {});
    await voting(scene, bob!, id);
    await scene.ask('DELETE', `/members/${bob!.id}`);
    const late = await scene.join();
    expect(refusal(await voting(scene, late, id))).toEqual([
      '403 FORBIDDEN',
      'You are not one of those who decide on this proposal.',
    ]);
    expect(said(await voting(scene, bob!, id))).toBe('404 PROPOSAL_NOT_FOUND');
    expect((await voting(scene, ann!, id)).body.proposal.status).toBe('pending');
    const { votes, tally } = await scene.ask('GET', `/proposals/${id}`);
    expect(tally).toMatchObject({ approve: 1, required: 2 });
    expect(tally.electorate).not.toContain(bob!.id);
    const counting = votes.filter((vote: { counts: boolean }) => vote.counts);
    expect(votes).toHaveLength(2);
    expect(counting).toEqual([expect.objectContaining({ voterMemberId: ann!.id })]);
    expect((await voting(scene, cyd!, id)).body.proposal.status).toBe('executed');
  });

  it('may have been what a proposal needed: it is rejected then', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cyd] = scene.people;
    const { id } = await proposed(scene, ann!, 'CUSTOM', {});
    await voting(scene, ann!, id, 'reject');
    expect((await voting(scene, bob!, id, 'reject')).body.proposal.status).toBe('pending');
    await scene.ask('DELETE', `/members/${cyd!.id}`);
    await runDueJobs(scene);
    expect((await scene.ask('GET', `/proposals/${id}`)).proposal).toMatchObject({
      status: 'rejected',
      reason: 'It needs 2 approvals, and at most 1 are possible.',
    });
  });

  it('leave many proposals to look at, each once', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann, bob] = scene.people;
    for (let at = 0; at < 23; at += 1) {
      const { id } = await proposed(scene, ann!, 'CUSTOM', { at });
      await voting(scene, ann!, id, 'reject');
    }
    await scene.join();
    await scene.ask('DELETE', `/members/${bob!.id}`);
    await runDueJobs(scene);
    const { proposals } = await scene.ask('GET', '/proposals?limit=100');
    expect(new Set(proposals.map((one: { status: string }) => one.status))).toEqual(new Set(['rejected']));
    expect(proposals).toHaveLength(23);
    const rejected = scene.house.ctx.db
      .selectFrom('quorum_audit')
      .select('id')
      .where('action', '=', 'PROPOSAL_REJECTED');
    expect(await rejected.execute()).toHaveLength(23);
  });
});

describe.each(engines)('a threshold that changes on %s', (engine) => {
  it('counts for what is pending if it is higher', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cyd] = scene.people;
    const { id } = await proposed(scene, ann!, 'CUSTOM', {});
    await voting(scene, ann!, id);
    expect((await decided(scene, 'CHANGE_THRESHOLD', { threshold: 3 })).status).toBe('executed');
    expect((await voting(scene, bob!, id)).body.proposal.status).toBe('pending');
    expect((await scene.ask('GET', `/proposals/${id}`)).tally.required).toBe(3);
    expect((await voting(scene, cyd!, id)).body.proposal.status).toBe('executed');
  });

  it('lets what waited for that be carried out if it is lowered again', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob] = scene.people;
    const { id } = await proposed(scene, ann!, 'REMOVE_MEMBER', { memberId: scene.people[3]!.id });
    await voting(scene, ann!, id);
    await decided(scene, 'CHANGE_THRESHOLD', { threshold: 3 });
    expect((await voting(scene, bob!, id)).body.proposal.status).toBe('pending');
    expect((await decided(scene, 'CHANGE_THRESHOLD', { threshold: 2 })).status).toBe('executed');
    await runDueJobs(scene);
    expect((await scene.ask('GET', `/proposals/${id}`)).proposal.status).toBe('executed');
    expect((await scene.ask('GET', '/status')).status.memberCount).toBe(3);
  });
});

describe.each(engines)('an execution that fails on %s', (engine) => {
  it('is recorded with its reason, and leaves nothing behind', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, , dan] = scene.people;
    const first = await proposed(scene, ann!, 'REMOVE_MEMBER', { memberId: dan!.id });
    const second = await proposed(scene, ann!, 'REMOVE_MEMBER', { memberId: dan!.id });
    for (const { id } of [first, second]) await voting(scene, ann!, id);
    expect((await voting(scene, bob!, first.id)).body.proposal.status).toBe('executed');
    const failed = await voting(scene, bob!, second.id);
    expect(failed.body.proposal).toMatchObject({
      status: 'failed',
      reason: `The quorum has no member ${dan!.id}.`,
    });
    expect(failed.body.proposal).not.toHaveProperty('executedAt');
    expect((await scene.ask('GET', '/status')).status).toMatchObject({ memberCount: 3, epochNumber: 5 });
    const audit = await scene.house.ctx.db
      .selectFrom('quorum_audit')
      .select(['action', 'details'])
      .where('subject', '=', `proposal/${second.id}`)
      .orderBy('id')
      .execute();
    expect(audit.map(({ action }) => action).toSorted()).toEqual([
      'PROPOSAL_CREATED',
      'PROPOSAL_FAILED',
      'VOTE_CAST',
      'VOTE_CAST',
    ]);
    expect(said(await voting(scene, dan!, second.id))).toBe('404 PROPOSAL_NOT_FOUND');
  });

  it('that the node is to blame for changes nothing, and can be tried again', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann, bob, cyd] = scene.people;
    const { body } = await proposing(scene, ann!, 'REMOVE_MEMBER', { memberId: cyd!.id });
    const { id } = body.proposal;
    await voting(scene, ann!, id);
    scene.house.spoil();
    expect((await voting(scene, bob!, id)).status).toBe(500);
    expect((await scene.ask('GET', `/proposals/${id}`)).votes).toHaveLength(1);
    expect((await voting(scene, bob!, id)).body.proposal.status).toBe('executed');
  });
});

describe.each(engines)('an approval that is written into the database on %s', (engine) => {
  it('is not carried out without the votes', async () => {
    await using scene = await openQuorum(engine, 3);
    scene.willTamper();
    const [ann, bob, cyd] = scene.people;
    const { db, clock } = scene.house.ctx;
    const now = clock.now();
    const proposal = await proposed(scene, ann!, 'REMOVE_MEMBER', { memberId: cyd!.id });
    await voting(scene, ann!, proposal.id);
    const signature = signedVote(scene, proposal, bob!, 'reject');
    await forge(scene, { proposal_id: proposal.id, voter_id: bob!.id, signature });
    // Fewer approvals than the epoch asks for are not enough either.
    const change = { status: 'approved', decided_at: now, executes_at: now, required_threshold: 1 } as const;
    await db.updateTable('quorum_proposals').set(change).where('id', '=', proposal.id).execute();
    await planJob(db, {
      id: `quorum-execution/${proposal.id}`,
      kind: 'quorum-execution',
      payload: { proposalId: proposal.id },
      runAt: now,
      now,
    });
    await runDueJobs(scene);
    expect((await scene.ask('GET', `/proposals/${proposal.id}`)).proposal).toMatchObject({
      status: 'failed',
      reason: 'The signatures of its votes do not approve it.',
    });
    expect((await scene.ask('GET', '/status')).status.memberCount).toBe(3);
  });
});
