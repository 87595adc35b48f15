import { counted } from '../kit/counted.ts';
import type { Connection } from '../../client/connection.ts';
import type { node } from '../../contract/node.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { wrapped } from '../kit/display-width.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { details, table } from '../kit/table.ts';

export function describeStatus(
  screen: Screen,
  connection: Connection,
  status: ReplyOf<(typeof node)['status']>,
): string {
  const { storage } = status;
  const running = connection.kind !== 'process';
  const lines = details(screen, [
    ['Server', running ? `running since ${moment(screen, status.startedAt)}` : 'not running'],
    ['Addresses', status.addresses.join(', ') || 'none'],
    ['Version', status.version],
    ['Node id', status.nodeId],
    ...(connection.dataDir === undefined ? [] : [['Data directory', connection.dataDir] as const]),
    ['Store', `${engineNames[status.engine]}, ${bytes(status.storeBytes)}, schema ${status.schemaVersion}`],
    [
      'Member storage',
      `${bytes(storage.usedBytes)}, at most ${bytes(storage.perMemberBytes)} a member: ${storage.counts.join(', ')}`,
    ],
    ['Members', String(status.members)],
    ['Sessions', String(status.sessions)],
  ]);
  const { width, paint, measure } = screen;
  const wrong = status.problems.map((problem) => {
    const text = wrapped(escapeForTerminal(problem), width - 2, measure).join('\n  ');
    return `${paint('yellow', '!')} ${text}`;
  });
  return [lines, ...wrong].join('\n');
}

/** So many tables fit on the smallest screen together with the rest. */
const LARGEST = 12;

/** @param all whether all tables are listed, or the largest ones */
export function describeStore(screen: Screen, store: ReplyOf<(typeof node)['storeStatus']>, all: boolean): string {
  const rowCount = store.tables.reduce((sum, { rows }) => sum + rows, 0);
  const lines = details(screen, [
    ['Engine', engineNames[store.engine]],
    ['Location', store.location],
    ['Schema', String(store.schemaVersion)],
    ['Database', bytes(store.databaseBytes)],
    ['Blocks', `${store.blocks}, ${bytes(store.blockBytes)}`],
    ['Rows', `${rowCount} in ${counted(store.tables.length, 'table')}`],
  ]);
  const filled = store.tables.filter(({ rows }) => rows > 0).toSorted((a, b) => b.rows - a.rows);
  const tables = table(screen, all ? store.tables : filled.slice(0, LARGEST), [
    { title: 'TABLE', of: ({ name }) => name },
    { title: 'ROWS', of: ({ rows }) => String(rows) },
  ]);
  return [lines, tables].join(Number.isFinite(screen.width) ? '\n\n' : '\n');
}

export function describeChecks(screen: Screen, { checks }: ReplyOf<(typeof node)['verifyStore']>): string {
  return table(screen, checks, [
    { title: 'CHECK', of: ({ name }) => name, whole: true },
    { title: 'RESULT', of: ({ ok }) => (ok ? 'ok' : 'FAILED'), whole: true },
    { title: 'DETAIL', of: ({ detail }) => detail, whole: true },
  ]);
}

export function describeBackup({
  path,
  rows,
  blocks,
  bytes: size,
  withSecrets,
  erasure,
}: ReplyOf<(typeof node)['backUpStore']>): string {
  const secret = withSecrets ? 'with' : 'without';
  const keys = erasure === 'written' ? ' The erasure keys are in erasure.keys.backup beside it.' : '';
  return `${escapeForTerminal(path)}: ${counted(rows, 'row')}, ${counted(blocks, 'block')}, ${bytes(size)}, ${secret} the node secret.${keys}`;
}

/** What a backup lacks, for whoever relies on it. */
export const withoutKeys = {
  'left-out':
    'The erasure keys are not in the backup, and without them no file of the file vault can be opened. Use --with-secrets, or keep a copy of erasure.keys elsewhere.',
  unavailable:
    'The erasure keys cannot be read, so no file of the file vault can be opened after a restore of this backup. See: conclave status',
} as const;

const engineNames = { sqljs: 'SQLite file', postgres: 'PostgreSQL' } as const;
