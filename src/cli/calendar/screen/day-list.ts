import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { cell, titleOf, type PictureLook } from '../picture/look.ts';
import { onDay, timeOn, type Placed, type Span } from '../picture/placed.ts';
import { day, dayWords, startOfDay } from '../wall-clock.ts';
import { calendarOf, chosenEvent, shownEvents, type State } from './state.ts';

/** Days with what is on them, around the event on which the person is. */
export function dayList(state: State, { from, to }: Span, height: number, look: PictureLook, now: number): string[] {
  const placed = shownEvents(state);
  const lines: string[] = [];
  let chosenLine = 0;
  for (let at = from; at < to; at += day) {
    const isHere = at === state.day;
    if (isHere) chosenLine = lines.length;
    const today = at === startOfDay(now) ? ' (today)' : '';
    const head = fit(`${isHere && to - from > day ? '> ' : ''}${dayWords(at)}${today}`, look.width, look.measure);
    lines.push(look.paint('bold', head));
    const all = onDay(placed ?? [], at);
    const chosen = isHere ? chosenEvent(state)?.event.id : undefined;
    for (const one of all) {
      if (one.event.id === chosen) chosenLine = lines.length;
      lines.push(rowOf(state, one, at, one.event.id === chosen, look));
    }
    if (all.length === 0 && to - from === day) lines.push(placed === undefined ? '' : '  Nothing. n adds an event.');
  }
  // The heading stays as long as it can.
  const top = Math.max(0, Math.min(chosenLine - Math.floor(height / 2), lines.length - height));
  return lines.slice(top, top + height).map((line) => line);
}

/** `> 09:00-10:00  Lunch with Bob, Cafe (Work)` */
function rowOf(
  state: State,
  one: Placed,
  at: number,
  isChosen: boolean,
  { width, measure, paint, colour }: PictureLook,
): string {
  const { event } = one;
  const time = `${timeOn(one, at).padEnd(11)} `;
  const text = cell(wordsOf(state, one), Math.max(1, width - time.length - 3), measure);
  const line = `${time}${colour(event, '▌')}${isChosen ? paint('bold', text) : text}`;
  return `${isChosen ? '>' : ' '} ${line}`;
}

/** What is to be known of the event on which the person is, in one line. */
export function eventLine(state: State, { width, measure, paint }: PictureLook): string {
  const one = chosenEvent(state);
  const empty = shownEvents(state) === undefined ? '' : 'nothing on this day';
  const said = one === undefined ? empty : `${timeOn(one, state.day)}  ${wordsOf(state, one)}`;
  return paint('bold', cell(`${dayWords(state.day)}  ${said}`, width, measure));
}

function wordsOf(state: State, { event }: Placed): string {
  const place = event.location === '' ? '' : `, ${escapeForTerminal(event.location)}`;
  const { calendars = [] } = state;
  const name = calendars.length < 2 ? undefined : calendarOf(state, event.calendarId)?.displayName;
  return `${titleOf(event)}${place}${name === undefined ? '' : ` (${escapeForTerminal(name)})`}`;
}
