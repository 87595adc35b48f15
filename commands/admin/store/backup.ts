import { resolve } from 'node:path';
import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { flagsOf } from '../../../src/cli/kit/flags.ts';
import { isGiven } from '../../../src/cli/kit/input.ts';
import { wrapSaid } from '../../../src/cli/kit/wrap-words.ts';
import { describeBackup, withoutKeys } from '../../../src/cli/pool/node-details.ts';
import { node } from '../../../src/contract/node.ts';

export default class Backup extends ApiCommand {
  static override summary = 'Write a backup of the store to one file, while the server runs';
  static override description =
    'Restoring needs the node secret of this node, and the erasure keys of its file vault. With --with-secrets both are backed up too, encrypted with a passphrase: the secret in the backup, the keys in erasure.keys.backup beside it.';
  static override usage = 'admin store backup FILE [--with-secrets [--passphrase-file FILE]]';
  static override examples = [
    '<%= config.bin %> admin store backup /var/backups/conclave.backup',
    '<%= config.bin %> admin store backup ./conclave.backup --with-secrets --passphrase-file ./passphrase',
  ];
  static override args = { file: Args.string({ description: 'file to write', required: true }) };
  static override flags = {
    'with-secrets': Flags.boolean({
      description: 'include the node secret and the erasure keys, encrypted with a passphrase',
    }),
    ...flagsOf(node.backUpStore, { omit: ['path'] }),
  };

  protected override readonly here = true;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Backup);
    await using client = await this.connect(flags);
    const secrets =
      flags['with-secrets'] || isGiven(node.backUpStore, flags)
        ? { fresh: ['passphrase'], ask: ['passphrase'] }
        : { skip: ['passphrase'] };
    const input = await this.inputFor(node.backUpStore, flags, { given: { path: resolve(args.file) }, ...secrets });
    const made = await this.waitFor('Writing the backup', perform(client, node.backUpStore, input));
    await this.answer(made, ({ width }) => wrapSaid(describeBackup(made), width));
    for (const id of made.damagedBlocks) this.warnOf(`Block ${id} is damaged in the store. It is not in the backup.`);
    if (made.erasure === 'left-out' || made.erasure === 'unavailable') this.warnOf(withoutKeys[made.erasure]);
    if (made.erasure === 'unavailable') this.exit(1);
  }
}
