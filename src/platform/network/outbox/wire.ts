import { Problem } from '../../../base/problem.ts';
import { isListOf } from '../json-values.ts';
import type { OutboxLimits } from './limits.ts';
import type { MessageOutcome } from '../../../service/ports/outbox.ts';
import { CHANNEL, MESSAGE_ID } from './send.ts';

/** The protocol in which a node hands over messages of one channel, oldest first, and gets signed outcomes. */
export const OUTBOX = 'outbox';

/** A message as it is sent: the body is text, so that both sides hash the same bytes. */
export interface SentMessage {
  readonly id: string;
  readonly body: string;
  readonly expiresAt: number;
}

export interface SentBatch {
  readonly channel: string;
  readonly messages: readonly SentMessage[];
  /**
   * The sender takes outcomes with gaps, because its messages don't wait for each other. An older version doesn't say so, and can't tell what
   * was signed after a gap.
   */
  readonly apart: boolean;
}

/** An outcome as it is sent: what the sender can't know, of a receipt. */
export interface SentOutcome {
  readonly id: string;
  readonly poolId: string;
  readonly version: number;
  readonly result: MessageOutcome;
  readonly at: number;
  readonly index: number;
  readonly size: number;
  readonly path: string;
  readonly signature: string;
}

/**
 * The outcomes of the first messages of a batch. `failed`: the next one could not be handled, and must come again later. `apart`: so do all
 * those that are left out, because the messages of this channel don't wait for each other, and the sender said so.
 */
export interface BatchReply {
  readonly outcomes: readonly SentOutcome[];
  readonly failed: boolean;
  readonly apart: boolean;
}

/** Escaping at most doubles a body; ids and times are short. */
export function largestBatch({ batch, bodyBytes }: OutboxLimits): number {
  return 2 * (batch.bytes + bodyBytes) + batch.messages * 256 + 1_024;
}

/** @throws Problem invalid QUESTION_MALFORMED */
export function readBatch(question: unknown, { batch, bodyBytes }: OutboxLimits): SentBatch {
  const { channel, messages, apart } = (question ?? {}) as Record<string, unknown>;
  const isGood = (message: unknown) => isMessage(message) && Buffer.byteLength(message.body) <= bodyBytes;
  if (typeof channel !== 'string' || !CHANNEL.test(channel) || !isListOf(messages, batch.messages, isGood))
    throw malformed();
  const list = messages as SentMessage[];
  if (list.length === 0 || new Set(list.map(({ id }) => id)).size < list.length) throw malformed();
  return { channel, messages: list, apart: apart === true };
}

function isMessage(value: unknown): value is SentMessage {
  const { id, body, expiresAt } = (value ?? {}) as Record<string, unknown>;
  return typeof id === 'string' && MESSAGE_ID.test(id) && typeof body === 'string' && isTime(expiresAt);
}

function malformed(): Problem {
  return new Problem('invalid', 'QUESTION_MALFORMED', 'The messages are not valid.');
}

const HEX_64 = /^[0-9a-f]{1,64}$/;
const CODE = /^[A-Z][A-Z0-9_]{0,59}$/;
const MAX_REASON = 500;
/** More leaves than any request has messages. */
const MAX_LEAVES = 65_536;
/** Base64 of 16 hashes of 32 bytes, and of a signature. */
const MAX_PATH = 684;
const MAX_SIGNATURE = 88;

/** @returns undefined for a reply that is not valid */
export function readReply(reply: unknown, most: number): BatchReply | undefined {
  const { outcomes, failed, apart } = (reply ?? {}) as Record<string, unknown>;
  if (!isListOf(outcomes, most, isOutcome)) return undefined;
  return { outcomes, failed: failed === true, apart: apart === true };
}

function isOutcome(value: unknown): value is SentOutcome {
  const told = (value ?? {}) as Record<string, unknown>;
  return (
    isText(told['id'], 100) &&
    isText(told['path'], MAX_PATH) &&
    isText(told['signature'], MAX_SIGNATURE) &&
    typeof told['poolId'] === 'string' &&
    HEX_64.test(told['poolId']) &&
    isTime(told['at']) &&
    isTime(told['version']) &&
    isTime(told['index']) &&
    isTime(told['size']) &&
    told['size'] <= MAX_LEAVES &&
    isResult(told['result'])
  );
}

function isResult(value: unknown): value is MessageOutcome {
  const { outcome, code, reason, ...more } = (value ?? {}) as Record<string, unknown>;
  if (Object.keys(more).length > 0) return false;
  if (outcome === 'acknowledged') return code === undefined && reason === undefined;
  return (
    (outcome === 'refused' || outcome === 'expired') &&
    typeof code === 'string' &&
    CODE.test(code) &&
    isText(reason, MAX_REASON) &&
    plainReason(reason) === reason
  );
}

/** A reason of a refusal as it may be shown: without control characters, and short. */
export function plainReason(text: string): string {
  return text.slice(0, MAX_REASON).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '');
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most;
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
