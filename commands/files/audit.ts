import { Args, Flags } from '@oclif/core';
import { collectPages } from '../../src/client/pages.ts';
import { auditFilter, auditTable, exportAudit } from '../../src/cli/files/audit.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Audit extends ApiCommand {
  static override summary = 'Show who did what with files, or export it';
  static override examples = ['<%= config.bin %> files audit Work: --member bob --export bob.csv --format csv'];
  static override args = { path: Args.string({ description: 'path of a container, folder or file' }) };
  static override flags = {
    member: Flags.string({ description: 'who did it', helpValue: 'MEMBER' }),
    action: Flags.string({ description: 'what was done, such as file-downloaded', helpValue: 'ACTION' }),
    from: Flags.string({ description: 'since then', helpValue: 'TIME' }),
    to: Flags.string({ description: 'before then', helpValue: 'TIME' }),
    export: Flags.string({ description: 'write all of it to a new file', helpValue: 'FILE', exclusive: ['cursor'] }),
    format: Flags.string({ description: 'of the export', options: ['jsonl', 'csv'], default: 'jsonl' }),
    ...pageFlags(50),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Audit);
    await using client = await this.connect(flags);
    const filter = await auditFilter(client, args.path, flags);
    const { export: file } = flags;
    if (file !== undefined) {
      await this.waitFor('Exporting', exportAudit(client, filter, flags.format as 'jsonl' | 'csv', file));
      return await this.answer({ file }, () => `Wrote ${file}.`);
    }
    const listed = await collectPages(client, filevault.listAudit, filter, 'entries', shownBy(flags));
    const { items: entries, ...more } = listed;
    await this.answer({ entries, ...more }, (screen) => auditTable(screen, entries));
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
