import { counted } from '../../kit/counted.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { bytes } from '../../kit/screen.ts';
import type { Failures, LeftOut } from './outcome.ts';
import type { Received } from './receiving-all.ts';
import type { Sent } from './sending-all.ts';

/** Single lines about what was left out are for a few; many would hide the rest. */
const MANY = 20;

/** What people have to know beside the answer: what was left out, and at the end what failed. */
export function warningsOf(leftOut: readonly LeftOut[], failures: Failures): string[] {
  const named = leftOut.slice(0, MANY).map(({ path, why }) => `${path} is ${why}. It was left out.`);
  const more = leftOut.length > MANY ? [`${leftOut.length - MANY} more were left out. --json lists them.`] : [];
  const failed = failures.list.map(({ path, message }) => (message.includes(path) ? message : `${path}: ${message}`));
  return [...named, ...more, ...failed].map((line) => escapeForTerminal(line));
}

export function sentText({ stored, present, planned }: Sent, dryRun: boolean): string {
  const total = stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return text('Stored', 'Would store', stored.length, total, present.length, planned, dryRun);
}

export function receivedText({ received, present, planned }: Received, dryRun: boolean): string {
  const total = received.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return text('Received', 'Would receive', received.length, total, present.length, planned, dryRun);
}

function text(
  did: string,
  would: string,
  count: number,
  total: number,
  present: number,
  planned: readonly string[],
  dryRun: boolean,
): string {
  const there = present === 0 ? '' : ` ${counted(present, 'file')} ${present === 1 ? 'is' : 'are'} there already.`;
  if (dryRun)
    return [
      ...planned.map((path) => escapeForTerminal(path)),
      `${would} ${counted(planned.length, 'file')}.${there}`,
    ].join('\n');
  return `${did} ${counted(count, 'file')}, ${bytes(total)}.${there}`;
}
