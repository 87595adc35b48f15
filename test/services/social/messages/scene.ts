import type { Method } from '../../../../src/contract/operation.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import type { ApiAnswer, HouseOptions } from '../../../support/house.ts';
import { runDueJobs } from '../../quorum/due-jobs.ts';
import { openSocial, type SocialScene } from '../scene.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** A node with three members of the social network, and what they say to each other. */
export interface MessagesScene extends SocialScene {
  readonly ann: HouseMember;
  readonly bob: HouseMember;
  readonly cleo: HouseMember;
  /** a request below /api/social/messages */
  at(
    who: HouseMember,
    method: Method,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiAnswer>;
  /** the same; answers `data`, and throws for a failure */
  do(who: HouseMember, method: Method, path: string, body?: unknown): Promise<Json>;
  /** two follow each other, and begin a conversation; answers its id */
  friends(one: HouseMember, other: HouseMember): Promise<string>;
  /** one who is not followed back asks another; answers the id of the conversation */
  request(who: HouseMember, other: HouseMember, content?: string): Promise<string>;
  /** answers the id of a group that the first one owns */
  group(owner: HouseMember, ...others: HouseMember[]): Promise<string>;
  /** says something a millisecond after what was before; answers the message */
  say(who: HouseMember, conversationId: string, content: string, more?: object): Promise<Json>;
  /** the messages that a member sees in a conversation */
  read(who: HouseMember, conversationId: string, query?: string): Promise<Json[]>;
  /** the conversations in the list of a member */
  listed(who: HouseMember, query?: string): Promise<Json[]>;
  block(who: HouseMember, other: HouseMember): Promise<void>;
  unblock(who: HouseMember, other: HouseMember): Promise<void>;
  privacy(who: HouseMember, settings: object): Promise<void>;
  /** lets so much time pass, and runs what is due then */
  later(ms: number): Promise<void>;
}

export async function openMessages(engine: EngineName, options: HouseOptions = {}): Promise<MessagesScene> {
  const scene = await openSocial(engine, options);
  const register = async (username: string) => await scene.house.register({ username });
  const [ann, bob, cleo] = [await register('ann'), await register('bob'), await register('cleo')];
  const at: MessagesScene['at'] = async (who, method, path, body, headers) =>
    await scene.call(who, method, `/messages${path}`, body, headers);
  const ask: MessagesScene['do'] = async (who, method, path, body) =>
    await scene.ask(who, method, `/messages${path}`, body);
  return {
    ...scene,
    ann,
    bob,
    cleo,
    at,
    do: ask,
    async friends(one, other) {
      await scene.follow(one, other);
      await scene.follow(other, one);
      return (await ask(one, 'POST', '/conversations', { otherUserId: other.memberId }))['_id'] as string;
    },
    async request(who, other, content) {
      return (await ask(who, 'POST', '/conversations', { otherUserId: other.memberId, content })).conversationId;
    },
    async group(owner, ...others) {
      const participantIds = others.map(({ memberId }) => memberId);
      return (await ask(owner, 'POST', '/conversations', { type: 'group', name: 'Garden', participantIds }))['_id'];
    },
    async say(who, id, content, more = {}) {
      scene.house.clock.advance(1);
      return await ask(who, 'POST', `/conversations/${id}/messages`, { content, ...more });
    },
    read: async (who, id, query = '') => (await ask(who, 'GET', `/conversations/${id}/messages${query}`)).messages,
    listed: async (who, query = '') => (await ask(who, 'GET', `/conversations${query}`)).conversations,
    block: async (who, other) => void (await scene.ask(who, 'POST', `/users/${other.memberId}/block`, {})),
    unblock: async (who, other) => void (await scene.ask(who, 'DELETE', `/users/${other.memberId}/block`)),
    privacy: async (who, privacySettings) =>
      void (await scene.ask(who, 'PUT', `/users/${who.memberId}`, { privacySettings })),
    async later(ms) {
      scene.house.clock.advance(ms);
      await runDueJobs(scene, 'chat');
      await runDueJobs(scene, 'notifications');
    },
    [Symbol.asyncDispose]: async () => await scene[Symbol.asyncDispose](),
  };
}
