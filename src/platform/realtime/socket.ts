import type { FrameRules } from '../../service/ports/realtime.ts';
import { closeCodes, type CloseCode } from '../../contract/realtime/close-codes.ts';
import type { ClientFrame } from '../../contract/event.ts';
import type { LimitName } from '../../contract/rates.ts';
import type { Actor, Caller } from '../../service/actor.ts';
import { requireBotRight, requireBotRoom, type Bot } from '../../service/bot.ts';
import type { Clock } from '../../service/context.ts';
import type { Log } from '../../base/log.ts';
import { codeOfStatus, statusOf } from '../../base/problem-status.ts';
import { Problem } from '../../base/problem.ts';
import { allowance, type allowances } from './allowance.ts';
import { limits } from './limits.ts';
import { parseFrame, type Frame, type ServiceFrame } from './frames.ts';
import type { Listener } from '../../service/ports/listener.ts';
import type { Registry } from './registry.ts';
import { subscribeAll, unsubscribeAll } from './subscribing.ts';
import type { Topics } from './topics.ts';

/** The transport under a socket. */
export interface Connection {
  /** @returns number of unsent bytes */
  send(text: string): number;
  close(code: number, reason: string): void;
  /** answers a ping of the protocol */
  pong(data: Uint8Array): void;
  /** @returns number of unsent bytes */
  unsent(): number;
  /** ends the connection without a closing handshake */
  cut(): void;
}

/** The actor of a socket. It has no keys. */
export type SignedIn = Pick<Actor, 'memberId' | 'username' | 'type' | 'sessionId' | 'bot'>;

export interface SocketDependencies {
  /** @throws Problem unauthenticated */
  readonly authenticate: (token: string, caller: Caller) => Promise<SignedIn>;
  /** the same for a ticket, which works once */
  readonly redeem: (ticket: string) => Promise<SignedIn>;
  /** end of a session or bot token, in milliseconds since 1970; undefined if it has ended */
  readonly sessionExpiry: (sessionId: string) => Promise<number | undefined>;
  readonly registry: Registry<Socket>;
  /** all open sockets, signed in or not */
  readonly sockets: Set<Socket>;
  /** the remaining weight of each member, over all their sockets */
  readonly members: Pick<ReturnType<typeof allowances>, 'take'>;
  readonly topics: Topics;
  /** counts a frame of a member to the rate limit that it names. @throws Problem tooMany RATE_LIMITED */
  readonly take: (memberId: string, name: LimitName) => Promise<void>;
  /** frames of services, by their type */
  readonly frames: ReadonlyMap<string, FrameRules>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What clients send by themselves, also while nobody is there. */
const automatic: ReadonlySet<string> = new Set(['ping', 'auth', 'resume']);

/** One day is the maximum: Node fires longer timers at once. */
const MAX_TIMER_MS = 86_400_000;

/** One WebSocket, from the upgrade to the end. After the sign-in it is a listener. */
export class Socket implements Listener {
  memberId = '';
  username = '';
  type: Listener['type'] = 'User';
  sessionId = '';
  bot: Bot | undefined;
  open = true;
  readonly #connection: Connection;
  readonly #caller: Caller;
  readonly #with: SocketDependencies;
  #state: 'new' | 'authenticating' | 'signed-in' = 'new';
  #timer: NodeJS.Timeout;
  /** frames of one socket are answered in the order in which they came */
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** limits control frames */
  readonly #allowed: () => boolean;
  readonly #weight: (weight: number) => boolean;

  constructor(connection: Connection, caller: Caller, dependencies: SocketDependencies) {
    this.#connection = connection;
    this.#caller = caller;
    this.#with = dependencies;
    this.#allowed = allowance(limits.controlFrames, limits.controlSeconds, dependencies.clock);
    this.#weight = allowance(limits.weightPerSocket, limits.weightSeconds, dependencies.clock);
    this.#timer = setTimeout(() => this.close(closeCodes.unauthenticated, 'no token in time'), limits.authentication);
    dependencies.sockets.add(this);
  }

  send(text: string): void {
    if (!this.open) return;
    const waiting = this.#connection.send(text);
    if (waiting > limits.unsent) this.close(closeCodes.tryAgainLater, 'too slow');
  }

