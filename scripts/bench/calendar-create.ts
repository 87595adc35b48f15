// How many events a second a server creates over 32 connections, each durable before it is answered, next to a bare server that writes the same rows. Run
// after `npm run build` on a machine that does nothing else:
// npx tsx scripts/bench/calendar-create.ts [--rounds 7] [--events 4000] [--engine sqljs] [--small]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inTurns, median, ownFolder, ratioOf, report, settings } from './harness.ts';
import { load } from './load.ts';
import { cleanEnvironment, initStore, signIn, startConclave, startEngine, startServer } from './server.ts';
import { wireRequest } from './wire.ts';

const { rounds, events, engine } = settings({ rounds: 7, events: 4_000, engine: 'sqljs' }, { rounds: 1, events: 320 });
const connections = 32;
const bareEvents = fileURLToPath(new URL('bare-events.ts', import.meta.url));
const event = {
  summary: 'Meeting about something',
  location: 'Room 4',
  dtstart: '2026-03-02T10:00:00',
  dtstartTzid: 'Europe/Berlin',
  duration: 'PT1H',
};

await using folder = await ownFolder();
await using database = await startEngine(engine);
await using bareDatabase = await startEngine(engine);
const dataDir = join(folder.path, 'data');
const env = initStore(dataDir, database.env);
await using server = await startConclave(dataDir, { ...env, CONCLAVE_RATE_LIMITS: 'off' });
const admin = await signIn(server.port, dataDir);
const answer = await admin.ask('POST', '/api/cal/events', event);
const { event: made } = (await answer.json()) as { event: { calendarId: string } };
const given = JSON.stringify({ ...event, calendarId: made.calendarId });

const bareFolder = join(folder.path, 'bare');
await mkdir(bareFolder);
const line = [process.execPath, '--import', 'tsx', bareEvents, bareFolder] as const;
await using bare = await startServer(line, cleanEnvironment(bareDatabase.env), JSON.stringify(event));

/** @returns events a second */
async function creating(port: number): Promise<number> {
  const one = wireRequest('POST', '/api/cal/events', admin.headers, given);
  const request = Array.from({ length: events }, () => one);
  return (await load({ port, connections, request, status: 201 })).perSecond;
}

const rates = await inTurns(rounds, {
  ours: async () => await creating(server.port),
  bare: async () => await creating(bare.port),
});
report(`Events over ${connections} connections on ${engine}`, [
  {
    what: 'events, durable',
    value: median(rates.ours),
    unit: '/s',
    nextTo: `the same rows bare, ${median(rates.bare).toFixed(0)}/s`,
    ratio: ratioOf(rates.ours, rates.bare),
    ratioAtLeast: 0.7,
  },
]);
