import type { Calendar } from '../../../contract/calendar/calendars.ts';
import type { Event } from '../../../contract/calendar/event.ts';
import { fit, type Measure } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { nearestOf256 } from '../../kit/xterm-colours.ts';
import type { Paint, Palette } from '../../kit/terminal.ts';

/** How pictures are drawn. */
export interface PictureLook {
  readonly width: number;
  readonly paint: Paint;
  readonly measure: Measure;
  readonly colour: Colour;
}

/** A text in the colour of an event, where the terminal has colours. */
export type Colour = (event: Pick<Event, 'calendarId' | 'color'>, text: string) => string;

/** Colours of calendars, and of events that have one of their own. */
export function colourOf(calendars: readonly Pick<Calendar, 'id' | 'color'>[], palette: Palette): Colour {
  if (palette === 'none') return (_, text) => text;
  const byId = new Map(calendars.map(({ id, color }) => [id, color]));
  return ({ calendarId, color }, text) => {
    const code = codeOf(color ?? byId.get(calendarId), palette);
    return code === undefined ? text : `\u001b[38;${code}m${text}\u001b[39m`;
  };
}

/** The parameters of a colour in ECMA-48 SGR. */
function codeOf(color: string | undefined, palette: Exclude<Palette, 'none'>): string | undefined {
  const [, digits] = /^#([0-9a-f]{6})$/i.exec(color ?? '') ?? [];
  if (digits === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = Buffer.from(digits, 'hex');
  return palette === 'all' ? `2;${red};${green};${blue}` : `5;${nearestOf256(red, green, blue)}`;
}

/** A text that takes exactly so many columns, cut or with spaces behind it. */
export function cell(text: string, columns: number, measure: Measure, filler = ' '): string {
  if (columns <= 0) return '';
  const cut = fit(text, columns, measure);
  return cut + filler.repeat(Math.max(0, columns - measure(cut)));
}

/** What an event is called on a screen. */
export function titleOf({ summary, status }: Pick<Event, 'summary' | 'status'>): string {
  const title = summary.trim() === '' ? '(no title)' : escapeForTerminal(summary);
  return status === 'CANCELLED' ? `(cancelled) ${title}` : status === 'TENTATIVE' ? `? ${title}` : title;
}

/** How wide the seven days are. What is left over goes to the first ones. */
export function columnsOf(room: number): number[] {
  const each = Math.floor(room / 7);
  return Array.from({ length: 7 }, (_, at) => each + (at < room - each * 7 ? 1 : 0));
}