  unsent(): number {
    return this.#connection.unsent();
  }

  spend(weight: number): boolean {
    return this.open && this.#weighed(weight);
  }

  close(code: CloseCode, reason: string): void {
    if (!this.open) return;
    this.closed();
    this.#connection.close(code, reason);
  }

  /** the transport is closed, or about to close */
  closed(): void {
    this.open = false;
    clearTimeout(this.#timer);
    this.#with.sockets.delete(this);
    this.#with.registry.remove(this);
    this.#with.topics.forget(this);
  }

  /** A ping of the protocol. Any client may send it, signed in or not. */
  ping(data: Uint8Array): void {
    if (!this.#counted()) return;
    if (this.#connection.unsent() > limits.unsentPongs) this.#cut();
    else this.#connection.pong(data);
  }

  /** A pong of the protocol. */
  pong(): void {
    this.#counted();
  }

  /** Handles a frame. Never rejects. */
  async receive(text: string): Promise<void> {
    // Weighed by its bytes before it is queued, so the weight limits the queue as well.
    if (!this.open || !this.#weighed(1 + Math.floor(Buffer.byteLength(text) / limits.bytesPerWeight))) return;
    await this.#inTurn(() => this.#answer(text));
  }

  /** Signs in with the token of the upgrade request, as the first frame would. Never rejects. */
  async signIn(token: string): Promise<void> {
    await this.#inTurn(() => this.#guard(() => this.#signIn(this.#with.authenticate(token, this.#caller))));
  }

  /** The same with a ticket. */
  async signInByTicket(ticket: string): Promise<void> {
    await this.#inTurn(() => this.#guard(() => this.#signIn(this.#with.redeem(ticket))));
  }

  /** @returns false if the socket has ended, also because it sent too many control frames */
  #counted(): boolean {
    if (!this.open) return false;
    if (!this.#allowed()) this.#cut();
    return this.open;
  }

  /** @returns false if the socket was closed, because it or its member asked for too much */
  #weighed(weight: number): boolean {
    const within = this.#weight(weight) && (this.memberId === '' || this.#with.members.take(this.memberId, weight));
    if (!within) this.close(closeCodes.tooMuch, 'too many requests: wait, then send fewer');
    return within;
  }

  /** Cuts a client that floods or does not read. A closing handshake would have to wait for that client. */
  #cut(): void {
    this.closed();
    this.#connection.cut();
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#waiting >= limits.unanswered) {
      this.close(closeCodes.tryAgainLater, 'too many frames at once');
      return;
    }
    this.#waiting += 1;
    const mine = this.#turn.then(work);
    this.#turn = mine;
    await mine;
    this.#waiting -= 1;
  }

  async #answer(text: string): Promise<void> {
    if (!this.open) return;
    const frame = parseFrame(text, this.#with.frames);
    if (this.#state === 'new' && ('fault' in frame || frame.type !== 'auth')) {
      this.close(closeCodes.unauthenticated, 'the first frame must be auth');
      return;
    }
    if ('fault' in frame) {
      this.#refuse(frame.fault, frame.message);
      return;
    }
    await this.#guard(() => this.#handle(frame));
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof Problem && error.kind === 'unauthenticated') {
        this.close(closeCodes.unauthenticated, 'the token is not valid');
        return;
      }
      this.#with.log.error('handling a frame failed', { error });
      this.close(closeCodes.tryAgainLater, 'unexpected error');
    }
  }

