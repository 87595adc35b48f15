import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import type { Client } from '../../../client/client.ts';
import { escapeLinesForTerminal } from '../../kit/escape-for-terminal.ts';
import { aside, withFullScreen, type FullScreen } from '../../kit/full-screen.ts';
import { ARRIVED } from '../../kit/keyboard.ts';
import { Cancelled, WentBack } from '../../kit/prompts.ts';
import { widthOf, type Terminal } from '../../kit/terminal.ts';
import type { Unmeasured } from '../../kit/screen.ts';
import { wrapSaid } from '../../kit/wrap-words.ts';
import { Problem } from '../../../base/problem.ts';
import { ownClaims, ownId } from '../own-id.ts';
import type { OwnSide } from '../sealed/own-side.ts';
import { run } from './actions.ts';
import { isPassing } from '../../kit/passing.ts';
import { attempt, noteOn, type Desk } from './desk.ts';
import { keepDraft, keepDrafts } from './drafts.ts';
import { openIncoming } from './incoming.ts';
import { firstState } from './first-state.ts';
import { press } from './keys.ts';
import { lineOf } from '../../kit/line.ts';
import { openLive, type Live } from './live.ts';
import { openOutbox, type Outbox } from './outbox.ts';
import { openRedraw } from '../../kit/redraw.ts';
import { isRead, markRead, readAgain, readList, readMissed, readNewer, readOlder, readTalk } from './reading.ts';
import {
  begins,
  conversationIdIn,
  openTalk,
  talkIdsOf,
  withPlace,
  withTalk,
  type Command,
  type Effect,
  type Link,
  type Look,
  type State,
} from './state.ts';
import { showAttachment } from './saving.ts';
import { view } from './view.ts';

interface Given {
  readonly connect: () => Promise<Client>;
  readonly screen: () => Promise<Unmeasured>;
  /** @param tell shows what the person should know */
  readonly side: (client: Client, tell: (text: string) => void) => OwnSide;
}

/** Shows the conversations of the person, who writes in them until they quit. */
export async function chatOnScreen(terminal: Terminal, { connect, screen, side }: Given): Promise<void> {
  await using client = await connect();
  const me = { id: await ownId(client), name: (await ownClaims(client))?.username ?? '' };
  let left: string[] = [];
  try {
    await withFullScreen(terminal, { connect, screen, forText: true }, async (full) => {
      const messenger = new Messenger(full, { client, side, at: await screen(), me });
      try {
        await messenger.run();
      } finally {
        left = await messenger.end();
      }
    });
  } finally {
    for (const text of left)
      terminal.stderr.write(`${wrapSaid(escapeLinesForTerminal(text), widthOf(terminal.stderr))}\n`);
  }
}

/** Milliseconds. What comes in such a time is drawn once. */
const DRAW_MS = 30;
/** The node takes no more of typing than once in so long. */
const TYPING_MS = 3_000;
/** How long messages and drafts that are on their way are waited for at the end. */
const KEEPING_MS = 5_000;
/** Conversations that are heard of and kept here at once. */
const MOST_TALKS = 20;

interface Own {
  readonly client: Client;
  readonly side: Given['side'];
  readonly at: Unmeasured;
  readonly me: State['me'];
}

class Messenger {
  readonly #full: FullScreen;
  readonly #own: Own;
  readonly #ending = new AbortController();
  readonly #desk: Desk;
  readonly #live: Live;
  readonly #outbox: Outbox;
  #side: OwnSide;
  #state: State;
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;
  /** pending while somebody answers a question elsewhere on the terminal */
  #away: Promise<unknown> | undefined;
  readonly #redraw = openRedraw(() => this.#draw());
  #typedAt = 0;
  /** by conversation, up to which number the node was told that the person has read */
  readonly #readTo = new Map<string, number>();
  #isMarking = false;

