import { physicalLines, withoutEnd } from './lines.ts';

/** A vCard of a file, and the line at which it begins, from 1. */
export interface FoundCard {
  readonly line: number;
  readonly text: string;
  /** why it can't be read */
  readonly wrong?: string;
}

const border = /^(BEGIN|END)\s*:\s*VCARD\s*$/i;
/** What has another vCard as its value in version 2.1 stands before it. */
const agent = /^(?:[\w-]+\.)?AGENT[^:]*:\s*$/i;
const OUTSIDE = 'Here is something that belongs to no vCard.';

/** The vCards of a file. What is wrong with one does not touch the others. */
export function* cardsIn(text: string): Generator<FoundCard> {
  let lines: string[] = [];
  let begun = 0;
  let depth = 0;
  let number = 0;
  let strayed = false;
  let before = '';
  for (const line of physicalLines(text)) {
    number += 1;
    const bare = withoutEnd(line);
    const [, which] = border.exec(bare) ?? [];
    if (which?.toUpperCase() === 'BEGIN' && (depth === 0 || !agent.test(before))) {
      if (depth > 0) yield { line: begun, text: lines.join(''), wrong: 'The vCard has no end.' };
      lines = [line];
      begun = number;
      depth = 1;
      strayed = false;
    } else if (depth > 0) {
      lines.push(line);
      if (which !== undefined) depth += which.toUpperCase() === 'BEGIN' ? 1 : -1;
      if (depth === 0) yield { line: begun, text: lines.join('') };
    } else if (bare.trim() !== '' && !strayed) {
      strayed = true;
      yield { line: number, text: bare, wrong: OUTSIDE };
    }
    before = bare;
  }
  if (depth > 0) yield { line: begun, text: lines.join(''), wrong: 'The vCard has no end.' };
}
