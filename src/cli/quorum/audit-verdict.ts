import type { AuditRecord, AuditVerification } from '../../contract/quorum/audit.ts';
import { wrapped } from '../kit/display-width.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { moment, type Screen } from '../kit/screen.ts';
import type { Column } from '../kit/table.ts';

export const auditColumns: readonly Column<AuditRecord>[] = [
  { title: 'WHEN', of: ({ timestamp }, screen) => moment(screen, timestamp) },
  { title: 'ACTION', whole: true, of: ({ action }) => action },
  { title: 'ABOUT', main: true, of: ({ subject }) => subject },
  { title: 'BY', spare: true, of: ({ actorId }) => actorId },
  { title: 'ENTRY', spare: true, of: ({ blockHeight }) => String(blockHeight) },
];

/** What a verification of the audit trail found, for people. */
export function verdictText({ paint, width }: Screen, verification: AuditVerification): string {
  const { valid, entriesVerified, newEntries, faults, moreFaults } = verification;
  const read = `${entriesVerified} records are verified, ${newEntries} of them new.`;
  if (valid) return `${paint('bold', 'Everything is as it was recorded.')}\n${read}`;
  const more = moreFaults === 0 ? [] : [`and ${moreFaults} more`];
  return [
    paint('red', 'The store was changed past the node:'),
    ...[...faults, ...more].map((fault) => `  ${wrapped(escapeForTerminal(fault), width - 4).join('\n    ')}`),
    read,
    'Restore what was changed from a backup, and find out who can write to the store.',
  ].join('\n');
}
