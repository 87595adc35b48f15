import { bytesOf } from '../../../src/platform/store/member-storage.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type ApiAnswer, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

/** A node with a member who uploads. */
export interface MediaScene extends AsyncDisposable {
  readonly house: House;
  readonly ada: HouseMember;
  /** uploads a file as it is; Ada does unless another member is named */
  upload(
    file: Uint8Array,
    options?: { readonly who?: HouseMember; readonly query?: string; readonly headers?: Record<string, string> },
  ): Promise<ApiAnswer>;
  /** the same, and answers what was made of it */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  uploaded(file: Uint8Array, query?: string): Promise<any>;
  get(
    id: string,
    headers?: Record<string, string>,
    who?: HouseMember,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }>;
  call(method: 'GET' | 'PUT' | 'DELETE', id: string, body?: unknown, who?: HouseMember): Promise<ApiAnswer>;
  /** bytes that count against the quota of Ada */
  bytes(): Promise<number>;
}

export async function openMedia(engine: EngineName, options: HouseOptions = {}): Promise<MediaScene> {
  const house = await openHouse(engine, options);
  const ada = await house.register({ username: 'ada' });
  const path = '/api/social/media';
  const scene: MediaScene = {
    house,
    ada,
    upload: async (file, { who = ada, query = '', headers = {} } = {}) =>
      await house.api('POST', `${path}${query}`, {
        token: who.token,
        rawBody: new Uint8Array(file),
        headers: {
          'content-type': 'application/octet-stream',
          'content-length': String(file.length),
          ...headers,
        },
      }),
    async uploaded(file, query = '') {
      const answer = await scene.upload(file, { query });
      if (answer.status !== 201) throw new Error(`the upload answered ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body.data;
    },
    async get(id, headers = {}, who = ada) {
      const response = await house.fetch(
        new Request(`http://house.test${path}/${id}`, {
          headers: { authorization: `Bearer ${who.token}`, ...headers },
        }),
      );
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    },
    call: async (method, id, body, who = ada) =>
      await house.api(method, `${path}/${id}`, { token: who.token, ...(body !== undefined && { body }) }),
    bytes: async () => await bytesOf(house.ctx.db, ada.memberId),
    [Symbol.asyncDispose]: async () => await house[Symbol.asyncDispose](),
  };
  return scene;
}

/** What a failed request said: its status and code. */
export function said({ status, body }: ApiAnswer): string {
  return `${status} ${body?.error?.reason ?? 'success'}`;
}
