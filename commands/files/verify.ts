import { Args } from '@oclif/core';
import {
  checkFileProof,
  describeFileProof,
  entriesOf,
  exitCodes,
  linesOf,
  readFileProof,
} from '../../src/cli/files/proofs.ts';
import { verifyFlags } from '../../src/cli/files/verify-flags.ts';
import { ConclaveCommand } from '../../src/cli/kit/command.ts';
import { trustWarning } from '../../src/cli/ledger/ledger-details.ts';
import { readProofText } from '../../src/cli/ledger/ledger-proof.ts';

export default class Verify extends ConclaveCommand {
  static override summary = 'Verify a proof about a file offline; exit code 1: not valid, 2: not decided';
  static override description =
    'It needs no server and no store. Every result says what is proven and what is not. With --entries, the filter is recomputed from the whole ledger.';
  static override examples = [
    '<%= config.bin %> files verify contract.proof --node-key conclave/839e…+5f2a77b1+AY3k…',
    '<%= config.bin %> files verify contract.proof --entries https://home.example --checkpoint home.checkpoint',
    '<%= config.bin %> files verify contract.proof --receipt receipt.txt --json',
  ];
  static override args = { file: Args.string({ description: 'file with the proof', required: true }) };
  static override flags = verifyFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Verify);
    const text = await readFileProof(args.file);
    const given = async (flag: string, path?: string) =>
      path === undefined ? undefined : await readProofText(flag, path);
    const { entries, receipt } = flags;
    await using client = /^https?:/.test(entries ?? '') ? await this.connect({ server: entries }) : undefined;
    const report = await checkFileProof(text, {
      key: flags['node-key'],
      policy: await given('--witness-policy', flags['witness-policy']),
      kept: await given('--checkpoint', flags.checkpoint),
      entries: client !== undefined ? entriesOf(client) : entries === undefined ? undefined : linesOf(entries),
      receipt: receipt?.startsWith('v1.') === true ? receipt : await given('--receipt', receipt),
    });
    const warning = trustWarning(report);
    if (warning !== undefined) this.warnOf(warning);
    await this.answer(report, (screen) => describeFileProof(screen, report));
    if (report.verdict !== 'valid') this.exit(exitCodes[report.verdict]);
  }
}
