import type { MailRule } from '../../contract/mail/rules.ts';
import type { Column } from '../kit/table.ts';

export const ruleColumns: readonly Column<MailRule>[] = [
  { title: 'RULE', of: ({ name, enabled }) => (enabled ? name : `${name} (off)`) },
  { title: 'WHEN', main: true, of: ({ conditions }) => inWords(conditions) },
  { title: 'THEN', main: true, of: ({ actions, stop }) => `${inWords(actions)}${stop ? ', stop' : ''}` },
];

/** Names and values as the file has them, since people write the rules there. */
function inWords(parts: object): string {
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (value === true ? name : `${name} ${textOf(value)}`))
    .join(', ');
}

function textOf(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value);
  return value.map((one: unknown) => (isMailbox(one) ? `${one.localPart}@${one.domain}` : String(one))).join(' ');
}

function isMailbox(value: unknown): value is { readonly localPart: string; readonly domain: string } {
  return typeof value === 'object' && value !== null && 'localPart' in value && 'domain' in value;
}
