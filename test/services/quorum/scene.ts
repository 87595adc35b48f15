import { transaction } from '../../../src/service/context.ts';
import type { Method } from '../../../src/contract/operation.ts';
import type { KeyPair } from '../../../src/crypto/key-pair.ts';
import { deriveIdentity } from '../../../src/crypto/identity.ts';
import { mnemonicToSeed } from '../../../src/crypto/mnemonic.ts';
import { operatorId, type Actor } from '../../../src/service/actor.ts';
import { record } from '../../../src/services/quorum/audit/record.ts';
import { verifyAudit } from '../../../src/services/quorum/audit/verify.ts';
import { holdEpoch } from '../../../src/services/quorum/members/epochs.ts';
import { admit } from '../../../src/services/quorum/members/membership.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openHouse, type ApiAnswer, type House, type HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';

/** A member of the quorum with an account, and the recovery phrase that the node gave when the member was added. */
export interface Person extends HouseMember {
  /** of the member of the quorum, who is not the account */
  readonly id: string;
  readonly mnemonic: string;
  readonly keys: KeyPair;
}

export interface QuorumScene extends AsyncDisposable {
  readonly house: House;
  readonly administrator: HouseMember;
  readonly people: readonly Person[];
  /** a request below /api/quorum, by the administrator unless another token is given */
  call(
    method: Method,
    path: string,
    body?: unknown,
    token?: string,
    headers?: Record<string, string>,
  ): Promise<ApiAnswer>;
  /** the same; answers the body, and throws for a failure */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  ask(method: Method, path: string, body?: unknown, token?: string): Promise<any>;
  /** adds a member with an account of their own, over the API */
  join(name?: string): Promise<Person>;
  /** The test writes into the tables of the quorum itself, so that the audit trail is not valid at the end. It is for every other. */
  willTamper(): void;
}

/** Whoever has the data directory of the node. */
export const operator = { memberId: operatorId, type: 'System' } as Actor;

/** A quorum in bootstrap mode with so many members, whose threshold is 2. */
export async function openQuorum(
  engine: EngineName,
  members: number,
  options: HouseOptions = {},
): Promise<QuorumScene> {
  const house = await openHouse(engine, options);
  return await quorumOf(house, await house.administrator(), members);
}

/** The same on a node that is there. */
export async function quorumOf(house: House, administrator: HouseMember, members: number): Promise<QuorumScene> {
  const people: Person[] = [];
  let tampered = false;
  const call: QuorumScene['call'] = async (method, path, body, token = administrator.token, headers = {}) =>
    await house.api(method, `/api/quorum${path}`, { token, headers, ...(body !== undefined && { body }) });
  const ask: QuorumScene['ask'] = async (method, path, body, token) => {
    const answer = await call(method, path, body, token);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const join = async (name?: string): Promise<Person> => {
    const account = await house.register();
    const { username, email, memberId: accountId } = account;
    const body = { name: name ?? username, email, accountId, role: 'keeper' };
    const { member, mnemonic } = await ask('POST', '/members', body);
    const person = { ...account, id: member.id as string, mnemonic: mnemonic as string, keys: await keysOf(mnemonic) };
    people.push(person);
    return person;
  };
  for (let left = members; left > 0; left -= 1) await join();
  return {
    house,
    administrator,
    people,
    call,
    ask,
    join,
    willTamper() {
      tampered = true;
    },
    async [Symbol.asyncDispose]() {
      const faults = tampered ? [] : (await verifyAudit(house.ctx, operator)).verification.faults;
      await house[Symbol.asyncDispose]();
      if (faults.length > 0) throw new Error(`the audit trail is not valid at the end: ${faults.join(', ')}`);
    },
  };
}

/** The administrator has checked that the e-mail address of an account is its member's. */
export async function confirmAddress(
  { house, administrator }: Pick<QuorumScene, 'house' | 'administrator'>,
  { memberId }: Pick<HouseMember, 'memberId'>,
): Promise<void> {
  const path = `/api/admin/members/${memberId}/confirm-email`;
  const { status, body } = await house.api('POST', path, { token: administrator.token });
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
}

/** The key pair that a recovery phrase stands for. */
export async function keysOf(mnemonic: string): Promise<KeyPair> {
  return deriveIdentity(await mnemonicToSeed(mnemonic));
}

/** Admits many members with given keys, past the API: a phrase for each would take long. */
export async function admitMany(
  { house: { ctx } }: Pick<QuorumScene, 'house'>,
  keys: readonly KeyPair[],
): Promise<void> {
  await transaction(ctx, async (tx) => {
    for (const [at, { publicKey }] of keys.entries()) {
      const from = await holdEpoch(tx);
      const candidate = { publicKey: Buffer.from(publicKey).toString('hex'), name: `Member ${at}` };
      const { row, changed } = await admit(tx, from, candidate, null);
      await record(tx, operatorId, { action: 'MEMBER_ADDED', subject: `member/${row.id}` }, changed);
    }
  });
}

/** What a failed request said: its status and code. */
export function said(answer: ApiAnswer): string {
  return `${answer.status} ${answer.body.error?.code ?? 'success'}`;
}
