import { describe, expect, it } from 'vitest';
import { notificationPreferences } from '../../../src/contract/notifications/preferences.ts';
import { notificationsTopic } from '../../../src/contract/notifications/events.ts';
import { transaction } from '../../../src/service/context.ts';
import { notify, notifyEach, type ManyNotified } from '../../../src/shared/notifications/notify.ts';
import type { House } from '../../support/house.ts';
import { ownStatements } from '../../support/own-statements.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { done } from '../chat/chat-scene.ts';
import { heard } from './notifying.ts';
import { openPushScene, type Scene } from './push-scene.ts';

const HOUR = 3_600_000;

/** Members who want things in different ways, by what they want. */
async function openCast(scene: Scene): Promise<Readonly<Record<string, HouseMember>>> {
  const { house } = scene;
  const cast: Record<string, HouseMember> = {};
  for (const name of ['plain', 'reading', 'pushed', 'silent', 'quiet', 'unwilling', 'outside', 'actor', 'other'])
    cast[name] = await house.register();
  const { pushed, silent, quiet, unwilling, outside } = cast;
  for (const who of [pushed, pushed, outside]) await scene.subscribe(who!);
  await done(house, notificationPreferences.setDoNotDisturb, silent!, { enabled: true });
  const expiresAt = new Date(house.clock.now() + 6 * HOUR).toISOString();
  await done(house, notificationPreferences.setDoNotDisturb, quiet!, { enabled: true, expiresAt });
  const social = { enabled: false, channels: [] };
  await done(house, notificationPreferences.updatePreferences, unwilling!, { categorySettings: { social } });
  await done(house, notificationPreferences.updatePreferences, outside!, { channelSettings: { in_app: false } });
  return cast;
}

/** What is left of telling a cast of something twice, and of it by another one, without what differs by chance. */
async function outcome(
  { house }: Scene,
  cast: Readonly<Record<string, HouseMember>>,
  targetId: string,
  tell: (house: House, ids: readonly string[], about: ManyNotified) => Promise<number>,
) {
  const { db } = house.ctx;
  const ids = Object.values(cast).map(({ memberId }) => memberId);
  const names = new Map(Object.entries(cast).map(([name, { memberId }]) => [memberId, name]));
  const told: number[] = [];
  const say = async (actor: string, content: string, once = false) => {
    const actorId = cast[actor]?.memberId;
    told.push(await tell(house, [...ids, '0'.repeat(24)], { type: 'mention', targetId, actorId, content, once }));
  };
  await say('actor', 'First', true);
  await say('actor', 'Again', true);
  const of = { recipient_id: cast['reading']!.memberId, target_id: targetId };
  await db
    .updateTable('notifications')
    .set({ is_read: 1 })
    .where('recipient_id', '=', of.recipient_id)
    .where('target_id', '=', of.target_id)
    .execute();
  await say('actor', 'Second');
  await say('other', 'Third');
  await say('other', 'Fourth');
  const rows = await db.selectFrom('notifications').selectAll().where('target_id', '=', targetId).execute();
  const actors = await db.selectFrom('notification_actors').selectAll().execute();
  const jobs = await db.selectFrom('jobs').select(['id', 'run_at']).where('kind', '=', 'notification-push').execute();
  const nameIn = (text: string | null) =>
    [...names].reduce((named, [id, name]) => named.replaceAll(id, name), String(text));
  const behind = (id: string) =>
    actors.flatMap(({ notification_id: notice, actor_id: who, content, times }) =>
      notice === id ? [`${nameIn(who)} ${times} ${content}`] : [],
    );
  const shown = rows.map((row) =>
    nameIn(
      JSON.stringify({
        recipient: row.recipient_id,
        read: row.is_read,
        held: row.held,
        count: row.count,
        content: row.content,
        actor: row.actor_id,
        actors: row.actors,
        actorCount: row.actor_count,
        digest: row.digest,
        times: [row.created_at, row.updated_at, row.pushed_at],
        behind: behind(row.id).toSorted(),
        pushes: jobs.filter((job) => job.id.endsWith(`/${row.id}`)).map((job) => job.run_at),
      }),
    ),
  );
  return { told, rows: shown.toSorted().map((row) => JSON.parse(row) as Shown) };
}

