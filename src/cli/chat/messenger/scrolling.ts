import { idOf, itemsOf } from './timeline.ts';
import type { Talk } from './state.ts';

type Blocks = readonly (readonly string[])[];

/** How much of a conversation is on the screen, in lines from its beginning on. */
interface Window {
  readonly lines: readonly string[];
  readonly isAtTop: boolean;
  readonly isAtEnd: boolean;
}

/** What is on the screen. @param room lines of the pane */
export function windowOf(talk: Talk, blocks: Blocks, room: number): Window {
  const { starts, total } = placesOf(blocks);
  const end = endOf(talk, blocks, starts, total, room);
  const top = Math.max(0, end - room);
  return { lines: linesIn(blocks, starts, top, end), isAtTop: top === 0, isAtEnd: end >= total };
}

/** The talk some lines further down, or up. */
export function scrolled(talk: Talk, blocks: Blocks, room: number, by: number): Talk {
  const { starts, total } = placesOf(blocks);
  const end = endOf(talk, blocks, starts, total, room);
  return scrolledTo(talk, starts, total, room, end + by);
}

/** The talk with its marked message on the screen: its first line if it is longer than that. */
export function showingMark(talk: Talk, blocks: Blocks, room: number): Talk {
  const at = itemsOf(talk).findIndex((item) => idOf(item) === talk.marked);
  if (at === -1) return talk;
  const { starts, total } = placesOf(blocks);
  const end = endOf(talk, blocks, starts, total, room);
  const [first, last] = [starts[at] ?? 0, starts[at + 1] ?? total];
  if (first < end - room) return scrolledTo(talk, starts, total, room, first + room);
  if (last > end) return scrolledTo(talk, starts, total, room, Math.min(last, first + room));
  return talk;
}

export function atEnd(talk: Talk): Talk {
  return { ...talk, scroll: undefined, below: talk.hasNewer ? talk.below : 0 };
}

function placesOf(blocks: Blocks): { readonly starts: readonly number[]; readonly total: number } {
  const starts = [0];
  for (const block of blocks) starts.push((starts.at(-1) ?? 0) + block.length);
  return { starts, total: starts.at(-1) ?? 0 };
}

/** The line behind the last one on the screen. */
function endOf(
  { scroll, ...talk }: Talk,
  blocks: Blocks,
  starts: readonly number[],
  total: number,
  room: number,
): number {
  if (scroll === undefined) return total;
  const at = itemsOf({ ...talk, scroll }).findIndex((item) => idOf(item) === scroll.id);
  // What stood there is gone.
  if (at === -1 || at >= blocks.length) return total;
  const end = (starts[at + 1] ?? total) - Math.min(scroll.hidden, (blocks[at]?.length ?? 1) - 1);
  return Math.min(total, Math.max(end, Math.min(room, total)));
}

function scrolledTo(talk: Talk, starts: readonly number[], total: number, room: number, wanted: number): Talk {
  const end = Math.min(total, Math.max(Math.min(room, total), wanted));
  if (end >= total) return atEnd(talk);
  const at = starts.findLastIndex((start) => start < end);
  const item = itemsOf(talk)[at];
  if (item === undefined) return atEnd(talk);
  return { ...talk, scroll: { id: idOf(item), hidden: (starts[at + 1] ?? total) - end } };
}

function linesIn(blocks: Blocks, starts: readonly number[], top: number, end: number): string[] {
  const found: string[] = [];
  for (const [at, block] of blocks.entries()) {
    const start = starts[at] ?? 0;
    if (start >= end) break;
    if (start + block.length > top) found.push(...block.slice(Math.max(0, top - start), end - start));
  }
  return found;
}
