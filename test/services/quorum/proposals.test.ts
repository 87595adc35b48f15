import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfAction } from '../../../src/crypto/formats/quorum/statements.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from './due-jobs.ts';
import { DAY, decided, proposed, proposing, refusal, signedVote, voting } from './governing.ts';
import { openQuorum, said, type QuorumScene } from './scene.ts';

describe.each(engines)('a proposal on %s', (engine) => {
  let scene: QuorumScene;
  beforeAll(async () => {
    scene = await openQuorum(engine, 4);
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const status = async (id: string) => (await scene.ask('GET', `/proposals/${id}`)).proposal.status;

  it('is made by a member, decided by votes, and carried out by the one that decides', async () => {
    const [ann, bob, cyd] = scene.people;
    const payload = { colour: 'green', doors: [1, 2] };
    const proposal = await proposed(scene, ann!, 'CUSTOM', { ...payload, proposerMemberId: ann!.id });
    expect(proposal).toMatchObject({
      description: 'Please CUSTOM',
      actionType: 'CUSTOM',
      actionPayload: payload,
      actionHash: hashOfAction('CUSTOM', payload),
      proposerMemberId: ann!.id,
      status: 'pending',
      requiredThreshold: 2,
      epochNumber: 4,
    });
    expect(proposal.actionPayload).not.toHaveProperty('proposerMemberId');
    const first = await voting(scene, bob!, proposal.id, 'approve', { comment: 'Nice' });
    expect(first.body).toMatchObject({
      message: 'Vote cast',
      proposal: { status: 'pending' },
      vote: { proposalId: proposal.id, voterMemberId: bob!.id, decision: 'approve', comment: 'Nice', counts: true },
    });
    const shown = await scene.ask('GET', `/proposals/${proposal.id}`, undefined, cyd!.token);
    expect(shown.votes).toEqual([first.body.vote]);
    expect(shown.tally).toMatchObject({ approve: 1, reject: 0, abstain: 0, required: 2 });
    expect(shown.tally.electorate).toEqual(scene.people.map(({ id }) => id).toSorted());
    const second = await voting(scene, cyd!, proposal.id);
    expect(second.body.proposal).toMatchObject({ status: 'executed' });
    expect(second.body.proposal.executedAt).toBe(second.body.proposal.decidedAt);
    const late = await voting(scene, ann!, proposal.id);
    expect(refusal(late)).toEqual([
      '409 PROPOSAL_DECIDED',
      'The proposal is executed. Make a new one if it is needed again.',
    ]);
  });

  it('takes one vote a member, which can be changed while it is pending', async () => {
    const [ann, bob, cyd, dan] = scene.people;
    const { id } = await proposed(scene, ann!, 'CUSTOM', {});
    for (const decision of ['approve', 'reject', 'abstain', 'reject'] as const)
      expect((await voting(scene, bob!, id, decision)).body.proposal.status).toBe('pending');
    expect((await voting(scene, cyd!, id, 'reject')).body.proposal.status).toBe('pending');
    const { votes, tally } = await scene.ask('GET', `/proposals/${id}`);
    expect(votes.map((vote: { decision: string }) => vote.decision)).toEqual(['reject', 'reject']);
    expect(tally).toMatchObject({ approve: 0, reject: 2 });
    await voting(scene, bob!, id, 'approve');
    expect((await voting(scene, dan!, id)).body.proposal.status).toBe('executed');
  });

  it('is rejected as soon as it cannot pass any more', async () => {
    const [ann, bob, cyd, dan] = scene.people;
    const { id } = await proposed(scene, ann!, 'CUSTOM', {});
    await voting(scene, ann!, id, 'abstain');
    await voting(scene, bob!, id, 'reject');
    await voting(scene, cyd!, id, 'reject');
    expect(await status(id)).toBe('pending');
    expect((await voting(scene, dan!, id, 'reject')).body.proposal).toMatchObject({
      status: 'rejected',
      reason: 'It needs 2 approvals, and at most 1 are possible.',
    });
    expect(said(await voting(scene, ann!, id))).toBe('409 PROPOSAL_DECIDED');
  });

  it('expires, and takes no vote after that even if no job has run', async () => {
    const [ann, bob] = scene.people;
    const expiresAt = new Date(scene.house.clock.now() + 1000).toISOString();
    const { body } = await proposing(scene, ann!, 'CUSTOM', {}, { expiresAt });
    await voting(scene, ann!, body.proposal.id);
    scene.house.clock.advance(1000);
    expect(refusal(await voting(scene, bob!, body.proposal.id))).toEqual([
      '409 PROPOSAL_DECIDED',
      'The proposal is expired. Make a new one if it is needed again.',
    ]);
    await runDueJobs(scene);
    const shown = await scene.ask('GET', `/proposals/${body.proposal.id}`);
    expect(shown.proposal).toMatchObject({ status: 'expired' });
    expect(shown.votes).toHaveLength(1);
  });

  it('is cancelled by its proposer alone, while it is pending', async () => {
    const [ann, bob] = scene.people;
    const { id } = await proposed(scene, ann!, 'CUSTOM', {});
    const cancel = async (token: string) => await scene.call('POST', `/proposals/${id}/cancel`, {}, token);
    const onlyProposer = ['403 FORBIDDEN', 'Only the proposer can cancel a proposal.'];
    expect(refusal(await cancel(bob!.token))).toEqual(onlyProposer);
    expect(refusal(await cancel(scene.administrator.token))).toEqual(onlyProposer);
    expect((await cancel(ann!.token)).body.proposal.status).toBe('cancelled');
    expect(said(await cancel(ann!.token))).toBe('409 PROPOSAL_DECIDED');
    expect(said(await voting(scene, bob!, id))).toBe('409 PROPOSAL_DECIDED');
    const jobs = await scene.house.ctx.db.selectFrom('jobs').select('id').where('id', 'like', `%${id}`).execute();
    expect(jobs).toEqual([]);
  });

  it('is listed newest first, by status', async () => {
    const ids: string[] = [];
    for (let left = 3; left > 0; left -= 1) {
      scene.house.clock.advance(1);
      ids.unshift((await proposed(scene, scene.people[0]!, 'CUSTOM', { left })).id);
    }
    const first = await scene.ask('GET', '/proposals?status=pending&limit=2');
    expect(first.proposals.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    const rest = await scene.ask('GET', `/proposals?status=pending&cursor=${first.cursor}`);
    expect(rest.proposals[0].id).toBe(ids[2]);
    const executed = await scene.ask('GET', '/proposals?status=executed');
    expect(new Set(executed.proposals.map((one: { status: string }) => one.status))).toEqual(new Set(['executed']));
    expect(said(await scene.call('GET', '/proposals?status=open'))).toBe('400 VALIDATION_ERROR');
  });

  it('is for members and administrators alone', async () => {
    const stranger = await scene.house.register();
    const { id } = await proposed(scene, scene.people[0]!, 'CUSTOM', {});
    const { token } = stranger;
    expect(refusal(await scene.call('GET', '/proposals', undefined, token))).toEqual([
      '403 FORBIDDEN',
      'This is for active members of the quorum.',
    ]);
    const unknown = refusal(await scene.call('GET', `/proposals/${'0'.repeat(32)}`));
    expect(unknown).toEqual(['404 PROPOSAL_NOT_FOUND', 'There is no such proposal.']);
    expect(refusal(await scene.call('GET', `/proposals/${id}`, undefined, token))).toEqual(unknown);
    expect(refusal(await voting(scene, stranger, id))).toEqual(unknown);
    expect(refusal(await scene.call('POST', `/proposals/${id}/cancel`, {}, token))).toEqual(unknown);
    expect(said(await proposing(scene, stranger, 'CUSTOM', {}))).toBe('403 FORBIDDEN');
    // An administrator sees all of it and decides nothing.
    expect((await scene.call('GET', `/proposals/${id}`)).status).toBe(200);
    expect(said(await voting(scene, scene.administrator, id))).toBe('403 FORBIDDEN');
    expect(said(await proposing(scene, scene.administrator, 'CUSTOM', {}))).toBe('403 FORBIDDEN');
  });

  it('is voted on with the key of the member as well, over exactly what is voted on', async () => {
    const [ann, bob, cyd] = scene.people;
    const proposal = await proposed(scene, ann!, 'CUSTOM', { a: 1 });
    const other = await proposed(scene, ann!, 'CUSTOM', { a: 2 });
    const vote = async (signature: string, more: object = {}) =>
      await voting(scene, bob!, proposal.id, 'approve', { signature, ...more });
    const wrong = '400 INVALID_SIGNATURE';
    expect(said(await vote(signedVote(scene, other, bob!, 'approve')))).toBe(wrong);
    expect(said(await vote(signedVote(scene, proposal, bob!, 'reject')))).toBe(wrong);
    expect(said(await vote(signedVote(scene, proposal, cyd!, 'approve')))).toBe(wrong);
    expect(said(await vote(signedVote(scene, proposal, { ...cyd!, id: bob!.id }, 'approve')))).toBe(wrong);
    expect(said(await vote(signedVote(scene, proposal, bob!, 'approve'), { comment: 'Other' }))).toBe(wrong);
    expect((await scene.ask('GET', `/proposals/${proposal.id}`)).votes).toEqual([]);
    const right = await vote(signedVote(scene, proposal, bob!, 'approve', 'Yes'), { comment: 'Yes' });
    expect(right.body.vote).toMatchObject({ signedBy: 'member', counts: true });
    const bySession = await voting(scene, cyd!, proposal.id);
    expect(bySession.body).toMatchObject({ vote: { signedBy: 'account' }, proposal: { status: 'executed' } });
  });

  it('needs a key that signs: a session without one brings the signature', async () => {
    const [ann, bob] = scene.people;
    const proposal = await proposed(scene, ann!, 'CUSTOM', {});
    await scene.house.ctx.db
      .updateTable('sessions')
      .set({ sealed_key: null })
      .where('member_id', '=', bob!.memberId)
      .execute();
    expect(said(await voting(scene, bob!, proposal.id))).toBe('403 KEY_LOCKED');
    const signature = signedVote(scene, proposal, bob!, 'approve');
    expect((await voting(scene, bob!, proposal.id, 'approve', { signature })).status).toBe(200);
  });

  it('that was decided stays decided when it is read again', async () => {
    const proposal = await decided(scene, 'CUSTOM', { last: true }, [scene.people[0]!, scene.people[2]!]);
    expect(proposal.status).toBe('executed');
    scene.house.clock.advance(30 * DAY);
    await runDueJobs(scene);
    const token = await scene.house.signIn(scene.administrator);
    const { proposal: later } = await scene.ask('GET', `/proposals/${proposal.id}`, undefined, token);
    expect(later).toEqual(proposal);
  });
});
