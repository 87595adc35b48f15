import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { linkStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from './due-jobs.ts';
import { DAY, proposed, voting } from './governing.ts';
import { openHeardQuorum, type Listening } from './hearing.ts';
import { confirmed, dealt } from './resharing.ts';
import type { Person } from './scene.ts';
import { contributed, opened, sealed } from './sealing.ts';

type Four = [Person, Person, Person, Person];

const personal = ({ memberId }: { readonly memberId: string }) => `quorum-member:${memberId}`;

describe.each(engines)('events of the quorum on %s', (engine) => {
  it('tell members of proposals, votes and epochs, and nobody else', async () => {
    await using setting = await openHeardQuorum(engine, 3);
    const { scene, topic, listen } = setting;
    const [ann, bob] = scene.people as Four;
    const stranger = await scene.house.register();
    expect((await listen(stranger.memberId, { [topic]: undefined })).refused).toEqual([topic]);
    expect((await listen(scene.administrator.memberId, { [topic]: 0 })).refused).toEqual([topic]);
    const hearing = await listen(ann.memberId, { [topic]: undefined });
    const other = 'quorum:0123456789012345678901234567890123456789';
    expect((await listen(ann.memberId, { [other]: 0, quorum: 0, 'quorum:': 0 })).refused).toHaveLength(3);

    const proposal = await proposed(scene, ann, 'CHANGE_THRESHOLD', { threshold: 3 });
    await voting(scene, ann, proposal.id);
    await voting(scene, bob, proposal.id, 'reject');
    await voting(scene, bob, proposal.id);
    const about = { proposalId: proposal.id, actionType: 'CHANGE_THRESHOLD', proposerMemberId: ann.id };
    const more = { epochNumber: 3, requiredThreshold: 2, expiresAt: proposal.expiresAt };
    expect(await hearing.heard(6)).toEqual([
      ['quorum:proposal', { ...about, ...more, status: 'pending' }],
      ['quorum:vote', { proposalId: proposal.id, voterMemberId: ann.id, decision: 'approve' }],
      ['quorum:vote', { proposalId: proposal.id, voterMemberId: bob.id, decision: 'reject' }],
      ['quorum:vote', { proposalId: proposal.id, voterMemberId: bob.id, decision: 'approve' }],
      ['quorum:epoch', { epochNumber: 4, mode: 'bootstrap', threshold: 3, memberCount: 3 }],
      ['quorum:proposal', { ...about, ...more, status: 'executed' }],
    ]);
    // Whoever was away hears the same, and not what the text of a proposal says.
    const resumed = await listen(bob.memberId, { [topic]: 3 });
    expect(await resumed.heard(6)).toEqual(await hearing.heard(6));
    expect(JSON.stringify(hearing.listener.heard)).not.toContain('Please');
  });

  it('tell of nothing that an execution did before it failed', async () => {
    await using setting = await openHeardQuorum(engine, 3);
    const { scene, topic, listen } = setting;
    const [ann, bob, cleo] = scene.people as Four;
    const proposal = await proposed(scene, ann, 'REMOVE_MEMBER', { memberId: cleo.id });
    await scene.ask('DELETE', `/members/${cleo.id}`);
    const hearing = await listen(ann.memberId, { [topic]: undefined });
    await voting(scene, ann, proposal.id);
    await voting(scene, bob, proposal.id);
    const names = (await hearing.heard(3)).map(([name, { status }]) => [name, status]);
    expect(names).toEqual([
      ['quorum:vote', undefined],
      ['quorum:vote', undefined],
      ['quorum:proposal', 'failed'],
    ]);
  });

  it('end with the membership, and what was told before is not told to a former member', async () => {
    await using setting = await openHeardQuorum(engine, 3);
    const { scene, topic, hub, listen } = setting;
    const [ann, bob, cleo] = scene.people as Four;
    const document = await sealed(scene);
    await opened(scene, document.id);
    const own = personal(cleo);
    const hearing = await listen(cleo.memberId, { [topic]: undefined, [own]: 0 });
    expect((await hearing.heard(1))[0]![0]).toBe('quorum:unseal-requested');
    expect(hub.topics.subscriptionsOf(hearing.listener)).toBe(2);
    await scene.ask('DELETE', `/members/${cleo.id}`);
    expect(hub.topics.subscriptionsOf(hearing.listener)).toBe(0);
    await proposed(scene, ann, 'CUSTOM', {});
    const again = await listen(cleo.memberId, { [topic]: 0, [own]: 0 });
    expect(again.refused).toEqual([topic]);
    // A topic of one's own is not refused, but it has forgotten what a member was asked.
    expect(again.listener.heard.map(({ type }) => type)).toEqual(['resync']);
    expect(hearing.listener.heard).toHaveLength(1);
    const rows = await scene.house.ctx.db.selectFrom('events').select('name').where('topic', '=', own).execute();
    expect(rows.map(({ name }) => name)).not.toContain('quorum:unseal-requested');
    expect((await listen(bob.memberId, { [topic]: 0 })).refused).toEqual([]);
  });

  it('end for an account when another is linked to its member', async () => {
    await using setting = await openHeardQuorum(engine, 2);
    const { scene, topic, hub, listen } = setting;
    const [ann] = scene.people as Four;
    const other = await scene.house.register();
    const hearing = await listen(ann.memberId, { [topic]: undefined });
    const { nodeId } = scene.house.ctx.keys;
    const statement = linkStatement({ nodeId, memberId: ann.id, accountId: other.memberId });
    const signature = toHex(sign(ann.keys.privateKey, statement));
    await scene.ask('POST', `/members/${ann.id}/link`, { signature }, other.token);
    expect(hub.topics.subscriptionsOf(hearing.listener)).toBe(0);
    expect((await listen(ann.memberId, { [topic]: 0 })).refused).toEqual([topic]);
    expect((await listen(other.memberId, { [topic]: 0 })).refused).toEqual([]);
  });

  it('tell holders who asks for a share, and the requester who gave one', async () => {
    await using setting = await openHeardQuorum(engine, 4);
    const { scene, listen } = setting;
    const [ann, bob, cleo, dan] = scene.people as Four;
    const requester = await scene.house.register();
    const { id: target } = await sealed(scene, { creatorId: requester.memberId, holders: [ann, bob, cleo] });
    const topicOf = async (who: { memberId: string }) => await listen(who.memberId, { [personal(who)]: 0 });
    const [toAnn, toDan, toRequester] = [await topicOf(ann), await topicOf(dan), await topicOf(requester)];
    expect((await listen(bob.memberId, { [personal(ann)]: 0 })).refused).toEqual([personal(ann)]);

    const session = await opened(scene, target, requester.token);
    const { id: sessionId, expiresAt } = session;
    const place = { sessionId, documentId: target };
    const asked = { ...place, purpose: 'unseal', reason: 'We need it', requesterId: requester.memberId, expiresAt };
    expect(await toAnn.heard(1)).toEqual([['quorum:unseal-requested', asked]]);
    await contributed(scene, session, bob);
    await contributed(scene, session, cleo);
    const contribution = { ...place, sharesRequired: 2 };
    expect(await toRequester.heard(2)).toEqual([
      ['quorum:contribution', { ...contribution, memberId: bob.id, contributed: 1 }],
      ['quorum:contribution', { ...contribution, memberId: cleo.id, contributed: 2 }],
    ]);
    await scene.ask('DELETE', session.path, { outcome: 'completed' }, requester.token);
    const ended = ['quorum:session-ended', { ...place, purpose: 'unseal', status: 'completed' }];
    expect((await toAnn.heard(2))[1]).toEqual(ended);
    expect((await toRequester.heard(3))[2]).toEqual(ended);

    await opened(scene, target, requester.token);
    scene.house.clock.advance(2 * DAY);
    await runDueJobs(scene);
    expect((await toAnn.heard(4))[3]![1]['status']).toBe('expired');
    expect((await toRequester.heard(4))[3]![1]['status']).toBe('expired');
    expect(toDan.listener.heard).toEqual([]);
  });

  it('tell new holders what to confirm, and everybody concerned how a re-sharing ends', async () => {
    await using setting = await openHeardQuorum(engine, 4);
    const { scene, listen } = setting;
    const [ann, bob, cleo, dan] = scene.people as Four;
    const creator = await scene.house.register();
    const { id: documentId } = await sealed(scene, { creatorId: creator.memberId, holders: [ann, bob, cleo] });
    const topicOf = async (who: { memberId: string }) => await listen(who.memberId, { [personal(who)]: 0 });
    const [toAnn, toCleo] = [await topicOf(ann), await topicOf(cleo)];
    const [toDan, toCreator] = [await topicOf(dan), await topicOf(creator)];
    const waiting = await opened(scene, documentId, creator.token);
    const ticket = await dealt(scene, { documentId, dealer: ann, givers: [ann, bob], to: [ann, bob, dan] });
    const about = { reshareId: ticket.reshareId, documentId };
    const names = async (listening: Listening, count: number) => (await listening.heard(count)).map(([name]) => name);
    expect(await toDan.heard(1)).toMatchObject([
      ['quorum:confirmation-wanted', { ...about, requesterId: ann.memberId, sharesRequired: 2 }],
    ]);
    expect((await names(toCleo, 3)).slice(1)).toEqual(['quorum:unseal-requested', 'quorum:session-ended']);
    await confirmed(scene, ticket, bob);
    await confirmed(scene, ticket, dan);
    const one = { ...about, sharesRequired: 2 };
    const byAnn = (await toAnn.heard(10)).slice(-4);
    expect(byAnn).toMatchObject([
      ['quorum:confirmation', { ...one, memberId: bob.id, confirmed: 1 }],
      ['quorum:confirmation', { ...one, memberId: dan.id, confirmed: 2 }],
      ['quorum:session-ended', { sessionId: waiting.id, status: 'cancelled' }],
      ['quorum:reshared', { ...about, generation: 2 }],
    ]);
    expect(await names(toDan, 2)).toEqual(['quorum:confirmation-wanted', 'quorum:reshared']);
    expect(await names(toCreator, 2)).toEqual(['quorum:session-ended', 'quorum:reshared']);
    expect((await toCleo.heard(4))[3]).toMatchObject(['quorum:session-ended', { sessionId: waiting.id }]);

    const second = await dealt(scene, { documentId, dealer: ann, givers: [ann, bob], to: [ann, dan] });
    await opened(scene, documentId, creator.token);
    await scene.ask('DELETE', `/documents/${documentId}`, undefined, creator.token);
    const ended = { reshareId: second.reshareId, documentId, status: 'cancelled' };
    expect((await toDan.heard(8)).slice(-3)).toMatchObject([
      ['quorum:unseal-requested', {}],
      ['quorum:reshare-ended', ended],
      ['quorum:session-ended', { status: 'cancelled' }],
    ]);
    expect(await names(toCleo, 4)).not.toContain('quorum:confirmation-wanted');
  });
});