interface Shown {
  readonly recipient: string;
  readonly held: number;
  readonly count: number;
  readonly actorCount: number;
  readonly pushes: readonly number[];
}

async function oneByOne({ ctx }: House, ids: readonly string[], about: ManyNotified): Promise<number> {
  return await transaction(ctx, async (tx) => {
    let told = 0;
    for (const recipientId of ids) if ((await notify(tx, { ...about, recipientId })) !== undefined) told += 1;
    return told;
  });
}

async function together({ ctx }: House, ids: readonly string[], about: ManyNotified): Promise<number> {
  return await transaction(ctx, async (tx) => (await notifyEach(tx, ids.toSorted(), about)).length);
}

describe.each(bothEngines)('members who are notified together on %s', (engine) => {
  it('get what each would get alone: groups, what waits, messages to browsers, digests and events', async () => {
    await using scene = await openPushScene(engine);
    const { house } = scene;
    const cast = await openCast(scene);
    const alone = await outcome(scene, cast, 'one', oneByOne);
    const events = (name: string) => heard(house, cast[name]!).map(([type]) => type);
    const [before, digests] = [events('plain'), await digestsOf(house)];
    expect(before).toContain('notification:new');
    expect(await outcome(scene, cast, 'two', together)).toEqual(alone);
    expect(events('plain').slice(before.length)).toEqual(before);
    expect(alone.rows.filter(({ held }) => held === 1).map(({ recipient }) => recipient)).toEqual(['quiet', 'silent']);
    expect(alone.rows.find(({ recipient }) => recipient === 'pushed')?.pushes).toHaveLength(2);
    expect(alone.rows.find(({ recipient }) => recipient === 'plain')).toMatchObject({ count: 4, actorCount: 2 });
    expect(alone.rows.map(({ recipient }) => recipient)).not.toContain('unwilling');
    expect(digests).toContain(`notification-digest/${cast['plain']!.memberId}`);
    expect(await digestsOf(house)).toEqual(digests);
    const waits = await house.ctx.db
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', 'notification-delivery')
      .execute();
    expect(waits).toEqual([{ id: `notification-delivery/${cast['quiet']!.memberId}` }]);
  });

  it('cost as many statements as a few do, and their topics go on in order', async () => {
    await using scene = await openPushScene(engine);
    const { house } = scene;
    const ids: string[] = [];
    while (ids.length < 50) ids.push((await house.register()).memberId);
    const cost = async (some: readonly string[], content: string) => {
      const about: ManyNotified = { type: 'new_message', targetId: 'room', content };
      const work = async () => await together(house, some, about);
      const { result, statements } = await ownStatements(work);
      expect(result).toBe(some.length);
      return statements.length;
    };
    const few = [await cost(ids.slice(0, 2), 'One'), await cost(ids.slice(0, 2), 'Two')];
    expect([await cost(ids.slice(2), 'One'), await cost(ids.slice(2), 'Two')]).toEqual(few);
    expect(Math.max(...few)).toBeLessThan(10);
    const topics = await house.ctx.db
      .selectFrom('events')
      .select(['topic', 'seq'])
      .where('topic', 'like', `${notificationsTopic.kind}:%`)
      .orderBy('topic')
      .orderBy('seq')
      .execute();
    expect(topics).toHaveLength(200);
    for (const id of ids)
      expect(topics.flatMap(({ topic, seq }) => (topic.endsWith(id) ? [seq] : []))).toEqual([1, 2, 3, 4]);
  });
});

async function digestsOf({ ctx }: House): Promise<string[]> {
  const rows = await ctx.db.selectFrom('jobs').select('id').where('kind', '=', 'notification-digest').execute();
  return rows.map(({ id }) => id).toSorted();
}
