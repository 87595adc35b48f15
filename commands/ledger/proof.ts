import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { describeVerdict } from '../../src/cli/ledger/ledger-details.ts';
import { writeNew } from '../../src/cli/kit/new-file.ts';
import { checkProof, fetchProof } from '../../src/cli/ledger/ledger-proof.ts';

export default class Proof extends ApiCommand {
  static override summary = 'Make a proof that an entry is in the ledger, to check offline';
  static override description =
    'The proof contains the entry, in the format c2sp.org/tlog-proof. Check it with: conclave ledger verify --bundle FILE';
  static override examples = [
    '<%= config.bin %> ledger proof 42 --out entry-42.tlog-proof',
    '<%= config.bin %> ledger proof 0 --server https://home.example --json',
  ];
  static override args = { index: Args.integer({ description: 'index of the entry', required: true, min: 0 }) };
  static override flags = {
    out: Flags.string({ description: 'file to write; without it, standard output', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Proof);
    await using client = await this.connect(flags);
    const proof = await fetchProof(client, args.index);
    const report = await checkProof(proof);
    if (!report.ok) {
      this.warnOf('The proof that the server sent is wrong.');
      await this.answer({ ...report, proof }, (screen) => describeVerdict(screen, report));
      this.exit(1);
    }
    if (flags.out !== undefined) await writeNew(flags.out, proof);
    const { index, leafHash, size, logKey } = report;
    await this.answer({ index, leafHash, size, logKey, proof }, () => (flags.out === undefined ? proof.trimEnd() : ''));
    if (flags.out !== undefined) this.say(`The proof of entry ${args.index} is in ${flags.out}. Log key: ${logKey}`);
  }
}
