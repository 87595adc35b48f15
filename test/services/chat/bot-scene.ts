import { silentLog } from '../../../src/base/log.ts';
import { bots } from '../../../src/contract/chat/bots.ts';
import type { JsonOperation, RawInputOf } from '../../../src/contract/operation.ts';
import { services } from '../../../src/node/services.ts';
import { createHub, type Hub } from '../../../src/platform/realtime/hub.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { authenticate } from '../../../src/shared/members/authenticate.ts';
import { eventually } from '../../support/eventually.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { done } from './chat-scene.ts';
import { openChat, said, type ChatScene } from './scene.ts';

/** A signed-in or refused socket, with what it was sent. */
export interface BotSocket {
  // oxlint-disable-next-line typescript/no-explicit-any -- frames of every shape
  readonly frames: readonly any[];
  /** the code with which it was closed */
  readonly closed: () => number | undefined;
  /** sends a frame, and answers the next one that it is sent */
  // oxlint-disable-next-line typescript/no-explicit-any -- frames of every shape
  ask(frame: object): Promise<any>;
}

export interface BotScene extends ChatScene {
  readonly hub: Hub;
  /** members whose first socket came, in order */
  readonly came: readonly string[];
  /** members who gave signs of themselves, in order */
  readonly seen: readonly string[];
  /** a token of a member, for conversations with their rights; `more` of the request */
  bot(who: HouseMember, scopes: readonly string[], more?: object): Promise<{ token: string; botId: string }>;
  /** what an operation answers to a token: its status and code */
  answer<O extends JsonOperation>(token: string, operation: O, input: RawInputOf<O>): Promise<string>;
  connect(token: string): Promise<BotSocket>;
}

/** A node with sockets, as a server has them, without the network. */
export async function openBots(engine: EngineName): Promise<BotScene> {
  const late: { hub?: Hub } = {};
  const realtime = {
    id: 'house',
    endSessions: async (ids: readonly string[]) => await late.hub?.endSessions(ids),
    passes: () => true,
    seen: (memberId: string) => late.hub?.seen(memberId),
    hears: (topic: string) => late.hub?.hears(topic) ?? false,
    deliver: (what: Parameters<Hub['deliver']>[0]) => late.hub?.deliver(what),
    spread: (event: Parameters<Hub['spread']>[0]) => late.hub?.spread(event),
  };
  const chat = await openChat(engine, { context: { realtime } });
  const { ctx } = chat.house;
  const [came, seen]: [string[], string[]] = [[], []];
  const hub = createHub({
    store: ctx.store,
    clock: ctx.clock,
    log: silentLog,
    authenticate: async (token, caller) => await authenticate(ctx, token, caller, { local: false }),
    redeem: async () => await Promise.reject(new Error('not asked')),
  });
  late.hub = hub;
  for (const { events = {}, topics, frames = {}, onFrames } of services)
    hub.register({
      events: Object.values(events),
      topics: topics?.(ctx),
      declared: Object.values(frames),
      frames: onFrames?.(ctx),
    });
  hub.register({
    sockets: {
      came: (memberId) => void came.push(memberId),
      left: () => undefined,
      seen: (memberId) => void seen.push(memberId),
    },
  });
  return {
    ...chat,
    hub,
    came,
    seen,
    async bot(who, scopes, more = {}) {
      const made = await done(chat.house, bots.createBot, who, { name: 'deploys', scopes: [...scopes], ...more });
      return { token: made.token, botId: made.bot.botId };
    },
    answer: async (token, operation, input) => said(await chat.house.perform(operation, input, token)),
    async connect(token) {
      const frames: object[] = [];
      let code: number | undefined;
      const connection = {
        send: (text: string) => {
          frames.push(JSON.parse(text) as object);
          return 0;
        },
        close: (with_: number) => void (code = with_),
        pong: () => undefined,
        unsent: () => 0,
        cut: () => undefined,
      };
      const socket = hub.connect(connection, { address: '203.0.113.1', userAgent: 'bot' });
      await socket.signIn(token);
      return {
        frames,
        closed: () => code,
        async ask(frame) {
          const before = frames.length;
          await socket.receive(JSON.stringify(frame));
          return frames[before];
        },
      };
    },
    async [Symbol.asyncDispose]() {
      hub.closeAll();
      await hub.settled();
      await chat[Symbol.asyncDispose]();
    },
  };
}

/** Waits until a socket has been closed, and answers the code. */
export async function closingOf({ closed }: BotSocket): Promise<number | undefined> {
  await eventually(() => {
    if (closed() === undefined) throw new Error('the socket is open');
  });
  return closed();
}
