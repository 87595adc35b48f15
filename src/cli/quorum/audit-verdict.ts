import type { AuditVerification } from '../../contract/quorum/audit.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import type { Screen } from '../kit/screen.ts';

/** What a verification of the audit trail found, for people. */
export function verdictText({ paint }: Screen, verification: AuditVerification): string {
  const { valid, entriesVerified, newEntries, faults, moreFaults } = verification;
  const read = `${entriesVerified} records are verified, ${newEntries} of them new.`;
  if (valid) return `${paint('bold', 'Everything is as it was recorded.')}\n${read}`;
  const more = moreFaults === 0 ? [] : [`and ${moreFaults} more`];
  return [
    paint('red', 'The store was changed past the node:'),
    ...[...faults, ...more].map((fault) => `  ${escapeForTerminal(fault)}`),
    read,
    'Restore what was changed from a backup, and find out who can write to the store.',
  ].join('\n');
}
