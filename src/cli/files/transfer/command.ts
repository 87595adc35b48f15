import type { Teller } from '../../kit/waiting.ts';
import { FileCommand } from '../file-command.ts';
import type { GetOutcome } from './getting.ts';
import { interruptibly } from './interruption.ts';
import type { PutOutcome } from './putting.ts';
import { receivedText, sentText, warningsOf } from './reporting.ts';

/** What commands share that move files: one bar, Ctrl-C, and an answer that names each failure at its end. */
export abstract class TransferCommand extends FileCommand {
  protected async moving<T>(text: string, work: (teller: Teller, signal: AbortSignal) => Promise<T>): Promise<T> {
    return await interruptibly(
      async (signal) => await this.waitFor(text, async (teller) => await work(teller, signal)),
      (said) => this.say(said),
    );
  }

  protected async answerPut({ sent, leftOut, failures }: PutOutcome, dryRun = false): Promise<void> {
    const { stored, present, planned } = sent;
    const skipped = leftOut.map(({ path }) => path);
    const data = { stored, present, ...(dryRun && { planned }), skipped, failed: failures.list };
    await this.answer(data, () => sentText(sent, dryRun));
    this.end(warningsOf(leftOut, failures), failures.exitCode);
  }

  protected async answerGet({ received: all, failures }: GetOutcome, dryRun = false): Promise<void> {
    const { received, present, planned } = all;
    const data = { received, present, ...(dryRun && { planned }), failed: failures.list };
    await this.answer(data, () => receivedText(all, dryRun));
    this.end(warningsOf([], failures), failures.exitCode);
  }

  protected end(warnings: readonly string[], code: number): void {
    if (!this.wantsJson) for (const line of warnings) this.warnOf(line);
    if (code !== 0) this.exit(code);
  }
}
