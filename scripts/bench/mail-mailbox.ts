// How long pages and searches of a large mailbox take over HTTP, next to a small read. Run after `npm run build`:
// npx tsx scripts/bench/mail-mailbox.ts [--messages 100000] [--rounds 15] [--store <folder that keeps the mailbox for another run>]
// Few messages only show that it works.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillMail, filled } from './fill-mail.ts';
import { initMail, signIn, type SignedIn } from './mail-store.ts';
import { startConclave } from './server-process.ts';
import { median, printTable } from './table.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '15' },
    store: { type: 'string' },
  },
});
const messages = Number(values.messages);
const rounds = Number(values.rounds);
const most = { page: 30, search: 50 };

interface Asked {
  readonly what: string;
  readonly kind: keyof typeof most;
  readonly query: Readonly<Record<string, string | number>>;
  /** all folders instead of the inbox */
  readonly everywhere?: true;
  /** how many messages there are by what was filled in, where it is known */
  readonly total?: number;
}

const at = (part: number): string => new Date(filled.moment(Math.floor(messages * part))).toISOString();
const pages = [
  ['first page', 1],
  ['middle page', Math.ceil(messages / 100)],
  ['last page', Math.ceil(messages / 50)],
] as const;
const filters: readonly (readonly [string, Record<string, string>])[] = [
  ['since the middle', { dateFrom: at(0.5) }],
  ['until the middle', { dateTo: at(0.5) }],
  ['between two dates', { dateFrom: at(0.4), dateTo: at(0.6) }],
  ['unread', { readStatus: 'unread' }],
  ['read', { readStatus: 'read' }],
  ['of a sender', { senderAddress: filled.sender }],
  ['with attachments', { hasAttachments: 'true' }],
  ['without attachments', { hasAttachments: 'false' }],
  ['flagged', { flagged: 'true' }],
  ['with a label', { label: filled.label }],
  ['unread with a label', { label: filled.label, readStatus: 'unread' }],
  ['unread with attachments since the middle', { readStatus: 'unread', hasAttachments: 'true', dateFrom: at(0.5) }],
];
const sorts = ['date', 'sender', 'subject', 'size'] as const;
const directions = ['desc', 'asc'] as const;
const { frequent, another, single } = filled.words;
const rare = single(Math.floor(messages / 3) | 1);

const asked: Asked[] = [
  ...sorts.flatMap((sortBy) =>
    directions.flatMap((sortDirection) =>
      pages.map(([name, page]): Asked => ({
        what: `${name} by ${sortBy}, ${sortDirection}`,
        kind: 'page',
        query: { sortBy, sortDirection, page },
        total: messages,
      })),
    ),
  ),
  ...filters.flatMap(([name, filter]) =>
    sorts.map((sortBy): Asked => ({ what: `${name} by ${sortBy}`, kind: 'page', query: { ...filter, sortBy } })),
  ),
  ...sorts.flatMap((sortBy) =>
    pages.map(([name, page]): Asked => ({
      what: `${name} of all folders by ${sortBy}`,
      kind: 'page',
      query: { sortBy, page },
      everywhere: true,
      total: messages,
    })),
  ),
  {
    what: 'middle page with a label',
    kind: 'page',
    query: { label: filled.label, page: Math.ceil(messages / 1000) },
  },
  { what: 'a word of one message', kind: 'search', query: { searchText: rare }, total: 1 },
  { what: 'a word of every second message', kind: 'search', query: { searchText: frequent } },
  { what: 'its second page by subject', kind: 'search', query: { searchText: frequent, page: 2, sortBy: 'subject' } },
  { what: 'two frequent words', kind: 'search', query: { searchText: `${frequent} ${another}` } },
  { what: 'a frequent word and a rare one', kind: 'search', query: { searchText: `${frequent} ${rare}` } },
  {
    what: 'a frequent word, unread with attachments',
    kind: 'search',
    query: { searchText: frequent, readStatus: 'unread', hasAttachments: 'true' },
  },
  { what: 'a word that nobody wrote', kind: 'search', query: { searchText: 'nobodywroteit' }, total: 0 },
];

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
try {
  const dataDir = values.store ?? join(folder, 'data');
  const isThere = existsSync(dataDir);
  const env = initMail(dataDir);
  if (!isThere) await fillMail(dataDir, messages);
  await using server = await startConclave(dataDir, env);
  const member = await signIn(server.port, dataDir);
  const [small] = await timed(member, ['/api/user/verify']);
  const paths = asked.map(
    ({ query, everywhere }) =>
      `/api/emails/${everywhere ? 'messages' : 'inbox'}?${new URLSearchParams(textOf(query)).toString()}`,
  );
  for (const [index, path] of paths.entries()) await check(member, path, asked[index]?.total);
  const times = await timed(member, paths);
  const lines = asked.map(({ what, kind }, index) => ({ what, kind, ms: times[index] ?? Number.NaN }));
  printTable(
    ['', 'ms', 'ratio to a small read', 'wanted', ''],
    lines.map(({ what, kind, ms }) => [
      what,
      ms.toFixed(1),
      (ms / (small ?? Number.NaN)).toFixed(1),
      `< ${most[kind]} ms`,
      ms < most[kind] ? 'ok' : 'MISSED',
    ]),
  );
  if (lines.some(({ kind, ms }) => !(ms < most[kind]))) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function textOf(query: Asked['query']): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

async function ask({ base, headers }: SignedIn, path: string): Promise<unknown> {
  const answer = await fetch(base + path, { headers });
  const body: unknown = await answer.json();
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(body)}`);
  return body;
}

/** A list that finds nothing is quick too. */
async function check(member: SignedIn, path: string, wanted?: number): Promise<void> {
  const { data } = (await ask(member, path)) as { data: { total: number; emails: unknown[] } };
  if (wanted === undefined ? data.total === 0 : data.total !== wanted)
    throw new Error(`${path} found ${data.total} messages instead of ${wanted ?? 'some'}`);
  if (data.total > 0 && data.emails.length === 0) throw new Error(`${path} shows none of ${data.total} messages`);
}

/** @returns for each path the median of the milliseconds; they are asked in turns, so that a slow moment of the machine is shared */
async function timed(member: SignedIn, paths: readonly string[]): Promise<number[]> {
  const times = paths.map((): number[] => []);
  for (let round = -1; round < rounds; round += 1)
    for (const [index, path] of paths.entries()) {
      const began = performance.now();
      await ask(member, path);
      if (round >= 0) times[index]?.push(performance.now() - began);
    }
  return times.map(median);
}
