import type { Method } from '../../../src/contract/operation.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type ApiAnswer, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

export interface HubScene extends AsyncDisposable {
  readonly house: House;
  readonly people: readonly HouseMember[];
  /** a request below /api/social/hubs */
  call(who: HouseMember, method: Method, path: string, body?: unknown): Promise<ApiAnswer>;
  /** the same; answers the data, and throws for a failure */
  ask(who: HouseMember, method: Method, path: string, body?: unknown): Promise<Json>;
  /** a new hub of this owner, with members, each by joining; `id` is its id */
  hub(owner: HouseMember, members?: readonly HouseMember[], more?: object): Promise<Json>;
}

export async function openHubs(engine: EngineName, members: number, options: HouseOptions = {}): Promise<HubScene> {
  const house = await openHouse(engine, options);
  const people: HouseMember[] = [];
  for (let made = 0; made < members; made += 1) people.push(await house.register());
  let hubs = 0;
  const call: HubScene['call'] = async (who, method, path, body) =>
    await house.api(method, `/api/social/hubs${path}`, {
      token: who.token,
      ...(body !== undefined ? { body } : method === 'GET' ? {} : { body: {} }),
    });
  const ask: HubScene['ask'] = async (who, method, path, body) => {
    const answer = await call(who, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  return {
    house,
    people,
    call,
    ask,
    async hub(owner, joining = [], more = {}) {
      hubs += 1;
      // Ids of hubs sort by their millisecond.
      house.clock.advance(1);
      const made = await ask(owner, 'POST', '', { name: `Hub ${hubs}`, ...more });
      const { _id: id } = made;
      for (const member of joining) {
        house.clock.advance(1);
        await ask(member, 'POST', `/${id}/join`);
      }
      return { ...made, id };
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

/** What a failed request said: its status and code. */
export function said(answer: ApiAnswer): string {
  return `${answer.status} ${answer.body.error?.reason ?? 'success'}`;
}

/** A hub of ada with the moderator bob and the member cyd; dan is a stranger. */
export async function openModerated(engine: EngineName) {
  const scene = await openHubs(engine, 5);
  const [ada, bob, cyd, dan] = scene.people as [HouseMember, HouseMember, HouseMember, HouseMember];
  const hub = await scene.hub(ada, [bob, cyd]);
  await scene.ask(ada, 'POST', `/${hub.id}/moderators`, { ownerId: ada.memberId, userId: bob.memberId });
  scene.house.clock.advance(1);
  const act = async (who: HouseMember, path: string, body: object, method: 'POST' | 'DELETE' = 'POST') =>
    await scene.call(who, method, `/${hub.id}/${path}`, body);
  return { scene, ada, bob, cyd, dan, hub, act, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}
