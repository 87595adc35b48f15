import { Args, Flags } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { fileAt } from '../../src/cli/files/places.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Destroy extends ApiCommand {
  static override summary = 'Destroy a file for good, with all its versions';
  static override description =
    'Its keys are erased, so that no backup brings it back. Only the keys beside the last backup with secrets are left, until the next one, and copies of them elsewhere. The answer is the proof that the ledger of the node has.';
  static override examples = ['<%= config.bin %> files destroy Work:/secret.pdf'];
  static override args = { path: Args.string({ description: 'path of a file', required: true }) };
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Destroy);
    await using client = await this.connect(flags);
    const { id: fileId, name } = await fileAt(client, parseRemotePath(args.path));
    await confirmed(this.terminal, flags.yes, `Destroy ${escapeForTerminal(name)} with all its versions for ever?`);
    const { proof } = await perform(client, filevault.destroyFile, { fileId });
    const lines = [
      `Destroyed ${escapeForTerminal(name)}.`,
      `Inventory  ${proof.merkleRoot}`,
      `Ledger     ${proof.ledgerEntryHash}`,
    ];
    await this.answer({ fileId, name, proof }, () => lines.join('\n'));
  }
}
