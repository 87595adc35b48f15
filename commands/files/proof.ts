import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Args, Flags } from '@oclif/core';
import { checkFileProof, describeFileProof, entriesOf, fetchFileProof, fileIdOf } from '../../src/cli/files/proofs.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { writeNew } from '../../src/cli/kit/new-file.ts';

export default class Proof extends ApiCommand {
  static override summary = 'Make a proof that a file was never opened, or that it was destroyed';
  static override description =
    'Anybody can check it offline with: conclave files verify FILE. A file that was destroyed is named by its id.';
  static override examples = [
    '<%= config.bin %> files proof Work:/contract.pdf --out contract.proof',
    '<%= config.bin %> files proof 01a20d9c0ae89e7c8e967e7710f9d355 --out destroyed.proof',
  ];
  static override args = { path: Args.string({ description: 'path of a file, or its id', required: true }) };
  static override flags = {
    out: Flags.string({ description: 'file to write; without it, standard output', helpValue: 'FILE' }),
    cosigned: Flags.boolean({ description: 'under the newest checkpoint that other nodes have cosigned' }),
    entries: Flags.string({ description: 'also write all entries of the ledger, for an auditor', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Proof);
    await using client = await this.connect(flags);
    const fileId = await fileIdOf(client, args.path);
    const { kind, text } = await fetchFileProof(client, fileId, flags.cosigned ? 'cosigned' : 'newest');
    const report = await checkFileProof(text);
    if (report.verdict !== 'valid') {
      this.warnOf('The proof that the server sent is wrong.');
      await this.answer({ ...report, proof: text }, (screen) => describeFileProof(screen, report));
      this.exit(1);
    }
    if (flags.out !== undefined) await writeNew(flags.out, text);
    if (flags.entries !== undefined) {
      const lines = Readable.from(entriesOf(client)).map((entry: string) => `${entry}\n`);
      await pipeline(lines, createWriteStream(flags.entries, { flags: 'wx' }));
    }
    const { logKey } = report;
    await this.answer({ kind, fileId, logKey, proof: text }, () => (flags.out === undefined ? text.trimEnd() : ''));
    if (flags.out === undefined) return;
    const what = kind === 'destruction' ? 'The file was destroyed.' : 'The file was never opened.';
    this.say(`${what} The proof is in ${flags.out}. Log key: ${logKey}`);
  }
}
