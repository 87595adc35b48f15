import { perform } from '../../../client/perform.ts';
import type { Trusteeship } from '../../../contract/passvault/sharing.ts';
import { passvault } from '../../../contract/passvault.ts';
import { Problem } from '../../../base/problem.ts';
import { allNamed, vaultsNamed, vaultTitle } from '../../../base/vault-names.ts';
import { ambiguous, type Candidate } from '../../kit/pick.ts';
import { allVaults, oneNamed } from '../find-vault.ts';
import type { VaultSession } from '../session.ts';

const wholeId = /^[0-9a-f]{32}$/i;

interface Labelled {
  readonly id: string;
  readonly title: string;
  readonly label: string;
}

/**
 * Finds the id of the vault of which the caller is a trustee: the only such vault, or by the name of its owner, or by the beginning of its
 * id.
 *
 * @throws Problem missing VAULT_NOT_FOUND, invalid USAGE, conflict AMBIGUOUS
 */
export async function findTrusteeship(session: VaultSession, name: string | undefined): Promise<string> {
  if (name !== undefined && wholeId.test(name)) return name.toLowerCase();
  const all = await trusteeships(session);
  if (name !== undefined) return the(name, all);
  const [one] = all;
  if (one === undefined) throw new Problem('missing', 'VAULT_NOT_FOUND', 'You are not a trustee of any vault.');
  if (all.length === 1) return one.id;
  throw new Problem('invalid', 'USAGE', 'Name the vault by its id:', { fields: all.map(asField) });
}

/**
 * Finds the id of a vault that the caller may recover. An own or shared vault is found by its name. A vault of which the caller is a
 * trustee is found by its owner, also if it is shared with them. Either is also found by the beginning of its id.
 *
 * @throws Problem missing VAULT_NOT_FOUND, conflict AMBIGUOUS
 */
export async function findRecoverable(session: VaultSession, name: string): Promise<string> {
  if (wholeId.test(name)) return name.toLowerCase();
  const vaults = await allVaults(session);
  const others = await trusteeships(session);
  const known = new Set(vaults.map(({ id }) => id));
  const all = [
    ...vaults.map((vault) => ({ id: vault.id, label: vaultTitle(vault) })),
    ...others.filter(({ id }) => !known.has(id)),
  ];
  const ids = new Set([...vaultsNamed(name, vaults), ...allNamed(name, others)].map(({ id }) => id));
  const found = all.filter(({ id }) => ids.has(id));
  if (found.length > 1) throw ambiguous(name, found);
  if (found[0] !== undefined) return found[0].id;
  const message = `There is no vault ${JSON.stringify(name)} that you can recover.${all.length > 0 ? ' There are:' : ''}`;
  throw new Problem('missing', 'VAULT_NOT_FOUND', message, { fields: all.slice(0, 10).map(asField) });
}

async function trusteeships({ client }: VaultSession): Promise<Labelled[]> {
  const reply = await perform(client, passvault.listTrusteeships, {});
  return reply.trusteeships.map(labelled);
}

function labelled({ vaultId, ownerUsername, threshold }: Trusteeship): Labelled {
  return { id: vaultId, title: ownerUsername, label: `of ${ownerUsername}, needs ${threshold} shares` };
}

function the(name: string, all: readonly Labelled[]): string {
  const found = oneNamed(name, all);
  if (found !== undefined) return found.id;
  const message = `You are not a trustee of ${JSON.stringify(name)}.${all.length > 0 ? ' You are a trustee of:' : ''}`;
  throw new Problem('missing', 'VAULT_NOT_FOUND', message, { fields: all.slice(0, 10).map(asField) });
}

function asField({ id, label }: Candidate): { path: string; message: string } {
  return { path: id, message: label };
}
