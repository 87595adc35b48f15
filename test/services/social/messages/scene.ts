import type { Method } from '../../../../src/contract/operation.ts';
import type { EngineName } from '../../../../src/platform/store/database.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import type { ApiAnswer } from '../../../support/house.ts';
import { openSocial, type SocialScene } from '../scene.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** A node with three members of the social network, and what they say to each other. */
export interface MessagesScene extends SocialScene {
  readonly ann: HouseMember;
  readonly bob: HouseMember;
  readonly cleo: HouseMember;
  /** a request below /api/social/messages */
  at(who: HouseMember, method: Method, path: string, body?: unknown): Promise<ApiAnswer>;
  /** the same; answers `data`, and throws for a failure */
  do(who: HouseMember, method: Method, path: string, body?: unknown): Promise<Json>;
  /** two follow each other, and begin a conversation; answers its id */
  friends(one: HouseMember, other: HouseMember): Promise<string>;
  /** answers the id of a group that the first one owns */
  group(owner: HouseMember, ...others: HouseMember[]): Promise<string>;
  /** says something a millisecond after what was before; answers the message */
  say(who: HouseMember, conversationId: string, content: string, more?: object): Promise<Json>;
}

export async function openMessages(engine: EngineName): Promise<MessagesScene> {
  const scene = await openSocial(engine);
  const register = async (username: string) => await scene.house.register({ username });
  const [ann, bob, cleo] = [await register('ann'), await register('bob'), await register('cleo')];
  const at: MessagesScene['at'] = async (who, method, path, body) =>
    await scene.call(who, method, `/messages${path}`, body);
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
      return (await ask(one, 'POST', '/conversations', { otherUserId: other.memberId }))._id as string;
    },
    async group(owner, ...others) {
      const participantIds = others.map(({ memberId }) => memberId);
      return (await ask(owner, 'POST', '/conversations', { type: 'group', name: 'Garden', participantIds }))._id;
    },
    async say(who, id, content, more = {}) {
      scene.house.clock.advance(1);
      return await ask(who, 'POST', `/conversations/${id}/messages`, { content, ...more });
    },
    [Symbol.asyncDispose]: async () => await scene[Symbol.asyncDispose](),
  };
}
