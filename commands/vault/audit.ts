import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { auditEntries, entryTitles } from '../../src/cli/passvault/audit-log.ts';
import { findOwnVault } from '../../src/cli/passvault/find-vault.ts';
import { vaultArgument, VaultCommand } from '../../src/cli/passvault/vault-command.ts';
import { auditTable } from '../../src/cli/passvault/vault-tables.ts';

export default class Audit extends VaultCommand {
  static override summary = 'Show the audit log of a vault, newest first';
  static override description =
    'Only the owner may see it. It has every reading of an entry, with who and when. Entries are shown by title while the vault is open.';
  static override examples = ['<%= config.bin %> vault audit Work', '<%= config.bin %> vault audit Work --all --json'];
  static override args = vaultArgument;
  static override flags = pageFlags(100);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Audit);
    await using session = await this.session(flags);
    const vault = await findOwnVault(session, args.vault);
    const { entries, nameOf, ...more } = await auditEntries(session, vault, shownBy(flags));
    const titles = vault.open ? await entryTitles(session, vault) : new Map<string, string>();
    const data = { entries, ...more, titles: Object.fromEntries(titles) };
    await this.answer(data, (screen) => auditTable(screen, entries, nameOf, titles));
    if (!vault.open) this.say('The vault is locked, so entries are shown by id.');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
