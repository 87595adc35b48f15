import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { bytes, moment } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { collectPages } from '../../src/client/pages.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Quarantine extends ApiCommand {
  static override summary = 'List uploads that the scanner of the node refused, or decide on one';
  static override description = 'The owner of the container may destroy one. The operator of the node may release one.';
  static override examples = ['<%= config.bin %> files quarantine'];
  static override flags = {
    destroy: Flags.string({ description: 'destroy the upload with this id', helpValue: 'ID', exclusive: ['release'] }),
    release: Flags.string({ description: 'as the operator: let it be stored nevertheless', helpValue: 'ID' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Quarantine);
    await using client = await this.connect(flags);
    const { destroy, release } = flags;
    if (destroy !== undefined) {
      await perform(client, filevault.destroyQuarantined, { id: destroy });
      await this.answer({ id: destroy, destroyed: true }, () => 'Destroyed it.');
    } else if (release !== undefined) {
      const released = await perform(client, filevault.releaseQuarantined, { id: release });
      await this.answer(
        released,
        () => 'Released it. Whoever sent it has to send it again; nothing is uploaded twice.',
      );
    } else {
      const { items } = await collectPages(client, filevault.listQuarantine, {}, 'items');
      await this.answer({ items }, (screen) =>
        table(screen, items, [
          { title: 'NAME', of: ({ fileName }) => fileName, main: true },
          { title: 'FOUND', of: ({ found }) => found ?? '-' },
          { title: 'SIZE', of: ({ sizeBytes }) => bytes(sizeBytes), whole: true },
          { title: 'REFUSED', of: ({ refusedAt }) => moment(screen, refusedAt), whole: true },
          { title: 'ID', of: ({ id }) => id, whole: true },
        ]),
      );
      if (items.length === 0) this.say('Nothing is in quarantine.');
    }
  }
}
