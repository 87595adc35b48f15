import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import { Problem } from '../../../base/problem.ts';
import { calendar } from '../../../contract/calendar.ts';
import { isPassing } from '../../kit/passing.ts';
import { openRedraw } from '../../kit/redraw.ts';
import { escapeLinesForTerminal } from '../../kit/escape-for-terminal.ts';
import { withFullScreen, type FullScreen } from '../../kit/full-screen.ts';
import { ARRIVED } from '../../kit/keyboard.ts';
import type { Unmeasured } from '../../kit/screen.ts';
import { paletteOf, widthOf, type Terminal } from '../../kit/terminal.ts';
import { wrapSaid } from '../../kit/wrap-words.ts';
import { lineOf } from '../../kit/line.ts';
import { eventTime } from '../event-views.ts';
import { startOfMonth } from '../picture/month-picture.ts';
import { minute, startOfDay, type WallClock } from '../wall-clock.ts';
import { withEvent, withMonth, withoutEvent } from './kept-months.ts';
import { press } from './keys.ts';
import { openSerialWork } from './serial-work.ts';
import { goneTo, type Effect, type LinePanel, type Look, type State } from './state.ts';
import { view } from './view.ts';
import { added, changed, entered, heardOf, readMonth, removed, searched } from './work.ts';

interface Given {
  readonly client: Client;
  readonly clock: WallClock;
  readonly screen: () => Promise<Unmeasured>;
}

/** Shows a month or a week, in which the person moves until they quit. */
export async function calendarOnScreen(terminal: Terminal, { client, clock, screen }: Given): Promise<void> {
  let left: readonly string[] = [];
  try {
    await withFullScreen(terminal, { connect: async () => client, screen, forText: true }, async (full) => {
      const shown = new CalendarScreen(full, { client, clock, at: await screen() });
      try {
        await shown.run();
      } finally {
        left = await shown.end();
      }
    });
  } finally {
    for (const text of left)
      terminal.stderr.write(`${wrapSaid(escapeLinesForTerminal(text), widthOf(terminal.stderr))}\n`);
  }
}

/** Milliseconds. What comes in such a time is drawn once. */
const DRAW_MS = 30;
/** How long a month that was read is shown without reading it again. */
const FRESH_MS = minute;
/** How long what is to be written is waited for at the end. */
const ENDING_MS = 5_000;
interface Own extends Pick<Given, 'client' | 'clock'> {
  readonly at: Unmeasured;
}

class CalendarScreen {
  readonly #full: FullScreen;
  readonly #own: Own;
  readonly #redraw = openRedraw(() => this.#draw());
  readonly #work = openSerialWork(() => this.#change((state) => ({ ...state, isBusy: false })));
  /** when each month was read; one that is missing is read when the person comes there */
  readonly #readAt = new Map<number, number>();
  readonly #ticking: NodeJS.Timeout;
  #state: State;
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;
  /** what could not be written after the person quit */
  readonly #lost: string[] = [];

