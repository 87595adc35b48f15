import type { ApiAnswer, HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import type { Scene } from './scene.ts';

/** What a trustee hands over. */
export interface Given {
  readonly trusteeId: string;
  readonly encryptedShare: string;
}

export async function trusteesOf(scene: Scene, count: number): Promise<HouseMember[]> {
  const trustees: HouseMember[] = [];
  for (let at = 0; at < count; at += 1) trustees.push(await scene.house.register());
  return trustees;
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
export async function configure(scene: Scene, threshold: number, trustees: readonly HouseMember[]): Promise<any> {
  return await scene.in('POST', '/emergency-access', { threshold, trustees: trustees.map((one) => one.memberId) });
}

/** The share of a trustee, for the node. */
export async function given(scene: Scene, trustee: HouseMember): Promise<Given> {
  const { share } = await scene.in('GET', '/emergency-share', undefined, trustee.token);
  return { trusteeId: trustee.memberId, encryptedShare: share.recoveryShare };
}

export async function recover(scene: Scene, shares: unknown, token: string): Promise<ApiAnswer> {
  return await scene.call('POST', `/vaults/${scene.vaultId}/emergency-recover`, { shares }, token);
}

/** A house in which the owner of a vault can deny a recovery for so long. */
export function waiting(emergencyWaitMs: number): HouseOptions {
  const vaults = { bcryptRounds: 4, idleMs: 900_000, breachUrl: 'http://127.0.0.1:9', breachList: undefined };
  return { config: { vaults: { ...vaults, emergencyWaitMs } } };
}
