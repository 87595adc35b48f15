import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { escapeLinesForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { allVaults, findVault } from '../../src/cli/passvault/find-vault.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { passvault } from '../../src/contract/passvault.ts';

export default class Lock extends VaultCommand {
  static override summary = 'Lock a vault in this session, or all open vaults';
  static override examples = ['<%= config.bin %> vault lock', '<%= config.bin %> vault lock Work'];
  static override args = { vault: Args.string({ description: 'name of a vault, or beginning of its id' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Lock);
    await using session = await this.session(flags);
    const all = async () => (await allVaults(session)).filter(({ open }) => open);
    const vaults = args.vault === undefined ? await all() : [await findVault(session, args.vault)];
    for (const { id } of vaults) await perform(session.client, passvault.lockVault, { vaultId: id });
    if (args.vault === undefined) await session.client.forgetUnlockKey();
    const locked = vaults.map(({ id, name }) => ({ id, name }));
    const said = locked.length === 0 ? 'No vault was open.' : locked.map(({ name }) => `${name} is locked.`).join('\n');
    await this.answer({ locked }, () => escapeLinesForTerminal(said));
  }
}
