import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { describeHead } from '../../src/cli/ledger/ledger-details.ts';
import { writeNew } from '../../src/cli/kit/new-file.ts';
import { fetchCheckpoint } from '../../src/cli/ledger/ledger-proof.ts';
import { ledger } from '../../src/contract/ledger.ts';

export default class Head extends ApiCommand {
  static override summary = 'Show the size, the root and the keys of the ledger';
  static override examples = [
    '<%= config.bin %> ledger head',
    '<%= config.bin %> ledger head --server https://home.example --out home.checkpoint',
  ];
  static override flags = {
    out: Flags.string({
      description: 'write the signed checkpoint to this file, for a later --since',
      helpValue: 'FILE',
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Head);
    await using client = await this.connect(flags);
    const head = await perform(client, ledger.head, {});
    // A node that signs nothing has no checkpoint, and says why.
    const isShown = head.stopped.length > 0 && flags.out === undefined;
    const checkpoint = isShown ? null : await fetchCheckpoint(client);
    if (flags.out !== undefined && checkpoint !== null) await writeNew(flags.out, checkpoint);
    await this.answer({ ...head, checkpoint }, (screen) => describeHead(screen, head));
  }
}
