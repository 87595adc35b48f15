import { createHash } from 'node:crypto';
import type { Actor, Guest } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { countInList } from './breach-list.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

const TIMEOUT_MS = 5_000;
const PREFIX_LENGTH = 5;
/** Answers have about 1,000 lines of 40 bytes, padding included. */
const LONGEST_ANSWER = 1024 ** 2;

/** The service gave no useful answer, or the list can't be read. So it is unknown whether a password is breached. */
class Unknown extends Error {}

/** SHA-1 in the form of the breach lists: 40 upper-case digits. */
export function breachHash(password: string): string {
  return createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase();
}

export async function checkBreach(
  ctx: Context,
  _: Actor | Guest,
  { password }: { password: string },
): Promise<{ breached: boolean; count: number }> {
  const count = await breachCount(ctx, breachHash(password));
  return { breached: count > 0, count };
}

/**
 * How often a password occurs in known breaches. Only the first five digits of its hash are sent.
 * @throws Problem network BREACH_SERVICE_UNAVAILABLE; a failure is never reported as "not breached"
 */
export async function breachCount(ctx: Context, hash: string, signal?: AbortSignal): Promise<number> {
  const { breachList, breachUrl } = ctx.config.vaults;
  try {
    if (breachList !== undefined) return await countInList(breachList, hash);
    return countIn(await askFor(breachUrl, hash.slice(0, PREFIX_LENGTH), signal), hash.slice(PREFIX_LENGTH));
  } catch (error) {
    ctx.log.warn('breach check failed', { reason: error instanceof Error ? error.message : '' });
    throw new Problem(
      'network',
      'BREACH_SERVICE_UNAVAILABLE',
      'The list of breached passwords cannot be reached, so the password was not checked.',
    );
  }
}

async function askFor(base: string, prefix: string, signal: AbortSignal | undefined): Promise<string> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`${base}/range/${prefix}`, {
    headers: { 'add-padding': 'true', 'user-agent': 'conclave' },
    // A redirect would send the request to another server.
    redirect: 'error',
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Unknown(`the service answered ${response.status}`);
  }
  return await textOf(response);
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LONGEST_ANSWER) throw new Unknown('the service answered too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}

/** Lines `<35 digits>:<count>`; a count of 0 is padding. */
function countIn(answer: string, suffix: string): number {
  let count = 0;
  let lines = 0;
  for (const line of answer.split('\n')) {
    const match = /^([0-9A-F]{35}):(\d{1,12})\s*$/i.exec(line);
    if (match === null) {
      if (line.trim() !== '') throw new Unknown('the answer is not a range of hashes');
      continue;
    }
    lines += 1;
    if (match[1]?.toUpperCase() === suffix) count = wholeNumber(match[2]) ?? 0;
  }
  if (lines === 0) throw new Unknown('the answer is empty');
  return count;
}
