import { wholeNumber } from '../../base/whole-number.ts';
import type { DropHappened, Dropped, EventHappened, SpreadEvent } from '../../service/ports/realtime.ts';

/** The channel for signals about events, between processes on one store. */
export const channel = 'events';
/** A signal must be shorter than 8000 bytes, and ids of members have 24 digits. */
const membersPerSignal = 250;
const bytesPerSignal = 7_000;
const longestSignal = 7_900;

export type Signal =
  /** topics have reached these numbers: the rows tell what happened */
  | { readonly kind: 'moved'; readonly from: string; readonly topics: readonly (readonly [string, number])[] }
  | { readonly kind: 'passing'; readonly from: string; readonly event: EventHappened }
  | { readonly kind: 'spread'; readonly from: string; readonly event: SpreadEvent }
  | { readonly kind: 'drop'; readonly from: string; readonly drop: DropHappened };

export function* movedSignals(from: string, topics: Iterable<readonly [string, number]>): Generator<string> {
  let part: (readonly [string, number])[] = [];
  let bytes = 0;
  for (const moved of topics) {
    const size = Buffer.byteLength(JSON.stringify(moved)) + 1;
    if (bytes + size > bytesPerSignal) {
      yield JSON.stringify(['moved', from, part]);
      [part, bytes] = [[], 0];
    }
    part.push(moved);
    bytes += size;
  }
  if (part.length > 0) yield JSON.stringify(['moved', from, part]);
}

/** @returns undefined if it is too long, because it is withheld from very many */
export function passingSignal(from: string, { topic, text, withheldFrom = [] }: EventHappened): string | undefined {
  const signal =
    withheldFrom.length === 0
      ? `${JSON.stringify(['passing', from])}${topic} ${text}`
      : `${JSON.stringify(['withheld', from])}${topic} ${withheldFrom.join(',')} ${text}`;
  return Buffer.byteLength(signal) <= longestSignal ? signal : undefined;
}

/** Each names as many of the topics as fit. */
export function* spreadSignals(from: string, { topics, name, data, created_at: at }: SpreadEvent): Generator<string> {
  const head = JSON.stringify(['spread', from, name, at]);
  const room = longestSignal - Buffer.byteLength(head) - Buffer.byteLength(data) - 1;
  let part = '';
  for (const topic of topics) {
    if (part !== '' && part.length + topic.length + 1 > room) {
      yield `${head}${part} ${data}`;
      part = '';
    }
    part += part === '' ? topic : `,${topic}`;
  }
  if (part !== '') yield `${head}${part} ${data}`;
}

export function* dropSignals(
  from: string,
  { topic, seq, whom }: { readonly topic: string; readonly seq: number; readonly whom: Dropped },
): Generator<string> {
  if (whom === 'everybody') yield JSON.stringify(['drop', from, topic, seq, whom]);
  else
    for (let start = 0; start < whom.length; start += membersPerSignal)
      yield JSON.stringify(['drop', from, topic, seq, whom.slice(start, start + membersPerSignal)]);
}

/** @returns undefined if the text is not a known signal: it comes from a newer program, or from another program on the database */
export function readSignal(payload: string): Signal | undefined {
  // The text of an event is not put into JSON, because each of its quotes would become two characters and the signal might be too long.
  const passing = /^\["passing","(\w+)"\](\S+) (.*)$/s.exec(payload);
  if (passing !== null) {
    const [, from = '', topic = '', text = ''] = passing;
    return { kind: 'passing', from, event: { kind: 'event', topic, seq: undefined, text } };
  }
  const withheld = /^\["withheld","(\w+)"\](\S+) (\S+) (.*)$/s.exec(payload);
  if (withheld !== null) {
    const [, from = '', topic = '', ids = '', text = ''] = withheld;
    return {
      kind: 'passing',
      from,
      event: { kind: 'event', topic, seq: undefined, text, withheldFrom: ids.split(',') },
    };
  }
  const spread = /^\["spread","(\w+)","([\w:]+)",(\d+)\](\S+) (.*)$/s.exec(payload);
  if (spread !== null) {
    const [, from = '', name = '', at = '', topics = '', data = ''] = spread;
    return { kind: 'spread', from, event: { topics: topics.split(','), name, data, created_at: wholeNumber(at) ?? 0 } };
  }
  let parts: unknown;
  try {
    parts = JSON.parse(payload);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts)) return undefined;
  const [kind, from, ...rest] = parts as [string, string, ...unknown[]];
  if (kind === 'moved') return { kind, from, topics: rest[0] as [string, number][] };
  if (kind !== 'drop') return undefined;
  const [topic, seq, whom] = rest as [string, number, Dropped];
  return { kind, from, drop: { kind, topic, seq, whom } };
}
