import type { EntryType, VaultSummary } from '../../contract/passvault/entry.ts';
import type { AuditEntry, VaultMember } from '../../contract/passvault/sharing.ts';
import type { HealthReport } from '../../contract/passvault/tools.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table, details } from '../kit/table.ts';
import { vaultTitle, type VaultCalled } from '../../base/vault-names.ts';
import type { EmergencyAccess } from '../../contract/passvault/emergency.ts';
import { emergencyText } from './sharing/emergency-details.ts';

export const typeNames: Readonly<Record<EntryType, string>> = {
  login: 'login',
  credit_card: 'card',
  secure_note: 'note',
};

export function vaultTable(screen: Screen, vaults: readonly VaultSummary[]): string {
  return table(screen, vaults, [
    { title: 'NAME', of: vaultTitle, main: true },
    { title: 'ENTRIES', of: ({ entryCount }) => String(entryCount), whole: true },
    { title: 'STATE', of: ({ open }) => (open ? 'open' : 'locked'), whole: true },
    { title: 'SHARED', of: sharedText, whole: true },
    { title: 'CHANGED', of: ({ modifiedAt }) => moment(screen, modifiedAt), whole: true },
    { title: 'ID', of: ({ id }) => id, spare: true },
  ]);
}

function sharedText({ role, sharedWith }: VaultSummary): string {
  if (role === 'recipient') return 'with you';
  return sharedWith.length === 0 ? '-' : `with ${sharedWith.length}`;
}

export interface ListedEntry {
  readonly id: string;
  readonly type: EntryType;
  readonly title: string;
  readonly username: string;
  readonly siteUrl: string;
  readonly favorite: boolean;
  readonly tags: readonly string[];
}

export function entryTable(screen: Screen, entries: readonly ListedEntry[]): string {
  return table(screen, entries, [
    { title: 'TITLE', of: ({ title }) => title, main: true },
    { title: 'USERNAME', of: ({ username }) => username },
    { title: 'ADDRESS', of: ({ siteUrl }) => withoutScheme(screen, siteUrl) },
    { title: 'TYPE', of: ({ type }) => typeNames[type], whole: true },
    { title: '', of: ({ favorite }) => (favorite ? '*' : ''), whole: true },
    { title: 'TAGS', of: ({ tags }) => tags.join(', ') },
    { title: 'ID', of: ({ id }) => id, spare: true },
  ]);
}

/** Removes the scheme on a narrow screen, because all addresses begin alike. */
export function withoutScheme({ width }: Pick<Screen, 'width'>, url: string): string {
  return Number.isFinite(width) ? url.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, '') : url;
}

export function auditTable(
  screen: Screen,
  entries: readonly AuditEntry[],
  nameOf: (memberId: string) => string,
  titles: ReadonlyMap<string, string>,
): string {
  return table(screen, entries, [
    { title: 'WHEN', of: ({ timestamp }) => moment(screen, timestamp), whole: true },
    { title: 'WHO', of: ({ memberId }) => nameOf(memberId) },
    { title: 'WHAT', of: ({ action }) => action.toLowerCase().replaceAll('_', ' '), whole: true },
    {
      title: 'DETAIL',
      of: ({ metadata = {} }) =>
        Object.entries(metadata)
          .map(([name, value]) => {
            if (name === 'recipientId') return `recipient=${nameOf(String(value))}`;
            const title = name === 'entryId' ? titles.get(String(value)) : undefined;
            return title === undefined ? `${name}=${value}` : `entry=${JSON.stringify(title)}`;
          })
          .join(' '),
    },
  ]);
}

export function describeHealth(screen: Screen, report: HealthReport): string {
  const { weak, reused, breached, old, breachCheck } = report;
  const findings = [
    ...breached.map(({ title, count }) => ['breached', title, `${count} times in known breaches`] as const),
    ...weak.map(
      ({ title, entropy, common }) =>
        ['weak', title, common ? 'among the most common' : `${entropy} bits at most`] as const,
    ),
    ...reused.map(
      ({ entries }) =>
        ['reused', entries.map(({ title }) => title).join(', '), `the same in ${entries.length}`] as const,
    ),
    ...old.map(({ title, days }) => ['old', title, `${days} days`] as const),
  ];
  const lines = table(screen, findings, [
    { title: 'FINDING', of: ([what]) => what, whole: true },
    { title: 'ENTRY', of: ([, title]) => title },
    { title: 'DETAIL', of: ([, , detail]) => detail },
  ]);
  if (!Number.isFinite(screen.width)) return lines;
  const unknown = breachCheck === 'done' ? '' : ` Breaches were not checked: ${breachCheck}.`;
  const counts = `${report.checked} passwords: ${weak.length} weak, ${reused.length} reused, ${breached.length} breached, ${old.length} old.`;
  const summary = escapeForTerminal(`${counts}${unknown}`);
  return findings.length === 0 ? summary : `${lines}\n\n${summary}`;
}

export function foundTable(
  screen: Screen,
  found: readonly { readonly vault: VaultCalled; readonly entry: ListedEntry }[],
): string {
  return table(screen, found, [
    { title: 'ENTRY', of: ({ vault, entry }) => `${vaultTitle(vault)}/${entry.title}` },
    { title: 'USERNAME', of: ({ entry }) => entry.username },
    { title: 'ADDRESS', of: ({ entry }) => withoutScheme(screen, entry.siteUrl) },
    { title: 'TYPE', of: ({ entry }) => typeNames[entry.type], whole: true },
    { title: 'ID', of: ({ entry }) => entry.id, spare: true },
  ]);
}

export function describeVault(
  screen: Screen,
  vault: VaultSummary,
  members: readonly VaultMember[],
  emergency?: EmergencyAccess,
): string {
  const { id, open, entryCount, role, createdAt, modifiedAt } = vault;
  const named = (wanted: VaultMember['role']) =>
    members.filter((one) => one.role === wanted).map(({ username }) => username);
  return details(screen, [
    ['Name', vaultTitle(vault)],
    ['State', open ? 'open' : 'locked'],
    ['Entries', String(entryCount)],
    ['Owner', role === 'owner' ? 'you' : named('owner').join(', ')],
    ['Shared with', named('recipient').join(', ') || 'nobody'],
    ...(emergency === undefined ? [] : [['Emergency access', emergencyText(emergency)] as const]),
    ['Created', moment(screen, createdAt)],
    ['Changed', moment(screen, modifiedAt)],
    ['Id', id],
  ]);
}
