import { mostOf, pageFlags } from '../../src/cli/kit/list-command.ts';
import { auditEntries, entryTitles } from '../../src/cli/passvault/audit-log.ts';
import { findOwnVault } from '../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { auditTable } from '../../src/cli/passvault/vault-tables.ts';

export default class Audit extends VaultCommand {
  static override summary = 'Show what was done with a vault, the newest first';
  static override description =
    'For its owner. Every reading of an entry is in it, by whom and when. Entries have their titles while the vault is open.';
  static override examples = ['<%= config.bin %> vault audit Work', '<%= config.bin %> vault audit Work --all --json'];
  static override args = vaultArgument;
  static override flags = pageFlags(100);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Audit);
    await using session = await this.session(flags);
    const vault = await findOwnVault(session, args.vault);
    const { entries, hasMore, nameOf } = await auditEntries(session, vault, mostOf(flags));
    const titles = vault.open ? await entryTitles(session, vault) : new Map<string, string>();
    const data = { entries, hasMore, titles: Object.fromEntries(titles) };
    await this.answer(data, (screen) => auditTable(screen, entries, nameOf, titles));
    if (!vault.open) this.say('The vault is locked: entries are shown by their ids.');
    if (hasMore) this.say('There is more: --limit, --all.');
  }
}
