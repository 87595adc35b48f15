import { sharedFilesTable } from '../../src/cli/files/sharing/tables.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Shared extends ApiCommand {
  static override summary = 'List the files that others share with you';
  static override examples = ['<%= config.bin %> files shared'];

  async run(): Promise<void> {
    const { flags } = await this.parse(Shared);
    await using client = await this.connect(flags);
    const reply = await perform(client, filevault.listSharedWithMe, {});
    const shares = Array.isArray(reply) ? reply : reply.shares;
    await this.answer({ shares }, (screen) => (shares.length === 0 ? '' : sharedFilesTable(screen, shares)));
    if (shares.length === 0) this.say('Nobody shares a file with you.');
  }
}
