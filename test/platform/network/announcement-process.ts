import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { fromHex, systemRandom } from '../../../src/crypto/bytes.ts';
import { openAnnouncements } from '../../../src/platform/network/announcements.ts';
import { rememberAdmission } from '../../../src/platform/network/admission.ts';
import { defaultLimits } from '../../../src/platform/network/limits.ts';
import { createGossipMetrics } from '../../../src/platform/network/metrics.ts';
import { openTopics } from '../../../src/platform/network/topics.ts';
import { silentLog } from '../../../src/base/log.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import { slowly } from '../../support/real-time.ts';

// A node that is killed. It hands out what an earlier process left, takes the envelopes that its input names, and handles as many
// announcements as it may; the others of this life are never done. It says what became of each envelope, and each announcement it handled.

interface Setup {
  readonly dataDir: string;
  readonly url?: string;
  readonly secret: string;
  /** announcements that this life handles */
  readonly handles: number;
}

const setup = JSON.parse(process.argv[2] ?? '') as Setup;
const say = (what: string): void => void process.stdout.write(`${what}\n`);
const store = await openDatabase({ dataDir: setup.dataDir, url: setup.url, create: true, migrate: true });
await sql`create table if not exists test_handled (what text not null)`.execute(store.db);
const policy = { isAdmitted: () => Promise.resolve(true), members: () => Promise.resolve([]) };
let left = setup.handles;
const receive = async ({ payload }: { readonly payload: unknown }): Promise<void> => {
  if ((left -= 1) < 0) await new Promise(() => undefined);
  await sql`insert into test_handled (what) values (${String(payload)})`.execute(store.db);
  say(`handled ${String(payload)}`);
};
const announcements = await openAnnouncements(
  { store, clock: Date, random: systemRandom, log: silentLog, keys: deriveNodeKeys(fromHex(setup.secret)) },
  defaultLimits,
  {
    admission: rememberAdmission(policy, Date),
    metrics: createGossipMetrics(),
    topics: openTopics(new Map([['test', { receive, topic: {} }]]), defaultLimits),
    publish: () => undefined,
  },
);
createInterface({ input: process.stdin }).on('line', (hex) => {
  void (async () => {
    const checked = await announcements.check(fromHex(hex), 'reconciled');
    say(typeof checked === 'string' ? checked : `recorded ${await announcements.accept(checked)}`);
  })();
});
// As the network does it.
for (;;) {
  await announcements.handOutAgain();
  await slowly(200);
}
