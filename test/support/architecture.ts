import type { Import, SourceFile } from './source-files.ts';
import { domains, zoneOf } from './zones.ts';

/** What every service and shared room may import: the contract's types, the store, cryptography, and the ports of the context. */
const everyRoom = [
  'actor',
  'config?',
  'context',
  'contract?',
  'crypto',
  'escaped-markup',
  'exact-time',
  'network?',
  'iso-time',
  'json-text',
  'log?',
  'workers',
  'one-file',
  'outbound',
  'problem',
  'problem-codes?',
  'raw-bodies?',
  'realtime',
  'repeats',
  'scheduled',
  'store',
  'vault-names',
  'whole-number',
];

/**
 * Who may import whom. A name is a folder of src or of a grouping, or a file there without its ending; `name?` allows types alone,
 * `name()` allows types and import() alone. Everybody may import from the folder that they are in.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  bin: ['cli', 'dist'],
  commands: [
    'cli',
    'client',
    'contract',
    'problem',
    'vault-names',
    'config()',
    'engine()',
    'log-lines()',
    'listeners()',
  ],

  // What stands on nothing
  contract: [],
  crypto: ['whole-number'],
  'whole-number': [],
  'json-text': ['problem'],
  'escaped-markup': [],
  'exact-time': [],
  'iso-time': ['exact-time'],
  'vault-names': ['contract?'],
  'service-parts': [
    'actor?',
    'config?',
    'context?',
    'contract?',
    'network?',
    'ledger?',
    'notifications?',
    'raw-bodies?',
    'realtime?',
    'smtp?',
    'store?',
  ],
  // The one list of services: it loads what it names when that is needed.
  services: ['contract', 'service-parts', 'settings', 'members', 'notifications', 'realtime', ...domains],
  // What each service lets an operator configure
  settings: [...domains, 'notifications'],
  'raw-bodies': [],
  pieces: [],
  'given-pieces': [],
  problem: ['contract?', 'problem-codes?'],
  'problem-codes': ['contract'],
  log: [],
  version: ['package.json'],
  'log-fields': ['problem'],
  'log-lines': ['log', 'log-fields'],
  actor: ['contract?', 'problem'],
  context: ['config?', 'network?', 'ledger?', 'log?', 'notifications?', 'workers?', 'outbound?', 'realtime?', 'store?'],
  'heavy-work': ['context?', 'problem'],
  workers: ['built-folder', 'heavy-work', 'one-file', 'problem', 'problem-codes?'],
  // Requests to servers whose addresses strangers gave
  outbound: ['whole-number'],
  'one-file': ['problem'],
  'built-folder': ['one-file'],
  // The program of every thread: what each of them can do is loaded where it is asked for.
  worker: ['workers', 'http', 'attachments', 'members', 'filevault', 'mail', 'passvault', 'quorum', 'group-keys'],
  'progress-board': ['context?'],
  repeats: ['context'],
  scheduled: ['context', 'store'],

  // The command line
  // What anybody can check of a ledger needs nothing but its bytes.
  cli: [
    'one-file',
    'vault-names',
    'whole-number',
    'iso-time',
    'client',
    'config',
    'contract',
    'problem',
    'problem-codes?',
    'node?',
    'ledger()',
  ],
  // In local mode it opens the engine, and copies, restores and migrates a store that no engine may have open.
  client: [
    'json-text',
    'whole-number',
    'contract',
    'problem',
    'problem-codes()',
    'crypto',
    'config',
    'engine()',
    'log-lines()',
    'node()',
    'store?',
  ],

  // What browsers get. No other folder imports it, and of ours it may have what needs no Node.
  'share-page': ['whole-number'],

  listeners: [
    'attachments',
    'built-folder',
    'workers',
    'group-keys',
    'whole-number',
    'engine',
    'service-parts?',
    'http',
    'realtime',
    'smtp',
    'store',
    'config',
    'context',
    'network',
    'ledger',
    'log',
    'problem',
  ],
  engine: [
    'one-file',
    // Other nodes fetch the blocks that services let them fetch.
    'attachments()',
    'services',
    'service-parts',
    'http',
    'store',
    'crypto',
    'config',
    'network',
    'ledger',
    'realtime',
    'context',
    'log',
    'log-lines',
    'problem',
    'heavy-work',
    'workers',
    'outbound',
    'progress-board',
    'members',
  ],
  http: [
    'built-folder',
    'one-file',
    'escaped-markup',
    'json-text',
    'service-parts',
    'raw-bodies?',
    'whole-number',
    'pieces',
    'given-pieces',
    'contract',
    'store',
    'crypto',
    'config?',
    'context',
    'actor',
    'log',
    'problem',
    'version',
    'workers',
    'realtime?',
    'members',
  ],
  // Submission of e-mail: the same limits as HTTP, and what a service provides.
  smtp: ['actor', 'context', 'contract', 'http', 'log?', 'members', 'problem'],
  // What an address of a node is, is the network's to say.
  config: ['whole-number', 'contract', 'crypto', 'network', 'log?', 'problem', 'settings'],
  store: ['contract?', 'one-file', 'whole-number', 'given-pieces', 'crypto', 'log?', 'problem'],
  realtime: ['actor?', 'context', 'contract', 'log?', 'problem', 'store'],
  network: [
    'whole-number',
    'pieces',
    'actor?',
    'context',
    'contract?',
    'crypto',
    'log?',
    'problem',
    'problem-codes',
    'store',
  ],

  // Shared rooms: they know rows and members, and no service
  members: everyRoom,
  // Its operations are a service of the same name.
  notifications: [...everyRoom, 'members', 'service-parts'],
  attachments: [...everyRoom, 'members'],
  'group-keys': [...everyRoom, 'members'],
  groups: [...everyRoom, 'members', 'notifications'],

  // The services, with the short list of edges between them
  accounts: [],
  // It shows and saves the node itself: its version, its place, its secret.
  node: ['config', 'contract', 'ledger', 'version'],
  ledger: [],
  pool: ['network', 'ledger'],
  passvault: ['ledger'],
  quorum: ['ledger'],
  // Messages come in pieces, as requests do.
  mail: ['ledger', 'pieces', 'smtp?'],
  // Uploads are passed on to the store without a copy.
  filevault: ['ledger', 'given-pieces'],
  social: ['ledger'],
  chat: ['ledger'],
  calendar: ['ledger'],
};

/** Data of the contract that services use at work: what they publish, and plain limits. */
const usedData = /^src\/contract\/(?:event|(?:[\w-]+\/)+(?:events|limits)|raw-json)\.ts$/;