  constructor(full: FullScreen, own: Own) {
    this.#full = full;
    this.#own = own;
    this.#state = {
      ...sizeOf(full),
      clock: own.clock,
      view: 'month',
      day: startOfDay(own.clock.wallOf(Date.now())),
      chosenId: undefined,
      months: new Map(),
      calendars: undefined,
      hidden: new Set(),
      isBusy: false,
      note: '',
      panel: undefined,
    };
    // The line of now moves, and others change what was read.
    this.#ticking = setInterval(() => {
      this.#read();
      this.#redraw.soon(0);
    }, minute);
  }

  /** Does what keys say until the person quits. @throws Cancelled at Ctrl-C; what ended it otherwise */
  async run(): Promise<void> {
    this.#readCalendars();
    this.#read();
    this.#draw();
    while (!this.#isOver) {
      const key = await this.#full.keyboard.next();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (key === ARRIVED) continue;
      if (key === 'resize') this.#change((state) => ({ ...state, ...sizeOf(this.#full) }));
      else this.#press(key);
      this.#read();
      this.#soon(0);
    }
  }

  /** Waits for what is being written. @returns what was not, and why */
  async end(): Promise<readonly string[]> {
    this.#isOver = true;
    clearInterval(this.#ticking);
    this.#redraw[Symbol.dispose]();
    const isDone = await this.#work.end(ENDING_MS);
    return isDone
      ? this.#lost
      : [...this.#lost, `${this.#own.client.place} did not answer. Look whether your last change is there.`];
  }

  #press(key: string): void {
    const { state, effects } = press(this.#state, key, this.#look());
    this.#state = state;
    for (const effect of effects) this.#do(effect);
  }

  #do(effect: Effect): void {
    const { client, clock } = this.#own;
    switch (effect.do) {
      case 'quit':
        this.#isOver = true;
        return;
      case 'reload':
        this.#readAt.clear();
        this.#readCalendars();
        return this.#read();
      case 'hear':
        return void this.#hear(effect.panel);
      case 'enter':
        return void this.#enter(effect.panel);
      case 'search':
        return this.#search(effect.words, effect.panel);
      case 'add': {
        const { text } = effect.proposed;
        const again: LinePanel = { kind: 'line', purpose: 'new', line: lineOf(text), heard: '' };
        return this.#write(again, async () => {
          const { event, note } = await added(client, effect.proposed, clock);
          return (state) => ({ ...goneTo(withEvent(state, event), eventTime(event, clock).start, event.id), note });
        });
      }
      case 'change':
        return this.#write(undefined, async () => {
          const { event, note } = await changed(client, effect.change, clock);
          // A series begins elsewhere than where the person is.
          const isSeries = event.isRecurring && event.occurrenceId === undefined;
          return (state) => ({
            ...(isSeries
              ? { ...state, chosenId: event.id }
              : goneTo(withEvent(state, event), eventTime(event, clock).start, event.id)),
            note,
          });
        });
      case 'remove':
        return this.#write(undefined, async () => {
          const note = await removed(client, effect, clock);
          return (state) => ({ ...withoutEvent(state, effect.event, effect.mode), note });
        });
    }
  }

  /** Shows what is understood of a line. What was written since is another one. */
  async #hear(panel: LinePanel): Promise<void> {
    await this.#attempt(async () => {
      const heard = await heardOf(this.#state, panel, Date.now());
      this.#change((state) => (isAt(state, panel) ? { ...state, panel: { ...panel, heard } } : state));
    });
  }

  async #enter(panel: LinePanel): Promise<void> {
    await this.#attempt(async () => {
      const { change, effect } = await entered(this.#state, panel, Date.now());
      // Somebody who has left the line wants something else.
      if (!isAt(this.#state, panel)) return;
      if (change !== undefined) this.#change(change);
      if (effect !== undefined) this.#do(effect);
      this.#read();
    });
  }

  #search(words: string, panel: LinePanel): void {
    this.#reading(async (signal) => {
      const found = await searched(this.#own.client, words, this.#state, signal);
      this.#change((state) =>
        isAt(state, panel) ? { ...state, panel: { kind: 'found', words, found, at: 0 } } : state,
      );
    });
  }

  /** @param again what is shown if it is refused, so that it can be written better */
  #write(again: LinePanel | undefined, work: () => Promise<(state: State) => State>): void {
    this.#state = { ...this.#state, isBusy: true };
    this.#work.write(async () => {
      await this.#attempt(async () => {
        try {
          this.#change(await work());
        } catch (error) {
          if (error instanceof Problem && this.#isOver) this.#lost.push(error.message);
          if (error instanceof Problem && again !== undefined)
            this.#change((state) => (state.panel === undefined ? { ...state, panel: again } : state));
          throw error;
        }
      });
      this.#readAt.clear();
      this.#read();
    });
  }

  #reading(work: (signal: AbortSignal) => Promise<void>): void {
    this.#state = { ...this.#state, isBusy: true };
    this.#work.read(async (signal) => await this.#attempt(async () => await work(signal)));
  }

  #readCalendars(): void {
    this.#reading(async (signal) => {
      const { calendars } = await perform(this.#own.client, calendar.listCalendars, {}, signal);
      this.#change((state) => ({ ...state, calendars }));
    });
  }

  /** Reads the month of the person if it is not read or not new, then its neighbours. */
  #read(): void {
    const here = startOfMonth(this.#state.day);
    const month = [here, startOfMonth(here, 1), startOfMonth(here, -1)].find((one) => this.#isOld(one, one === here));
    if (month === undefined || this.#isOver) return;
    this.#readAt.set(month, Date.now());
    this.#reading(async (signal) => {
      const distance = Math.abs(startOfMonth(this.#state.day) - month);
      // They may have gone on since.
      if (distance > FARTHEST_MS) {
        this.#readAt.delete(month);
        return;
      }
      try {
        const placed = await readMonth(this.#own.client, month, this.#own.clock, signal);
        this.#change((state) => ({ ...state, months: withMonth(state.months, month, placed) }));
      } catch (error) {
        // It is read again when the person moves, or in the next minute.
        this.#readAt.delete(month);
        throw error;
      }
      this.#read();
    });
  }

  #isOld(month: number, isHere: boolean): boolean {
    const at = this.#readAt.get(month);
    return at === undefined || (isHere && Date.now() - at > FRESH_MS);
  }

  /** Does something whose refusal ends nothing else. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#isOver) return;
      if (!(error instanceof Problem) || this.#isEnd(error)) this.#fail(error);
      else this.#change((state) => ({ ...state, note: error.message }));
    }
  }

  /** Whether nothing here can go on: nobody is signed in, or nothing could be read, and will not be later. */
  #isEnd(error: Problem): boolean {
    return (
      error.kind === 'unauthenticated' ||
      (this.#state.calendars === undefined && !isPassing(error) && !isWords(this.#state))
    );
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#full.keyboard.put(ARRIVED);
  }

  #change(change: (state: State) => State): void {
    this.#state = change(this.#state);
    this.#soon(DRAW_MS);
  }

  #soon(ms: number): void {
    if (!this.#isOver) this.#redraw.soon(ms);
  }

  #draw(): void {
    if (this.#isOver) return;
    const { lines, cursor } = view(this.#state, this.#look());
    this.#full.canvas.show(lines, cursor);
  }

  #look(): Look {
    const { measure, terminal } = this.#full;
    const palette = paletteOf(terminal.stderr, terminal.env);
    return { measure, paint: this.#own.at.paint, palette, nowMs: Date.now() };
  }
}

/** A month and a half in milliseconds: neighbours are read, others are not. */
const FARTHEST_MS = 45 * 24 * 60 * minute;

/** Whether something is written, which may be what is refused. */
function isWords({ panel }: State): boolean {
  return panel?.kind === 'line';
}

function isAt({ panel }: State, { line }: LinePanel): boolean {
  return panel?.kind === 'line' && panel.line === line;
}

function sizeOf({ canvas }: FullScreen): Pick<State, 'columns' | 'rows'> {
  return { columns: canvas.width(), rows: canvas.rows() };
}
