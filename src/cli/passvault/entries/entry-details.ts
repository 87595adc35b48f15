import type { Attachment, Entry } from '../../../contract/passvault/entry.ts';
import { escapeForTerminal, escapeLinesForTerminal } from '../../kit/escape-for-terminal.ts';
import { bytes, moment, type Screen } from '../../kit/screen.ts';
import { details, table } from '../../kit/table.ts';
import { knownFields } from './entry-fields.ts';

const dots = '••••••••';

/** Shows an entry on a screen. Secrets are dots unless `show` is set. */
export function describeEntry(screen: Screen, entry: Entry, vaultName: string, { show }: { show: boolean }): string {
  const hide = (value: string, secret: boolean) => (secret && !show ? dots : value);
  const rows: [string, string][] = [];
  const blocks: string[] = [];
  const put = (name: string, value: string, secret: boolean) => {
    const shown = hide(value, secret);
    if (!shown.includes('\n') || !Number.isFinite(screen.width)) rows.push([escapeForTerminal(name), shown]);
    else blocks.push(`${screen.paint('bold', escapeForTerminal(name))}\n${escapeLinesForTerminal(shown)}`);
  };
  for (const { label, property, secret } of knownFields) {
    const value = entry[property] ?? '';
    if (value !== '') put(label, value, secret);
    if (property === 'title') rows.push(['Vault', vaultName]);
  }
  for (const { uri, match } of entry.urls ?? []) rows.push(['Address', match === 'domain' ? uri : `${uri} (${match})`]);
  for (const { name, value, hidden } of entry.customFields ?? []) put(name, value, hidden);
  if (entry.tags.length > 0) rows.push(['Tags', entry.tags.join(', ')]);
  if (entry.favorite) rows.push(['Favourite', 'yes']);
  if (entry.archived) rows.push(['Archived', 'yes']);
  for (const file of entry.attachments) rows.push(['Attached', `${file.filename}, ${bytes(file.sizeBytes)}`]);
  rows.push(['Changed', moment(screen, entry.updatedAt)], ['Id', entry.id]);
  return [details(screen, rows), ...blocks].join('\n\n');
}

export function historyTable(screen: Screen, entry: Entry, { show }: { show: boolean }): string {
  return table(screen, entry.passwordHistory ?? [], [
    { title: 'UNTIL', of: ({ changedAt }) => moment(screen, changedAt ?? undefined), whole: true },
    { title: 'PASSWORD', of: ({ password }) => (show ? password : dots), whole: show },
  ]);
}

export function attachmentTable(screen: Screen, attachments: readonly Attachment[]): string {
  return table(screen, attachments, [
    { title: 'NAME', of: ({ filename }) => filename },
    { title: 'SIZE', of: ({ sizeBytes }) => bytes(sizeBytes), whole: true },
    { title: 'TYPE', of: ({ mimeType }) => mimeType },
    { title: 'ID', of: ({ id }) => id, spare: true },
  ]);
}
