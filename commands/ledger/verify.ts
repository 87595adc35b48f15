import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { checkNode, type Verdict } from '../../src/cli/ledger/ledger-check.ts';
import { checkEvidenceText, takesNoKey } from '../../src/cli/ledger/evidence.ts';
import { describeVerdict, trustWarning } from '../../src/cli/ledger/ledger-details.ts';
import { readProofText, checkProof } from '../../src/cli/ledger/ledger-proof.ts';

export default class Verify extends ApiCommand {
  static override summary = 'Verify the ledger, or a proof offline; exit code 1 if something is wrong';
  static override description =
    'With --full, every entry is recomputed: by the node itself for its operator, otherwise on this machine after a download of all entries.';
  static override examples = [
    '<%= config.bin %> ledger verify --full',
    '<%= config.bin %> ledger verify --server https://home.example --since home.checkpoint',
    '<%= config.bin %> ledger verify --bundle entry-42.tlog-proof --witness-policy home.policy',
    '<%= config.bin %> ledger verify --bundle attic.evidence',
    '<%= config.bin %> ledger verify --bundle entry-42.tlog-proof --key conclave/839e…+5f2a77b1+AY3k…',
  ];
  static override flags = {
    full: Flags.boolean({ description: 'recompute every entry and every hash' }),
    bundle: Flags.string({
      description: 'verify this proof or evidence offline',
      helpValue: 'FILE',
      exclusive: ['full', 'since'],
    }),
    key: Flags.string({ description: 'log key that must have signed; see conclave ledger head', helpValue: 'KEY' }),
    'witness-policy': Flags.string({
      description: 'witnesses that must have cosigned, in the format c2sp.org/tlog-policy',
      helpValue: 'FILE',
    }),
    since: Flags.string({ description: 'earlier checkpoint that the ledger must continue', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Verify);
    const { bundle, full, key, 'witness-policy': file } = flags;
    const policy = file === undefined ? undefined : await readProofText('--witness-policy', file);
    if (bundle !== undefined) {
      const text = await readProofText('--bundle', bundle);
      const shown = await checkEvidenceText(text);
      if (shown !== undefined && (key !== undefined || policy !== undefined)) throw takesNoKey(bundle);
      return await this.conclude(shown ?? (await checkProof(text, { key, policy })));
    }
    const since = flags.since === undefined ? undefined : await readProofText('--since', flags.since);
    await using client = await this.connect(flags);
    const local = client.connection.kind !== 'remote';
    await this.conclude(
      await this.waitFor('Checking the ledger', checkNode(client, { full, key, policy, since, local })),
    );
  }

  private async conclude(report: Verdict): Promise<void> {
    const warning = trustWarning(report);
    if (warning !== undefined) this.warnOf(warning);
    await this.answer(report, (screen) => describeVerdict(screen, report));
    if (!report.ok) this.exit(1);
  }
}
