import type { Method } from '../../../src/contract/operation.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type ApiAnswer, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

export const masterPassword = 'the master password of a test';

export interface Scene extends AsyncDisposable {
  readonly house: House;
  readonly owner: HouseMember;
  /** of the owner's vault, which is open for them */
  readonly vaultId: string;
  /** a request below /api/passvault, by the owner unless another token is given */
  call(
    method: Method,
    path: string,
    body?: unknown,
    token?: string,
    headers?: Record<string, string>,
  ): Promise<ApiAnswer>;
  /** the same below the vault; answers `data`, and throws for a failure */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  in(method: Method, path: string, body?: unknown, token?: string): Promise<any>;
  /** the id of a new login */
  login(fields?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** An owner with an open vault. */
export async function openScene(engine: EngineName, options: HouseOptions = {}): Promise<Scene> {
  const house = await openHouse(engine, options);
  const owner = await house.register();
  const call: Scene['call'] = async (method, path, body, token = owner.token, headers = {}) =>
    await house.api(method, `/api/passvault${path}`, { token, headers, ...(body !== undefined && { body }) });
  const made = await call('POST', '/vaults', { name: 'Home', masterPassword });
  if (made.status !== 200) throw new Error(JSON.stringify([made.body, house.log.lines.at(-1)]));
  const vaultId = made.body.data.vault.id as string;
  const inVault: Scene['in'] = async (method, path, body, token) => {
    const answer = await call(method, `/vaults/${vaultId}${path}`, body, token);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  return {
    house,
    owner,
    vaultId,
    call,
    in: inVault,
    login: async (fields = {}) => {
      const body = { type: 'login', title: 'A login', username: 'alice', password: 'a password', ...fields };
      return (await inVault('POST', '/entries', body)).entry.id as string;
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

/** Shares the vault of a scene with a member, who opens it. */
export async function shareWith(scene: Scene, member: HouseMember): Promise<void> {
  await scene.in('POST', '/share', { recipientMemberIds: [member.memberId] });
  await scene.in('POST', '/open', { masterPassword: member.password }, member.token);
}

/** What a failed request said: its status and code. */
export function said(answer: ApiAnswer): string {
  return `${answer.status} ${answer.body.error?.code ?? 'success'}`;
}
