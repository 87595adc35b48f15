import type { CopyReport } from '../../services/node/copy.ts';
import type { RestoreReport } from '../../services/node/restore.ts';
import { Problem } from '../../base/problem.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { bytes, moment, type Screen } from '../kit/screen.ts';
import { details, table } from '../kit/table.ts';
import { parsedUrl } from '../../base/parsed-url.ts';

/**
 * The target of a copy: a PostgreSQL URL, completed with its password, or a data directory.
 *
 * @throws Problem invalid SECRET_AS_ARGUMENT for a URL that contains a password
 */
export function copyTarget(to: string, password: string | undefined): { url: string } | { dataDir: string } {
  if (!isPostgres(to)) return { dataDir: to };
  if (parsedUrl(to) === undefined)
    throw new Problem(
      'invalid',
      'USAGE',
      '--to must be a URL such as postgres://user@host:5432/database, or a folder.',
    );
  const url = new URL(to);
  if (url.password !== '' || url.searchParams.has('password')) {
    const message =
      'Secrets are not accepted as arguments. Leave the password out of --to, and use --to-password-file, CONCLAVE_TO_PASSWORD or PGPASSWORD.';
    throw new Problem('invalid', 'SECRET_AS_ARGUMENT', message);
  }
  if (password !== undefined) url.password = encodeURIComponent(password);
  return { url: url.href };
}

/** @throws Problem invalid USAGE for flags that do not apply to a copy to a folder */
export function refuseUnfit(flags: Readonly<Record<'to', string> & Record<string, unknown>>): void {
  const unfit = ['stay', 'to-password-file'].find((name) => flags[name] !== undefined && flags[name] !== false);
  if (unfit !== undefined && !isPostgres(flags.to))
    throw new Problem('invalid', 'USAGE', `--${unfit} works only for a copy to PostgreSQL. ${flags.to} is a folder.`);
}

function isPostgres(to: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(to);
}

const secrets = {
  restored: 'from the backup',
  kept: 'as it was',
  other: 'of another node: recovery phrases, backup codes and wrapped keys in the backup do not work',
  absent: 'none',
} as const;

const erasureKeys = {
  restored: 'from the backup',
  kept: 'as they were',
  none: 'none needed',
  lost: 'lost: no file of the file vault in the backup can be opened. They stay in lists, and can be removed',
} as const;

export function describeRestored(screen: Screen, report: RestoreReport): string {
  return details(screen, [
    ['Restored', report.file],
    ['Made', moment(screen, report.createdAt)],
    ['To', report.location],
    ['Node id', report.nodeId],
    ['Schema', String(report.schemaVersion)],
    ['Rows', String(report.rows)],
    ['Blocks', `${report.blocks}, ${bytes(report.blockBytes)}`],
    ['Node secret', secrets[report.secret]],
    ['Erasure keys', erasureKeys[report.erasureKeys]],
    ...(report.movedErasureKeys === undefined
      ? []
      : [['Earlier keys', `of another store: now in ${report.movedErasureKeys}`] as const]),
    ['Sessions', report.endedSessions === 0 ? 'none' : `${report.endedSessions} ended; every member signs in again`],
  ]);
}

export function describeCopied(screen: Screen, report: CopyReport): string {
  const tables = table(screen, report.tables, [
    { title: 'TABLE', of: ({ name }) => name },
    { title: 'ROWS', of: ({ rows }) => String(rows), whole: true },
    { title: 'HASH, THE SAME ON BOTH SIDES', of: ({ hash }) => hash },
  ]);
  const { copied, present } = report.blocks;
  const said = `Copied ${report.rows} rows from ${report.from.location} to ${report.to.location}; blocks: ${copied} copied, ${present} there already.`;
  return [tables, escapeForTerminal(said), ...report.notes.map((note) => escapeForTerminal(note))].join('\n');
}
