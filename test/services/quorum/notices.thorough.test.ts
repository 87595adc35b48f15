import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { linkStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { engines } from '../../support/stores.ts';
import { ask } from '../notifications/notifying.ts';
import { runDueJobs } from './due-jobs.ts';
import { DAY, proposed, proposing, voting } from './governing.ts';
import { confirmed, dealt } from './resharing.ts';
import { openQuorum, type Person, type QuorumScene } from './scene.ts';
import { contributed, opened, sealed } from './sealing.ts';

type Four = [Person, Person, Person, Person];
type Signed = Pick<Person, 'token' | 'memberId'>;

/** Types and contents of what waits for a member, the oldest first. */
async function notices({ house }: QuorumScene, who: Signed): Promise<[type: string, content: string][]> {
  const { notifications } = await ask(house, who, 'GET', '?limit=100');
  return notifications.map(({ type, content }: { type: string; content: string }) => [type, content]).toReversed();
}

async function types(scene: QuorumScene, who: Signed): Promise<string[]> {
  return (await notices(scene, who)).map(([type]) => type);
}

describe.each(engines)('notifications of the quorum on %s', (engine) => {
  it('ask those who decide for their votes, until they have voted', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann, bob, cleo] = scene.people as Four;
    const proposal = await proposed(scene, ann, 'CHANGE_THRESHOLD', { threshold: 3 });
    const wanted = [
      'quorum_vote_wanted',
      'Your vote is wanted on a proposal CHANGE_THRESHOLD: “Please CHANGE_THRESHOLD”',
    ];
    expect(await notices(scene, ann)).toEqual([]);
    expect(await notices(scene, bob)).toEqual([wanted]);
    expect(await notices(scene, cleo)).toEqual([wanted]);
    expect(await notices(scene, scene.administrator)).toEqual([]);
    const [{ actorId, targetId, category }] = (await ask(scene.house, bob, 'GET')).notifications;
    expect([actorId, targetId, category]).toEqual([ann.memberId, proposal.id, 'quorum']);
    scene.house.clock.advance(1);
    await voting(scene, bob, proposal.id, 'abstain');
    expect(await notices(scene, bob)).toEqual([]);
    expect(await notices(scene, cleo)).toEqual([wanted]);
    await voting(scene, ann, proposal.id);
    await voting(scene, bob, proposal.id);
    // Whoever decided by their vote knows.
    const decision = [
      'quorum_decision',
      'The proposal CHANGE_THRESHOLD was approved and carried out: “Please CHANGE_THRESHOLD”',
    ];
    expect(await notices(scene, ann)).toEqual([decision]);
    expect(await notices(scene, bob)).toEqual([]);
    expect(await notices(scene, cleo)).toEqual([decision]);
  });

  it('tell how a proposal ended otherwise', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cleo, dan] = scene.people as Four;
    const rejected = await proposed(scene, ann, 'CUSTOM', { one: 1 });
    for (const person of [bob, cleo, dan]) await voting(scene, person, rejected.id, 'reject');
    const said = 'The proposal CUSTOM was rejected: “Please CUSTOM”';
    expect((await notices(scene, ann)).at(-1)).toEqual(['quorum_decision', said]);
    scene.house.clock.advance(1);
    const cancelled = await proposed(scene, ann, 'CUSTOM', { two: 2 });
    await scene.ask('POST', `/proposals/${cancelled.id}/cancel`, {}, ann.token);
    expect(await types(scene, ann)).toEqual(['quorum_decision']);
    expect((await notices(scene, bob)).at(-1)).toEqual([
      'quorum_decision',
      'The proposal CUSTOM was cancelled: “Please CUSTOM”',
    ]);
    scene.house.clock.advance(1);
    const failing = await proposed(scene, ann, 'REMOVE_MEMBER', { memberId: dan.id });
    await scene.ask('DELETE', `/members/${dan.id}`);
    await voting(scene, ann, failing.id);
    await voting(scene, bob, failing.id);
    expect((await notices(scene, cleo)).at(-1)).toEqual([
      'quorum_decision',
      'The proposal REMOVE_MEMBER was approved and could not be carried out: “Please REMOVE_MEMBER”',
    ]);
    scene.house.clock.advance(1);
    const expiresAt = new Date(scene.house.clock.now() + DAY).toISOString();
    await proposing(scene, ann, 'CUSTOM', { three: 3 }, { expiresAt });
    expect(await types(scene, bob)).toContain('quorum_vote_wanted');
    scene.house.clock.advance(DAY);
    await runDueJobs(scene);
    expect(await types(scene, bob)).not.toContain('quorum_vote_wanted');
    for (const person of [ann, bob, cleo])
      expect((await notices(scene, person)).at(-1)).toEqual([
        'quorum_decision',
        'The proposal CUSTOM found no decision in its time: “Please CUSTOM”',
      ]);
  });

  it('quote one short line of a description', async () => {
    await using scene = await openQuorum(engine, 2);
    const [ann, bob] = scene.people as Four;
    const description = `First line\n\tsecond  line ${'🦊'.repeat(200)}`;
    expect((await proposing(scene, ann, 'CUSTOM', {}, { description })).status).toBe(201);
    const [[, content]] = (await notices(scene, bob)) as [[string, string]];
    expect(content).toMatch(/: “First line second line 🦊+…”$/u);
    expect(content.length).toBeLessThan(260);
  });

  it('ask holders for their shares, until they have given them or the session ends', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cleo, dan] = scene.people as Four;
    const requester = await scene.house.register();
    const sealing = { creatorId: requester.memberId, holders: [ann, bob, cleo] };
    const document = await sealed(scene, sealing);
    const session = await opened(scene, document.id, requester.token);
    const wanted = [
      'quorum_share_wanted',
      `${requester.username} asks for your share to open a document: “We need it”`,
    ];
    for (const person of [ann, bob, cleo]) expect(await notices(scene, person)).toEqual([wanted]);
    expect(await notices(scene, dan)).toEqual([]);
    expect(await notices(scene, requester)).toEqual([]);
    const [{ actorId, targetId }] = (await ask(scene.house, bob, 'GET')).notifications;
    expect([actorId, targetId]).toEqual([requester.memberId, session.id]);
    await contributed(scene, session, bob);
    expect(await notices(scene, bob)).toEqual([]);
    expect(await notices(scene, cleo)).toEqual([wanted]);
    await scene.ask('DELETE', session.path, { outcome: 'cancelled' }, requester.token);
    expect(await notices(scene, cleo)).toEqual([]);

    await opened(scene, document.id, requester.token);
    scene.house.clock.advance(2 * DAY);
    await runDueJobs(scene);
    expect(await notices(scene, ann)).toEqual([]);
    await opened(scene, document.id, requester.token);
    expect(await notices(scene, ann)).toEqual([wanted]);
    await scene.ask('DELETE', `/documents/${document.id}`, undefined, requester.token);
    expect(await notices(scene, ann)).toEqual([]);
    expect(JSON.stringify(await scene.house.ctx.db.selectFrom('events').selectAll().execute())).not.toContain('plans');
  });

  it('ask new holders to confirm, until they have done so or the re-sharing ends', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cleo, dan] = scene.people as Four;
    const { id: documentId } = await sealed(scene, { holders: [ann, bob, cleo] });
    const ticket = await dealt(scene, { documentId, dealer: ann, givers: [ann, bob], to: [ann, bob, dan] });
    const content = `${ann.username} has shared a document anew. Confirm that your new share is readable.`;
    const wanted = ['quorum_confirmation_wanted', content];
    // The session of the re-sharing is over, so nobody is asked for a share any more.
    expect(await notices(scene, cleo)).toEqual([]);
    expect(await notices(scene, bob)).toEqual([wanted]);
    expect(await notices(scene, dan)).toEqual([wanted]);
    await confirmed(scene, ticket, bob);
    expect(await notices(scene, bob)).toEqual([]);
    expect(await notices(scene, dan)).toEqual([wanted]);
    await confirmed(scene, ticket, ann);
    expect(await notices(scene, dan)).toEqual([]);

    const second = await dealt(scene, { documentId, dealer: ann, givers: [ann, bob], to: [ann, dan] });
    expect(await notices(scene, dan)).toEqual([wanted]);
    await scene.ask('DELETE', `/documents/${documentId}/reshares/${second.reshareId}`, undefined, ann.token);
    expect(await notices(scene, dan)).toEqual([]);
  });

  it('tell creators that a holder was removed, once for all documents, until they are shared anew', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cleo, dan] = scene.people as Four;
    const creator = await scene.house.register();
    const sealing = { creatorId: creator.memberId, holders: [ann, bob, dan] };
    const first = await sealed(scene, sealing);
    const second = await sealed(scene, sealing);
    await sealed(scene, { creatorId: cleo.memberId, holders: [ann, bob] });
    await scene.ask('DELETE', `/members/${dan.id}`);
    const many = '2 documents of yours have a holder who is no member of the quorum any more. Share them anew.';
    expect(await notices(scene, creator)).toEqual([['quorum_holders_changed', many]]);
    expect(await notices(scene, cleo)).toEqual([]);
    const ticket = await dealt(scene, { documentId: first.id, dealer: ann, givers: [ann, bob], to: [ann, bob, cleo] });
    await confirmed(scene, ticket, ann);
    await confirmed(scene, ticket, bob);
    expect(await types(scene, creator)).toEqual(['quorum_holders_changed']);
    await scene.ask('DELETE', `/documents/${second.id}`, undefined, creator.token);
    expect(await notices(scene, creator)).toEqual([]);

    await scene.ask('DELETE', `/members/${cleo.id}`);
    const one = 'A document of yours has a holder who is no member of the quorum any more. Share it anew.';
    expect(await notices(scene, creator)).toEqual([['quorum_holders_changed', one]]);
    const again = { name: 'Cleo', publicKey: toHex(cleo.keys.publicKey) };
    await scene.ask('POST', '/members', again);
    expect(await notices(scene, creator)).toEqual([]);
  });

  it('are taken from former members, but for those about documents of their own', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cleo, dan] = scene.people as Four;
    const own = await sealed(scene, { creatorId: dan.memberId, holders: [ann, cleo, dan] });
    await opened(scene, (await sealed(scene)).id);
    await dealt(scene, { documentId: own.id, dealer: ann, givers: [ann, cleo], to: [ann, bob, dan] });
    const decided = await proposed(scene, ann, 'CUSTOM', {});
    for (const person of [ann, bob]) await voting(scene, person, decided.id);
    await proposed(scene, ann, 'CUSTOM', { more: 1 });
    expect((await types(scene, dan)).toSorted()).toEqual([
      'quorum_confirmation_wanted',
      'quorum_decision',
      'quorum_share_wanted',
      'quorum_vote_wanted',
    ]);
    await scene.ask('DELETE', `/members/${dan.id}`);
    expect(await types(scene, dan)).toEqual(['quorum_holders_changed']);
    const topic = `notifications:${dan.memberId}`;
    const told = await scene.house.ctx.db.selectFrom('events').select('data').where('topic', '=', topic).execute();
    expect(JSON.stringify(told)).not.toContain('CUSTOM');
  });

  it('are taken from an account when another is linked to its member', async () => {
    await using scene = await openQuorum(engine, 2);
    const [ann, bob] = scene.people as Four;
    const other = await scene.house.register();
    await proposed(scene, bob, 'CUSTOM', {});
    expect(await types(scene, ann)).toEqual(['quorum_vote_wanted']);
    const { nodeId } = scene.house.ctx.keys;
    const statement = linkStatement({ nodeId, memberId: ann.id, accountId: other.memberId });
    const signature = toHex(sign(ann.keys.privateKey, statement));
    await scene.ask('POST', `/members/${ann.id}/link`, { signature }, other.token);
    expect(await notices(scene, ann)).toEqual([]);
    await proposed(scene, bob, 'CUSTOM', { more: 1 });
    expect(await notices(scene, ann)).toEqual([]);
    expect(await types(scene, other)).toEqual(['quorum_vote_wanted']);
  });

  it('come with what happened or not at all, and only to those who want them', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cleo, dan] = scene.people as Four;
    const quorum = { enabled: false, channels: [] };
    await ask(scene.house, bob, 'PUT', '/preferences', { categorySettings: { quorum } });
    await ask(scene.house, dan, 'POST', '/preferences/dnd', { enabled: true });
    const proposal = await proposed(scene, ann, 'CHANGE_THRESHOLD', { threshold: 3 });
    expect(await notices(scene, bob)).toEqual([]);
    expect(await notices(scene, dan)).toEqual([]);
    expect(await types(scene, cleo)).toEqual(['quorum_vote_wanted']);
    scene.house.spoil();
    expect((await voting(scene, cleo, proposal.id)).status).toBe(500);
    expect(await types(scene, cleo)).toEqual(['quorum_vote_wanted']);
    await voting(scene, cleo, proposal.id);
    await voting(scene, ann, proposal.id);
    // What was wanted while Dan was not to be disturbed is not wanted any more.
    await ask(scene.house, dan, 'POST', '/preferences/dnd', { enabled: false });
    expect(await types(scene, dan)).toEqual(['quorum_decision']);
    expect(await notices(scene, bob)).toEqual([]);
  });
});
