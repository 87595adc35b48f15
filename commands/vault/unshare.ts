import { Args } from '@oclif/core';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { wrapSaid } from '../../src/cli/kit/wrap-words.ts';
import { changeText } from '../../src/cli/passvault/sharing/emergency-details.ts';
import { findOwnVault } from '../../src/cli/passvault/find-vault.ts';
import { openBefore, performOn } from '../../src/cli/passvault/session.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Unshare extends VaultCommand {
  static override summary = 'Stop sharing a vault with a member';
  static override description =
    'The whole vault is encrypted again with a new key, so the old key of the member opens nothing. The member may have copied passwords, so change them. The member also stops being a trustee, and the other trustees get new shares.';
  static override examples = ['<%= config.bin %> vault unshare Work bob'];
  static override args = {
    ...vaultArgument,
    member: Args.string({ description: 'username, e-mail address or id of the member', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unshare);
    await using session = await this.session(flags);
    const vault = await findOwnVault(session, args.vault);
    await openBefore(session, vault);
    const revoking = performOn(session, vault, passvault.revokeShare, {
      vaultId: vault.id,
      memberId: args.member,
    });
    const { memberId, emergencyAccess: change } = await this.waitFor('Encrypting the vault again', revoking);
    const data = { id: vault.id, name: vault.name, revoked: memberId, ...(change && { emergencyAccess: change }) };
    const text = `${vault.name} is no longer shared with ${args.member}. Change the passwords that the member has seen.`;
    await this.answer(data, ({ width }) => wrapSaid(escapeForTerminal(text), width));
    if (change !== undefined) this.say(changeText(change, vault.name));
  }
}
