// The least that stores an event, in a process of its own, next to which our server is measured: an h3 handler on listhen, which writes the rows that one
// event of our server has, with ids of their own, in one transaction of our store, and answers with the bytes of standard input. Says where it listens.
//   bare-events.ts DATA-FOLDER
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { H3, readBody } from 'h3';
import { silentLog } from '../../src/base/log.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openEngine } from '../../src/node/engine.ts';
import { insertRows, writtenQuery } from '../../src/platform/store/written-query.ts';
import type { Context } from '../../src/service/context.ts';
import { createEvent } from '../../src/services/calendar/events.ts';
import type { Actor } from '../../src/service/actor.ts';
import { memberRow } from './fill-social.ts';
import { listenBare } from './listen-bare.ts';

const DAY = 86_400_000;
const [dataDir = ''] = process.argv.slice(2);
const body = await buffer(process.stdin);
const settings = { flags: { 'data-dir': dataDir }, env: process.env, home: dataDir, cwd: dataDir };
const { config, secrets } = await loadConfig(settings);
const engine = await openEngine(config, secrets, { create: true, log: silentLog });
const store = await storing(engine.context);
const app = new H3();
app.all('/**', async (event) => {
  await readBody(event);
  await store();
  return new Response(body, { status: 201, headers: { 'content-type': 'application/json; charset=utf-8' } });
});
process.stdout.write(`http://127.0.0.1:${await listenBare(app)}\n`);

/** @returns what stores one event more, as our server would have stored it */
async function storing(ctx: Context): Promise<() => Promise<void>> {
  const now = ctx.clock.now();
  const member = memberRow(1, now);
  await insertRows(ctx.db, 'members', [member]);
  const session = { id: 'bench', member_id: member.id, jti_hash: 'bench', sealed_key: null, user_agent: '' };
  await insertRows(ctx.db, 'sessions', [{ ...session, created_at: now, last_used_at: now, expires_at: now + DAY }]);
  const actor = { memberId: member.id, sessionId: 'bench' } as Actor;
  const event = JSON.parse(body.toString()) as Parameters<typeof createEvent>[2];
  await createEvent(ctx, actor, event);
  const object = await ctx.db.selectFrom('calendar_objects').selectAll().executeTakeFirstOrThrow();
  const run = await ctx.db.selectFrom('event_runs').selectAll().executeTakeFirstOrThrow();
  const document = await ctx.db.selectFrom('search_documents').selectAll().executeTakeFirstOrThrow();
  const pending = await ctx.db.selectFrom('search_pending').selectAll().executeTakeFirstOrThrow();
  const take = writtenQuery('update member_storage set bytes = bytes + $1 where member_id = $2');
  const count = writtenQuery('update calendars set change_seq = change_seq + 1, objects = objects + 1 where id = $1');
  let number = 0;
  return async () => {
    number += 1;
    const key = randomBytes(16).toString('hex');
    // Ids begin with their moment, so that rows are added at the end of their index.
    const id = `${Date.now().toString(16).padStart(12, '0')}${key.slice(12)}`;
    const place = { id, number };
    await ctx.store.transaction(async (db) => {
      await db.executeQuery(take(object.bytes, member.id));
      await db.executeQuery(count(object.calendar_id));
      await insertRows(db, 'calendar_objects', [
        { ...object, id, name: `${id}.ics`, uid_key: key, change_seq: number + 1 },
      ]);
      await insertRows(db, 'event_runs', [{ ...run, object_id: id }]);
      await insertRows(db, 'search_documents', [{ ...document, ...place }]);
      await insertRows(db, 'search_pending', [{ ...pending, ...place }]);
    });
  };
}
