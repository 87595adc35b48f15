import type { ledger, LedgerContradiction, LedgerNotice, LedgerStop, RecordedEntry } from '../../contract/ledger.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import type { Verdict } from './ledger-check.ts';
import { wrapped } from '../kit/display-width.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { details, table } from '../kit/table.ts';

export function describeHead(screen: Screen, head: ReplyOf<(typeof ledger)['head']>): string {
  return details(screen, [
    ['Entries', String(head.size)],
    ['Root', head.root],
    ['Log key', head.logKey],
    ['Chain id', head.chainId],
    ['Node id', head.nodeId],
    ['Node key', head.publicKey],
    ['Witness key', head.witnessKey],
    ['Cosigned', head.cosigned === null ? 'no' : `${head.cosigned.size} entries, by ${head.cosigned.witnesses}`],
    ...noticed(head.stopped, head.contradictions),
  ]);
}

/** What is wrong with this node or with others, for the details of a node. */
export function noticed(
  stopped: readonly LedgerStop[],
  contradictions: number,
  notices: readonly LedgerNotice[] = [],
): [string, string][] {
  return [
    ...stopped.map(({ what }): [string, string] => ['Signs nothing', `${what} See: conclave node recover`]),
    ...(contradictions === 0
      ? []
      : [['Other ledgers', `contradictions: ${contradictions}; see conclave ledger evidence`] as [string, string]]),
    ...notices.map(({ nodeId, what }): [string, string] => ['Other node', `${nodeId} ${what}`]),
  ];
}

/** The fields of an entry, for programs. An entry that cannot be decoded is shown as received. */
export function entryData({ index, leafHash, entry }: RecordedEntry): Record<string, unknown> {
  try {
    return { ...(JSON.parse(entry) as Record<string, unknown>), index, leafHash, entry };
  } catch {
    return { index, leafHash, entry };
  }
}

export function entryTable(screen: Screen, entries: readonly RecordedEntry[]): string {
  return table(screen, entries.map(entryData), [
    { title: 'INDEX', of: ({ index }) => String(index), whole: true },
    { title: 'TIME', of: ({ time }) => (typeof time === 'string' ? moment(screen, time) : '?'), whole: true },
    { title: 'TYPE', of: ({ type }) => (typeof type === 'string' ? type : '?'), whole: true },
    { title: 'WHAT', of: whatOf },
    { title: 'LEAF HASH', of: ({ leafHash }) => String(leafHash) },
  ]);
}

function whatOf({ type, data, tags, commit }: Record<string, unknown>): string {
  // Keys and signatures are omitted, because people cannot read them.
  if (type === 'LOG_GENESIS') return genesisLine(data);
  const parts = [
    data === undefined ? '' : JSON.stringify(data),
    tags === undefined ? '' : `tags ${Object.keys(tags as object).join(', ')}`,
    commit === undefined ? '' : 'details apart',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function genesisLine(data: unknown): string {
  const { recovers } = (data ?? {}) as { recovers?: { size?: unknown } };
  if (recovers === undefined) return 'binds the log key to the node';
  return `a recovery: a new log key in place of a log of ${String(recovers.size)} entries`;
}

/** What is kept against other nodes; its files are written one at a time. */
export function evidenceTable(screen: Screen, kept: readonly LedgerContradiction[]): string {
  return table(screen, kept, [
    { title: 'ID', of: ({ id }) => (Number.isFinite(screen.width) ? id.slice(0, 12) : id), whole: true },
    { title: 'NODE', of: ({ nodeId }) => nodeId },
    { title: 'FOUND', of: ({ foundAt }) => moment(screen, foundAt), whole: true },
    { title: 'WHAT', of: ({ what, more }) => `${what}${more > 0 ? `; ${more} more` : ''}` },
  ]);
}

type Shown = Pick<
  Verdict,
  'checks' | 'proven' | 'notProven' | 'faults' | 'moreFaults' | 'stopped' | 'contradictions' | 'noticed'
> & { readonly undecided?: readonly string[] };

export function describeVerdict(screen: Screen, verdict: Shown): string {
  const { checks, proven, notProven, faults = [], moreFaults = 0 } = verdict;
  const { stopped = [], contradictions = [], noticed: notices = [] } = verdict;
  const more = moreFaults === 0 ? [] : [`and ${moreFaults} more`];
  return [
    checkTable(screen, checks),
    list(screen, 'Wrong', [...faults.map(({ what }) => what), ...more]),
    list(
      screen,
      'This node signs nothing',
      stopped.map(({ what }) => what),
    ),
    list(screen, 'Ledgers of other nodes', [
      ...contradictions.map((one) => `node ${one.nodeId} ${one.what}${one.more > 0 ? `; ${one.more} more` : ''}`),
      ...notices.map((one) => `node ${one.nodeId} ${one.what}`),
    ]),
    list(screen, 'Not decided', verdict.undecided ?? []),
    list(screen, 'Proven', proven),
    list(screen, 'Not proven', notProven),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** A detail is a sentence that must be read to its end. So it goes on below itself. */
function checkTable(screen: Screen, checks: Shown['checks']): string {
  const { width, measure } = screen;
  const room = width - Math.max(...checks.map(({ name }) => measure(name))) - '  FAILED  '.length;
  const rows = checks.flatMap(({ name, ok, detail }) => {
    const lines = wrapped(detail, room, measure);
    return lines.map((line, at) => (at === 0 ? [name, ok ? 'ok' : 'FAILED', line] : ['', '', line]));
  });
  return table(screen, rows, [
    { title: 'CHECK', of: ([name = '']) => name, whole: true },
    { title: 'RESULT', of: ([, result = '']) => result, whole: true },
    { title: 'DETAIL', of: ([, , line = '']) => line, whole: true },
  ]);
}

/** The warning for a log key that was not known before. */
export function trustWarning({ trust, logKey }: Pick<Verdict, 'trust' | 'logKey'>): string | undefined {
  if (trust !== 'first-use' || logKey === undefined) return undefined;
  return `The log key is not verified:\n${logKey}\nCompare it with the one that the administrator gives you.\nThen give it with --key.`;
}

function list({ width, paint, measure }: Screen, title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const lines = items.map((item) => wrapped(escapeForTerminal(item), width - 4, measure).join('\n    '));
  return [paint('bold', `${title}:`), ...lines.map((line) => `  - ${line}`)].join('\n');
}
