import { Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { describeStore } from '../../../src/cli/pool/node-details.ts';
import { node } from '../../../src/contract/node.ts';

export default class Status extends ApiCommand {
  static override summary = 'Show what the store contains';
  static override examples = ['<%= config.bin %> admin store status', '<%= config.bin %> admin store status --all'];
  static override flags = { all: Flags.boolean({ description: 'list all tables, not only the largest' }) };

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    await using client = await this.connect(flags);
    const store = await perform(client, node.storeStatus, {});
    await this.answer(store, (screen) => describeStore(screen, store, flags.all));
  }
}
