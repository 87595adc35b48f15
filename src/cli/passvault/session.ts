import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import type { JsonOperation, RawInputOf, ReplyOf } from '../../contract/operation.ts';
import type { VaultSummary } from '../../contract/passvault/entry.ts';
import { vaults as passvault } from '../../contract/passvault/vaults.ts';
import { Problem } from '../../base/problem.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import { missingInput } from '../kit/missing-input.ts';
import { prompts } from '../kit/prompts.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';

/** The variable with the master password, for use without a terminal. */
export const masterPasswordVariable = 'CONCLAVE_MASTER_PASSWORD';

/** A member's session for commands on vaults. */
export interface VaultSession {
  readonly client: Client;
  readonly terminal: Terminal;
  /** the master password from a file, standard input or a variable, read once; undefined if none of them has it */
  readonly masterPassword: () => Promise<string | undefined>;
}

type NamedVault = Pick<VaultSummary, 'id' | 'name' | 'role'>;

const tries = 3;

/**
 * Performs an operation on a vault. A locked vault is unlocked first, with the master password from a file, a variable or the person at the
 * terminal.
 *
 * @throws Problem unauthenticated VAULT_LOCKED if there is none of these
 */
export async function performOn<O extends JsonOperation>(
  session: VaultSession,
  vault: NamedVault,
  operation: O,
  input: RawInputOf<O>,
): Promise<ReplyOf<O>> {
  try {
    return await perform(session.client, operation, input);
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'VAULT_LOCKED')) throw error;
    if (!(await openIfPossible(session, vault))) throw error;
  }
  return await perform(session.client, operation, input);
}

/** Unlocks a locked vault before work with a spinner or a progress bar, if the person can be asked. */
export async function openBefore(session: VaultSession, vault: VaultSummary): Promise<void> {
  if (!vault.open && isInteractive(session.terminal)) await openVault(session, vault);
}

/** @throws Problem invalid INPUT_MISSING if no master password is given and nobody can be asked */
export async function openVault(session: VaultSession, vault: NamedVault): Promise<void> {
  if (await openIfPossible(session, vault)) return;
  const by = `--master-password-file, ${masterPasswordVariable}, ${masterPasswordVariable}_FILE`;
  throw missingInput({ path: 'masterPassword', by });
}

async function openIfPossible(session: VaultSession, vault: NamedVault): Promise<boolean> {
  const { terminal, client } = session;
  const open = async (masterPassword: string) =>
    void (await perform(client, passvault.openVault, { vaultId: vault.id, masterPassword }));
  const given = await session.masterPassword();
  if (given !== undefined) {
    await open(given);
    return true;
  }
  if (!isInteractive(terminal)) return false;
  // A vault that another member shared opens with the password of the caller's own account.
  const whose = vault.role === 'owner' ? 'Master password of' : 'Password of your account, to open';
  const message = `${whose} ${escapeForTerminal(vault.name)}`;
  for (let left = tries; ; left -= 1) {
    try {
      const asked = left === tries ? message : `Wrong password. ${message}`;
      await open(await prompts(terminal, { back: true }).secret({ message: asked, check: notEmpty }));
      return true;
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'INVALID_MASTER_PASSWORD') || left === 1) throw error;
    }
  }
}

function notEmpty(answer: string): string | undefined {
  return answer === '' ? 'Must not be empty' : undefined;
}
