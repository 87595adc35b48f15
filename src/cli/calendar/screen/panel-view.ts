import { linesWithin } from '../../kit/canvas.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { details } from '../../kit/table.ts';
import { eventFacts } from '../event-views.ts';
import { foundTime } from '../found-table.ts';
import { cell, colourOf, titleOf } from '../picture/look.ts';
import { dateWords, timeText, weekdayNames, weekdayOf } from '../wall-clock.ts';
import { calendarKeys } from './help.ts';
import { calendarOf, type Look, type Panel, type State } from './state.ts';

/** What has the whole screen but its title and its last line. */
type WholePanel = Extract<Panel, { kind: 'event' | 'help' | 'calendars' | 'found' }>;

export function isWhole(panel: Panel | undefined): panel is WholePanel {
  return panel !== undefined && ['event', 'help', 'calendars', 'found'].includes(panel.kind);
}

/** Lines between title and hints. */
export function panelHeight({ rows }: State): number {
  return Math.max(1, rows - 2);
}

/** Lines of a panel that is a text, from its first one on. */
export function panelText(state: State, panel: Extract<Panel, { top: number }>, { measure }: Look): string[] {
  const { columns } = state;
  if (panel.kind === 'help') {
    const width = Math.max(...calendarKeys.map(([key]) => key.length)) + 2;
    return calendarKeys.flatMap(([key, does]) =>
      linesWithin(does, Math.max(width, columns - width), measure).map((line, at) =>
        cell((at === 0 ? key : '').padEnd(width) + line, columns, measure),
      ),
    );
  }
  const { event } = panel;
  const name = calendarOf(state, event.calendarId)?.displayName ?? event.calendarId;
  const plain = (_: unknown, text: string): string => text;
  const text = details({ width: columns, paint: plain, measure }, eventFacts(event, state.clock, name));
  return linesWithin(text, columns, measure);
}

export function panelTitle(panel: WholePanel): string {
  switch (panel.kind) {
    case 'event':
      return titleOf(panel.event);
    case 'help':
      return 'Keys of the calendar';
    case 'calendars':
      return 'Calendars that are shown';
    default:
      return escapeForTerminal(`Found: ${panel.words}`);
  }
}

export function panelLines(state: State, panel: WholePanel, look: Look): string[] {
  const height = panelHeight(state);
  if (panel.kind === 'event' || panel.kind === 'help') {
    const lines = panelText(state, panel, look);
    const top = Math.max(0, Math.min(panel.top, lines.length - height));
    return lines.slice(top, top + height);
  }
  const lines = panel.kind === 'calendars' ? calendarLines(state, look) : foundLines(state, panel, look);
  if (lines.length === 0) return [panel.kind === 'found' ? 'Nothing was found.' : 'Reading…'];
  const top = Math.max(0, Math.min(panel.at - Math.floor(height / 2), lines.length - height));
  return lines.slice(top, top + height).map((line, index) => {
    const isAt = top + index === panel.at;
    const text = `${isAt ? '>' : ' '} ${line}`;
    return isAt ? look.paint('bold', text) : text;
  });
}

function calendarLines({ calendars = [], hidden, columns }: State, { measure, palette }: Look): string[] {
  const colour = colourOf(calendars, palette);
  return calendars.map(({ id, displayName, permission, isDefault }) => {
    const facts = [isDefault && permission === 'owner' ? 'default' : '', permission === 'owner' ? '' : permission];
    const text = [escapeForTerminal(displayName), ...facts.filter((fact) => fact !== '')].join(', ');
    return `[${hidden.has(id) ? ' ' : 'x'}] ${colour({ calendarId: id }, '▌')}${cell(text, columns - 7, measure)}`;
  });
}

function foundLines(
  { clock, columns }: State,
  { found }: Extract<Panel, { kind: 'found' }>,
  { measure }: Look,
): string[] {
  return found.map((event) => {
    const start = foundTime(event, clock);
    const time = event.allDay ? '' : `, ${timeText(start)}`;
    const when = `${(weekdayNames[weekdayOf(start)] ?? '').slice(0, 3)} ${dateWords(start)}${time}`;
    const place = event.location === '' ? '' : `, ${escapeForTerminal(event.location)}`;
    return cell(`${titleOf(event)}${place}  ${when}${event.isRecurring ? ' (series)' : ''}`, columns - 2, measure);
  });
}
