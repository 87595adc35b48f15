import { folders } from '../../../contract/mail/limits.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { prompts } from '../../kit/prompts.ts';
import type { Unmeasured } from '../../kit/screen.ts';
import { nameIn } from '../mail-columns.ts';
import { act, actionKeys, undo } from './actions.ts';
import { listHelp, showMailKeys } from './help.ts';
import { ARRIVED } from '../../kit/keyboard.ts';
import { lineOf, listed, titleOf, type List, type Place, type Row } from './list.ts';
import { readThread } from './message-screen.ts';
import { openNews, type News } from './news.ts';
import { aside, tried } from '../../kit/full-screen.ts';
import type { Reading } from './reading.ts';
import { answerTo, compose, forwardOn, writeOn } from './writing.ts';

const inbox: Place = { folder: 'inbox', search: '', page: 1 };

/** Lists threads, and does what keys say, until the person quits. */
export async function readMail(reading: Reading): Promise<void> {
  // Before the list is read, so that nothing comes in between.
  await using news = await openNews(reading, () => reading.keyboard.put(ARRIVED));
  const list = await listed(reading, inbox);
  // The time zone of the account is known after the first call.
  const reader = new Reader(reading, await reading.screen(), list);
  while (await reader.step(news));
}

class Reader {
  readonly #reading: Reading;
  readonly #screen: Unmeasured;
  /** threads that the next action is for */
  readonly #marked = new Set<string>();
  #place = inbox;
  #list: List;
  #at = 0;
  #note = '';

  constructor(reading: Reading, screen: Unmeasured, list: List) {
    this.#reading = reading;
    this.#screen = screen;
    this.#list = list;
  }

  /** Shows the list, and does what one key says. @returns whether to go on */
  async step(news: News): Promise<boolean> {
    const { rows } = this.#list;
    this.#at = Math.max(0, Math.min(rows.length - 1, this.#at));
    this.#draw();
    const key = await this.#reading.keyboard.next();
    if (key === 'q') return false;
    this.#note = await tried(async () => await this.#answer(key, rows[this.#at], news));
    return true;
  }

  #draw(): void {
    const lines = this.#list.rows.map((row, index) => {
      const isMarked = this.#marked.has(row[0].threadId);
      return lineOf(this.#reading, this.#screen, row, { isChosen: index === this.#at, isMarked });
    });
    const shown = lines.length === 0 ? ['There are no messages here.'] : lines;
    this.#reading.canvas.draw(titleOf(this.#place, this.#list), shown, escapeForTerminal(this.#note), listHelp);
  }

  /** @returns what to tell the person */
  async #answer(key: string, row: Row | undefined, news: News): Promise<string> {
    const reading = this.#reading;
    if (this.#moved(key)) return '';
    if (key === '?') return (await showMailKeys(reading, 'list'), '');
    if (key === '.' || key === 'resize') return await this.#look(this.#place);
    if (key === ARRIVED) return await this.#look(this.#place, toldOf(news));
    if (key === '/') return await this.#look(await searched(reading, this.#place));
    if (key === 'f') return await this.#look(await chosen(reading));
    if (key === 'escape') return await this.#back();
    const step = stepOf(key);
    if (step !== 0) return await this.#turn(step);
    if (key === 'z') return await this.#look(this.#place, await undo(reading));
    if (key === 'c') return await this.#look(this.#place, await compose(reading));
    if (row === undefined) return '';
    return await this.#withRow(key, row);
  }

  async #withRow(key: string, row: Row): Promise<string> {
    const reading = this.#reading;
    const [{ id, threadId }] = row;
    if (key === 'x') {
      if (!this.#marked.delete(threadId)) this.#marked.add(threadId);
      this.#at += 1;
      return '';
    }
    if (actionKeys.has(key)) return await this.#act(key, row);
    const note = await oneMessage(reading, key, id);
    return note === undefined ? '' : await this.#look(this.#place, note);
  }

  async #act(key: string, row: Row): Promise<string> {
    const marked = this.#list.rows.filter(([{ threadId }]) => this.#marked.has(threadId));
    const messages = (marked.length > 0 ? marked : [row]).flat();
    const { note } = await act(this.#reading, key, messages);
    this.#marked.clear();
    return await this.#look(this.#place, note);
  }

  /** Moves the cursor. @returns whether it was such a key */
  #moved(key: string): boolean {
    const last = this.#list.rows.length - 1;
    const places: Readonly<Record<string, number>> = {
      j: this.#at + 1,
      down: this.#at + 1,
      k: this.#at - 1,
      up: this.#at - 1,
      home: 0,
      end: last,
    };
    const place = places[key];
    if (place !== undefined) this.#at = place;
    return place !== undefined;
  }

  async #turn(step: number): Promise<string> {
    const page = Math.max(1, Math.min(this.#list.pages, this.#place.page + step));
    if (page === this.#place.page) return '';
    const note = await this.#look({ ...this.#place, page });
    this.#at = 0;
    return note;
  }

  async #back(): Promise<string> {
    if (this.#marked.size === 0) return await this.#look(inbox);
    this.#marked.clear();
    return '';
  }

  /** Reads a list. The cursor stays on its thread. Only a list that could be read replaces the one that is shown. */
  async #look(place: Place, note = ''): Promise<string> {
    const before = this.#list.rows[this.#at]?.[0].threadId;
    const trouble = await tried(async () => {
      const list = await listed(this.#reading, place);
      // What was moved away may have left the last page empty.
      this.#list = list;
      this.#place = place;
      if (place.page > list.pages) return await this.#look({ ...place, page: list.pages });
      const now = list.rows.findIndex(([{ threadId }]) => threadId === before);
      if (now !== -1) this.#at = now;
      return '';
    });
    return [note, trouble].filter((part) => part !== '').join(' ');
  }
}

/** What a key does with one message. @returns what to tell the person; undefined for another key */
async function oneMessage(reading: Reading, key: string, id: string): Promise<string | undefined> {
  if (key === 'return') return await readThread(reading, id);
  if (key === 'r' || key === 'R') return await answerTo(reading, id, key === 'R');
  if (key === 'F') return await forwardOn(reading, id);
  return key === 'e' ? await writeOn(reading, id) : undefined;
}

function stepOf(key: string): number {
  if (key === 'n' || key === 'pagedown') return 1;
  return key === 'p' || key === 'pageup' ? -1 : 0;
}

/** @returns what to tell of messages that came */
function toldOf(news: News): string {
  const [first, ...others] = news.take();
  if (first === undefined) return '';
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `New: ${nameIn(first.from)}, ${first.subject === '' ? '(no subject)' : first.subject}${more}`;
}

async function searched(reading: Reading, place: Place): Promise<Place> {
  const message = 'Words to search for (nothing shows all)';
  const search = await aside(reading, async () => await prompts(reading.terminal, { back: true }).text({ message }));
  return { folder: search.trim() === '' ? place.folder : 'all', search: search.trim(), page: 1 };
}

async function chosen(reading: Reading): Promise<Place> {
  const items = [...folders, 'all' as const].map((name) => ({ name, value: name }));
  const folder = await aside(
    reading,
    async () => await prompts(reading.terminal, { back: true }).menu('Folder', items),
  );
  return { folder, search: '', page: 1 };
}