  async #handle(frame: Frame | ServiceFrame): Promise<void> {
    if (!automatic.has(frame.type)) this.#with.registry.seen(this);
    switch (frame.type) {
      case 'ping':
        this.#sendFrame({ type: 'pong' });
        return;
      case 'auth':
        if (this.#state === 'signed-in') this.#refuse('ALREADY_AUTHENTICATED', 'The socket is signed in already.');
        else await this.#signIn(this.#with.authenticate(frame.token, this.#caller));
        return;
      case 'unsubscribe':
        if (!this.#weighed(frame.topics.length)) return;
        await unsubscribeAll(this.#with.topics, this, frame.topics);
        this.#sendFrame({ type: 'unsubscribed', count: frame.topics.length });
        return;
      case 'subscribe':
        await this.#subscribe(frame.topics.map((topic) => [topic, undefined]));
        return;
      case 'resume':
        await this.#subscribe(Object.entries(frame.topics));
        return;
      case '':
        await this.#perform(frame);
    }
  }

  /** A refusal of a service has the same code as over HTTP. */
  async #perform({ rules, input }: ServiceFrame): Promise<void> {
    const { type, answer, limit } = rules.frame;
    const { topics, take } = this.#with;
    const sender = {
      listener: this,
      subscribe: async (topic: string) =>
        topics.subscriptionsOf(this) < limits.subscriptions && (await topics.subscribe(this, topic)) !== undefined,
      unsubscribe: (topic: string) => topics.unsubscribe(this, topic),
    };
    try {
      if (this.bot !== undefined) requireBotFrame(this.bot, rules.frame, input);
      if (limit !== undefined) await take(this.memberId, limit);
      const fields = await rules.perform(sender, input);
      if (answer !== undefined) this.#sendFrame({ type: answer.type, ...fields });
    } catch (error) {
      if (!(error instanceof Problem) || error.kind === 'internal') throw error;
      this.#refuse(error.code, error.message, statusOf(error), type);
    }
  }

  async #signIn(checking: Promise<SignedIn>): Promise<void> {
    this.#state = 'authenticating';
    const { registry, sessionExpiry } = this.#with;
    const actor = await checking;
    if (!this.open) return;
    // The operator of the node has no session that could end, and no topics to listen to.
    if (actor.type === 'System')
      throw new Problem('unauthenticated', 'UNAUTHORIZED', 'The operator of the node is not a member.');
    if (registry.countOf(actor.memberId) >= limits.socketsPerMember) {
      this.close(closeCodes.tryAgainLater, `more than ${limits.socketsPerMember} sockets`);
      return;
    }
    ({ memberId: this.memberId, username: this.username, type: this.type, bot: this.bot } = actor);
    this.sessionId = actor.bot?.id ?? actor.sessionId;
    // Registered first and looked up afterwards. So one of the two steps notices a session that ends in between.
    registry.add(this);
    const expiresAt = await sessionExpiry(this.sessionId);
    if (!this.open) return;
    clearTimeout(this.#timer);
    this.#state = 'signed-in';
    if (this.#expire(expiresAt)) this.#sendFrame({ type: 'ready', memberId: this.memberId });
  }

  /** @returns false if the session has ended */
  #expire(expiresAt: number | undefined): boolean {
    const left = (expiresAt ?? 0) - this.#with.clock.now();
    if (left <= 0) {
      this.close(closeCodes.sessionEnded, 'the session has ended');
      return false;
    }
    // At its end the session is looked up again, because a refresh extends it.
    this.#timer = setTimeout(() => void this.#guard(() => this.#lookUpExpiry()), Math.min(left, MAX_TIMER_MS));
    return true;
  }

  async #lookUpExpiry(): Promise<void> {
    const expiresAt = await this.#with.sessionExpiry(this.sessionId);
    if (this.open) this.#expire(expiresAt);
  }

  async #subscribe(wanted: readonly (readonly [topic: string, seq: number | undefined])[]): Promise<void> {
    if (!this.#weighed(wanted.length)) return;
    const answer = await subscribeAll(this.#with.topics, this, wanted, limits.subscriptions);
    this.#sendFrame({ type: 'subscribed', ...answer });
  }

  /** @param of the type of the frame, for frames of services; without it, JSON leaves the property out */
  #refuse(reason: string, message: string, status = 400, of?: string): void {
    this.#sendFrame({ type: 'error', of, code: codeOfStatus(status), reason, message });
  }

  #sendFrame(frame: Readonly<Record<string, unknown>>): void {
    this.send(JSON.stringify(frame));
  }
}

/** @throws Problem forbidden INSUFFICIENT_SCOPE */
function requireBotFrame(bot: Bot, { bot: right }: ClientFrame, input: unknown): void {
  requireBotRight(bot, right);
  if (right !== undefined) requireBotRoom(bot, right, (input as { readonly conversationId?: unknown }).conversationId);
}
