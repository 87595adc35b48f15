import { Args, Flags } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { fileAt } from '../../src/cli/files/places.ts';
import { auditTable, sharesTable } from '../../src/cli/files/sharing/tables.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Shares extends ApiCommand {
  static override summary = 'List with whom a file is shared, and its links';
  static override description = 'With --audit: who was let in, and from which addresses its links were opened.';
  static override examples = ['<%= config.bin %> files shares Work:/report.pdf --audit'];
  static override args = { path: Args.string({ description: 'path of a file', required: true }) };
  static override flags = { audit: Flags.boolean({ description: 'show what happened, the newest first' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Shares);
    await using client = await this.connect(flags);
    const { id: fileId } = await fileAt(client, parseRemotePath(args.path));
    const { shares, links } = await perform(client, filevault.listShares, { fileId });
    if (!flags.audit) return await this.answer({ shares, links }, (screen) => sharesTable(screen, shares, links));
    const audit = await perform(client, filevault.showShareAudit, { fileId });
    await this.answer({ shares, links, audit }, (screen) => auditTable(screen, audit));
  }
}
