// How many messages a second a node takes for its own members, each durable before it is answered, next to a small durable write; and how
// long pages and searches of a large mailbox take. Run after `npm run build`: npx tsx scripts/bench/mail.ts [seconds of each measurement]
// `--messages 1000` makes a small mailbox, which only shows that it works.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, wireRequest } from './load-result.ts';
import { cleanEnvironment, residentMiB, startConclave } from './server-process.ts';
import { program } from './served-node.ts';
import { median, printTable } from './table.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' } },
});
const seconds = Number(positionals[0] ?? 5);
const rounds = Number(values.rounds);
const connections = 32;
const WANTED = 300;

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
const dataDir = join(folder, 'data');
const env = { CONCLAVE_DATA_DIR: dataDir, CONCLAVE_MAIL_DOMAIN: 'bench.example' };
try {
  const { status, stderr } = spawnSync(process.execPath, [program, 'init', '--generate-password', '--if-missing'], {
    env: cleanEnvironment(env),
  });
  if (status !== 0) throw new Error(`conclave init ended with ${status}: ${stderr.toString()}`);
  const rates: Record<'mail' | 'settings', number[]> = { mail: [], settings: [] };
  await using server = await startConclave(dataDir, env);
  const { token, username } = await signIn(server.port);
  const headers = { authorization: `Bearer ${token}` };
  const own = { localPart: username, domain: 'bench.example' };
  const message = { from: own, to: [own], subject: 'A message', textBody: 'word '.repeat(200) };
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

async function signIn(port: number): Promise<{ token: string; username: string }> {
  const note = await readFile(join(dataDir, 'first-administrator.txt'), 'utf8');
  const [username = '', password] = ['username', 'password'].map(
    (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(note)?.[1],
  );
  const answer = await fetch(`http://127.0.0.1:${port}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { data } = (await answer.json()) as { data: { token: string } };
  return { token: data.token, username };
}
