/** A list on a screen whose items have several lines each, with a cursor. */
export class BlockList {
  #at = 0;
  /** The line of the screen on which the chosen item begins. It stays there when items come or go above. */
  #row = 0;
  /** the first line of each item, and the number of all lines */
  #starts: readonly number[] = [0];
  #room = 1;

  /** the number of the chosen item */
  get at(): number {
    return this.#at;
  }

  /** whether there is nothing below the screen, and the cursor is on the last item */
  get isAtEnd(): boolean {
    return this.#at >= this.#count - 1 && this.#end(this.#at) <= this.#top + this.#room;
  }

  /** whether there is nothing above the screen */
  get isAtTop(): boolean {
    return this.#top <= 0;
  }

  /** Puts the cursor on an item. @param stays whether it stays on its line of the screen */
  choose(at: number, stays: boolean): void {
    if (!stays) this.#row = (this.#starts[at] ?? 0) - this.#top;
    this.#at = Math.max(0, at);
  }

  /** Scrolls to the first line, as far as the chosen item stays on the screen. */
  toTop(): void {
    this.#row = Number.MAX_SAFE_INTEGER;
  }

  /** The lines to show. The chosen item is among them. @param room lines of the screen */
  view(blocks: readonly (readonly string[])[], room: number): string[] {
    const starts = [0];
    for (const block of blocks) starts.push((starts.at(-1) ?? 0) + block.length);
    this.#starts = starts;
    this.#room = room;
    this.#at = Math.max(0, Math.min(this.#count - 1, this.#at));
    const total = starts.at(-1) ?? 0;
    this.#scrollTo(this.#showing(Math.max(0, Math.min(total - room, this.#top))));
    return blocks.flat().slice(this.#top, this.#top + room);
  }

  /** Moves the cursor, and scrolls inside of an item that is longer than the screen. @returns whether it was such a key */
  move(key: string): boolean {
    const step = steps.get(key);
    if (step === undefined) return false;
    this[step]();
    return true;
  }

  down(): void {
    const hidden = this.#end(this.#at) - this.#top - this.#room;
    if (hidden > 0) this.#scrollTo(this.#top + Math.min(hidden, this.#page));
    else this.choose(Math.min(this.#count - 1, this.#at + 1), false);
  }

  up(): void {
    const hidden = this.#top - this.#start(this.#at);
    if (hidden > 0) this.#scrollTo(this.#top - Math.min(hidden, this.#page));
    else this.choose(this.#at - 1, false);
  }

  pageDown(): void {
    if (this.#top + this.#room >= (this.#starts.at(-1) ?? 0)) this.last();
    else this.#turnTo(this.#top + this.#page);
  }

  pageUp(): void {
    if (this.#top <= 0) this.first();
    else this.#turnTo(Math.max(0, this.#top - this.#page));
  }

  first(): void {
    this.#at = 0;
    this.#scrollTo(0);
  }

  last(): void {
    this.#at = Math.max(0, this.#count - 1);
    this.#scrollTo((this.#starts.at(-1) ?? 0) - this.#room);
  }

  get #count(): number {
    return this.#starts.length - 1;
  }

  get #top(): number {
    return this.#start(this.#at) - this.#row;
  }

  /** One line of the page before stays, for orientation. */
  get #page(): number {
    return Math.max(1, this.#room - 1);
  }

  #start(at: number): number {
    return this.#starts[at] ?? 0;
  }

  #end(at: number): number {
    return this.#starts[at + 1] ?? 0;
  }

  #scrollTo(top: number): void {
    this.#row = this.#start(this.#at) - top;
  }

  /** Chooses the first item that begins on a page, or the one that fills it. */
  #turnTo(top: number): void {
    const next = this.#starts.findIndex((start) => start >= top);
    const begins = next < this.#count && this.#start(next) < top + this.#room;
    this.#at = begins ? next : Math.max(0, next - 1);
    this.#scrollTo(top);
  }

  /** The nearest first line with which the chosen item is on the screen, or fills it. */
  #showing(top: number): number {
    const start = this.#start(this.#at);
    const last = this.#end(this.#at) - this.#room;
    return Math.max(Math.min(start, last), Math.min(Math.max(start, last), top));
  }
}

type Step = 'down' | 'up' | 'pageDown' | 'pageUp' | 'first' | 'last';

const steps: ReadonlyMap<string, Step> = new Map([
  ['j', 'down'],
  ['down', 'down'],
  ['k', 'up'],
  ['up', 'up'],
  ['space', 'pageDown'],
  ['n', 'pageDown'],
  ['pagedown', 'pageDown'],
  ['p', 'pageUp'],
  ['pageup', 'pageUp'],
  ['g', 'first'],
  ['home', 'first'],
  ['G', 'last'],
  ['end', 'last'],
]);
