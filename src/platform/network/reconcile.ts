import type { Context } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { isForged, type Announcements } from './announcements.ts';
import { envelopeId } from './envelope.ts';
import { fromBase64, isListOf } from './json-values.ts';
import { keptEnvelopes, seenOf } from './rows.ts';
import type { GossipMetrics } from './metrics.ts';
import { wholeNumber } from '../../base/whole-number.ts';

/** Gossip is best effort: two nodes compare what they keep, and each fetches what it has not seen. */
export const RECONCILE = 'gossip-reconcile';

const MAX_SPANS = 400;
const MAX_IDS = 20_000;
const PULLED_AT_ONCE = 256;
/** Limit in bytes for the announcements of one answer; base64 adds a third. */
const MAX_PULLED_BYTES = 2 * 1024 ** 2;
const ID = /^[0-9a-f]{64}$/;

/** The questions of a peer. A span is the number of a group of five minutes. */
type Question =
  | { readonly step: 'digests' }
  | { readonly step: 'ids'; readonly spans: number[] }
  | { readonly step: 'pull'; readonly ids: string[] };

/** Answers the questions of reconciliation. */
export async function answerReconciling(
  question: unknown,
  { announcements, db }: { announcements: Announcements; db: Context['db'] },
): Promise<unknown> {
  const asked = questionOf(question);
  if (asked.step === 'digests') return { digests: announcements.index.digests() };
  if (asked.step === 'ids') return { ids: announcements.index.idsOf(asked.spans).slice(0, MAX_IDS) };
  const envelopes = await keptEnvelopes(db, asked.ids, MAX_PULLED_BYTES);
  return { envelopes: envelopes.map((bytes) => Buffer.from(bytes).toString('base64')) };
}

function questionOf(value: unknown): Question {
  const { step, spans, ids } = (value ?? {}) as { step?: unknown; spans?: unknown; ids?: unknown };
  if (step === 'digests') return { step };
  if (step === 'ids' && isListOf(spans, MAX_SPANS, isSpan)) return { step, spans };
  if (step === 'pull' && isListOf(ids, PULLED_AT_ONCE, isId)) return { step, ids };
  throw new Problem('invalid', 'QUESTION_MALFORMED', 'The reconciliation request is not valid.');
}

export interface ReconcileOptions {
  readonly announcements: Announcements;
  readonly db: Context['db'];
  readonly metrics: GossipMetrics;
  /** ids of refused announcements of this peer, so that they aren't fetched again each time */
  readonly refused: Set<string>;
  readonly ask: (question: Question) => Promise<unknown>;
  /** called when an announcement of this peer was forged */
  readonly penalise: () => void;
}

/**
 * Fetches the announcements that the peer keeps and this node has not seen.
 * @returns how many were recorded
 * @throws Problem when the peer doesn't answer, or when its answer is not valid
 */
export async function fetchMissing(options: ReconcileOptions): Promise<number> {
  const { announcements, db, refused, ask } = options;
  const spans = await differingSpans(options);
  if (spans.length === 0) return 0;
  const { ids } = (await ask({ step: 'ids', spans })) as { ids?: unknown };
  if (!isListOf(ids, MAX_IDS, isId)) throw nonsense();
  const candidates = ids.filter((id) => !announcements.index.has(id) && !refused.has(id));
  const seen = await seenOf(db, candidates);
  const missing = candidates.filter((id) => !seen.has(id));
  let came = 0;
  for (let at = 0; at < missing.length; at += PULLED_AT_ONCE) {
    came += await pull(missing.slice(at, at + PULLED_AT_ONCE), options);
  }
  return came;
}

async function differingSpans({ announcements, ask }: ReconcileOptions): Promise<number[]> {
  const { digests } = (await ask({ step: 'digests' })) as { digests?: unknown };
  if (typeof digests !== 'object' || digests === null) throw nonsense();
  const own = announcements.index.digests();
  return Object.entries(digests)
    .filter(([span, digest]) => own[span] !== digest)
    .flatMap(([span]) => wholeNumber(span) ?? [])
    .slice(-MAX_SPANS);
}

async function pull(ids: readonly string[], options: ReconcileOptions): Promise<number> {
  const wanted = new Set(ids);
  let came = 0;
  while (wanted.size > 0) {
    const { envelopes } = (await options.ask({ step: 'pull', ids: [...wanted] })) as { envelopes?: unknown };
    if (!isListOf(envelopes, PULLED_AT_ONCE, (text) => typeof text === 'string')) throw nonsense();
    const before = wanted.size;
    const written = await Promise.all(envelopes.map(async (text) => await take(fromBase64(text), wanted, options)));
    came += written.filter(Boolean).length;
    if (wanted.size === before) break;
  }
  // Announcements that the peer listed but did not send are not requested again.
  for (const id of wanted) options.refused.add(id);
  return came;
}

async function take(bytes: Uint8Array, wanted: Set<string>, options: ReconcileOptions): Promise<boolean> {
  const { announcements, metrics, refused, penalise } = options;
  const id = envelopeId(bytes);
  if (!wanted.delete(id)) return false;
  const checked = await announcements.check(bytes, 'reconciled');
  if (typeof checked === 'string') {
    if (isForged(checked)) penalise();
    // Announcements refused for load or rate may be accepted later, so they are not remembered as refused.
    if (checked !== 'refused_load' && checked !== 'refused_rate') refused.add(id);
    return false;
  }
  const written = await announcements.accept(checked);
  if (written) metrics.add('reconciled', checked.announcements.length);
  return written;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}

function isSpan(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function nonsense(): Problem {
  return new Problem('invalid', 'PEER_REFUSED', 'The reconciliation reply is not valid.');
}
