// How long a program waits for what has changed in a calendar: 10 changes among 50,000 events, next to the same in a calendar with as many
// events as have changed.
// npx tsx scripts/bench/dav.ts [--events 50000] [--changes 10] [--rounds 31] [--small]
import { inTurns, median, ratioOf, report, settings } from './harness.ts';
import { startNode } from '../../test/support/running-node.ts';
import type { Context } from '../../src/service/context.ts';
import type { CalendarObjectRow } from '../../src/platform/store/tables/calendars.ts';
import { insertRows, writtenQuery } from '../../src/platform/store/written-query.ts';

const { events, changes, rounds } = settings(
  { events: 50_000, changes: 10, rounds: 31 },
  { events: 2_000, changes: 10, rounds: 3 },
);
const BOUND_MS = 20;

const node = await startNode();
const headers = { 'content-type': 'application/json' };
const member = { username: 'ada', email: 'ada@x.test', password: 'seven green bottles' };
const registered = await node.fetch('/api/user/register', { method: 'POST', headers, body: JSON.stringify(member) });
const { token } = ((await registered.json()) as { data: { token: string } }).data;
const made = await node.fetch('/api/user/app-passwords', {
  method: 'POST',
  headers: { ...headers, authorization: `Bearer ${token}` },
  body: JSON.stringify({ name: 'Bench', scopes: ['calendar'] }),
});
const { password } = (await made.json()) as { password: string };
const authorization = `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`;
const { context } = node.engine;

interface Filled {
  readonly path: string;
  readonly id: string;
  readonly since: string;
}

/** A calendar with so many events: the first one is stored by a program, and the others are its row under other names. */
async function fill(name: string, count: number): Promise<Filled> {
  const row = await context.db
    .selectFrom('members')
    .select('id')
    .where('username', '=', 'ada')
    .executeTakeFirstOrThrow();
  const path = `/dav/calendars/${row.id}/${name}/`;
  await ask('MKCALENDAR', path);
  await change(path, 0, 'first');
  const first = await context.db
    .selectFrom('calendar_objects')
    .selectAll()
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  const copy = (at: number): CalendarObjectRow => {
    const id = at.toString(16).padStart(8, '0') + first.id.slice(8);
    return { ...first, id, name: `copy-${at}.ics`, uid_key: id, change_seq: at };
  };
  for (let from = 2; from <= count; from += 500)
    await context.store.transaction(async (db) => {
      for (let at = from; at < Math.min(count + 1, from + 500); at += 10)
        await insertRows(
          db,
          'calendar_objects',
          Array.from({ length: Math.min(10, count + 1 - at) }, (_, more) => copy(at + more)),
        );
    });
  await counted(context, first.calendar_id, count);
  const since = /<d:sync-token>([^<]*)/.exec(await ask('PROPFIND', path, { depth: '0' }, propfind))?.[1] ?? '';
  for (let at = 0; at < changes; at += 1) await change(path, at, 'changed');
  return { path, id: first.calendar_id, since };
}

const set = writtenQuery('update calendars set change_seq = $1, objects = $2 where id = $3');
async function counted(ctx: Context, id: string, count: number): Promise<void> {
  await ctx.db.executeQuery(set(count, count, id));
}

const propfind = '<d:propfind xmlns:d="DAV:"><d:prop><d:sync-token/></d:prop></d:propfind>';

async function ask(method: string, path: string, more: Record<string, string> = {}, body?: string): Promise<string> {
  const request = { method, headers: { authorization, ...more }, ...(body !== undefined && { body }) };
  const answer = await node.fetch(path, request);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return await answer.text();
}

async function change(path: string, at: number, summary: string): Promise<void> {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//x//y//EN',
    'BEGIN:VEVENT',
    `UID:${at}@bench`,
    'DTSTAMP:20260101T000000Z',
    'DTSTART:20260102T100000Z',
    'DTEND:20260102T110000Z',
    `SUMMARY:${summary}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ];
  await ask('PUT', `${path}${at}.ics`, { 'content-type': 'text/calendar' }, lines.join('\r\n'));
}

async function sync({ path, since }: Filled): Promise<void> {
  const body = `<d:sync-collection xmlns:d="DAV:"><d:sync-token>${since}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`;
  const found = (await ask('REPORT', path, { depth: '0' }, body)).match(/<d:getetag>/g)?.length;
  if (found !== changes) throw new Error(`${found} changes instead of ${changes}`);
}

const large = await fill('large', events);
const small = await fill('small', changes);
const took = await inTurns(
  rounds,
  { large: async () => await sync(large), small: async () => await sync(small) },
  { warmUps: 3 },
);
const [ofLarge, ofSmall] = [median(took.large), median(took.small)];
// Of the program and the server, which are one process: it says the same on a machine that does something else.
const worked: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const before = process.cpuUsage();
  await sync(large);
  const { user, system } = process.cpuUsage(before);
  worked.push((user + system) / 1000);
}
report(`What has changed in a calendar, medians of ${rounds}`, [
  {
    what: `${changes} changes among ${events} events`,
    value: ofLarge,
    unit: 'ms',
    nextTo: `among few, ${ofSmall.toFixed(2)} ms`,
    ratio: ratioOf(took.large, took.small),
    atMost: BOUND_MS,
    ratioAtMost: 3,
  },
  { what: 'the same, time of processors', value: median(worked), unit: 'ms', atMost: BOUND_MS },
]);
await node[Symbol.asyncDispose]();
