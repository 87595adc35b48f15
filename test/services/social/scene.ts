import type { Method } from '../../../src/contract/operation.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type ApiAnswer, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

/** A node with a social network, and what its members do over the API. */
export interface SocialScene extends AsyncDisposable {
  readonly house: House;
  /** a request below /api/social */
  call(
    who: HouseMember,
    method: Method,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiAnswer>;
  /** the same; answers `data`, and throws for a failure */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  ask(who: HouseMember, method: Method, path: string, body?: unknown): Promise<any>;
  /** writes a post a millisecond after the last one; answers its id */
  post(who: HouseMember, content: string, more?: object): Promise<string>;
  follow(who: HouseMember, other: HouseMember): Promise<void>;
  /** only members who were approved see their posts */
  protect(who: HouseMember): Promise<void>;
  /** as an administrator does */
  suspend(who: HouseMember): Promise<void>;
}

export async function openSocial(engine: EngineName, options: HouseOptions = {}): Promise<SocialScene> {
  const house = await openHouse(engine, options);
  const call: SocialScene['call'] = async (who, method, path, body, headers = {}) =>
    await house.api(method, `/api/social${path}`, { token: who.token, headers, ...(body !== undefined && { body }) });
  const ask: SocialScene['ask'] = async (who, method, path, body) => {
    const answer = await call(who, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body?.data;
  };
  return {
    house,
    call,
    ask,
    async post(who, content, more = {}) {
      house.clock.advance(1);
      return (await ask(who, 'POST', '/posts', { content, ...more }))['_id'] as string;
    },
    async follow(who, other) {
      const { following } = await ask(who, 'POST', `/users/${other.memberId}/follow`, {});
      if (following === 'requested') await ask(other, 'POST', `/follow-requests/${who.memberId}/approve`);
    },
    async suspend(who) {
      const token = await house.operatorToken();
      const path = `/api/admin/members/${who.memberId}/suspend`;
      const answer = await house.api('POST', path, { token, trusted: true, body: { reason: 'A test' } });
      if (answer.status !== 200) throw new Error(`${path}: ${said(answer)}`);
    },
    protect: async (who) => void (await ask(who, 'PUT', `/users/${who.memberId}`, { isProtected: true })),
    [Symbol.asyncDispose]: async () => await house[Symbol.asyncDispose](),
  };
}

/** What a request was answered: its status and code. */
export function said(answer: ApiAnswer): string {
  return `${answer.status} ${answer.body?.error?.reason ?? answer.body?.code ?? 'success'}`;
}
