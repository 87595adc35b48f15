import { createHash } from 'node:crypto';
import type { Context } from '../../service/context.ts';
import { deriveKey } from '../../crypto/hkdf.ts';
import { indexed, type IndexedDocument, type SearchSpace } from '../../platform/store/search/document.ts';
import { removeDocument } from '../../platform/store/search/documents.ts';
import { wordsOf } from '../../platform/store/search/words.ts';
import type { CalendarObjectRow } from '../../platform/store/tables/calendars.ts';
import type { JcalComponent } from './icalendar/jcal.ts';
import { visibilityOf } from './objects/instances.ts';
import { eventsIn, searchedTexts, type SearchedTexts } from './search/texts.ts';

export function calendarSpaceName(calendarId: string): string {
  return `calendar:${calendarId}`;
}

/** The words of a calendar. The caller overwrites the key. @param key of the calendar, 32 bytes */
export function calendarSpace({ id, key }: { readonly id: string; readonly key: Uint8Array }): SearchSpace {
  return { name: calendarSpaceName(id), key: deriveKey(key, 'conclave/calendar/search/v1') };
}

/** Those who do not see all of each event find some by other words than the owner does. */
export type Limited = 'editor' | 'viewer';

/** Words of an event that some do not see whole. Whole words of a query are found among them. */
export function limitedTag(who: Limited, word: string): string {
  return `${who}:${createHash('sha256').update(word).digest('hex').slice(0, 24)}`;
}

/** Further words of one event are found by those alone who see all of it. */
const MOST_LIMITED = 5_000;

type Place = Pick<CalendarObjectRow, 'id' | 'calendar_id'>;

/**
 * What the index has of an object. Whoever writes the object puts it there in the same transaction.
 * @param calendar `space`: as calendarSpace() gives it; without it, it is made for this object alone
 */
export function documentOf(
  calendar:
    | { readonly id: string; readonly key: Uint8Array; readonly space?: SearchSpace }
    | { readonly space: SearchSpace },
  { id, created_at: at }: Pick<CalendarObjectRow, 'id' | 'created_at'>,
  object: JcalComponent,
): IndexedDocument {
  const events = eventsIn(object);
  const space = 'key' in calendar ? (calendar.space ?? calendarSpace(calendar)) : calendar.space;
  const texts = events.map(searchedTexts);
  const title = texts.map(({ summary }) => summary).join('\n');
  const text = texts.map(besideTitle).join('\n');
  const document = indexed(space, { id, at, title, text, tags: limitedTags(events) });
  if (calendar.space === undefined) space.key?.fill(0);
  return document;
}

function besideTitle({ location, attendees, description }: SearchedTexts): string {
  return [location, attendees, description].join('\n');
}

/** Events that all see have none. */
function limitedTags(events: readonly JcalComponent[]): string[] {
  if (events.every((event) => visibilityOf(event) === 'PUBLIC')) return [];
  const words: Record<Limited, Set<string>> = { editor: new Set(), viewer: new Set() };
  let strictest: 'PUBLIC' | 'CONFIDENTIAL' | 'PRIVATE' = 'PUBLIC';
  for (const event of events) {
    const visibility = visibilityOf(event);
    if (visibility !== 'PUBLIC' && strictest !== 'PRIVATE') strictest = visibility;
    if (visibility === 'PRIVATE') continue;
    const texts = searchedTexts(event);
    const all = wordsOf(`${texts.summary}\n${besideTitle(texts)}`);
    for (const word of all) words.editor.add(word);
    for (const word of visibility === 'PUBLIC' ? all : wordsOf(texts.summary)) words.viewer.add(word);
  }
  const limited: readonly Limited[] = strictest === 'PRIVATE' ? ['editor', 'viewer'] : ['viewer'];
  return limited.flatMap((who) => [...words[who]].slice(0, MOST_LIMITED).map((word) => limitedTag(who, word)));
}

export async function unindexObject(
  { db }: Pick<Context, 'db'>,
  { id, calendar_id: calendarId }: Place,
): Promise<void> {
  await removeDocument(db, calendarSpaceName(calendarId), id);
}
