import { direct } from '../../../src/contract/chat/direct.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { Method } from '../../../src/contract/operation.ts';
import { openHouse, type ApiAnswer, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** A node with three members, and what they say to each other. */
export interface ChatScene extends AsyncDisposable {
  readonly house: House;
  readonly ann: HouseMember;
  readonly bob: HouseMember;
  readonly cleo: HouseMember;
  /** a request below /api/conversations */
  call(
    who: HouseMember,
    method: Method,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiAnswer>;
  /** the same; answers `data`, and throws for a failure */
  ask(who: HouseMember, method: Method, path: string, body?: unknown): Promise<Json>;
  /** says something to another member, a millisecond after what was before */
  say(who: HouseMember, to: HouseMember, content: string, more?: object): Promise<ChatMessage>;
  block(who: HouseMember, other: HouseMember): Promise<void>;
  unblock(who: HouseMember, other: HouseMember): Promise<void>;
  /** as an administrator does */
  suspend(who: HouseMember): Promise<void>;
  /** lets so much time pass, and runs what is due then */
  later(ms: number): Promise<void>;
  /** what the node counts to a member's storage */
  stored(who: HouseMember): Promise<number>;
}

export async function openChat(engine: EngineName, options: HouseOptions = {}): Promise<ChatScene> {
  const house = await openHouse(engine, options);
  const register = async (username: string) => await house.register({ username });
  const [ann, bob, cleo] = [await register('ann'), await register('bob'), await register('cleo')];
  const call: ChatScene['call'] = async ({ token }, method, path, body, headers = {}) =>
    await house.api(method, `/api/conversations${path}`, { token, headers, ...(body !== undefined && { body }) });
  const demand = (answer: ApiAnswer): Json => {
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const social = async (who: HouseMember, method: Method, path: string) =>
    void demand(await house.api(method, `/api/social/users/${path}`, { token: who.token }));
  return {
    house,
    ann,
    bob,
    cleo,
    call,
    ask: async (...request) => demand(await call(...request)),
    async say({ token }, { memberId: recipientId }, content, more = {}) {
      house.clock.advance(1);
      return demand(await house.perform(direct.sendDirect, { recipientId, content, ...more }, token)) as ChatMessage;
    },
    block: async (who, other) => await social(who, 'POST', `${other.memberId}/block`),
    unblock: async (who, other) => await social(who, 'DELETE', `${other.memberId}/block`),
    async suspend({ memberId }) {
      const token = await house.operatorToken();
      const request = { token, trusted: true, body: { reason: 'A test' } };
      demand(await house.api('POST', `/api/admin/members/${memberId}/suspend`, request));
    },
    async later(ms) {
      house.clock.advance(ms);
      await runDueJobs({ house }, 'chat');
      await runDueJobs({ house }, 'notifications');
    },
    async stored({ memberId }) {
      const row = await house.ctx.db
        .selectFrom('member_storage')
        .select('bytes')
        .where('member_id', '=', memberId)
        .executeTakeFirst();
      return row?.bytes ?? 0;
    },
    [Symbol.asyncDispose]: async () => await house[Symbol.asyncDispose](),
  };
}

/** What a request was answered: its status and code. */
export function said({ status, body }: ApiAnswer): string {
  return `${status} ${body?.error?.reason ?? 'success'}`;
}

/** The events of a topic, in order: names and data. Those of messages are stored without data, and are not among them. */
export function told({ happened }: House, topic: string): [string, Json][] {
  return happened.flatMap((what) => {
    if (what.kind !== 'event' || what.topic !== topic || what.text === '') return [];
    const { type, data } = JSON.parse(what.text) as { type: string; data: Json };
    return [[type, data] as [string, Json]];
  });
}

/** What is stored to be told on a topic, in its order: names and data. What is about messages is opened when somebody hears it. */
export async function storedEvents({ ctx: { db } }: House, topic: string): Promise<[string, Json][]> {
  const rows = await db
    .selectFrom('events')
    .select(['name', 'data'])
    .where('topic', '=', topic)
    .orderBy('seq')
    .execute();
  return rows.map(({ name, data }) => [name, JSON.parse(data)]);
}
