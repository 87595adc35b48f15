import { floorOf, floors, namedEdges, roomOf, upward } from './floors.ts';
import type { Import, SourceFile } from './source-files.ts';

/** Data of the contract that services use at work: what they publish, and plain limits. */
const usedData = /^src\/contract\/(?:event|(?:[\w-]+\/)+(?:events|limits|close-codes)|raw-json)\.ts$/;

/** These files name the groups of a service, each beside the file that performs its operations. */
const implementations = /^src\/(?:services|platform)\/[\w-]+\/implementation\.ts$/;

/** Packages that only some may import: what knows SQL, HTTP or the terminal stays in its place. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@oclif/core': ['cli', 'commands', 'bin'],
  '@silvia-odwyer/photon-node': ['shared/attachments'],
  argon2: ['crypto'],
  bcrypt: ['crypto'],
  crossws: ['http', 'node/listeners', 'platform/realtime'],
  h3: ['http', 'node/listeners', 'platform/realtime'],
  'chrono-node': ['cli'],
  inquirer: ['cli'],
  kysely: ['platform/store', 'platform/ledger', 'platform/network', 'shared/members', 'shared/group-keys', 'services/'],
  'html-to-text': ['services/mail'],
  'ical.js': ['services/calendar'],
  listhen: ['node/listeners'],
  ora: ['cli'],
  pg: ['platform/store'],
  'postal-mime': ['services/mail'],
  'rrule-temporal': ['services/calendar'],
  'smtp-server': ['http/smtp'],
  'sql.js': ['platform/store'],
  'temporal-polyfill': ['services/calendar'],
  srvx: ['http', 'node/listeners', 'platform/realtime'],
  'windows-iana': ['services/calendar'],
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
  const [source, target] = [roomOf(from), roomOf(to)];
  if (source === target) return undefined;
  if (to.startsWith('test/') || to.startsWith('scripts/')) return 'the program never imports its tests or scripts';
  if (namedEdges[from]?.includes(to) || upward[from]?.to === to) return undefined;
  const [height, other] = [floorOf(source), floorOf(target)];
  if (height === undefined) return `${source} has no floor in test/support/floors.ts`;
  const { sees } = floors[height] ?? {};
  if (other === undefined) return sees?.includes(target) === true ? undefined : `${target} has no floor`;
  if (other > height) return `${target} stands above ${source}`;
  if (other === height) return `${target} stands beside ${source}`;
  if (sees === undefined || sees.some((seen) => seen === target || `src/${seen}.ts` === to)) return undefined;
  if (sees.includes('contract?') && target === 'contract' && (usedData.test(to) || implementations.test(from)))
    return undefined;
  if (kind === 'type' && (sees.includes(`${target}?`) || sees.includes(`${target}()`))) return undefined;
  if (kind === 'dynamic' && sees.includes(`${target}()`)) return undefined;
  if (sees.includes(`${target}?`)) return `${source} may import types of ${target} alone`;
  if (sees.includes(`${target}()`)) return `${source} may load ${target} by import() alone`;
  return `${source} may not import ${target}`;
}

/** Imports of higher floors, those of the list too: from → to. */
export function upwardImports(imports: readonly Import[]): string[] {
  return imports
    .filter((edge) => isProgram(edge) && edge.inside)
    .filter(({ from, to }) => (floorOf(roomOf(to)) ?? 0) > (floorOf(roomOf(from)) ?? Number.POSITIVE_INFINITY))
    .map(({ from, to }) => `${from} → ${to}`);
}

function packageRefusal({ from, to }: Import): string | undefined {
  const room = roomOf(from);
  if (room === 'contract' && to !== 'valibot') return 'the contract imports valibot alone';
  const owners = packages[to];
  if (owners?.some((owner) => owner === room || (owner.endsWith('/') && room.startsWith(owner))) === false)
    return `${to} belongs to ${owners.join(', ')}`;
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