/** A service declares its settings with the kinds of values that the configuration knows. */
const settingsFile = /^src\/services\/\w+\/settings\.ts$/;
const settingParts = /^src\/config\/(?:kinds|option)\.ts$/;

/** Single files that reach past the table, each for the reason beside it. */
const namedEdges: Readonly<Record<string, readonly string[]>> = {
  // Whoever can read the node secret may mint a token of the operator without opening the store.
  'src/client/operator-token.ts': ['src/shared/members/tokens.ts'],
  // A password is made where it is used; the generator is as pure as what crypto holds.
  'src/client/generate-password.ts': ['src/services/passvault/tools/generator.ts'],
  // The payload of a proposal has a schema for each action, which is read when it is made and again when it is carried out.
  'src/services/quorum/proposals/payloads.ts': ['src/contract/quorum/actions.ts'],
  // The quorum decides on the admission of a node, and the pool carries it out.
  'src/services/quorum/proposals/actions/services.ts': ['src/services/pool/joining/governed.ts'],
  // What was exported is verified without a node, by the functions that nodes verify it with.
  'src/cli/pool/access-list-file.ts': ['src/services/pool/acl/chain.ts'],
  // The access list of the pool says which node serves a mail domain.
  'src/services/mail/network/routes.ts': ['src/services/pool/joining/admission-policy.ts'],
  // The quorum decides on the destruction of what it governs, and the file vault carries it out.
  'src/services/filevault/destruction/destroy.ts': ['src/services/quorum/approvals.ts'],
  'src/services/filevault/destruction/containers.ts': ['src/services/quorum/approvals.ts'],
  'src/services/filevault/destruction/schedule.ts': ['src/services/quorum/approvals.ts'],
  // A Maildir is locked as a store is: the lock goes with its process.
  'src/cli/mail/sync/lock.ts': ['src/platform/store/lock.ts'],
  // The numbers and names of a format are the same in a browser.
  'src/http/pages/share-page/link-api.ts': ['src/contract/filevault/share-password.ts'],
  'src/http/pages/share-page/chunked.ts': ['src/crypto/chunk-format.ts'],
  'src/http/pages/share-page/opening.ts': ['src/crypto/chunk-format.ts', 'src/crypto/content-format.ts'],
  'src/http/pages/share-page/plaintext.ts': ['src/crypto/chunk-format.ts', 'src/crypto/content-format.ts'],
  'src/cli/files/sync/lock.ts': ['src/platform/store/lock.ts'],
  // What an administrator signs is read from the document itself.
  'src/cli/pool/proposals.ts': ['src/services/pool/acl/document.ts'],
};

/** What makes a missing or wrongly typed service a compile error; it names requests for raw operations alone. */
const serviceShape = 'src/service/service-parts.ts';

