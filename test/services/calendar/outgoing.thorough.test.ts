import { describe, expect, it } from 'vitest';
import { events } from '../../../src/contract/calendar/events.ts';
import { invitations } from '../../../src/contract/calendar/invitations.ts';
import { calendarLimits } from '../../../src/contract/calendar/limits.ts';
import { outgoingHandler } from '../../../src/services/calendar/invitations/outgoing-job.ts';
import { bothEngines } from '../../support/stores.ts';
import { openRelayScene, type RelayScene } from './relay-scene.ts';

const times = { dtstart: '2026-03-23T09:00:00', dtend: '2026-03-23T10:00:00', tzid: 'Europe/Berlin' };

async function invite({ done, ann }: RelayScene, summary: string, ...emails: string[]) {
  const attendees = emails.map((email) => ({ email }));
  return (await done(events.createEvent, ann, { summary, ...times, attendees })).event;
}

async function failures({ house: { ctx }, ann }: RelayScene): Promise<(string | null)[][]> {
  const rows = await ctx.db
    .selectFrom('notifications')
    .select(['recipient_id', 'target_id', 'content'])
    .where('type', '=', 'email_failed')
    .orderBy('id')
    .execute();
  expect(rows.every((row) => row.recipient_id === ann.memberId)).toBe(true);
  return rows.map((row) => [row.target_id, row.content]);
}

async function waiting({ house: { ctx } }: RelayScene): Promise<number> {
  return (await ctx.db.selectFrom('calendar_outgoing').select('id').execute()).length;
}

describe.each(bothEngines)('mails about events on %s', (engine) => {
  it('that do not open keep back none behind them, and their sender hears of it', async () => {
    await using scene = await openRelayScene(engine);
    const { db } = scene.house.ctx;
    const bad = await invite(scene, 'Bad', 'eve@far.example', 'fay@far.example');
    await db
      .updateTable('calendar_outgoing')
      .set({ sealed: new Uint8Array(64) })
      .execute();
    scene.house.clock.advance(1);
    await invite(scene, 'Good', 'gus@far.example');
    await scene.mailed();
    expect((await scene.read()).map(({ subject }) => subject)).toEqual(['Invitation: Good']);
    expect(await failures(scene)).toEqual([
      [bad.id, expect.stringContaining('Your invitation did not reach eve@far.example, fay@far.example: it could not')],
    ]);
    expect(await waiting(scene)).toBe(0);
  });

  it('that cannot be sent because the storage of the sender is full are told to the sender, and stop nobody', async () => {
    await using scene = await openRelayScene(engine);
    const { ann, bob, done, house } = scene;
    const { db } = house.ctx;
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@far.example`);
    const plan = await invite(scene, 'Plan', ...many);
    const theirs = await done(events.createEvent, bob, {
      summary: 'Theirs',
      ...times,
      attendees: [{ email: 'eve@far.example' }],
    });
    const full = { bytes: 2 ** 50 };
    await db.updateTable('member_storage').set(full).where('member_id', '=', ann.memberId).execute();
    await scene.mailed();
    expect((await scene.read()).map(({ subject }) => subject)).toEqual([`Invitation: ${theirs.event.summary}`]);
    expect(await failures(scene)).toEqual([
      [
        plan.id,
        'Your invitation did not reach a@far.example, b@far.example, c@far.example and 2 more: your storage is full. Delete what you do not need, and tell them again.',
      ],
    ]);
    // With room again the next ones go.
    await db.updateTable('member_storage').set({ bytes: 0 }).where('member_id', '=', ann.memberId).execute();
    await done(events.updateEvent, ann, { id: plan.id, location: 'Garden' });
    await scene.mailed();
    expect(scene.relay.taken.flatMap(({ to }) => to)).toHaveLength(1 + many.length);
    expect(await waiting(scene)).toBe(0);
  });

  it('that fail for reasons that nobody knows are tried again, and given up for those behind them', async () => {
    await using scene = await openRelayScene(engine);
    const { house, ann } = scene;
    await invite(scene, 'Odd', 'eve@far.example');
    house.clock.advance(1);
    await invite(scene, 'Good', 'gus@far.example');
    house.clock.advance(31_000);
    const sent: string[] = [];
    const handle = outgoingHandler(house.ctx, async (_, __, { subject, before }) => {
      if (subject.endsWith('Odd')) throw new Error('odd');
      sent.push(subject);
      await before(house.ctx);
    });
    const run = async (attempt: number, signal = new AbortController().signal) =>
      await handle({ memberId: ann.memberId }, { id: '', attempt, signal, finish: async () => undefined });
    await expect(run(1)).rejects.toThrow('odd');
    expect([sent, await waiting(scene)]).toEqual([[], 2]);
    await expect(run(1, AbortSignal.abort())).rejects.toThrow('abort');
    await run(3);
    expect([sent, await waiting(scene)]).toEqual([['Invitation: Good'], 0]);
    expect(await failures(scene)).toHaveLength(1);
  });

  it('are one row for all changes of an event within half a minute, and never more rows than events', async () => {
    await using scene = await openRelayScene(engine);
    const { ann, done } = scene;
    const { id } = await invite(scene, 'Plan', 'eve@far.example', 'fay@far.example');
    for (let change = 0; change < 20; change += 1)
      await done(events.updateEvent, ann, { id, summary: `Plan ${change}` });
    expect(await waiting(scene)).toBe(1);
    await done(events.deleteEvent, ann, { id });
    expect(await waiting(scene)).toBe(1);
    await scene.mailed();
    expect((await scene.read()).map(({ subject }) => subject)).toEqual(['Cancelled: Plan 19', 'Cancelled: Plan 19']);
  });

  it('and proposals have a limit for each event, which the last proposal of each person counts to', async () => {
    await using scene = await openRelayScene(engine);
    const { ann, bob, cleo, done, house } = scene;
    const attendees = [bob, cleo].map(({ memberId: userId }) => ({ userId }));
    const { event } = await done(events.createEvent, ann, { summary: 'Plan', ...times, attendees });
    const { db } = house.ctx;
    const wanted = { proposedStart: '2026-03-23T15:00:00', proposedEnd: '2026-03-23T16:00:00' };
    const proposalOf = async (who: typeof bob) => {
      const { invitations: all } = await done(invitations.listInvitations, who, {});
      return { eventId: all[0]!.eventId, ...wanted };
    };
    const [ofBob, ofCleo] = [await proposalOf(bob), await proposalOf(cleo)];
    await done(invitations.counter, bob, ofBob);
    const first = await db.selectFrom('calendar_proposals').selectAll().executeTakeFirstOrThrow();
    const others = Array.from({ length: calendarLimits.proposals - 1 }, (_, at) => ({
      ...first,
      id: at.toString(16).padStart(32, '0'),
      party_key: at.toString(16).padStart(32, '0'),
    }));
    for (const row of others) await db.insertInto('calendar_proposals').values(row).execute();
    expect(await scene.refused(invitations.counter, cleo, ofCleo)).toBe('429 RATE_LIMITED');
    // Whoever has one there replaces it.
    await done(invitations.counter, bob, ofBob);
    const rows = await db.selectFrom('calendar_proposals').select('id').where('object_id', '=', event.id).execute();
    expect(rows).toHaveLength(calendarLimits.proposals);
    await db.updateTable('calendar_proposals').set({ status: 'declined' }).where('id', '=', others[0]!.id).execute();
    await done(invitations.counter, cleo, ofCleo);
  });
});