  constructor(full: FullScreen, own: Own) {
    this.#full = full;
    this.#own = own;
    this.#state = firstState(own.me, sizeOf(full));
    this.#side = this.#newSide();
    this.#desk = this.#newDesk();
    const { signal } = this.#ending;
    this.#outbox = openOutbox(this.#desk, signal);
    const incoming = openIncoming(this.#desk, signal);
    this.#live = openLive(own.client, {
      onEvent: (event) => incoming.take(event),
      onLink: (link) => this.#linked(link),
      look: async () => await this.#look(),
      signal,
    });
    this.#live.done.catch((error: unknown) => this.#fail(error));
  }

  /** Does what keys say until the person quits. @throws Cancelled at Ctrl-C; what ended it otherwise */
  async run(): Promise<void> {
    await readList(this.#desk);
    this.#draw();
    while (!this.#isOver) {
      // Whoever looks at a file has the keys.
      await this.#away;
      const key = await this.#full.keyboard.next();
      if (this.#failure !== undefined) throw this.#failure.error;
      await this.#away;
      if (key === ARRIVED) continue;
      if (key === 'resize') this.#change((state) => ({ ...state, ...sizeOf(this.#full) }));
      else this.#press(key);
      this.#soon(0);
    }
  }

  /** Ends all that goes on. @returns what the person wrote and is not kept anywhere */
  async end(): Promise<string[]> {
    this.#isOver = true;
    this.#redraw[Symbol.dispose]();
    await this.#outbox.finish(KEEPING_MS);
    this.#ending.abort();
    await this.#live.done.catch(() => undefined);
    return await keepDrafts(this.#desk, KEEPING_MS);
  }

  #press(key: string): void {
    const { state, effects } = press(this.#state, key, this.#lookNow());
    this.#state = state;
    for (const effect of effects) void attempt(this.#desk, async () => await this.#do(effect));
  }

  async #do(effect: Effect): Promise<void> {
    const desk = this.#desk;
    switch (effect.do) {
      case 'quit':
        this.#isOver = true;
        return this.#full.keyboard.put(ARRIVED);
      case 'reload':
        return await readList(desk);
      case 'open':
        if (effect.from !== undefined) this.#left(effect.from);
        return await this.#open(effect.id);
      case 'older':
        return await readOlder(desk, effect.id);
      case 'newer':
        return await readNewer(desk, effect.id);
      case 'newest':
        return await readTalk(desk, effect.id);
      case 'send':
        return this.#outbox.send(effect.id);
      case 'typing':
        return this.#typing(effect.id);
      case 'unlock':
        return void (await desk.unlock());
      case 'run':
        return await (effect.name === 'show' ? this.#show(effect) : this.#run(effect));
    }
  }

  async #run(effect: Extract<Effect, { do: 'run' }>): Promise<void> {
    try {
      await run(this.#desk, effect);
    } catch (error) {
      // A command that is refused can be written better.
      if (error instanceof Problem)
        this.#change((state) =>
          withTalk(state, effect.id, (talk) => (talk.line.text === '' ? { ...talk, line: lineOf(effect.text) } : talk)),
        );
      throw error;
    }
  }

  /** Another screen has the keys meanwhile. */
  async #show(command: Command): Promise<void> {
    const shown = showAttachment(this.#full, this.#desk, command);
    this.#away = shown.catch(() => undefined);
    try {
      noteOn(this.#desk, await shown);
    } finally {
      this.#away = undefined;
      // The file may have taken the key that said so.
      if (this.#failure !== undefined || this.#isOver) this.#full.keyboard.put(ARRIVED);
      this.#soon(0);
    }
  }

  async #open(id: string): Promise<void> {
    this.#change((state) => ({ ...state, openId: id, chosen: conversationIdIn(id), pane: 'talk', panel: undefined }));
    const talk = this.#state.talks.get(id);
    if (talk === undefined || talk.isLoading || talk.thread !== undefined) await readTalk(this.#desk, id);
    else if (!begins(id)) {
      const place = this.#state.places.get(id);
      const newAfter = place !== undefined && place.unread > 0 ? place.readSeq : undefined;
      this.#change((state) => withTalk(state, id, (one) => ({ ...one, newAfter })));
    }
    this.#forgetOld();
  }

  /** What was written there stays there, and is kept on the node as a draft. */
  #left(id: string): void {
    keepDraft(this.#desk, id).catch((error: unknown) => {
      if (!(error instanceof Problem)) this.#fail(error);
    });
  }

  /** Conversations that were left long ago are read again when somebody goes there. */
  #forgetOld(): void {
    const { talks, openId } = this.#state;
    const old = [...talks].filter(
      ([id, { line, pending, purpose, files }]) =>
        id !== openId &&
        !begins(id) &&
        // A thread hears of what its conversation hears.
        !talkIdsOf(this.#state, id).some((other) => other !== id) &&
        line.text === '' &&
        pending.length === 0 &&
        purpose === undefined &&
        files.length === 0,
    );
    for (const [id] of old.slice(0, Math.max(0, talks.size - MOST_TALKS))) {
      this.#live.follow(id, false);
      this.#change((state) => {
        const left = new Map(state.talks);
        left.delete(id);
        return { ...state, talks: left };
      });
    }
  }

  #typing(id: string): void {
    const now = Date.now();
    if (now - this.#typedAt < TYPING_MS || begins(id)) return;
    this.#typedAt = now;
    this.#live.typing(conversationIdIn(id));
  }

  /** Reads what may have been missed. @throws Problem if nothing can be read any more */
  async #look(): Promise<void> {
    const desk = this.#desk;
    await readList(desk);
    const isHeard = this.#state.link !== 'looking';
    for (const id of this.#state.talks.keys()) {
      const isOpen = id === this.#state.openId;
      // One conversation that fails must not stop the others.
      const read = isHeard || !isOpen ? readMissed(desk, id) : readAgain(desk, id);
      await read.catch((error: unknown) => {
        if (!(error instanceof Problem) || isPassing(error) || error.kind === 'unauthenticated') throw error;
        if (isOpen) noteOn(desk, error.message);
      });
    }
  }

  #linked(link: Link): void {
    if (link === this.#state.link) return;
    this.#change((state) => ({ ...state, link }));
    if (link !== 'lost') this.#outbox.wake();
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
    if (this.#isOver || this.#away !== undefined) return;
    const look = this.#lookNow();
    const { lines, cursor } = view(this.#state, look);
    this.#full.canvas.show(lines, cursor);
    void attempt(this.#desk, async () => await this.#markRead());
    // Somebody who stopped typing disappears from the title.
    if (openTalk(this.#state)?.talk.typing.some(({ until }) => until > look.nowMs) === true) this.#soon(TYPING_MS);
  }

  /** What is on the screen is read, up to the newest message. */
  async #markRead(): Promise<void> {
    const open = openTalk(this.#state);
    const last = open?.talk.messages.at(-1);
    if (open === undefined || last === undefined || !isRead(this.#state)) return;
    const { id, place, talk } = open;
    const { thread } = talk;
    const readSeq = Math.max(place.readSeq, thread?.readSeq ?? 0, this.#readTo.get(id) ?? 0);
    if (last.id === thread?.id || last.seq <= readSeq) return;
    if (this.#isMarking || this.#state.link === 'lost') return;
    this.#isMarking = true;
    try {
      await markRead(this.#own, place, last, thread);
      this.#readTo.set(id, last.seq);
      if (thread !== undefined) return;
      this.#change((state) => withPlace(state, place.id, { readSeq: last.seq, unread: 0, mentionCount: 0 }));
    } catch (error) {
      if (!isPassing(error)) this.#readTo.set(id, last.seq);
      if (!(error instanceof Problem) || error.kind === 'unauthenticated') throw error;
    } finally {
      this.#isMarking = false;
    }
  }

  #lookNow(): Look {
    const { measure } = this.#full;
    return { measure, screen: this.#own.at, nowMs: Date.now(), newId: () => randomBytes(16).toString('hex') };
  }

  #newSide(): OwnSide {
    return this.#own.side(this.#own.client, (text) =>
      this.#change((state) => ({ ...state, note: state.note === '' ? text : `${state.note} ${text}` })),
    );
  }

  /** Asks for the key outside of the screen. A wrong one can be written again. */
  async #unlock(): Promise<boolean> {
    if ((await this.#side.selfIfGiven()) !== undefined) return true;
    if (this.#away !== undefined) return false;
    const asked = aside(this.#full, async () => await this.#side.self()).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Cancelled || error instanceof WentBack) return false;
        throw error;
      },
    );
    this.#away = asked.catch(() => false);
    try {
      if (!(await asked)) return false;
    } catch (error) {
      // The side remembers what it was given.
      this.#side = this.#newSide();
      throw error;
    } finally {
      this.#away = undefined;
      this.#full.keyboard.put(ARRIVED);
      this.#soon(0);
    }
    for (const [id, { isLocked }] of this.#state.talks) if (isLocked) await readTalk(this.#desk, id);
    return true;
  }

  #newDesk(): Desk {
    const side = (): OwnSide => this.#side;
    return {
      client: this.#own.client,
      get side() {
        return side();
      },
      silent: silentOn(this.#full.terminal),
      state: () => this.#state,
      change: (change) => this.#change(change),
      look: () => this.#lookNow(),
      follow: (id, isWanted) => this.#live.follow(id, isWanted),
      send: (id) => this.#outbox.send(id),
      open: async (id) => await this.#open(id),
      unlock: async () => await this.#unlock(),
      fail: (error) => this.#fail(error),
    };
  }
}

function sizeOf({ canvas }: FullScreen): Pick<State, 'columns' | 'rows'> {
  return { columns: canvas.width(), rows: canvas.rows() };
}

/** The same input and environment, and an output that shows nothing. */
function silentOn({ stdin, env }: Terminal): Terminal {
  const sink = () => new Writable({ write: (_, __, done) => done() });
  return { stdin, env, stdout: sink(), stderr: sink() };
}
