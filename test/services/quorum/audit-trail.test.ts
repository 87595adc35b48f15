import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { DAY, decided, proposed, proposing, voting } from './governing.ts';
import { openQuorum, said, type QuorumScene } from './scene.ts';
import { sealedFor } from './sealing.ts';
import { runDueJobs } from './due-jobs.ts';

describe.each(engines)('the audit trail on %s', (engine) => {
  let scene: QuorumScene;
  beforeAll(async () => {
    scene = await openQuorum(engine, 3);
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  it('shows what happened, newest first, with the place of each record in the ledger', async () => {
    const { ask, people, administrator, house } = scene;
    const { records } = await ask('GET', '/audit');
    expect(records.map(({ action, subject }: Record<string, string>) => [action, subject])).toEqual(
      people.toReversed().map(({ id }) => ['MEMBER_ADDED', `member/${id}`]),
    );
    expect(records[0]).toMatchObject({
      actorId: administrator.memberId,
      details: { memberId: people[2]!.id, epoch: 3 },
      timestamp: new Date(house.clock.now()).toISOString(),
    });
    for (const { blockHeight, ledgerEntryHash } of records) {
      const answer = await house.api('GET', `/ledger/entries?from=${blockHeight}&limit=1`);
      expect(answer.body.entries[0]).toMatchObject({ index: blockHeight, leafHash: ledgerEntryHash });
      expect(JSON.parse(answer.body.entries[0].entry)).toMatchObject({ type: 'QUORUM_AUDIT' });
    }
  });

  it('is filtered by subject, action and time, and comes in pages', async () => {
    const { ask, people, house } = scene;
    const start = new Date(house.clock.now()).toISOString();
    house.clock.advance(1_000);
    const later = new Date(house.clock.now()).toISOString();
    const proposal = await decided(scene, 'CUSTOM', { colour: 'green' }, people.slice(0, 2));
    const actions = async (query: string) =>
      (await ask('GET', `/audit?${query}`)).records.map(({ action }: { action: string }) => action);
    expect(await actions(`subject=proposal/${proposal.id}`)).toEqual([
      'PROPOSAL_EXECUTED',
      'VOTE_CAST',
      'VOTE_CAST',
      'PROPOSAL_CREATED',
    ]);
    expect(await actions('action=VOTE_CAST')).toEqual(['VOTE_CAST', 'VOTE_CAST']);
    expect(await actions(`from=${later}`)).toHaveLength(4);
    expect(await actions(`to=${later}&from=${start}`)).toHaveLength(3);
    expect(await actions(`to=${start}`)).toEqual([]);
    const first = await ask('GET', '/audit?limit=5');
    const second = await ask('GET', `/audit?limit=5&cursor=${first.cursor}`);
    expect([first.hasMore, second.hasMore, first.records.length + second.records.length]).toEqual([true, false, 7]);
    for (const time of ['yesterday', '2026-01-01T00:00:00-23', '2026-02-31T00:00:00Z'])
      expect(said(await scene.call('GET', `/audit?from=${time}`))).toBe('400 VALIDATION_ERROR');
  });

  it('and the metrics are for members and administrators alone', async () => {
    const stranger = await scene.house.register();
    for (const path of ['/audit', '/metrics']) {
      expect([path, said(await scene.call('GET', path, undefined, stranger.token))]).toEqual([path, '403 FORBIDDEN']);
      expect([path, said(await scene.call('GET', path, undefined, scene.people[0]!.token))]).toEqual([
        path,
        '200 success',
      ]);
      expect([path, (await scene.call('GET', path, undefined, '')).status]).toEqual([path, 401]);
    }
  });
});

describe.each(engines)('the metrics of the quorum on %s', (engine) => {
  it('are nothing before the first member', async () => {
    await using scene = await openQuorum(engine, 0);
    expect((await scene.ask('GET', '/metrics')).metrics).toEqual({
      proposals: { total: 0, pending: 0 },
      votes: { total: 0, latencyMs: 0 },
      members: { active: 0 },
      epoch: { current: 0 },
      redistribution: { progress: 1, failures: 0 },
      expiration: { lastRun: null, expiredTotal: 0 },
      documents: { total: 0, holdersChanged: 0, outOfReach: 0 },
    });
  });

  it('count proposals, votes, documents and what expired', async () => {
    await using scene = await openQuorum(engine, 4);
    const { house, people, ask } = scene;
    const [ada, ben, cy, dan] = people as [
      (typeof people)[0],
      (typeof people)[0],
      (typeof people)[0],
      (typeof people)[0],
    ];
    const creatorId = ada.memberId;
    for (const holders of [
      [ada, ben],
      [ada, ben, dan],
      [ada, dan],
    ])
      await sealedFor(scene, { creatorId, holders });
    const proposal = await proposed(scene, ada, 'CUSTOM', {});
    const later = new Date(house.clock.now() + 30 * DAY).toISOString();
    expect((await proposing(scene, cy, 'CUSTOM', {}, { expiresAt: later })).status).toBe(201);
    house.clock.advance(1_000);
    await voting(scene, ada, proposal.id);
    house.clock.advance(2_000);
    await voting(scene, ben, proposal.id, 'reject');
    await ask('DELETE', `/members/${dan.id}`);
    house.clock.advance(8 * DAY);
    await runDueJobs(scene);
    const expired = house.clock.now();
    const token = await house.signIn(scene.administrator);
    const { metrics } = await ask('GET', '/metrics', undefined, token);
    expect(metrics).toEqual({
      proposals: { total: 2, pending: 1 },
      votes: { total: 2, latencyMs: 2_000 },
      members: { active: 3 },
      epoch: { current: 5 },
      redistribution: { progress: 1 / 3, failures: 0 },
      expiration: { lastRun: new Date(expired).toISOString(), expiredTotal: 1 },
      documents: { total: 3, holdersChanged: 2, outOfReach: 1 },
    });
  });
});