/** Packages that only some may import: what knows SQL, HTTP or the terminal stays in its place. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@oclif/core': ['cli', 'commands', 'bin'],
  '@silvia-odwyer/photon-node': ['filevault'],
  argon2: ['crypto'],
  bcrypt: ['crypto'],
  crossws: ['http', 'listeners', 'realtime'],
  h3: ['http', 'listeners', 'realtime'],
  inquirer: ['cli'],
  kysely: ['store', 'network', 'members', 'group-keys', ...domains],
  'html-to-text': ['mail'],
  listhen: ['listeners'],
  ora: ['cli'],
  pg: ['store'],
  'postal-mime': ['mail'],
  'smtp-server': ['smtp'],
  'sql.js': ['store'],
  srvx: ['http', 'listeners', 'realtime'],
};

export function forbiddenImports(imports: readonly Import[]): string[] {
  return imports.filter(isProgram).flatMap((edge) => {
    const reason = edge.inside ? refusal(edge) : packageRefusal(edge);
    return reason === undefined ? [] : [`${edge.from} imports ${edge.to}: ${reason}`];
  });
}

function isProgram({ from }: Import): boolean {
  return !from.startsWith('test/') && !from.startsWith('scripts/');
}

function refusal({ from, to, kind }: Import): string | undefined {
  const [source, target] = [zoneOf(from), zoneOf(to)];
  if (source === target && from.split('/')[0] === to.split('/')[0]) return undefined;
  if (to.startsWith('test/') || to.startsWith('scripts/')) return 'the program never imports its tests or scripts';
  if (namedEdges[from]?.includes(to) || (to === serviceShape && domains.has(source))) return undefined;
  const allowed = new Set([
    ...(mayImport[source] ?? []),
    ...(domains.has(source) ? ['members', 'attachments', 'notifications', 'group-keys', 'groups', ...everyRoom] : []),
  ]);
  if (mayImport[source] === undefined) return `${source} is not in the table of test/support/architecture.ts`;
  if (allowed.has(target)) return undefined;
  if (allowed.has('contract?') && usedData.test(to)) return undefined;
  if (settingsFile.test(from) && settingParts.test(to)) return undefined;
  if (kind === 'type' && (allowed.has(`${target}?`) || allowed.has(`${target}()`))) return undefined;
  if (kind === 'dynamic' && allowed.has(`${target}()`)) return undefined;
  if (allowed.has(`${target}?`)) return `${source} may import types of ${target} alone`;
  if (allowed.has(`${target}()`)) return `${source} may load ${target} by import() alone`;
  return `${source} may not import ${target}`;
}

function packageRefusal({ from, to }: Import): string | undefined {
  const source = zoneOf(from);
  if (source === 'contract' && to !== 'valibot') return 'the contract imports valibot alone';
  if (packages[to] && !packages[to].includes(source)) return `${to} belongs to ${packages[to].join(', ')}`;
  return undefined;
}

/** Each cycle once, as the chain of its files. Types count: files that can't be read without each other are one file. */
export function cycles(imports: readonly Import[]): string[] {
  const edges = new Map<string, string[]>();
  for (const { from, to, inside } of imports) if (inside) edges.set(from, [...(edges.get(from) ?? []), to]);
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) found.add(inOrder(trail.slice(start)));
    if (start >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return [...found];
}

function inOrder(cycle: readonly string[]): string {
  const first = cycle.indexOf(cycle.toSorted()[0] ?? '');
  return [...cycle.slice(first), ...cycle.slice(0, first + 1)].join(' → ');
}

// In pieces, so that this file doesn't say what it looks for. A source in src/shared is no place outside.
const marker = new RegExp(['\\b(?:TO', 'DO|FIX', 'ME|X', 'XX)\\b'].join(''));
const switchedOff = /\b(?:it|test|describe)(?:\.\w+)*\.(?:skip|only|todo|fails)\b/;
const silenced = /\b(?:ox|es)lint-disable(?!.* -- \S)/;
const elsewhere = new RegExp(['\\.\\./sha', "red(?![\\w-]|/[\\w/.-]+\\.ts')|/wo", 'rk/'].join(''));

/** Names that say what a file is to others, and not what is in it. src/service/ has what a service is given. */
const nameless =
  /^(?:src|commands)\/(?:.*[/-])?(?:utils?|helpers?|common|misc|(?<!^src\/)service|service(?!\/))(?:\/|\.\w+$)/;

/** What a file must not say or be, whatever it does. */
export function offences({ path, text }: SourceFile): string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const found: string[] = [];
  if (lines > 400) found.push(`${path} has ${lines} lines, more than 400`);
  if (path.startsWith('commands/') && lines > 60) found.push(`${path} has ${lines} lines, and a command at most 60`);
  if (/(?:^|\/)index\.\w+$/.test(path)) found.push(`${path} is a barrel`);
  if (nameless.test(path)) found.push(`${path} is not named after its subject`);
  for (const [at, line] of text.split('\n').entries()) {
    const say = (what: string): unknown => found.push(`${path}:${at + 1} ${what}`);
    if (line.startsWith('export * from')) say('re-exports a whole file');
    if (marker.test(line)) say('is unfinished by its own words');
    if (switchedOff.test(line)) say('switches a test off');
    if (silenced.test(line)) say('switches a rule off without a reason (-- reason)');
    if (elsewhere.test(line)) say('names a place outside the project');
  }
  return found;
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
