// How many messages a second a node takes for its own members, each durable before it is answered, next to a small durable write.
// Run after `npm run build`: npx tsx scripts/bench/mail.ts [seconds of each measurement] [--rounds 3]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, wireRequest } from './load-result.ts';
import { addMember, domain, initMail, signIn } from './mail-store.ts';
import { residentMiB, startConclave } from './server-process.ts';
import { median, printTable } from './table.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' } },
});
const seconds = Number(positionals[0] ?? 5);
const rounds = Number(values.rounds);
const connections = 32;
const WANTED = 300;
const reader = { localPart: 'reader', domain };

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const dataDir = join(folder, 'data');
try {
  const env = initMail(dataDir);
  addMember(env, reader.localPart);
  const rates: Record<'mail' | 'settings', number[]> = { mail: [], settings: [] };
  await using server = await startConclave(dataDir, env);
  const { headers, username } = await signIn(server.port, dataDir);
  const own = { localPart: username, domain };
  const message = { from: own, to: [reader], subject: 'A message', textBody: 'word '.repeat(200) };
  const kinds: Record<'mail' | 'settings', { request: string; status: 200 | 201 }> = {
    mail: { request: wireRequest('POST', '/api/emails', headers, JSON.stringify(message)), status: 201 },
    settings: { request: wireRequest('POST', '/api/user/settings', headers, '{"darkMode":true}'), status: 200 },
  };
  // The first round is for V8 to compile what is hot.
  for (let round = -1; round < rounds; round += 1)
    for (const name of ['mail', 'settings'] as const) {
      const { request, status: success } = kinds[name];
      const { perSecond } = await load({ port: server.port, request, status: success, connections, seconds });
      if (round >= 0) rates[name].push(perSecond);
    }
  const [mail, settings] = [median(rates.mail), median(rates.settings)];
  const memory = await residentMiB(server.pid);
  printTable(
    ['', 'measured', 'ratio to a small write', 'wanted', ''],
    [
      [
        `1 KiB to a member, ${connections} connections`,
        `${mail.toFixed(0)}/s (a small write ${settings.toFixed(0)}/s), ${memory.toFixed(0)} MiB`,
        (mail / settings).toFixed(3),
        `≥ ${WANTED}/s`,
        mail >= WANTED ? 'ok' : 'MISSED',
      ],
    ],
  );
  if (mail < WANTED) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
