import type { Db } from './database.ts';
import type { EventRow } from './tables/events.ts';
import { insertRows, onlyRow, writtenList, writtenQuery } from './written-query.ts';

/** The name of the row that says where new topics begin. */
const NEW_TOPICS = '';
/** How many events of a topic are kept. A client that missed more must read the data itself anew. */
const KEPT_PER_TOPIC = 5_000;
/** A topic is trimmed once in so many events. */
const TRIM_EVERY = 100;
/** SQLite has at most 500 parts in one statement, and lists are filled up to powers of two. */
const TOPICS_AT_ONCE = 256;
/** More events than a topic has between a backup and its restoration. */
const BEYOND_BACKUP = 2 ** 32;

interface Place {
  readonly topic: string;
  readonly now: number;
}

/** An event to be written. */
interface NewEvent {
  readonly name: string;
  /** JSON */
  readonly data: string;
  /** JSON */
  readonly withheld?: string | undefined;
}

const raiseTopic = writtenQuery<{ last_seq: number }>(`
  insert into event_topics (topic, last_seq, touched_at)
  values ($1, (select coalesce(max(start.last_seq), 0) + $2 from event_topics as start where start.topic = '${NEW_TOPICS}'), $3)
  on conflict (topic) do update set last_seq = event_topics.last_seq + $4, touched_at = excluded.touched_at
  returning last_seq`);

/**
 * Writes an event under the next number of its topic, in the transaction of the change that it reports. Of two concurrent writers in one
 * topic the second begins anew after the first. So numbers have no gap, and a reader that sees an event sees all events before it.
 */
export async function addEvent(db: Db, { topic, now, ...event }: NewEvent & Place): Promise<number> {
  const firsts = await addEventsOfEach(db, new Map([[topic, [event]]]), now);
  return firsts.get(topic) ?? 0;
}

// Rows are locked in the order of topics, so that two writers of the same ones wait for each other, and never both. A list may name one twice.
const raiseTopics = writtenList<{ topic: string; last_seq: number }>(
  2,
  (topics) => `
  insert into event_topics (topic, last_seq, touched_at)
  select distinct t.topic, (select coalesce(max(start.last_seq), 0) + cast($1 as bigint) from event_topics as start
    where start.topic = '${NEW_TOPICS}'), cast($2 as bigint)
  from (${topics
    .slice(1, -1)
    .split(', ')
    .map((one, at) => (at === 0 ? `select cast(${one} as text) as topic` : `select ${one}`))
    .join(' union all ')}) as t
  where true order by t.topic
  on conflict (topic) do update set last_seq = event_topics.last_seq + cast($1 as bigint), touched_at = excluded.touched_at
  returning topic, last_seq`,
);

/**
 * The same for several events of each of some topics, as many in each, with as many statements as for one.
 * @param of at most 256 topics
 * @returns the number of the first one in each topic
 */
export async function addEventsOfEach(
  db: Db,
  of: ReadonlyMap<string, readonly NewEvent[]>,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const topics = [...of.keys()];
  const [topic] = topics;
  if (topic === undefined) return new Map();
  if (topics.length > TOPICS_AT_ONCE) throw new RangeError(`at most ${TOPICS_AT_ONCE} topics are written to together`);
  const count = of.get(topic)?.length ?? 0;
  for (const events of of.values())
    if (events.length !== count) throw new Error('topics that are written to together get as many events each');
  const lasts =
    topics.length === 1
      ? new Map([[topic, onlyRow((await db.executeQuery(raiseTopic(topic, count, now, count))).rows).last_seq]])
      : new Map((await db.executeQuery(raiseTopics(topics, count, now))).rows.map((row) => [row.topic, row.last_seq]));
  const firsts = new Map([...lasts].map(([raised, last]) => [raised, last - count + 1]));
  const rows = [...of].flatMap(([name, events]) =>
    events.map((event, at) => eventRow(name, (firsts.get(name) ?? 0) + at, event, now)),
  );
  await insertRows(db, 'events', rows);
  for (const [raised, last] of lasts)
    if (Math.floor(last / TRIM_EVERY) > Math.floor((last - count) / TRIM_EVERY))
      await db
        .deleteFrom('events')
        .where('topic', '=', raised)
        .where('seq', '<=', last - KEPT_PER_TOPIC)
        .execute();
  return firsts;
}

