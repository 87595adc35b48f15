import { createInterface } from 'node:readline';
import { transaction } from '../../../src/service/context.ts';
import { drop, publish } from '../../../src/platform/realtime/publish.ts';
import { openPostgresDatabase } from '../../../src/platform/store/postgres/postgres-database.ts';
import { hearingOn, listenerOf } from './hearing.ts';
import { sampleEvents } from './sample-topic.ts';

/** A process on a shared store: it says what a listener of its hears, and publishes what it is told to, line by line. */
const say = (what: unknown): unknown => process.stdout.write(`${JSON.stringify(what)}\n`);
const store = await openPostgresDatabase(process.env['TEST_DATABASE'] ?? '');
const { hub, ctx } = hearingOn(store);
await hub.followOthers();
const listener = { ...listenerOf('child'), send: (text: string) => void process.stdout.write(`${text}\n`) };
await hub.topics.subscribe(listener, 'rooms:1');
say({ type: 'here' });
for await (const line of createInterface({ input: process.stdin })) {
  const [what, number] = JSON.parse(line) as [string, number];
  // Dies when it is committed and nobody was told.
  if (what === 'die') Object.assign(ctx, { realtime: { ...hub, deliver: () => process.kill(process.pid, 'SIGKILL') } });
  if (what === 'type') await publish(ctx, 'rooms:1', sampleEvents.typing, { username: 'child' });
  else
    await transaction(ctx, async (tx) => {
      if (what === 'drop') await drop(tx, 'rooms:1', ['ann']);
      await publish(tx, 'rooms:1', sampleEvents.said, { number });
    });
  say({ type: 'done' });
}
