import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { tried } from '../../kit/full-screen.ts';
import type { Unmeasured } from '../../kit/screen.ts';
import { act, type Here } from './actions.ts';
import type { Browsing } from './browsing.ts';
import { browserHelp, showBrowserKeys } from './help.ts';
import { previewFile } from './preview.ts';
import { containerRows, folderRows, type Row, type Rows } from './rows.ts';
import { rowLine, titleLine } from './view.ts';

/** A folder on the way to where the person is, with the place of the cursor in it. */
interface Level {
  /** undefined: the list of containers */
  readonly here: Here | undefined;
  rows: Rows;
  at: number;
}

/** A filter looks through so many rows; who has more in a folder searches: `conclave files search`. */
const MOST_FILTERED = 10_000;

/** Goes through containers and folders, and does what keys say, until the person quits. */
export async function browseFiles(full: Browsing): Promise<void> {
  const browser = new Browser(full, await full.screen(), await containerRows(full.use));
  while (await browser.step());
}

class Browser {
  readonly #full: Browsing;
  readonly #screen: Unmeasured;
  readonly #levels: [Level, ...Level[]];
  readonly #marked = new Map<string, Row>();
  #filter = '';
  #note = '';
  /** the first line that is shown */
  #top = 0;

  constructor(full: Browsing, screen: Unmeasured, containers: Rows) {
    this.#full = full;
    this.#screen = screen;
    this.#levels = [{ here: undefined, rows: containers, at: 0 }];
  }

  get #level(): Level {
    return this.#levels.at(-1) ?? this.#levels[0];
  }

  /** What the filter leaves. */
  #shown(): readonly Row[] {
    if (this.#filter === '') return this.#level.rows.rows;
    const wanted = this.#filter.normalize('NFC').toLowerCase();
    return this.#level.rows.rows.filter(({ name }) => name.toLowerCase().includes(wanted));
  }

  /** Shows the list, and does what one key says. @returns whether to go on */
  async step(): Promise<boolean> {
    this.#draw();
    const key = await this.#full.keyboard.next();
    if (key === 'escape' && this.#marked.size === 0 && this.#filter === '') return false;
    this.#note = await tried(async () => await this.#answer(key));
    return true;
  }

  #draw(): void {
    const { canvas, measure } = this.#full;
    const level = this.#level;
    const shown = this.#shown();
    level.at = Math.max(0, Math.min(shown.length - 1, level.at));
    const room = canvas.height();
    this.#top = Math.max(0, Math.min(level.at, Math.max(this.#top, level.at - room + 1)));
    const look = { width: canvas.width(), measure, screen: this.#screen };
    const lines = shown
      .slice(this.#top, this.#top + room)
      .map((row, index) =>
        rowLine(row, { isChosen: this.#top + index === level.at, isMarked: this.#marked.has(row.id) }, look),
      );
    const counts = { shown: shown.length, complete: level.rows.complete, marked: this.#marked.size };
    const title = titleLine(this.#path(), this.#filter, counts);
    canvas.draw(title, lines.length === 0 ? [this.#emptyWords()] : lines, escapeForTerminal(this.#note), browserHelp);
  }

  #path(): string {
    const [container, ...folders] = this.#levels.slice(1).flatMap(({ here }) => here?.name ?? []);
    return container === undefined ? 'containers' : `${container}:/${folders.join('/')}`;
  }

  #emptyWords(): string {
    if (this.#filter !== '') return 'Nothing here has that in its name.';
    if (this.#levels.length > 1) return 'Nothing is here. Ctrl-P stores files.';
    return 'There are no containers. Create one with: conclave files create NAME';
  }

  /** @returns what to tell the person */
  async #answer(key: string): Promise<string> {
    const row = this.#shown()[this.#level.at];
    if (await this.#moved(key)) return '';
    switch (key) {
      case 'resize':
        return '';
      case 'ctrl-k':
        return (await showBrowserKeys(this.#full), '');
      case 'ctrl-u':
        return await this.#look();
      case 'left':
        return this.#leave();
      case 'right':
      case 'return':
        return row === undefined ? '' : await this.#open(row);
      case 'tab':
        return this.#mark(row);
      case 'escape':
        return this.#unmark();
      case 'backspace':
        return await this.#narrow(Array.from(this.#filter).slice(0, -1).join(''));
      case 'space':
        return await this.#narrow(`${this.#filter} `);
      default:
        if (/^[^\p{C}\p{Z}]\p{M}*$/u.test(key)) return await this.#narrow(this.#filter + key);
        return await this.#act(key, row);
    }
  }

  async #act(key: string, row: Row | undefined): Promise<string> {
    const chosen = this.#marked.size > 0 ? [...this.#marked.values()] : row === undefined ? [] : [row];
    const { note, changed } = await act(this.#full, key, this.#level.here, chosen);
    if (!changed) return note;
    this.#marked.clear();
    // What is new or has another name would be hidden.
    this.#filter = '';
    const trouble = await tried(async () => await this.#look());
    return [note, trouble].filter((part) => part !== '').join(' ');
  }

  /** Moves the cursor. @returns whether it was such a key */
  async #moved(key: string): Promise<boolean> {
    const level = this.#level;
    const page = Math.max(1, this.#full.canvas.height() - 1);
    const places: Readonly<Record<string, number>> = {
      down: level.at + 1,
      up: level.at - 1,
      pagedown: level.at + page,
      pageup: level.at - page,
      home: 0,
      end: this.#shown().length - 1,
    };
    const place = places[key];
    if (place === undefined) return false;
    level.at = place;
    // One page ahead, so that the next key finds it.
    if (this.#filter === '') await level.rows.load(this.#full.use, place + 2 * page);
    return true;
  }

  async #open(row: Row): Promise<string> {
    if (row.kind === 'file') return await previewFile(this.#full, row.of);
    const here =
      row.kind === 'container'
        ? { folderId: row.of.rootFolderId, containerId: row.id, name: row.name }
        : { folderId: row.id, containerId: row.of.vaultContainerId, name: row.name };
    const rows = folderRows(here.folderId);
    await rows.load(this.#full.use, 1);
    this.#levels.push({ here, rows, at: 0 });
    this.#reset();
    return '';
  }

  #leave(): string {
    if (this.#levels.length > 1) this.#levels.pop();
    this.#reset();
    return '';
  }

  #reset(): void {
    this.#filter = '';
    this.#marked.clear();
    this.#top = 0;
  }

  #mark(row: Row | undefined): string {
    if (row === undefined || row.kind === 'container') return '';
    if (!this.#marked.delete(row.id)) this.#marked.set(row.id, row);
    this.#level.at += 1;
    return '';
  }

  #unmark(): string {
    if (this.#marked.size > 0) this.#marked.clear();
    else this.#filter = '';
    return '';
  }

  async #narrow(filter: string): Promise<string> {
    this.#filter = filter;
    this.#level.at = 0;
    if (filter === '') return '';
    await this.#level.rows.load(this.#full.use, MOST_FILTERED);
    return this.#level.rows.complete ? '' : 'The folder has more than the filter looks through. Search it instead.';
  }

  /** Reads the list again. The cursor stays on its line. */
  async #look(): Promise<string> {
    const level = this.#level;
    const before = this.#shown()[level.at]?.id;
    const rows = level.here === undefined ? await containerRows(this.#full.use) : folderRows(level.here.folderId);
    await rows.load(this.#full.use, Math.max(1, level.rows.rows.length));
    level.rows = rows;
    const now = this.#shown().findIndex(({ id }) => id === before);
    if (now !== -1) level.at = now;
    return '';
  }
}