function eventRow(topic: string, seq: number, { name, data, withheld }: NewEvent, now: number): EventRow {
  return { topic, created_at: now, seq, name, data, withheld: withheld ?? null };
}

/** The number of the newest event of a topic; for a topic that had none, the number before its first. */
export async function positionOf(db: Db, topic: string): Promise<number> {
  const rows = await db
    .selectFrom('event_topics')
    .select(['topic', 'last_seq'])
    .where('topic', 'in', [topic, NEW_TOPICS])
    .execute();
  return (rows.find((row) => row.topic === topic) ?? rows[0])?.last_seq ?? 0;
}

/** The events after a number, in order, at most `limit`. Purged events are missing: a gap in `seq` shows this. */
export async function eventsAfter(db: Db, topic: string, seq: number, limit: number): Promise<EventRow[]> {
  return await db
    .selectFrom('events')
    .selectAll()
    .where('topic', '=', topic)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** Topics in which something was published since a time, at most `limit`, the latest first. */
export async function touchedTopics(
  db: Db,
  since: number,
  limit: number,
): Promise<readonly { readonly topic: string; readonly seq: number }[]> {
  return await db
    .selectFrom('event_topics')
    .select(['topic', 'last_seq as seq'])
    .where('touched_at', '>=', since)
    .where('topic', '!=', NEW_TOPICS)
    .orderBy('touched_at', 'desc')
    .limit(limit)
    .execute();
}

const erase = writtenQuery('delete from events where topic = $1');

/** Removes what happened in a topic, for a listener who may not read it any more. The numbers go on. */
export async function eraseEvents(db: Db, topic: string): Promise<void> {
  await db.executeQuery(erase(topic));
}

/** Removes old events, at most `limit`. @returns how many were removed */
export async function purgeEvents(db: Db, before: number, limit: number): Promise<number> {
  const purged = await db
    .deleteFrom('events')
    .where((e) =>
      e(
        e.refTuple('topic', 'seq'),
        'in',
        e
          .selectFrom('events')
          .select(['topic', 'seq'])
          .where('created_at', '<=', before)
          .limit(limit)
          .$asTuple('topic', 'seq'),
      ),
    )
    .executeTakeFirst();
  return Number(purged.numDeletedRows);
}

/**
 * Forgets topics that have no events any more and in which nobody published since a time, at most `limit`. If such a topic comes back, it
 * begins with a number that it never had.
 */
export async function purgeTopics(db: Db, before: number, limit: number): Promise<number> {
  const purged = await db
    .deleteFrom('event_topics')
    .where('topic', 'in', (e) =>
      e
        .selectFrom('event_topics as t')
        .select('t.topic')
        .where('t.touched_at', '<=', before)
        .where('t.topic', '!=', NEW_TOPICS)
        .where((t) => t.not(t.exists(t.selectFrom('events').select('seq').whereRef('events.topic', '=', 't.topic'))))
        .limit(limit),
    )
    .returning('last_seq')
    .execute();
  await raiseStart(db, Math.max(0, ...purged.map((row) => row.last_seq)));
  return purged.length;
}

/** Runs after a restoration, so that no topic reuses a number that clients may have heard for another event. */
export async function forgetEvents(db: Db): Promise<void> {
  const { newest } = await db
    .selectFrom('event_topics')
    .select((e) => e.fn.max<number | null>('last_seq').as('newest'))
    .executeTakeFirstOrThrow();
  await db.deleteFrom('events').execute();
  await db.deleteFrom('event_topics').execute();
  await raiseStart(db, (newest ?? 0) + BEYOND_BACKUP);
}

async function raiseStart(db: Db, seq: number): Promise<void> {
  if (seq === 0) return;
  const start = await positionOf(db, NEW_TOPICS);
  if (start >= seq) return;
  await db.deleteFrom('event_topics').where('topic', '=', NEW_TOPICS).execute();
  await db.insertInto('event_topics').values({ topic: NEW_TOPICS, last_seq: seq, touched_at: 0 }).execute();
}
