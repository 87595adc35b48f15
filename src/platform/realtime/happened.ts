import type { AsHeard, Dropped, Happened, HeardEvent } from '../../service/ports/realtime.ts';
import type { EventRow } from '../store/tables/events.ts';

/** Name of a row that clients never see. Names of events have a colon, so no event can have this name. */
export const dropName = 'drop';

/** Data of an event that says nothing until somebody hears it, as JSON. */
export const later = 'null';

/** What rows of one topic tell at this moment, in their order. An event that is not told has an empty text. */
export async function happenedOf(
  rows: readonly EventRow[],
  asHeard: AsHeard | undefined,
): Promise<(Happened & { readonly seq: number })[]> {
  const events = rows.filter(({ name }) => name !== dropName);
  const [first] = events;
  const said = asHeard === undefined || first === undefined ? events : await asHeard(first.topic, events);
  const heardAt = new Map(events.map((row, at) => [row.seq, said[at]]));
  return rows.map((row) => {
    const { topic, seq } = row;
    if (row.name === dropName) return { kind: 'drop', topic, seq, whom: JSON.parse(row.data) as Dropped };
    const heard: HeardEvent | undefined = heardAt.get(seq);
    const withheldFrom = [...idsIn(row.withheld), ...(heard?.withheldFrom ?? [])];
    const text = heard === undefined || heard.data === later ? '' : frameText({ ...row, data: heard.data });
    return { kind: 'event', topic, seq, text, withheldFrom };
  });
}

function idsIn(withheld: string | null): readonly string[] {
  return withheld === null ? [] : (JSON.parse(withheld) as string[]);
}

/** @param data JSON */
export function frameText(event: {
  readonly name: string;
  readonly topic: string;
  readonly seq?: number;
  readonly created_at: number;
  readonly data: string;
}): string {
  const { name: type, topic, seq } = event;
  const head = JSON.stringify({ type, topic, seq, timestamp: new Date(event.created_at).toISOString() });
  return `${head.slice(0, -1)},"data":${event.data}}`;
}

export function isDropped(whom: Dropped, memberId: string): boolean {
  return whom === 'everybody' || whom.includes(memberId);
}
